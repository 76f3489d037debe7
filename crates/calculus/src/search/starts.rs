//! What the queries of a system come to: which start, and whether they ask about targets.

use hardbop_formula::{ActionKind, Formula, FormulaId, RelationId, System};

/// Whether the queries of a system use a relation of that name. What the relation `behind` uses is
/// not looked at.
pub fn uses(system: &System, name: &str, behind: &str) -> bool {
    let Some(wanted) = system.find(name) else {
        return false;
    };
    let hidden = system.find(behind);
    let mut formulas: Vec<FormulaId> = Vec::new();
    let mut relations: Vec<RelationId> = Vec::new();
    for action in &system.actions {
        match action.kind {
            ActionKind::Query(formula)
            | ActionKind::Witness(formula)
            | ActionKind::Counterexample(formula) => formulas.push(formula),
            ActionKind::Size(relation)
            | ActionKind::Count(relation)
            | ActionKind::List(relation) => relations.push(relation),
            _ => {}
        }
    }
    let mut seen_formulas = vec![false; system.formulas.len()];
    let mut seen_relations = vec![false; system.relations.len()];
    loop {
        while let Some(relation) = relations.pop() {
            if relation == wanted {
                return true;
            }
            let seen = &mut seen_relations[relation.0 as usize];
            if !std::mem::replace(seen, true) && Some(relation) != hidden {
                formulas.push(system.relation(relation).body);
            }
        }
        let Some(formula) = formulas.pop() else {
            return false;
        };
        if std::mem::replace(&mut seen_formulas[formula.0 as usize], true) {
            continue;
        }
        match system.formula(formula) {
            Formula::Constant(_) | Formula::Bit(..) => {}
            Formula::Not(a) | Formula::Exists(_, a) | Formula::Forall(_, a) => formulas.push(*a),
            Formula::And(all) | Formula::Or(all) => formulas.extend(all),
            Formula::Iff(a, b) | Formula::Cofactor(_, a, b) => formulas.extend([*a, *b]),
            Formula::Ite(c, a, b) => formulas.extend([*c, *a, *b]),
            Formula::Apply(relation, _) => relations.push(*relation),
        }
    }
}

/// Whether a system that is solved for threads starts as a sequential program does, with `Init`: what
/// the threads do would be missing. (`init` runs before they start, so `Started` may use it.)
pub fn is_sequential(system: &System) -> bool {
    uses(system, "Init", "Started") && !uses(system, "Started", "")
}
