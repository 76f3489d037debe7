//! Constrained Horn clauses over Booleans and bit-vectors, as the competition writes them.
//!
//! [`read`] turns SMT-LIB into a [`System`]; [`Problem`] has its normal form and the machine that
//! engines search. What they find comes back as a [`Model`] or a [`Derivation`], and [`check`] judges
//! both against the clauses as read, with code that shares nothing with the translation.

pub mod check;
mod evidence;
mod graph;
mod model;
mod normal;
pub mod print;
mod reader;
mod substitute;
mod system;
pub mod terms;
mod translate;

pub use model::{Derivation, Inference, Interpretation, Model};
pub use reader::{ReadError, read};
pub use system::{Atom, Clause, Predicate, System};

use check::{ModelError, Rejected, check_derivation, check_model};
use hardbop_evidence::{Certificate, Trace};
use hardbop_machine::Machine;
use hardbop_syntax::Source;
use normal::Normal;
use translate::Translation;

/// A system of clauses with its machine.
#[derive(Debug)]
pub struct Problem {
    system: System,
    normal: Normal,
    translation: Translation,
}

/// Why an answer about the machine is none about the clauses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    /// A model was found, and it is none.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A derivation was found, and it is none.
    #[error(transparent)]
    Derivation(#[from] Rejected),
    /// The certificate is of a kind that describes no model.
    #[error("the certificate of the engine does not describe a model")]
    NoModel,
    /// The run does not describe a derivation.
    #[error("the run of the engine does not describe a derivation")]
    NoDerivation,
}

impl Problem {
    /// Reads clauses and translates them.
    pub fn new(source: &Source) -> Result<Self, ReadError> {
        let mut system = read(source.text())?;
        let normal = normal::normal_form(&mut system);
        let translation = translate::translate(&system, &normal, source);
        Ok(Self {
            system,
            normal,
            translation,
        })
    }

    /// The machine: its only assertion fails exactly if the clauses have no model.
    pub fn machine(&self) -> &Machine {
        &self.translation.machine
    }

    /// The clauses as read.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// The model that a certificate of the machine describes, checked against the clauses. `stop`
    /// is asked now and then.
    pub fn model(
        &mut self,
        certificate: &Certificate,
        stop: &dyn Fn() -> bool,
    ) -> Result<Model, NoAnswer> {
        let Self {
            system,
            normal,
            translation,
        } = self;
        let model = evidence::model(system, normal, translation, certificate);
        let model = model.ok_or(NoAnswer::NoModel)?;
        check_model(system, &model, stop)?;
        Ok(model)
    }

    /// The derivation that a run of the machine describes, checked against the clauses.
    pub fn derivation(&self, trace: &Trace) -> Result<Derivation, NoAnswer> {
        let derivation = evidence::derivation(&self.system, &self.normal, &self.translation, trace);
        let derivation = derivation.ok_or(NoAnswer::NoDerivation)?;
        check_derivation(&self.system, &derivation)?;
        Ok(derivation)
    }
}
