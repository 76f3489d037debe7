//! A certificate as one SMT-LIB script: every condition is a `check-sat` that must be `unsat`.
//!
//! The conditions are those of `docs/certificates.md`, written a second time and in another way
//! than the checker has them: in words and operators of bit-vectors instead of circuits of bits. So
//! a solver that finds all of them unsatisfiable confirms more than the searches of the checker.
//! Nothing is searched and nothing is left out because it is known to hold, except what the absence
//! of a relation makes void. Only the form is checked beforehand, because a formula that names a
//! variable which does not exist cannot be written.
//!
//! [`sequential`] has forward and backward certificates, [`interleaved`] those of threads,
//! [`formulas`] the formulas of all.

mod configuration;
mod formulas;
mod interleaved;
mod sequential;
mod states;

use crate::Refused;
use crate::places::printable;
use hardbop_checker::check_form;
use hardbop_evidence::Certificate;
use hardbop_evidence::certificate::Direction;
use hardbop_machine::Machine;

/// The conditions of certificates. All `check-sat` are answered `unsat` exactly if they prove that
/// none of their targets can be reached.
pub fn certificate_script(
    machine: &Machine,
    certificates: &[Certificate],
) -> Result<String, Refused> {
    let mut script = Script::default();
    let file = printable(machine.source.name());
    script.line(&format!("; Conditions of a proof about {file}."));
    script
        .line("; Every check-sat must be answered by unsat; docs/certificates.md says why that is");
    script.line("; enough. Nodes that are not mentioned have the empty relation.");
    for certificate in certificates {
        check_form(machine, certificate).map_err(|why| Refused(format!("{file}: {why}")))?;
        let program = &certificate.program;
        script.line(&format!(
            "\n; A certificate of program {program}. It says that no run reaches"
        ));
        for target in &certificate.targets {
            script.line(&format!(";   {}", printable(&target.to_string())));
        }
        match certificate.direction {
            Direction::Forward | Direction::Backward => {
                sequential::write(&mut script, machine, certificate);
            }
            Direction::Unrolled => {
                let why = "it bounds loops instead of giving invariants; only hardbop checks it";
                return Err(Refused(format!("{file}: {why}")));
            }
            Direction::Interleaved => interleaved::write(&mut script, machine, certificate)?,
            Direction::Stacks => {
                let what = "proofs by stacks cannot be written as SMT-LIB".to_owned();
                return Err(Refused(what));
            }
        }
    }
    script.text.insert_str(0, "(set-logic QF_BV)\n");
    script.line(&format!("\n; {} conditions", script.conditions));
    Ok(script.text)
}

/// The conditions so far.
#[derive(Default)]
struct Script {
    text: String,
    conditions: usize,
}

impl Script {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// One condition: after some definitions, the conclusion holds wherever all premises do.
    fn require(&mut self, title: &str, definitions: &str, premises: &[String], conclusion: &str) {
        self.conditions += 1;
        let number = self.conditions;
        self.line(&format!("\n; {number}. {title}"));
        self.line("(push 1)");
        self.text.push_str(definitions);
        for premise in premises {
            self.line(&format!("(assert {premise})"));
        }
        self.line(&format!("(assert (not {conclusion}))"));
        self.line("(check-sat)");
        self.line("(pop 1)");
    }
}
