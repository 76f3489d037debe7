//! One edge as formulas.

use super::graph::{BitGraph, BitId};
use super::layout::BitLayout;
use super::words::translate;
use crate::ids::{EdgeId, ExprId, InputId, LocalId, ProcId, Variable};
use crate::ir::{Action, ThreadStart};
use crate::machine::Machine;
use std::ops::Range;

/// A machine in bits.
#[derive(Clone, Debug)]
pub struct BitView<'m> {
    machine: &'m Machine,
    layout: BitLayout,
    graph: BitGraph,
}

/// A bit of a variable gets a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitAssignment {
    /// The variable.
    pub variable: Variable,
    /// The bit, from the lowest.
    pub bit: u8,
    /// Its new value, over the state before the step.
    pub value: BitId,
}

/// A bit of a call's target gets its value from a result of the callee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitResult {
    /// The variable as seen from the caller.
    pub target: Variable,
    /// The result as seen from the callee.
    pub result: LocalId,
    /// The bit of both, from the lowest.
    pub bit: u8,
}

/// An edge as formulas over the bits before the step, after it, and the choices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitEdge {
    /// Taken only where this holds.
    pub guard: BitId,
    /// Taken only where this holds between before and after.
    pub constrain: BitId,
    /// The writes of an assignment or a return.
    pub assignments: Vec<BitAssignment>,
    /// The parameters, as locals of the callee, of a call or a thread start.
    pub arguments: Vec<BitAssignment>,
    /// The results of a call.
    pub results: Vec<BitResult>,
    /// Where each choice's bits start among [`BitEdge::input_bits`], with the end.
    input_starts: Vec<u32>,
}

impl BitEdge {
    /// How many bits all choices of the edge have together.
    pub fn input_bits(&self) -> u32 {
        self.input_starts[self.input_starts.len() - 1]
    }

    /// The number of a bit of a choice among all of the edge.
    pub fn input_index(&self, input: InputId, bit: u8) -> u32 {
        self.input_starts[input.index()] + u32::from(bit)
    }

    /// All formulas of the edge.
    pub fn formulas(&self) -> impl Iterator<Item = BitId> + '_ {
        let values = self.assignments.iter().chain(&self.arguments);
        [self.guard, self.constrain]
            .into_iter()
            .chain(values.map(|assignment| assignment.value))
    }
}

impl<'m> BitView<'m> {
    /// The machine in bits. Nothing is translated yet.
    pub fn new(machine: &'m Machine) -> Self {
        Self {
            machine,
            layout: BitLayout::new(machine),
            graph: BitGraph::default(),
        }
    }

    /// The machine.
    pub fn machine(&self) -> &'m Machine {
        self.machine
    }

    /// The numbers of the bits.
    pub fn layout(&self) -> &BitLayout {
        &self.layout
    }

    /// The formulas of the edges translated so far. A leaf for a local means the local of the
    /// edge's own procedure.
    pub fn graph(&self) -> &BitGraph {
        &self.graph
    }

    /// The graph, for building further formulas on top.
    pub fn graph_mut(&mut self) -> &mut BitGraph {
        &mut self.graph
    }

    /// The bits of a variable as seen from a procedure, lowest first.
    pub fn bits_of(&self, procedure: ProcId, variable: Variable) -> Range<u32> {
        self.layout.bits_of(procedure, variable)
    }

    /// Translates an edge. The result is not kept, but its formulas are in the graph and cost less
    /// a second time.
    pub fn edge(&mut self, id: EdgeId) -> BitEdge {
        let machine = self.machine;
        let edge = machine.edge(id);
        let procedure = machine.procedure(machine.procedure_of(edge.from));
        let mut end = 0;
        let mut input_starts = vec![end];
        input_starts.extend(edge.inputs.iter().map(|ty| {
            end += ty.width();
            end
        }));
        let mut translated = BitEdge {
            guard: self.condition(edge.guard),
            constrain: BitId::TRUE,
            assignments: Vec::new(),
            arguments: Vec::new(),
            results: Vec::new(),
            input_starts,
        };
        match &edge.action {
            Action::Assign {
                assignments,
                constrain,
            } => {
                translated.constrain = self.condition(*constrain);
                translated.assignments = self.assignments(assignments.iter().copied());
            }
            Action::Return(values) => {
                let results = procedure.results().map(Variable::Local);
                translated.assignments = self.assignments(results.zip(values.iter().copied()));
            }
            Action::Call {
                callee, arguments, ..
            }
            | Action::StartThread(ThreadStart::Procedure { callee, arguments }) => {
                let parameters = machine.procedure(*callee).parameters();
                let pairs = parameters
                    .map(Variable::Local)
                    .zip(arguments.iter().copied());
                translated.arguments = self.assignments(pairs);
            }
            _ => {}
        }
        if let Action::Call {
            callee, targets, ..
        } = &edge.action
        {
            let callee = machine.procedure(*callee);
            for (result, target) in callee.results().zip(targets) {
                let width = callee.locals[result.index()].ty.width() as u8;
                let bits = (0..width).filter_map(|bit| {
                    Some(BitResult {
                        target: (*target)?,
                        result,
                        bit,
                    })
                });
                translated.results.extend(bits);
            }
        }
        translated
    }

    fn condition(&mut self, root: Option<ExprId>) -> BitId {
        root.map_or(BitId::TRUE, |root| {
            translate(&mut self.graph, &self.machine.exprs, root)[0]
        })
    }

    fn assignments(
        &mut self,
        pairs: impl Iterator<Item = (Variable, ExprId)>,
    ) -> Vec<BitAssignment> {
        let mut bits = Vec::new();
        for (variable, value) in pairs {
            let word = translate(&mut self.graph, &self.machine.exprs, value);
            bits.extend((0..).zip(word).map(|(bit, value)| BitAssignment {
                variable,
                bit,
                value,
            }));
        }
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::super::BitNode;
    use super::*;
    use crate::test_builder::{Builder, assign, call};
    use crate::{BinaryOp, Expr, Type};

    #[test]
    fn an_assignment_of_a_word_is_one_formula_per_bit() {
        let mut b = Builder::new();
        let n = b.global("n", None);
        let main = b.procedure("main", &[], &[], 0, 2);
        let ty = Type::Int(2);
        let value = b.expr(Expr::Var(n, ty));
        let choice = b.expr(Expr::Input(InputId(1), ty));
        let sum = b.expr(Expr::Binary(BinaryOp::Add, value, choice, ty));
        b.edge_with_inputs(main.at(0), main.exit(), 2, assign(&[(n, sum)]));
        let machine = b.finish(main.id).changed(|parts| {
            parts.globals[0].ty = ty;
            parts.edges[0].inputs[1] = ty;
        });
        let mut view = BitView::new(&machine);
        let edge = view.edge(EdgeId(0));
        assert_eq!((edge.guard, edge.constrain), (BitId::TRUE, BitId::TRUE));
        assert_eq!((edge.input_bits(), edge.input_index(InputId(1), 1)), (3, 2));
        let targets: Vec<_> = edge
            .assignments
            .iter()
            .map(|a| (a.variable, a.bit))
            .collect();
        assert_eq!(targets, [(n, 0), (n, 1)]);
        // 3 + 2 = 1 modulo 4.
        let formulas: Vec<BitId> = edge.assignments.iter().map(|a| a.value).collect();
        let values = view.graph().eval(&formulas, |leaf| match leaf {
            BitNode::Var(..) => true,
            BitNode::Input(InputId(1), bit) => bit == 1,
            _ => unreachable!("the sum has no other leaves"),
        });
        assert_eq!(values, [true, false]);
    }

    #[test]
    fn a_call_names_parameters_and_results_as_the_callee_sees_them() {
        let mut b = Builder::new();
        let g = b.global("g", None);
        let main = b.procedure("main", &[], &[], 0, 2);
        let callee = b.procedure("f", &["a"], &["x"], 2, 1);
        let one = b.constant(1);
        b.edge(
            main.at(0),
            main.exit(),
            None,
            call(callee.id, &[one], &[None, Some(g)]),
        );
        let machine = b.finish(main.id);
        let edge = BitView::new(&machine).edge(EdgeId(0));
        let argument = BitAssignment {
            variable: Variable::Local(LocalId(0)),
            bit: 0,
            value: BitId::TRUE,
        };
        assert_eq!(edge.arguments, [argument]);
        let result = BitResult {
            target: g,
            result: LocalId(3),
            bit: 0,
        };
        assert_eq!(edge.results, [result]);
        assert_eq!(edge.formulas().count(), 3);
    }
}
