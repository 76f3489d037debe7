//! Formulas of temporal logic once more, with nothing of `hardbop-automata`: written down as text
//! for the judge, and evaluated on infinite words straight from the definition of the logic.

use hardbop_interpreter::Configuration;
use hardbop_machine::ir::NodeKind;
use hardbop_machine::{Machine, Storage, Type};
use hardbop_testkit::random::Random;

/// Something that holds in a state or not.
#[derive(Clone, Debug)]
pub enum Atom {
    Terminated,
    Failed,
    /// Some thread is at a label of that name.
    At(String),
    /// A shared variable is 1.
    IsOne(String, Type),
}

#[derive(Clone, Debug)]
pub enum Formula {
    Atom(Atom),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
    Next(Box<Formula>),
    Until(Box<Formula>, Box<Formula>),
    Finally(Box<Formula>),
    Globally(Box<Formula>),
}

/// A state of a run, as a formula sees it. `ended` says that `main` has returned.
pub struct Seen {
    pub state: Configuration,
    pub ended: bool,
}

fn atoms(machine: &Machine) -> Vec<Atom> {
    let labels = machine.labels.iter();
    let mut atoms: Vec<Atom> = labels.map(|l| Atom::At(l.name.clone())).collect();
    atoms.extend([Atom::Terminated, Atom::Failed]);
    for global in &machine.globals {
        let mut characters = global.name.chars();
        let is_plain = characters.all(|c| c.is_ascii_alphanumeric() || c == '_');
        if is_plain && global.storage == Storage::Shared {
            let atom = Atom::IsOne(global.name.clone(), global.ty);
            atoms.extend([atom.clone(), atom]);
        }
    }
    atoms
}

/// A small formula about a program; every other one says what happens again and again, for which a
/// loop matters most.
pub fn random_formula(random: &mut Random, machine: &Machine) -> Formula {
    let atoms = atoms(machine);
    if random.percent(50) {
        let inner = Box::new(formula(random, &atoms, 1));
        return Formula::Globally(Box::new(Formula::Finally(inner)));
    }
    formula(random, &atoms, 3)
}

fn formula(random: &mut Random, atoms: &[Atom], depth: u32) -> Formula {
    if depth == 0 || random.percent(15) {
        let atom = random.pick(atoms).expect("there is always an atom");
        return Formula::Atom(atom.clone());
    }
    let mut operand = || Box::new(formula(random, atoms, depth - 1));
    let (left, right) = (operand(), operand());
    match random.below(9) {
        0 | 1 => Formula::Globally(left),
        2 | 3 => Formula::Finally(left),
        4 => Formula::Next(left),
        5 => Formula::Until(left, right),
        6 => Formula::And(left, right),
        7 => Formula::Or(left, right),
        _ => Formula::Not(left),
    }
}

impl std::fmt::Display for Formula {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Formula::Atom(Atom::Terminated) => write!(f, "terminated"),
            Formula::Atom(Atom::Failed) => write!(f, "failed"),
            Formula::Atom(Atom::At(label)) => write!(f, "at({label})"),
            Formula::Atom(Atom::IsOne(name, Type::Bool)) => write!(f, "var({name})"),
            Formula::Atom(Atom::IsOne(name, Type::Int(_))) => write!(f, "(var({name}) = 1)"),
            Formula::Not(inner) => write!(f, "!({inner})"),
            Formula::And(left, right) => write!(f, "(({left}) & ({right}))"),
            Formula::Or(left, right) => write!(f, "(({left}) | ({right}))"),
            Formula::Next(inner) => write!(f, "X ({inner})"),
            Formula::Until(left, right) => write!(f, "(({left}) U ({right}))"),
            Formula::Finally(inner) => write!(f, "F ({inner})"),
            Formula::Globally(inner) => write!(f, "G ({inner})"),
        }
    }
}

impl Atom {
    fn holds(&self, machine: &Machine, seen: &Seen) -> bool {
        let threads = seen.state.threads.iter();
        let mut places = threads.filter_map(|thread| Some(thread.stack.last()?.node));
        match self {
            Atom::Terminated => seen.ended || places.next().is_none(),
            Atom::Failed => places.any(|node| machine.node(node).kind == NodeKind::Failure),
            Atom::At(name) => places.any(|node| {
                let mut labels = machine.labels.iter();
                labels.any(|label| label.name == *name && label.node == node)
            }),
            Atom::IsOne(name, _) => {
                let mut globals = machine.globals.iter().zip(&seen.state.shared);
                globals.any(|(global, value)| global.name == *name && *value == 1)
            }
        }
    }
}

impl Formula {
    /// At which positions it holds, on the word that goes back from its end to position `back`.
    pub fn holds(&self, machine: &Machine, word: &[Seen], back: usize) -> Vec<bool> {
        let of = |formula: &Formula| formula.holds(machine, word, back);
        // The positions of the run from one on; after twice the length nothing is new.
        let after = |position: usize| {
            if position + 1 == word.len() {
                back
            } else {
                position + 1
            }
        };
        let from = |position| std::iter::successors(Some(position), move |&p| Some(after(p)));
        let ahead = |position| from(position).take(2 * word.len());
        let positions = 0..word.len();
        match self {
            Formula::Atom(atom) => word.iter().map(|seen| atom.holds(machine, seen)).collect(),
            Formula::Not(inner) => of(inner).iter().map(|holds| !holds).collect(),
            Formula::And(left, right) => {
                let (left, right) = (of(left), of(right));
                positions.map(|p| left[p] && right[p]).collect()
            }
            Formula::Or(left, right) => {
                let (left, right) = (of(left), of(right));
                positions.map(|p| left[p] || right[p]).collect()
            }
            Formula::Next(inner) => {
                let inner = of(inner);
                positions.map(|p| inner[after(p)]).collect()
            }
            Formula::Until(kept, goal) => {
                let (kept, goal) = (of(kept), of(goal));
                let reaches = |p| {
                    let decided = ahead(p).find(|&p| goal[p] || !kept[p]);
                    decided.is_some_and(|p| goal[p])
                };
                positions.map(reaches).collect()
            }
            Formula::Finally(inner) => {
                let inner = of(inner);
                positions.map(|p| ahead(p).any(|p| inner[p])).collect()
            }
            Formula::Globally(inner) => {
                let inner = of(inner);
                positions.map(|p| ahead(p).all(|p| inner[p])).collect()
            }
        }
    }
}
