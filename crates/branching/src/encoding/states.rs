//! States of the running frame: a node, the globals, the locals of its procedure. Each value that
//! neither the program reads any more nor the formula looks at is 0.
//!
//! Zeroing dead values changes no formula: two configurations that differ in dead values alone can
//! take the same steps to configurations that again differ in dead values alone, and the formula
//! sees no difference. `machine::analysis::Liveness` says what is dead; what the formula looks at
//! is kept everywhere. A run that has ended stays in its last state, marked as ended.

use hardbop_automata::{Atom, Ctl, Letter, Propositions, View};
use hardbop_interpreter::{Configuration, Frame, Valuations, fire, returned, valuation_bits};
use hardbop_machine::{
    Action, EdgeId, Expr, GlobalId, LocalId, Machine, NodeId, ProcId, Type, Variable,
};
use hardbop_outcome::Limit;

/// More choices than these bits at one step are refused.
const MAX_CHOICE_BITS: u64 = 16;

/// A state of the running frame.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct State {
    /// Where it is.
    pub node: NodeId,
    /// Whether the run has ended here.
    pub ended: bool,
    /// The globals, then the locals.
    pub values: Box<[u64]>,
}

/// A step from a state; those of an exit depend on the caller and are not here.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    /// Within the frame, or nowhere if the run has ended.
    To(State),
    /// Into a callee.
    Call {
        /// The call.
        edge: EdgeId,
        /// The first state of the callee.
        entry: State,
    },
}

/// The states of one program as one formula sees them.
pub(crate) struct Space<'m> {
    pub machine: &'m Machine,
    propositions: &'m Propositions,
    /// By global: whether the formula looks at it.
    seen_globals: Vec<bool>,
    /// By procedure and local.
    seen_locals: Vec<Vec<bool>>,
}

impl<'m> Space<'m> {
    /// The states of a program as a formula sees them.
    pub(crate) fn new(machine: &'m Machine, ctl: &'m Ctl) -> Self {
        let mut seen_globals = vec![false; machine.globals.len()];
        let procedures = machine.procedures.iter();
        let mut seen_locals: Vec<Vec<bool>> =
            procedures.map(|p| vec![false; p.locals.len()]).collect();
        for proposition in ctl.propositions.list() {
            let Atom::Condition { expr, procedure } = &proposition.atom else {
                continue;
            };
            ctl.propositions.exprs().visit(*expr, |expr| match *expr {
                Expr::Var(Variable::Global(id), _) => seen_globals[id.index()] = true,
                Expr::Var(Variable::Local(id), _) => {
                    if let Some(procedure) = procedure {
                        seen_locals[procedure.index()][id.index()] = true;
                    }
                }
                _ => {}
            });
        }
        Self {
            machine,
            propositions: &ctl.propositions,
            seen_globals,
            seen_locals,
        }
    }

    /// Whether the value of a variable can matter at a node.
    fn matters(&self, node: NodeId, ended: bool, variable: Variable) -> bool {
        let is_seen = match variable {
            Variable::Global(id) => self.seen_globals[id.index()],
            Variable::Local(id) => {
                self.seen_locals[self.machine.procedure_of(node).index()][id.index()]
            }
        };
        is_seen || !ended && self.machine.liveness().is_live(node, variable)
    }

    /// The variables of a node: globals, then locals.
    fn variables(&self, node: NodeId) -> impl Iterator<Item = Variable> + use<> {
        let globals = (0..self.machine.globals.len()).map(GlobalId::new);
        let procedure = self.machine.procedure(self.machine.procedure_of(node));
        let locals = (0..procedure.locals.len()).map(LocalId::new);
        globals
            .map(Variable::Global)
            .chain(locals.map(Variable::Local))
    }

    /// The state with 0 for every value that cannot matter.
    fn state(&self, node: NodeId, ended: bool, mut values: Vec<u64>) -> State {
        for (value, variable) in values.iter_mut().zip(self.variables(node)) {
            if !self.matters(node, ended, variable) {
                *value = 0;
            }
        }
        State {
            node,
            ended,
            values: values.into(),
        }
    }

    /// The place of a variable among the values of a state.
    fn place(&self, variable: Variable) -> usize {
        match variable {
            Variable::Global(id) => id.index(),
            Variable::Local(id) => self.machine.globals.len() + id.index(),
        }
    }

    /// A frame of a configuration with the globals of that configuration, dead values included.
    pub(crate) fn whole(&self, configuration: &Configuration, frame: &Frame) -> State {
        let mut values = configuration.globals(self.machine, 0);
        values.extend_from_slice(&frame.locals);
        State {
            node: frame.node,
            ended: false,
            values: values.into(),
        }
    }

    /// The state of the running frame of a configuration; nothing if the program has ended.
    pub(crate) fn state_of(&self, configuration: &Configuration) -> Option<State> {
        let frame = configuration.top(0)?;
        let whole = self.whole(configuration, frame);
        Some(self.state(whole.node, false, whole.values.into()))
    }

    /// The value of a variable in a state.
    pub(crate) fn value(&self, state: &State, variable: Variable) -> u64 {
        state.values[self.place(variable)]
    }

    /// Whether this is a state of the machine at all: for states that come from outside.
    pub(crate) fn fits(&self, state: &State) -> bool {
        state.node.index() < self.machine.nodes.len()
            && self.variables(state.node).count() == state.values.len()
            && self
                .variables(state.node)
                .zip(&state.values)
                .all(|(variable, &value)| {
                    let procedure = self.machine.procedure_of(state.node);
                    self.machine.type_of(procedure, variable).holds(value)
                })
    }

    /// What the formula sees of a state.
    pub(crate) fn letter(&self, state: &State) -> Letter {
        let view = View {
            node: state.node,
            terminated: state.ended,
        };
        let read = |variable| state.values[self.place(variable)];
        self.propositions
            .letter(self.machine, view, Letter::MAX, read)
    }

    /// Every state in which the program may start.
    pub(crate) fn initial(&self) -> Result<Vec<State>, Limit> {
        let main = self.machine.threads[0].entry;
        let given: Vec<Option<u64>> = self.machine.globals.iter().map(|g| g.initial).collect();
        self.entries(main, &given)
    }

    /// The states at the entry of a procedure, with all values of what is not given. Globals come
    /// first, then parameters; the list may end before the other locals.
    fn entries(&self, callee: ProcId, given: &[Option<u64>]) -> Result<Vec<State>, Limit> {
        let entry = self.machine.procedure(callee).entry;
        let variables: Vec<Variable> = self.variables(entry).collect();
        let mut values = given.to_vec();
        values.resize(variables.len(), None);
        for (value, &variable) in values.iter_mut().zip(&variables) {
            if value.is_none() && !self.matters(entry, false, variable) {
                *value = Some(0);
            }
        }
        let open = (0..values.len()).filter(|&place| values[place].is_none());
        let open: Vec<usize> = open.collect();
        let types = open
            .iter()
            .map(|&place| self.machine.type_of(callee, variables[place]));
        let mut states = Vec::new();
        for chosen in valuations(types.collect())? {
            let mut values: Vec<u64> = values.iter().map(|value| value.unwrap_or(0)).collect();
            for (&place, value) in open.iter().zip(chosen) {
                values[place] = value;
            }
            states.push(self.state(entry, false, values));
        }
        Ok(states)
    }

    /// Whether a state is at the end of its procedure, so that its step depends on the caller.
    pub(crate) fn is_exit(&self, state: &State) -> bool {
        !state.ended && self.exit_of(state.node) == state.node
    }

    fn exit_of(&self, node: NodeId) -> NodeId {
        let procedure = self.machine.procedure_of(node);
        self.machine.procedure(procedure).exit
    }

    /// The state in which a run stays that has ended in this one.
    pub(crate) fn ended(&self, state: &State) -> State {
        self.state(state.node, true, state.values.to_vec())
    }

    /// All steps from a state, in order and each once.
    pub(crate) fn steps(&self, state: &State) -> Result<Vec<Step>, Limit> {
        let machine = self.machine;
        if state.ended || machine.node(state.node).kind.is_failure() {
            return Ok(vec![Step::To(state.clone())]);
        }
        if self.is_exit(state) {
            return Ok(Vec::new());
        }
        let mut steps = Vec::new();
        let read = |variable| state.values[self.place(variable)];
        for id in machine.edges_from(state.node) {
            let edge = machine.edge(id);
            for inputs in valuations(edge.inputs.to_vec())? {
                let Ok(fired) = fire(machine, id, &inputs, read) else {
                    continue;
                };
                match edge.action {
                    Action::EndThread => steps.push(Step::To(self.ended(state))),
                    Action::Call { callee, .. } => {
                        let globals = &state.values[..machine.globals.len()];
                        let given = globals.iter().chain(&fired.arguments);
                        let given: Vec<Option<u64>> = given.map(|&value| Some(value)).collect();
                        let entries = self.entries(callee, &given)?.into_iter();
                        steps.extend(entries.map(|entry| Step::Call { edge: id, entry }));
                    }
                    _ => {
                        let mut values = state.values.to_vec();
                        for (variable, value) in fired.writes {
                            values[self.place(variable)] = value;
                        }
                        steps.push(Step::To(self.state(edge.to, false, values)));
                    }
                }
            }
        }
        steps.sort_unstable();
        steps.dedup();
        Ok(steps)
    }

    /// Whether a state is at the exit of the procedure that an edge calls.
    pub(crate) fn ends_call(&self, edge: EdgeId, exit: &State) -> bool {
        match self.machine.edge(edge).action {
            Action::Call { callee, .. } => {
                self.is_exit(exit) && self.machine.procedure_of(exit.node) == callee
            }
            _ => false,
        }
    }

    /// The state of the caller once a call has returned from this exit.
    pub(crate) fn returned(&self, caller: &State, edge: EdgeId, exit: &State) -> State {
        let globals = self.machine.globals.len();
        let mut values = exit.values[..globals].to_vec();
        values.extend_from_slice(&caller.values[globals..]);
        let callee = self.machine.procedure_of(exit.node);
        let results = self.machine.procedure(callee).results();
        let results: Vec<u64> = results
            .map(|id| exit.values[self.place(Variable::Local(id))])
            .collect();
        for (variable, value) in returned(self.machine, edge, &results) {
            values[self.place(variable)] = value;
        }
        self.state(self.machine.edge(edge).to, false, values)
    }
}

/// All values of some choices, unless there are too many to try one by one.
pub(crate) fn valuations(types: Vec<Type>) -> Result<Valuations, Limit> {
    if valuation_bits(types.iter().copied()) > MAX_CHOICE_BITS {
        return Err(Limit::Declined {
            what: format!("programs with more than 2^{MAX_CHOICE_BITS} choices at one step"),
        });
    }
    Ok(Valuations::new(types))
}
