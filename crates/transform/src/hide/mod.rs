//! Few variables: a hidden variable that is read becomes a choice of the edge, and assignments to
//! it disappear.
//!
//! Two hundred variables and a question that rests on four of them are then no harder than four
//! variables. Nodes, edges and variables keep their ids. [`Visible`] chooses the variables;
//! [`FewVariables`] asks an engine about them, tries what it finds and refines.
//!
//! **Sound.** Take a run of the original and give every choice that stands for a hidden variable
//! the value that the variable has there: the visible variables then have the same values after
//! every step, so the run is one of the new machine. What that does not reach, the original does
//! not. A certificate that does not speak of hidden variables is one of the original as it is,
//! since the conditions on the visible ones are the same with fewer choices. A run need not be one
//! of the original, so it is tried: its steps and the choices of the original are taken there, and
//! it comes back if they can be.

mod controls;
pub(crate) mod few_variables;
mod levels;
mod precision;
mod visible;
pub(crate) mod window;

pub use few_variables::{FewVariables, Tracking};
pub use levels::Levels;
pub(crate) use precision::Precision;
pub use visible::Visible;

use crate::correspondence::{Correspondence, bit_of, decisions, operands_of};
use crate::transform::{NoWayBack, TargetMap, Transform};
use hardbop_interpreter::replay;
use hardbop_machine::{
    Action, Edge, Expr, ExprArena, ExprId, InputId, Machine, MachineParts, ProcId, ThreadStart,
    Type, Variable,
};
use hardbop_outcome::{Certificate, Question, Skeleton, Trace};

/// A machine that shows only some of its variables.
#[derive(Clone, Debug)]
pub struct Hidden {
    machine: Machine,
    targets: TargetMap,
    visible: Visible,
    back: Correspondence,
}

/// Hides all other variables.
pub fn hide(machine: &Machine, question: &Question, visible: Visible) -> Hidden {
    let mut hidden = MachineParts {
        exprs: ExprArena::default(),
        ..machine.parts().clone()
    };
    for edge in &mut hidden.edges {
        let mut hiding = Hiding {
            machine,
            visible: &visible,
            procedure: machine.procedure_of(edge.from),
            exprs: &mut hidden.exprs,
            inputs: edge.inputs.to_vec(),
            hidden: Vec::new(),
        };
        hiding.edge(edge);
        edge.inputs = hiding.inputs.into();
    }
    Hidden {
        targets: TargetMap::unchanged(question),
        back: Correspondence::identity(machine),
        machine: Machine::new(hidden),
        visible,
    }
}

/// One edge while variables on it are hidden.
struct Hiding<'h> {
    machine: &'h Machine,
    visible: &'h Visible,
    procedure: ProcId,
    exprs: &'h mut ExprArena,
    inputs: Vec<Type>,
    /// The choices that stand for hidden variables: one for each, since an edge reads one value
    /// however often.
    hidden: Vec<(Variable, InputId)>,
}

impl Hiding<'_> {
    fn sees(&self, variable: Variable) -> bool {
        self.visible.contains(self.procedure, variable)
    }

    fn choice(&mut self, ty: Type) -> InputId {
        self.inputs.push(ty);
        InputId::new(self.inputs.len() - 1)
    }

    fn edge(&mut self, edge: &mut Edge) {
        edge.guard = edge.guard.map(|guard| self.read(guard, &[]));
        match &mut edge.action {
            Action::Skip
            | Action::EndThread
            | Action::AtomicBegin
            | Action::AtomicEnd
            | Action::StartThread(ThreadStart::Node(_)) => {}
            // Nobody but a reader of traces asks for these, and the traces are of the original.
            Action::Print(_) => edge.action = Action::Skip,
            Action::Assign {
                assignments,
                constrain,
            } => {
                *constrain = constrain.map(|root| self.read(root, assignments));
                let seen: Vec<(Variable, ExprId)> = assignments
                    .iter()
                    .filter(|&&(variable, _)| self.sees(variable))
                    .copied()
                    .collect();
                let seen = seen.into_iter();
                *assignments = seen
                    .map(|(variable, value)| (variable, self.read(value, &[])))
                    .collect();
            }
            Action::Call {
                callee,
                arguments,
                targets,
            } => {
                self.arguments(*callee, arguments);
                for target in targets.iter_mut() {
                    *target = target.filter(|&target| self.sees(target));
                }
            }
            Action::StartThread(ThreadStart::Procedure { callee, arguments }) => {
                self.arguments(*callee, arguments);
            }
            Action::Return(values) => {
                let results = self.machine.procedure(self.procedure).results();
                for (result, value) in results.zip(values.iter_mut()) {
                    let is_seen = self.sees(Variable::Local(result));
                    *value = self.passed(*value, is_seen);
                }
            }
        }
    }

    fn arguments(&mut self, callee: ProcId, arguments: &mut [ExprId]) {
        let parameters = self.machine.procedure(callee).parameters();
        for (parameter, argument) in parameters.zip(arguments) {
            let is_seen = self.visible.contains(callee, Variable::Local(parameter));
            *argument = self.passed(*argument, is_seen);
        }
    }

    /// A value that is passed to a variable; anything if that is hidden.
    fn passed(&mut self, value: ExprId, is_seen: bool) -> ExprId {
        if is_seen {
            return self.read(value, &[]);
        }
        let ty = self.machine.exprs.get(value).ty();
        let input = self.choice(ty);
        self.exprs.add(Expr::Input(input, ty))
    }

    /// The expression with choices for hidden variables. A hidden variable after the step is what
    /// is assigned to it.
    fn read(&mut self, root: ExprId, assigned: &[(Variable, ExprId)]) -> ExprId {
        let machine = self.machine;
        machine.exprs.fold(root, |expr, operands| {
            let new = match (*expr, operands.as_slice()) {
                (Expr::Unary(op, _), &[a]) => Expr::Unary(op, a),
                (Expr::Binary(op, _, _, ty), &[a, b]) => Expr::Binary(op, a, b, ty),
                (Expr::Ite(_, _, _, ty), &[c, a, b]) => Expr::Ite(c, a, b, ty),
                (Expr::Var(variable, ty) | Expr::Next(variable, ty), _) if !self.sees(variable) => {
                    let value = assigned.iter().find(|(target, _)| *target == variable);
                    if let (Expr::Next(..), Some(&(_, value))) = (expr, value) {
                        return self.read(value, &[]);
                    }
                    Expr::Input(self.stand_in(variable, ty), ty)
                }
                (leaf, _) => leaf,
            };
            self.exprs.add(new)
        })
    }

    fn stand_in(&mut self, variable: Variable, ty: Type) -> InputId {
        let known = self.hidden.iter().find(|(hidden, _)| *hidden == variable);
        if let Some(&(_, input)) = known {
            return input;
        }
        let input = self.choice(ty);
        self.hidden.push((variable, input));
        input
    }
}

impl Hidden {
    /// The steps of a run as decisions of the original, which need not be a run there; nothing if
    /// the run is not sequential.
    pub(crate) fn decisions(&self, original: &Machine, trace: &Trace) -> Option<Skeleton> {
        Some(self.back.decisions_back(original, &decisions(trace)?))
    }
}

impl Transform for Hidden {
    fn machine(&self) -> &Machine {
        &self.machine
    }

    fn targets(&self) -> &TargetMap {
        &self.targets
    }

    fn run_back(&self, original: &Machine, trace: &Trace) -> Result<Trace, NoWayBack> {
        let target = trace.target.clone();
        let candidate = self.back.run_back(&self.machine, original, trace, target);
        let candidate = candidate.map_err(|why| match why {
            NoWayBack::NotARun(why) => NoWayBack::Spurious(why),
            other => other,
        })?;
        match replay(original, &candidate) {
            Ok(_) => Ok(candidate),
            Err(why) => Err(NoWayBack::Spurious(why.to_string())),
        }
    }

    fn certificate_back(
        &self,
        original: &Machine,
        certificate: Certificate,
    ) -> Result<Certificate, NoWayBack> {
        // Locals are named without their procedure, so a name that is hidden somewhere is looked up
        // everywhere it is used.
        let mut pending: Vec<(ProcId, u32)> = Vec::new();
        for relation in &certificate.nodes {
            let roots = [Some(relation.relation), relation.to_exit];
            pending.extend(
                roots
                    .into_iter()
                    .flatten()
                    .map(|root| (relation.procedure, root)),
            );
        }
        let mut seen = std::collections::HashSet::new();
        while let Some((procedure, index)) = pending.pop() {
            if !seen.insert((procedure, index)) {
                continue;
            }
            let formula = &certificate.formulas[index as usize];
            let bit = bit_of(formula);
            if bit.is_some_and(|bit| !self.visible.contains(procedure, bit.variable)) {
                return Err(NoWayBack::NotCertified("it speaks of hidden variables"));
            }
            let operands = operands_of(formula).into_iter();
            pending.extend(operands.map(|operand| (procedure, operand)));
        }
        self.back
            .certificate_back(original, &self.targets, certificate)
    }
}
