//! Asserted formulas to clauses: negations move inwards, conjunctions become several clauses, and
//! what remains is a disjunction with at most one positive predicate.
//!
//! Parts without predicates are constraints and stay as they are, whatever their form. Quantifiers
//! are dropped where their variables are those of the clause; a variable that a shared part uses
//! twice may stay one, because the part has the same sign at both uses.

use crate::system::{Atom, Clause, System};
use crate::terms::{Op, Term, TermId, Terms};
use rustc_hash::FxHashSet;

/// More clauses than this from one assertion are refused.
const MOST_CLAUSES: usize = 100_000;
/// So are more steps.
const MOST_STEPS: usize = 10_000_000;

const NOT_HORN: &str = "this is not a Horn clause: it has more than one positive predicate";

/// A disjunction in the making.
#[derive(Clone, Default)]
struct Draft {
    pending: Vec<(TermId, bool)>,
    body: Vec<Atom>,
    constraint: Vec<TermId>,
    head: Option<Atom>,
}

/// Adds the clauses of an asserted formula.
pub fn add(system: &mut System, offset: u32, formula: TermId) -> Result<(), String> {
    let relevant = relevant(&system.terms, formula);
    let first = Draft {
        pending: vec![(formula, true)],
        ..Draft::default()
    };
    let mut drafts = vec![first];
    let (mut added, mut steps) = (0, 0);
    while let Some(mut draft) = drafts.pop() {
        steps += 1 + draft.pending.len() + draft.body.len() + draft.constraint.len();
        if steps > MOST_STEPS || added + drafts.len() > MOST_CLAUSES {
            return Err("this assertion has too many clauses".to_owned());
        }
        let Some((id, positive)) = draft.pending.pop() else {
            draft.body.reverse();
            draft.constraint.reverse();
            system.clauses.push(Clause {
                body: draft.body,
                constraint: draft.constraint,
                head: draft.head,
                offset,
            });
            added += 1;
            continue;
        };
        let terms = &mut system.terms;
        if !relevant.contains(&id) {
            let denied = if positive { negated(terms, id) } else { id };
            draft.constraint.push(denied);
            drafts.push(draft);
            continue;
        }
        let Term::Apply(op, operands) = terms.get(id).clone() else {
            return Err("this is not a clause".to_owned());
        };
        // The alternatives, each a disjunction: all of them have to hold.
        let alternatives: Vec<Vec<(TermId, bool)>> = match (op, &*operands) {
            (Op::Predicate(predicate), arguments) => {
                let arguments = arguments.to_vec();
                let atom = Atom {
                    predicate,
                    arguments,
                };
                if !positive {
                    draft.body.push(atom);
                } else if draft.head.replace(atom).is_some() {
                    return Err(NOT_HORN.to_owned());
                }
                vec![Vec::new()]
            }
            (Op::Forall, &[body]) if positive => vec![vec![(body, true)]],
            (Op::Exists, &[body]) if !positive => vec![vec![(body, false)]],
            (Op::Forall | Op::Exists, _) => {
                return Err("this quantifier does not fit into a Horn clause".to_owned());
            }
            (Op::Not, &[operand]) => vec![vec![(operand, !positive)]],
            (Op::And, parts) if positive => parts.iter().map(|&part| vec![(part, true)]).collect(),
            (Op::Or, parts) if !positive => parts.iter().map(|&part| vec![(part, false)]).collect(),
            (Op::And | Op::Or, parts) => vec![parts.iter().map(|&part| (part, positive)).collect()],
            (Op::Equal, &[a, b]) => two_sided(a, b, positive),
            (Op::Xor, &[a, b]) => two_sided(a, b, !positive),
            (Op::Ite, &[condition, a, b]) => vec![
                vec![(condition, false), (a, positive)],
                vec![(condition, true), (b, positive)],
            ],
            _ => return Err("a predicate stands inside of another term".to_owned()),
        };
        for alternative in alternatives.into_iter().rev() {
            let mut next = draft.clone();
            next.pending.extend(alternative.into_iter().rev());
            drafts.push(next);
        }
    }
    Ok(())
}

/// `a = b`, or its negation, as two disjunctions.
fn two_sided(a: TermId, b: TermId, positive: bool) -> Vec<Vec<(TermId, bool)>> {
    vec![
        vec![(a, false), (b, positive)],
        vec![(a, true), (b, !positive)],
    ]
}

fn negated(terms: &mut Terms, id: TermId) -> TermId {
    match terms.get(id) {
        Term::Apply(Op::Not, operands) => operands[0],
        _ => terms.not(id),
    }
}

/// The parts that contain predicates or quantifiers.
fn relevant(terms: &Terms, formula: TermId) -> FxHashSet<TermId> {
    let mut relevant = FxHashSet::default();
    for id in terms.below(&[formula]) {
        let is_one = matches!(
            terms.get(id),
            Term::Apply(Op::Predicate(_) | Op::Forall | Op::Exists, _)
        );
        if is_one
            || terms
                .operands(id)
                .iter()
                .any(|operand| relevant.contains(operand))
        {
            relevant.insert(id);
        }
    }
    relevant
}
