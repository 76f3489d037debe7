//! One condition as a circuit: edges and formulas of the certificate over the [`Moments`] of a
//! step.

use crate::memo::Memo;
use crate::moments::{Moment, Moments};
use crate::rejected::Witness;
use crate::translate::{Leaves, certificate_formula, edge_formula};
use hardbop_evidence::certificate::{Bit, Formula};
use hardbop_machine::bits::{BitId, BitNode, BitResult, BitView};
use hardbop_machine::{Action, EdgeId, Machine, ProcId, Variable};
use hardbop_sat::{Lit, ProvingCircuit};

/// Where the leaves of a formula are taken from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    /// For [`Formula::Now`].
    pub now: Moment,
    /// For [`Formula::Entry`] or [`Formula::Exit`], whichever the direction has.
    pub other: Moment,
}

/// A condition in the making. The tables are reused from one to the next.
pub(crate) struct Scene<'a, 'i> {
    machine: &'a Machine,
    formulas: &'a [Formula],
    view: BitView<'a>,
    moments: Moments<'a, 'i>,
    /// Of the call that was taken last.
    results: Vec<BitResult>,
    formula_memo: Memo,
    edge_memo: Memo,
}

impl<'a, 'i> Scene<'a, 'i> {
    pub fn new(
        machine: &'a Machine,
        formulas: &'a [Formula],
        is_over: &'i dyn Fn() -> bool,
    ) -> Self {
        Self {
            machine,
            formulas,
            view: BitView::new(machine),
            moments: Moments::new(machine, is_over),
            results: Vec::new(),
            formula_memo: Memo::default(),
            edge_memo: Memo::default(),
        }
    }

    /// Starts anew in a procedure.
    pub fn begin(&mut self, procedure: ProcId) {
        self.moments.begin(procedure);
    }

    /// The same in an initial state of the machine.
    pub fn begin_initially(&mut self, procedure: ProcId) {
        self.moments.begin(procedure);
        self.moments.fix_initial_values();
    }

    pub fn constant(&self, value: bool) -> Lit {
        self.moments.circuit.constant(value)
    }

    /// Takes an edge from now. Gives the condition under which it can be taken.
    pub fn take(&mut self, id: EdgeId) -> Lit {
        let callee = match self.machine.edge(id).action {
            Action::Call { callee, .. } => Some(callee),
            _ => None,
        };
        self.moments.begin_edge(callee);
        self.edge_memo.clear();
        let edge = self.view.edge(id);
        let guard = self.edge_formula(edge.guard);
        let assignments = edge.assignments.iter().map(|write| (Moment::Next, write));
        let arguments = edge.arguments.iter();
        let arguments = arguments.map(|write| (Moment::CalleeEntry, write));
        for (moment, write) in assignments.chain(arguments) {
            let value = self.edge_formula(write.value);
            let bit = u32::from(write.bit);
            self.moments.set(moment, write.variable, bit, value);
        }
        // It may speak of the state after the step, which is known only now.
        let constrain = self.edge_formula(edge.constrain);
        self.results = edge.results;
        self.moments.circuit.and(guard, constrain)
    }

    /// Ends the call that was taken: its targets get the callee's results.
    pub fn return_from_call(&mut self) {
        for result in &self.results {
            let (bit, variable) = (u32::from(result.bit), Variable::Local(result.result));
            let value = self.moments.literal(Moment::CalleeExit, variable, bit);
            self.moments
                .set(Moment::Returned, result.target, bit, value);
        }
    }

    fn edge_formula(&mut self, root: BitId) -> Lit {
        let mut leaves = SceneLeaves {
            moments: &mut self.moments,
            reading: Reading {
                now: Moment::Now,
                other: Moment::Now,
            },
        };
        edge_formula(&mut self.edge_memo, self.view.graph(), root, &mut leaves)
    }

    /// A formula of the certificate; nothing is the empty relation.
    pub fn formula(&mut self, root: Option<u32>, reading: Reading) -> Lit {
        let Some(root) = root else {
            return self.constant(false);
        };
        self.formula_memo.clear();
        let mut leaves = SceneLeaves {
            moments: &mut self.moments,
            reading,
        };
        certificate_formula(&mut self.formula_memo, self.formulas, root, &mut leaves)
    }

    /// Where the condition is built.
    pub fn circuit(&mut self) -> &mut ProvingCircuit<'i> {
        &mut self.moments.circuit
    }

    /// The counterexample to the last condition.
    pub fn witness(&self) -> Witness {
        self.moments.witness()
    }
}

/// Bits at the moments of a step.
struct SceneLeaves<'l, 'a, 'i> {
    moments: &'l mut Moments<'a, 'i>,
    reading: Reading,
}

impl<'i> Leaves<'i> for SceneLeaves<'_, '_, 'i> {
    fn circuit(&mut self) -> &mut ProvingCircuit<'i> {
        &mut self.moments.circuit
    }

    fn of_edge(&mut self, leaf: BitNode) -> Lit {
        match leaf {
            BitNode::Var(variable, bit) => {
                let moment = Moment::Now;
                self.moments.literal(moment, variable, u32::from(bit))
            }
            BitNode::Next(variable, bit) => {
                let moment = Moment::Next;
                self.moments.literal(moment, variable, u32::from(bit))
            }
            BitNode::Input(input, bit) => self.moments.choice(input, bit),
            _ => unreachable!("only leaves that are no constants are asked for"),
        }
    }

    fn of_certificate(&mut self, leaf: &Formula) -> Lit {
        match leaf {
            Formula::Now(Bit { variable, bit }) => {
                self.moments.literal(self.reading.now, *variable, *bit)
            }
            Formula::Entry(Bit { variable, bit }) | Formula::Exit(Bit { variable, bit }) => {
                self.moments.literal(self.reading.other, *variable, *bit)
            }
            // The form of the certificate has been checked: no relation of a node has such a leaf.
            _ => self.moments.circuit.constant(false),
        }
    }
}
