//! Tabulation of explicit path edges and summaries (Reps, Horwitz, Sagiv; Bebop, section 3.1).
//!
//! Every state is a table of values, every path edge one entry of a list in order of discovery; a
//! path edge remembers what it was first derived from, so that evidence can be read off
//! ([`evidence`]).

mod evidence;

use crate::path_edges::State;
use crate::steps::valuations;
use hardbop_interpreter::{fire, initial, initial_slots, returned};
use hardbop_machine::{Action, EdgeId, Machine, NodeId, ProcId};
use hardbop_outcome::{Interrupt, Limit, NeverInterrupted};
use std::collections::HashMap;
use std::rc::Rc;

/// How many path edges are looked at between two questions for limits.
const PATIENCE: usize = 1024;

/// Index of a path edge, in order of discovery.
type PathEdgeId = usize;

/// A procedure was entered in a state and is now at a node in another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct PathEdge {
    node: NodeId,
    entry: Rc<State>,
    now: Rc<State>,
}

/// How one path edge follows from another.
#[derive(Clone, Debug)]
struct Derivation {
    from: PathEdgeId,
    edge: EdgeId,
    inputs: Vec<u64>,
    kind: DerivationKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DerivationKind {
    /// By an edge that is not a call.
    Edge,
    /// By entering a callee.
    Enter,
    /// By a call and the callee's path edge at its exit.
    Summary(PathEdgeId),
}

/// A call that entered a procedure: the caller's path edge, the call edge and the values of its
/// inputs.
type Caller = (PathEdgeId, EdgeId, Vec<u64>);

/// All path edges of a sequential machine.
pub struct Tabulation<'a> {
    machine: &'a Machine,
    path_edges: Vec<PathEdge>,
    known: HashMap<PathEdge, PathEdgeId>,
    /// The first derivation of each; nothing for initial ones.
    first: Vec<Option<Derivation>>,
    /// Every derivation, by its origin.
    successors: Vec<Vec<(Derivation, PathEdgeId)>>,
    /// Calls that entered a procedure in a state.
    calls: HashMap<(ProcId, Rc<State>), Vec<Caller>>,
    /// Path edges at the exit of a procedure that was entered in a state.
    exits: HashMap<(ProcId, Rc<State>), Vec<PathEdgeId>>,
    /// The initial path edges.
    roots: Vec<PathEdgeId>,
    /// Length of a shortest hierarchical trajectory, and its last step.
    shortest: Vec<Option<(u64, Option<Derivation>)>>,
    limit: usize,
}

impl<'a> Tabulation<'a> {
    /// Tabulates a machine. Fails on machines with threads and on more than `limit` path edges.
    pub fn new(machine: &'a Machine, limit: usize) -> Result<Self, Limit> {
        Self::within(machine, limit, &NeverInterrupted)
    }

    /// The same, until somebody interrupts.
    pub(crate) fn within(
        machine: &'a Machine,
        limit: usize,
        interrupt: &dyn Interrupt,
    ) -> Result<Self, Limit> {
        if !machine.is_sequential() {
            return Err(Limit::Declined {
                what: "programs with threads".to_owned(),
            });
        }
        let mut tabulation = Self {
            machine,
            path_edges: Vec::new(),
            known: HashMap::new(),
            first: Vec::new(),
            successors: Vec::new(),
            calls: HashMap::new(),
            exits: HashMap::new(),
            roots: Vec::new(),
            shortest: Vec::new(),
            limit,
        };
        tabulation.add_initial()?;
        let mut next = 0;
        while next < tabulation.path_edges.len() {
            if next.is_multiple_of(PATIENCE)
                && let Some(limit) = interrupt.check()
            {
                return Err(limit);
            }
            tabulation.process(next)?;
            next += 1;
        }
        tabulation.measure();
        Ok(tabulation)
    }

    /// How many path edges there are.
    pub fn len(&self) -> usize {
        self.path_edges.len()
    }

    /// Whether nothing can run.
    pub fn is_empty(&self) -> bool {
        self.path_edges.is_empty()
    }

    fn add_initial(&mut self) -> Result<(), Limit> {
        let types = initial_slots(self.machine)
            .into_iter()
            .map(|slot| slot.ty(self.machine));
        for values in valuations(types.collect())? {
            let configuration = initial(self.machine, &values);
            let Some(top) = configuration.top(0) else {
                continue;
            };
            let state = Rc::new(State {
                globals: configuration.globals(self.machine, 0),
                locals: top.locals.clone(),
            });
            let root = PathEdge {
                node: top.node,
                entry: Rc::clone(&state),
                now: state,
            };
            let id = self.add(root, None)?;
            self.roots.push(id);
        }
        Ok(())
    }

    /// Adds a path edge, if it is new, and its derivation.
    fn add(
        &mut self,
        path_edge: PathEdge,
        derivation: Option<Derivation>,
    ) -> Result<PathEdgeId, Limit> {
        let id = match self.known.get(&path_edge) {
            Some(&id) => id,
            None if self.path_edges.len() >= self.limit => return Err(Limit::States),
            None => {
                let id = self.path_edges.len();
                self.known.insert(path_edge.clone(), id);
                self.path_edges.push(path_edge);
                self.first.push(derivation.clone());
                self.successors.push(Vec::new());
                id
            }
        };
        if let Some(derivation) = derivation {
            self.successors[derivation.from].push((derivation, id));
        }
        Ok(id)
    }

    /// Adds everything that follows from a path edge and what is known.
    fn process(&mut self, id: PathEdgeId) -> Result<(), Limit> {
        let machine = self.machine;
        let PathEdge { node, entry, now } = self.path_edges[id].clone();
        let procedure = machine.procedure_of(node);
        if machine.procedure(procedure).exit == node {
            let key = (procedure, entry);
            self.exits.entry(key.clone()).or_default().push(id);
            for (from, call, inputs) in self.calls.get(&key).cloned().unwrap_or_default() {
                self.return_to(from, call, inputs, id)?;
            }
            return Ok(());
        }
        for edge in machine.edges_from(node) {
            for inputs in valuations(machine.edge(edge).inputs.to_vec())? {
                let Ok(fired) = fire(machine, edge, &inputs, |variable| now.read(variable)) else {
                    continue;
                };
                match machine.edge(edge).action {
                    Action::EndThread => {}
                    Action::Call { callee, .. } => {
                        self.call(id, edge, &inputs, callee, &fired.arguments)?;
                    }
                    _ => {
                        let mut after = State::clone(&now);
                        after.write(&fired.writes);
                        let path_edge = PathEdge {
                            node: machine.edge(edge).to,
                            entry: Rc::clone(&entry),
                            now: Rc::new(after),
                        };
                        let derivation = Derivation {
                            from: id,
                            edge,
                            inputs,
                            kind: DerivationKind::Edge,
                        };
                        self.add(path_edge, Some(derivation))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Enters a callee with all values of its uninitialised locals, and takes its summaries that
    /// are known.
    fn call(
        &mut self,
        from: PathEdgeId,
        edge: EdgeId,
        inputs: &[u64],
        callee: ProcId,
        arguments: &[u64],
    ) -> Result<(), Limit> {
        let procedure = self.machine.procedure(callee);
        let uninitialised = procedure.locals.iter().skip(arguments.len());
        for chosen in valuations(uninitialised.map(|local| local.ty).collect())? {
            let state = Rc::new(State {
                globals: self.path_edges[from].now.globals.clone(),
                locals: [arguments, &chosen].concat(),
            });
            let path_edge = PathEdge {
                node: procedure.entry,
                entry: Rc::clone(&state),
                now: Rc::clone(&state),
            };
            let derivation = Derivation {
                from,
                edge,
                inputs: inputs.to_vec(),
                kind: DerivationKind::Enter,
            };
            self.add(path_edge, Some(derivation))?;
            let key = (callee, state);
            let call = (from, edge, inputs.to_vec());
            self.calls.entry(key.clone()).or_default().push(call);
            for exit in self.exits.get(&key).cloned().unwrap_or_default() {
                self.return_to(from, edge, inputs.to_vec(), exit)?;
            }
        }
        Ok(())
    }

    /// Continues after a call whose callee has come to its exit.
    fn return_to(
        &mut self,
        from: PathEdgeId,
        call: EdgeId,
        inputs: Vec<u64>,
        exit: PathEdgeId,
    ) -> Result<(), Limit> {
        let machine = self.machine;
        let callee = &self.path_edges[exit];
        let procedure = machine.procedure(machine.procedure_of(callee.node));
        let results = procedure.results().map(|id| callee.now.locals[id.index()]);
        let results: Vec<u64> = results.collect();
        let mut after = State {
            globals: callee.now.globals.clone(),
            locals: self.path_edges[from].now.locals.clone(),
        };
        after.write(&returned(machine, call, &results));
        let path_edge = PathEdge {
            node: machine.edge(call).to,
            entry: Rc::clone(&self.path_edges[from].entry),
            now: Rc::new(after),
        };
        let derivation = Derivation {
            from,
            edge: call,
            inputs,
            kind: DerivationKind::Summary(exit),
        };
        self.add(path_edge, Some(derivation))?;
        Ok(())
    }
}
