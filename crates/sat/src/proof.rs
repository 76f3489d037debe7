//! Refutations in the formats of other tools: clauses as DIMACS, and the steps that refute them as
//! DRAT.
//!
//! Every step is a clause that follows from those before it by unit propagation (RUP), which is the
//! part of DRAT that needs no knowledge of the order of variables or of deletions. The assumptions
//! are clauses of one literal at the end of the DIMACS file, and the last step is the empty clause.

use crate::cnf::Cnf;
use crate::lit::Lit;
use crate::tseitin::Clauses;
use std::fmt::Write;

/// Clauses that cannot hold together, with the steps that show it.
#[derive(Clone, Debug, Default)]
pub struct Proof {
    clauses: Cnf,
    steps: Vec<Box<[Lit]>>,
}

impl Proof {
    /// A proof about some variables, without clauses so far.
    pub(crate) fn about(variables: u32) -> Self {
        let mut proof = Self::default();
        for _ in 0..variables {
            proof.clauses.new_var();
        }
        proof
    }

    /// A clause that is to be refuted together with the others.
    pub(crate) fn given(&mut self, clause: &[Lit]) {
        self.clauses.add_clause(clause);
    }

    /// A clause that follows.
    pub(crate) fn step(&mut self, clause: &[Lit]) {
        self.steps.push(clause.into());
    }

    /// The clauses as a file in DIMACS format, after these lines of comment.
    pub fn dimacs(&self, comments: &[String]) -> String {
        self.clauses.dimacs(comments)
    }

    /// The steps as a file in the text form of DRAT. The last one is the empty clause.
    pub fn drat(&self) -> String {
        let mut text = String::new();
        for step in &self.steps {
            for &lit in step {
                let _ = write!(text, "{} ", Cnf::number(lit));
            }
            text.push_str("0\n");
        }
        text
    }

    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there are no steps; a proof that was made has at least one.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use crate::solver::tests::{Random, pigeons};
    use crate::tseitin::{Circuit, Clauses};
    use crate::{Lit, Prover, Refutation};

    /// The numbers of a file, clause by clause.
    fn clauses(text: &str) -> Vec<Vec<i64>> {
        let is_clause = |line: &&str| !line.starts_with(['c', 'p']);
        let numbers = |line: &str| {
            let numbers = line.split_ascii_whitespace().map(str::parse);
            let mut numbers: Vec<i64> = numbers.map(|number| number.expect("a number")).collect();
            assert_eq!(numbers.pop(), Some(0));
            numbers
        };
        text.lines().filter(is_clause).map(numbers).collect()
    }

    /// Whether each step follows by unit propagation, and the last is empty. As short as can be:
    /// nothing is watched, and the clauses are gone through until nothing changes.
    fn is_proof(dimacs: &str, drat: &str) -> bool {
        let (mut known, steps) = (clauses(dimacs), clauses(drat));
        let follows = |known: &[Vec<i64>], step: &[i64]| {
            let mut is_true: std::collections::BTreeSet<i64> =
                step.iter().map(|lit| -lit).collect();
            loop {
                let before = is_true.len();
                for clause in known {
                    let open = clause.iter().filter(|lit| !is_true.contains(&-**lit));
                    let open: Vec<i64> = open.copied().collect();
                    match *open {
                        [] => return true,
                        [only] => drop(is_true.insert(only)),
                        _ => {}
                    }
                }
                if is_true.len() == before {
                    return false;
                }
            }
        };
        for step in &steps {
            if !follows(&known, step) {
                return false;
            }
            known.push(step.clone());
        }
        steps.last().is_some_and(Vec::is_empty)
    }

    #[test]
    fn a_search_leaves_a_proof() {
        let mut prover = Prover::default();
        pigeons(&mut prover, 4);
        let extra = prover.new_var().positive();
        assert_eq!(prover.refute(&[extra]), Refutation::Searched);
        let proof = prover.proof(&[extra]);
        let (dimacs, drat) = (proof.dimacs(&[]), proof.drat());
        assert!(proof.len() > 10, "{}", proof.len());
        assert!(is_proof(&dimacs, &drat));
        // Without its steps it is none, and a clause that does not follow is not taken.
        assert!(!is_proof(&dimacs, "0\n"));
        assert!(!is_proof(&dimacs, &format!("1 0\n{drat}")));
        // Fewer pigeons fit.
        let fewer: Vec<&str> = dimacs.lines().collect();
        assert!(!is_proof(&fewer[..fewer.len() / 2].join("\n"), &drat));
    }

    /// Random circuits, refuted by cases alone: what is refuted has a proof.
    #[test]
    fn a_refutation_by_cases_leaves_a_proof() {
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        let (mut proved, mut longest) = (0, 0);
        for _ in 0..1500 {
            let mut circuit: Circuit<Prover<'_>> = Circuit::default();
            circuit.solver().keep_proofs();
            let mut lits: Vec<Lit> = (0..6).map(|_| circuit.input()).collect();
            for _ in 0..24 {
                let mut pick = || {
                    let lit = lits[random.below(lits.len() as u64) as usize];
                    lit.negated_if(random.below(2) == 1)
                };
                let [a, b, c] = [pick(), pick(), pick()];
                let gate = match random.below(4) {
                    0 => circuit.and(a, b),
                    1 => circuit.all([a, b, c]),
                    2 => circuit.xor(a, b),
                    _ => circuit.ite(a, b, c),
                };
                lits.push(gate);
            }
            let assumptions: Vec<Lit> = lits.iter().rev().take(4).copied().collect();
            for &lit in &assumptions {
                circuit.demand(lit);
            }
            if circuit.refute_by_cases(&assumptions) {
                let proof = circuit.solver().proof(&assumptions);
                let (dimacs, drat) = (proof.dimacs(&[]), proof.drat());
                assert!(is_proof(&dimacs, &drat), "{dimacs}{drat}");
                proved += 1;
                longest = longest.max(proof.len());
            }
        }
        assert!(proved > 200 && longest > 5, "{proved} {longest}");
    }
}
