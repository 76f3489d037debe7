//! Figure 2 as printed: no sharing, every call inlined. A reference for tests and for the curious,
//! not for use.
//!
//! Every mention of a function term is a triple of its own, whose context is the path that leads to
//! it; a term that is on its path already is a fixpoint triple and equals `true`. (The caption of
//! the figure says that the conjunction of the equations is satisfiable iff the program is correct;
//! it is, iff the program is *erroneous*, as section 3 itself begins.) Calls are copied for each
//! call string. The right-hand sides are those of [`crate::closure`], so what is compared is
//! sharing and nothing else.

use crate::closure::Closure;
use crate::equations::Equations;
use crate::evaluate::Trouble;
use crate::terms::{HopKind, TermId};
use hardbop_machine::NodeId;
use hardbop_sat::{Answer, Lit, Solver};
use std::collections::HashSet;
use std::rc::Rc;

/// What Figure 2 gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tree {
    /// Whether the target can be reached.
    pub is_wrong: bool,
    /// How many triples there are.
    pub triples: usize,
    /// How many of them are fixpoint triples.
    pub fixpoints: usize,
}

/// The calls that wait, innermost first.
type Stack = Option<Rc<Waiting>>;

#[derive(Debug, PartialEq, Eq, Hash)]
struct Waiting {
    caller: TermId,
    hop: u32,
    below: Stack,
}

/// A triple while its right-hand side is being made.
struct Open {
    key: (Stack, TermId),
    /// Where it can go, the last first.
    next: Vec<(Stack, TermId, Lit)>,
    /// Under which condition its user goes here.
    condition: Lit,
    disjuncts: Vec<Lit>,
}

/// The equations of Figure 2 for one target, solved; nothing if there are more triples than
/// allowed. The closure is completed first.
pub fn unshared(
    closure: &mut Closure<'_, '_>,
    target: NodeId,
    most_triples: usize,
) -> Result<Option<Tree>, Trouble> {
    while let Some(id) = closure.pending.pop_front() {
        closure.expand(id)?;
        if closure.terms.len() > most_triples {
            return Ok(None);
        }
    }
    let mut equations = Equations::new(Solver::new(), &[]);
    let mut on_path: HashSet<(Stack, TermId)> = HashSet::new();
    let mut tree = Tree {
        is_wrong: false,
        triples: 1,
        fixpoints: 0,
    };
    let truth = equations.circuit().constant(true);
    let root = open(closure, &mut equations, (None, TermId(0)), truth);
    on_path.insert(root.key.clone());
    let mut path = vec![root];
    loop {
        let Some(top) = path.last_mut() else {
            return Ok(None);
        };
        if let Some((stack, term, condition)) = top.next.pop() {
            tree.triples += 1;
            if tree.triples > most_triples {
                return Ok(None);
            }
            let key = (stack, term);
            if on_path.contains(&key) {
                tree.fixpoints += 1;
            } else {
                on_path.insert(key.clone());
                let opened = open(closure, &mut equations, key, condition);
                path.push(opened);
            }
            continue;
        }
        let Some(done) = path.pop() else {
            return Ok(None);
        };
        on_path.remove(&done.key);
        let is_target = closure.terms.get(done.key.1).node == target;
        let circuit = equations.circuit();
        let own = circuit.constant(is_target);
        let wrong = circuit.any(done.disjuncts.into_iter().chain([own]));
        match path.last_mut() {
            Some(user) => user.disjuncts.push(circuit.and(done.condition, wrong)),
            None => {
                tree.is_wrong = circuit.solve(&[wrong]) == Answer::Sat;
                return Ok(Some(tree));
            }
        }
    }
}

fn open(
    closure: &Closure<'_, '_>,
    equations: &mut Equations<'_>,
    key: (Stack, TermId),
    condition: Lit,
) -> Open {
    let (stack, id) = &key;
    let mut next = Vec::new();
    for (number, hop) in (0..).zip(&closure.terms.get(*id).hops) {
        let stack = match hop.kind {
            HopKind::Step => stack.clone(),
            HopKind::Call(_) => Some(Rc::new(Waiting {
                caller: *id,
                hop: number,
                below: stack.clone(),
            })),
            // Inlined, a call comes back where the callee ends.
            HopKind::Return(_) => continue,
        };
        next.push((stack, hop.to, equations.function(closure, hop.condition)));
    }
    if let Some(waiting) = stack {
        let hops = &closure.terms.get(waiting.caller).hops;
        let edge = hops[waiting.hop as usize].edge;
        for hop in hops {
            if hop.kind == HopKind::Return(*id) && hop.edge == edge {
                let condition = equations.function(closure, hop.condition);
                next.push((waiting.below.clone(), hop.to, condition));
            }
        }
    }
    Open {
        key,
        next,
        condition,
        disjuncts: Vec::new(),
    }
}
