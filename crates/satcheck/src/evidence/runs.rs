//! From a valuation that reaches a target to the run that it describes.
//!
//! The paper restricts the graph of triples to the negative ones and reads a path off it. The
//! valuation has done that restriction: it knows by which hop each term was reached first. What is
//! left is to unfold hops into edges, to give passing choices a value with which the hop can be
//! taken, and to put calls that came back into the table of completed calls.

use crate::encoding::closure::Closure;
use crate::encoding::evaluate::Trouble;
use crate::encoding::terms::{Hop, HopKind, InstanceId, TermId};
use crate::search::valuation::{Origin, Valuation};
use hardbop_bdd::{Bdd, Manager};
use hardbop_machine::{EdgeId, LocalId, Variable};
use hardbop_outcome::{CompletedCall, Decision, Skeleton};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

/// The hops from the entry of a term's instance to the term, each with the term it starts from.
fn way_to(valuation: &Valuation, term: TermId) -> Vec<(TermId, u32)> {
    let mut way = Vec::new();
    let mut at = term;
    while let Some(Origin::Hop(from, hop)) = valuation.origin(at) {
        way.push((from, hop));
        at = from;
    }
    way.reverse();
    way
}

/// Reads runs off one valuation.
pub(crate) struct Reader<'r, 'm, 'i> {
    closure: &'r mut Closure<'m, 'i>,
    valuation: &'r Valuation,
    calls: Vec<CompletedCall>,
    /// Numbers of completed calls by the exit that they end in.
    known: HashMap<TermId, usize>,
}

impl<'r, 'm, 'i> Reader<'r, 'm, 'i> {
    /// A reader.
    pub(crate) fn new(closure: &'r mut Closure<'m, 'i>, valuation: &'r Valuation) -> Self {
        Self {
            closure,
            valuation,
            calls: Vec::new(),
            known: HashMap::new(),
        }
    }

    /// The run to a term that is reached.
    pub(crate) fn run_to(mut self, target: TermId) -> Result<Skeleton, Trouble> {
        // Open calls from the target outwards, then run from the start inwards.
        let mut legs = vec![target];
        let mut calls = Vec::new();
        let mut at = target;
        while let Some((caller, hop)) = self.valuation.caller(self.closure.terms.get(at).instance) {
            calls.push(hop);
            legs.push(caller);
            at = caller;
        }
        let mut steps = Vec::new();
        for (number, &leg) in legs.iter().rev().enumerate() {
            let way = way_to(self.valuation, leg);
            for &(from, hop) in &way {
                self.complete_calls(from, hop)?;
            }
            for (from, hop) in way {
                self.decide(from, hop, &mut steps)?;
            }
            let Some(inner) = legs.len().checked_sub(number + 2) else {
                break;
            };
            let entered = self.closure.terms.get(legs[inner]).instance;
            let (caller, hop) = (leg, calls[inner]);
            let hop = self.closure.terms.get(caller).hops[hop as usize].clone();
            let inputs = self.inputs(caller, &hop)?;
            steps.push(Decision::Enter {
                edge: hop.edge,
                inputs: inputs.into_iter().next().unwrap_or_default().into(),
                locals: self.first_locals(entered).into(),
            });
        }
        Ok(Skeleton {
            start: self.start(),
            steps: steps.into(),
            calls: Rc::new(self.calls),
        })
    }

    /// Puts the call that a hop comes back from, and those inside it first, into the table.
    fn complete_calls(&mut self, from: TermId, hop: u32) -> Result<(), Trouble> {
        let mut pending = Vec::new();
        pending.extend(self.exit_of(from, hop));
        while let Some(&exit) = pending.last() {
            if self.known.contains_key(&exit) {
                pending.pop();
                continue;
            }
            let way = way_to(self.valuation, exit);
            let inner = way
                .iter()
                .filter_map(|&(from, hop)| self.exit_of(from, hop));
            let missing: Vec<TermId> = inner.filter(|e| !self.known.contains_key(e)).collect();
            if !missing.is_empty() {
                pending.extend(missing);
                continue;
            }
            let mut steps = Vec::new();
            for (from, hop) in way {
                self.decide(from, hop, &mut steps)?;
            }
            let instance = self.closure.terms.get(exit).instance;
            self.known.insert(exit, self.calls.len());
            self.calls.push(CompletedCall {
                procedure: self.closure.terms.instance(instance).procedure,
                locals: self.first_locals(instance),
                steps: steps.into(),
            });
            pending.pop();
        }
        Ok(())
    }

    fn exit_of(&self, from: TermId, hop: u32) -> Option<TermId> {
        match self.closure.terms.get(from).hops[hop as usize].kind {
            HopKind::Return(exit) => Some(exit),
            HopKind::Step | HopKind::Call(_) => None,
        }
    }

    /// The decisions of one hop.
    fn decide(&mut self, from: TermId, hop: u32, steps: &mut Vec<Decision>) -> Result<(), Trouble> {
        let hop = self.closure.terms.get(from).hops[hop as usize].clone();
        let inputs = self.inputs(from, &hop)?;
        if let HopKind::Return(exit) = hop.kind {
            steps.push(Decision::Call {
                edge: hop.edge,
                inputs: inputs.into_iter().next().unwrap_or_default().into(),
                call: self.known[&exit],
            });
            return Ok(());
        }
        let chain = self.closure.blocks.chain(hop.edge);
        for (edge, inputs) in chain.into_iter().zip(inputs) {
            let inputs = inputs.into();
            steps.push(Decision::Edge { edge, inputs });
        }
        Ok(())
    }

    /// Values of the choices on each edge of a hop, with which it leads where it does.
    fn inputs(&mut self, from: TermId, hop: &Hop) -> Result<Vec<Vec<u64>>, Trouble> {
        let (mut condition, frame) = self.closure.walk_again(from, hop)?;
        // Where a call comes back to says nothing about its choices; where it enters does.
        let to = match hop.kind {
            HopKind::Step | HopKind::Call(_) => hop.to,
            HopKind::Return(exit) => {
                let instance = self.closure.terms.get(exit).instance;
                self.closure.terms.instance(instance).entry
            }
        };
        let term = self.closure.terms.get(to);
        let wanted = term.values.to_vec();
        let arguments = self.closure.blocks.arguments(term.node).to_vec();
        for (argument, wanted) in arguments.iter().zip(wanted) {
            if let (Some(value), Some(wanted)) = (frame[argument.slot as usize], wanted) {
                let manager = &mut self.closure.manager;
                let same = manager.iff(value, wanted)?;
                condition = manager.and(condition, same)?;
            }
        }
        let passing = self.closure.symbols.passing();
        let picked = pick_passing(&self.closure.manager, condition, passing, |variable| {
            self.valuation.value(variable)
        });
        let made: BTreeMap<u32, u32> = hop.choices.iter().copied().collect();
        let value = |number: u32| match made.get(&number) {
            Some(&variable) => self.valuation.value(variable),
            None => picked.get(&number).copied().unwrap_or(false),
        };
        let mut first = 0;
        let mut inputs = Vec::new();
        for edge in self.closure.blocks.chain(hop.edge) {
            let (words, end) = self.words(edge, first, &value);
            inputs.push(words);
            first = end;
        }
        Ok(inputs)
    }

    fn words(&self, edge: EdgeId, first: u32, value: &dyn Fn(u32) -> bool) -> (Vec<u64>, u32) {
        let mut next = first;
        let words = self.closure.blocks.machine.edge(edge).inputs.iter();
        let words = words.map(|ty| {
            let bits = (0..ty.width()).map(|bit| u64::from(value(next + bit)) << bit);
            let word = bits.sum();
            next += ty.width();
            word
        });
        (words.collect(), next)
    }

    /// Values of the entry arguments of an instance.
    fn entry_values(&self, instance: InstanceId) -> BTreeMap<Variable, u64> {
        let entry = self.closure.terms.instance(instance).entry;
        let term = self.closure.terms.get(entry);
        let mut values = BTreeMap::new();
        let arguments = self.closure.blocks.arguments(term.node).iter();
        for (argument, value) in arguments.zip(&term.values) {
            let is_set = value.is_some_and(|value| self.valuation.eval(self.closure, value));
            *values.entry(argument.variable).or_default() |= u64::from(is_set) << argument.bit;
        }
        values
    }

    fn first_locals(&self, instance: InstanceId) -> Vec<(LocalId, u64)> {
        let values = self.entry_values(instance).into_iter();
        let locals = values.filter_map(|(variable, value)| match variable {
            Variable::Local(local) => Some((local, value)),
            Variable::Global(_) => None,
        });
        locals.collect()
    }

    fn start(&self) -> Vec<(Variable, u64)> {
        self.entry_values(InstanceId(0)).into_iter().collect()
    }
}

/// Values of passing choices with which a function holds, given the symbols. They stand at the top
/// of the order.
fn pick_passing(
    manager: &Manager<'_>,
    function: Bdd,
    passing: u32,
    symbol: impl Fn(u32) -> bool,
) -> BTreeMap<u32, bool> {
    let mut path: Vec<(u32, bool, Bdd)> = Vec::new();
    let mut failed: HashSet<Bdd> = HashSet::new();
    let mut at = function;
    loop {
        let is_failed = failed.contains(&at);
        match manager.branch(at) {
            Some((variable, low, _)) if variable < passing && !is_failed => {
                path.push((variable, false, at));
                at = low;
            }
            _ if !is_failed && manager.eval(at, &symbol) => break,
            _ => {
                failed.insert(at);
                // Back to the last choice of which only one value has been tried.
                loop {
                    let Some((variable, tried, node)) = path.pop() else {
                        return BTreeMap::new();
                    };
                    if tried {
                        failed.insert(node);
                        continue;
                    }
                    path.push((variable, true, node));
                    let high = manager.branch(node).map(|(_, _, high)| high);
                    at = high.unwrap_or(Bdd::FALSE);
                    break;
                }
            }
        }
    }
    path.into_iter()
        .map(|(variable, value, _)| (variable, value))
        .collect()
}
