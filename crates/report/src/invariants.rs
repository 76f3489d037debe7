//! The invariants of a certificate as formulas that a person reads, place by place.
//!
//! Forward relations speak of the state at the entry of a procedure too: that part is quantified
//! away, so what is left holds of the variables at the place. A backward relation is where a target
//! could be reached from; what holds is its negation. An interleaved relation holds of whole
//! configurations when a thread takes the next step: the other threads are quantified away. The
//! formula is rebuilt as a BDD, from which irredundant sums of products of it and of its negation
//! are read (Minato and Morreale); the shorter one is shown, or written in C for other tools.

mod bounds;
mod sum_of_products;

use hardbop_bdd::{Bdd, Exhausted, Manager, PlanBuilder};
use hardbop_machine::cast::Cast;
use hardbop_machine::inlined::InlinedFrame;
use hardbop_machine::ir::NodeKind;
use hardbop_machine::{LocalId, Machine, NodeId, ProcId, Variable};
use hardbop_outcome::Certificate;
use hardbop_outcome::certificate::{Bit, Direction, Formula, ThreadBit, ThreadPart};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use sum_of_products::{Language, NamedBit, Names};

/// BDD nodes for all formulas of a certificate; beyond that only the variables are named.
const MAX_NODES: usize = 400_000;
/// Steps of work for one formula, and in all.
const MAX_WORK: u64 = 20_000_000;
/// More variables of the program than this make no formula that anyone reads.
const MAX_VARIABLES: usize = 24;
/// Formulas are made by recursion over bits.
const MAX_BITS: usize = 256;

/// What holds at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Invariant {
    pub(crate) node: NodeId,
    pub(crate) text: String,
}

/// What a BDD variable stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Symbol {
    Entry(Bit),
    Now(Bit),
    Exit(Bit),
    Thread(ThreadBit),
}

/// The invariants of a certificate at the statements of a program, in order of the nodes. Where a
/// node is never reached, or nothing has to be known, that is said.
pub(crate) fn invariants(machine: &Machine, certificate: &Certificate) -> Vec<Invariant> {
    let mut reader = Reader::new(machine, certificate);
    let known = reader.known(certificate);
    let statements = machine.node_ids().filter(|&node| {
        matches!(
            machine.node(node).kind,
            NodeKind::Statement | NodeKind::Exit
        )
    });
    let unlisted = match certificate.direction {
        Direction::Forward | Direction::Interleaved => Some("never reached"),
        // Nothing has to be known where no target can be reached from. What is known of several
        // stacks together is not said of one place.
        Direction::Backward | Direction::Stacks | Direction::Unrolled => None,
    };
    statements
        .filter_map(|node| {
            let text = match known.get(&node) {
                Some(&bdd) => reader.text(machine.procedure_of(node), bdd),
                None => unlisted?.to_owned(),
            };
            Some(Invariant { node, text })
        })
        .collect()
}

/// What a certificate says of some nodes of a sequential program, as expressions of C over the
/// variables that `expressible` lets pass there: the others are quantified away, which leaves
/// something weaker that still holds. Nodes of which nothing has to be known, or of which it would
/// take too long to say, are left out.
pub(crate) fn c_invariants(
    machine: &Machine,
    certificate: &Certificate,
    nodes: &[NodeId],
    expressible: &dyn Fn(NodeId, Variable) -> bool,
) -> Vec<Invariant> {
    let mut reader = Reader::new(machine, certificate);
    let known = reader.known(certificate);
    let mut invariants = Vec::new();
    for &node in nodes {
        let text = match (known.get(&node), certificate.direction) {
            (Some(&bdd), _) => reader.c_text(node, bdd, expressible),
            (None, Direction::Forward) => Some("0".to_owned()),
            (None, _) => None,
        };
        invariants.extend(text.map(|text| Invariant { node, text }));
    }
    invariants
}

struct Reader<'a> {
    machine: &'a Machine,
    manager: Manager<'static>,
    variables: HashMap<Symbol, u32>,
    symbols: Vec<Symbol>,
    /// Nothing where the formula is too large.
    formulas: Vec<Option<Bdd>>,
}

impl<'a> Reader<'a> {
    fn new(machine: &'a Machine, certificate: &Certificate) -> Self {
        let mut reader = Self {
            machine,
            manager: Manager::new(MAX_NODES),
            variables: HashMap::new(),
            symbols: Vec::new(),
            formulas: Vec::with_capacity(certificate.formulas.len()),
        };
        reader.manager.set_work_limit(MAX_WORK);
        for formula in &certificate.formulas {
            let bdd = reader.build(formula);
            reader.formulas.push(bdd);
        }
        let spent = reader.manager.work();
        reader.manager.set_work_limit(spent + MAX_WORK);
        reader
    }

    fn build(&mut self, formula: &Formula) -> Option<Bdd> {
        let of = |index: &u32| self.formulas.get(*index as usize).copied().flatten();
        let symbol = match formula {
            Formula::Constant(value) => return Some(Bdd::constant(*value)),
            Formula::Not(operand) => return of(operand).map(|bdd| !bdd),
            Formula::And(operands) => {
                let operands: Option<Vec<Bdd>> = operands.iter().map(of).collect();
                return self.manager.and_all(operands?).ok();
            }
            Formula::Or(operands) => {
                let operands: Option<Vec<Bdd>> =
                    operands.iter().map(|i| of(i).map(|b| !b)).collect();
                return self.manager.and_all(operands?).ok().map(|bdd| !bdd);
            }
            Formula::Ite(c, a, b) => {
                let (c, a, b) = (of(c)?, of(a)?, of(b)?);
                return self.manager.ite(c, a, b).ok();
            }
            Formula::Entry(bit) => Symbol::Entry(*bit),
            Formula::Now(bit) => Symbol::Now(*bit),
            Formula::Exit(bit) => Symbol::Exit(*bit),
            Formula::Thread(bit) => Symbol::Thread(*bit),
        };
        let variable = self.variable(symbol);
        self.manager.variable(variable).ok()
    }

    fn variable(&mut self, symbol: Symbol) -> u32 {
        let next = self.symbols.len() as u32;
        let variable = *self.variables.entry(symbol).or_insert(next);
        if variable == next {
            self.symbols.push(symbol);
        }
        variable
    }

    /// What is known of the state at nodes; nothing where that is too large.
    fn known(&mut self, certificate: &Certificate) -> BTreeMap<NodeId, Option<Bdd>> {
        match certificate.direction {
            Direction::Forward | Direction::Backward | Direction::Unrolled => {
                self.by_nodes(certificate)
            }
            Direction::Interleaved => self.by_turns(certificate),
            Direction::Stacks => BTreeMap::new(),
        }
    }

    fn by_nodes(&mut self, certificate: &Certificate) -> BTreeMap<NodeId, Option<Bdd>> {
        let mut at = BTreeMap::new();
        for relation in &certificate.nodes {
            let node = relation.node;
            if node.index() >= self.machine.nodes.len() {
                continue;
            }
            let procedure = self.machine.procedure_of(node);
            let known = self.formulas.get(relation.relation as usize);
            let now = known.copied().flatten().and_then(|bdd| {
                let now = self.now(procedure, bdd).ok()?;
                let is_backward = certificate.direction == Direction::Backward;
                Some(if is_backward { !now } else { now })
            });
            at.insert(node, now);
        }
        at
    }

    /// A relation as one of the state now. A global that the procedure never assigns has its entry
    /// value still.
    fn now(&mut self, procedure: ProcId, bdd: Bdd) -> Result<Bdd, Exhausted> {
        let mut equal = Vec::new();
        let mut plan = PlanBuilder::new();
        for variable in self.manager.support(bdd) {
            let (Symbol::Entry(bit) | Symbol::Exit(bit)) = self.symbols[variable as usize] else {
                continue;
            };
            plan.quantify(variable);
            if let Variable::Global(id) = bit.variable
                && !self.machine.effects().modifies(procedure, id)
            {
                equal.push((variable, Symbol::Now(bit)));
            }
        }
        let mut same = Bdd::constant(true);
        for (variable, now) in equal {
            let now = self.variable(now);
            let (one, other) = (
                self.manager.variable(variable)?,
                self.manager.variable(now)?,
            );
            let iff = self.manager.iff(one, other)?;
            same = self.manager.and(same, iff)?;
        }
        let plan = plan.build(&mut self.manager);
        self.manager.relprod(bdd, same, &plan)
    }

    fn by_turns(&mut self, certificate: &Certificate) -> BTreeMap<NodeId, Option<Bdd>> {
        let machine = self.machine;
        let most = certificate.turns.iter().map(|turn| turn.turn.thread + 1);
        let Ok(cast) = Cast::new(machine, most.max().unwrap_or(0)) else {
            return BTreeMap::new();
        };
        let mut at: BTreeMap<NodeId, Option<Bdd>> = BTreeMap::new();
        let threads = certificate.turns.iter();
        for turn in threads.filter(|turn| turn.turn.thread < cast.len()) {
            let relation = self.formulas.get(turn.relation as usize).copied().flatten();
            let thread = turn.turn.thread;
            let inlined = &cast.member(thread).inlined;
            for place in 1..inlined.place_count() {
                let Some((frame, node)) = inlined.locate(machine, place) else {
                    continue;
                };
                let frame = &inlined.frames()[frame as usize];
                let here = relation.and_then(|relation| {
                    let at_place = self.at_place(thread, place, inlined.place_bits());
                    let names = |bit: u32| local_of(machine, frame, bit);
                    self.of_thread(thread, relation, at_place.ok()?, names).ok()
                });
                let known = at.entry(node).or_insert(Some(Bdd::constant(false)));
                *known = match (*known, here) {
                    (Some(known), Some(here)) => self.manager.or(known, here).ok(),
                    _ => None,
                };
            }
        }
        at
    }

    /// The thread is at a place.
    fn at_place(&mut self, thread: u32, place: u32, bits: u32) -> Result<Bdd, Exhausted> {
        let mut all = Bdd::constant(true);
        for bit in 0..bits {
            let part = ThreadPart::Place;
            let variable = self.variable(Symbol::Thread(ThreadBit { thread, part, bit }));
            let variable = self.manager.variable(variable)?;
            let literal = if place >> bit & 1 == 1 {
                variable
            } else {
                !variable
            };
            all = self.manager.and(all, literal)?;
        }
        Ok(all)
    }

    /// What holds of the shared globals and the variables of a thread, as its procedure names them.
    fn of_thread(
        &mut self,
        thread: u32,
        relation: Bdd,
        at_place: Bdd,
        names: impl Fn(u32) -> Option<Bit>,
    ) -> Result<Bdd, Exhausted> {
        let mut plan = PlanBuilder::new();
        let mut support = self.manager.support(relation);
        support.extend(self.manager.support(at_place));
        for variable in support {
            let Symbol::Thread(bit) = self.symbols[variable as usize] else {
                continue;
            };
            let named = match bit.part {
                _ if bit.thread != thread => None,
                ThreadPart::Own(id) => Some(Bit {
                    variable: Variable::Global(id),
                    bit: bit.bit,
                }),
                ThreadPart::Row => names(bit.bit),
                _ => None,
            };
            match named {
                Some(now) => plan.rename(variable, self.variable(Symbol::Now(now))),
                None => plan.quantify(variable),
            };
        }
        let plan = plan.build(&mut self.manager);
        self.manager.relprod(relation, at_place, &plan)
    }

    /// A formula over the variables of a procedure in words.
    fn text(&mut self, procedure: ProcId, bdd: Option<Bdd>) -> String {
        let Some(bdd) = bdd else {
            return "a formula that is too large to show".to_owned();
        };
        if bdd.is_false() {
            return "never reached".to_owned();
        }
        let names = self.names(procedure, bdd);
        let mut shown: Vec<&str> = Vec::new();
        for bit in names.values() {
            if !shown.contains(&bit.name.as_str()) {
                shown.push(&bit.name);
            }
        }
        let is_large = shown.len() > MAX_VARIABLES || names.len() > MAX_BITS;
        shown.truncate(MAX_VARIABLES);
        let listed = || shown.join(", ");
        if is_large {
            return format!("a formula over {}, …", listed());
        }
        let text = sum_of_products::text(&mut self.manager, bdd, &names, Language::Program);
        text.unwrap_or_else(|_| format!("a formula over {}", listed()))
    }

    /// A formula as an expression of C, unless it says nothing or is too large.
    fn c_text(
        &mut self,
        node: NodeId,
        bdd: Option<Bdd>,
        expressible: &dyn Fn(NodeId, Variable) -> bool,
    ) -> Option<String> {
        let mut plan = PlanBuilder::new();
        for variable in self.manager.support(bdd?) {
            if let Symbol::Now(bit) = self.symbols[variable as usize]
                && !expressible(node, bit.variable)
            {
                plan.quantify(variable);
            }
        }
        let plan = plan.build(&mut self.manager);
        let everything = Bdd::constant(true);
        let bdd = self.manager.relprod(bdd?, everything, &plan).ok()?;
        if bdd.is_true() {
            return None;
        }
        if bdd.is_false() {
            return Some("0".to_owned());
        }
        let procedure = self.machine.procedure_of(node);
        let names = self.names(procedure, bdd);
        if names.len() > MAX_BITS {
            return None;
        }
        sum_of_products::text(&mut self.manager, bdd, &names, Language::C).ok()
    }

    /// The variables of a function and all other bits of its integers.
    fn names(&mut self, procedure: ProcId, bdd: Bdd) -> Names {
        let mut names = Names::new();
        for variable in self.manager.support(bdd) {
            if names.contains_key(&variable) {
                continue;
            }
            let named = self.named(procedure, variable);
            for bit in 0..named.width {
                let variable = named.variable;
                let variable = self.variable(Symbol::Now(Bit { variable, bit }));
                let named = NamedBit {
                    bit,
                    ..named.clone()
                };
                names.insert(variable, named);
            }
        }
        names
    }

    fn named(&self, procedure: ProcId, variable: u32) -> NamedBit {
        let Symbol::Now(bit) = self.symbols[variable as usize] else {
            unreachable!("everything else was quantified away")
        };
        NamedBit {
            variable: bit.variable,
            name: self.machine.name_of(procedure, bit.variable).to_owned(),
            bit: bit.bit,
            width: self.machine.type_of(procedure, bit.variable).width(),
            notation: self.machine.notation_of(procedure, bit.variable),
            value_names: Arc::clone(&self.machine.value_names),
        }
    }
}

/// The local of the running procedure to which a bit of the row belongs.
fn local_of(machine: &Machine, frame: &InlinedFrame, bit: u32) -> Option<Bit> {
    let count = machine.procedure(frame.procedure).locals.len();
    let locals = (0..count).map(LocalId::new);
    let mut here = locals.filter(|&local| frame.bits_of(local).contains(&bit));
    let local = here.next()?;
    Some(Bit {
        variable: Variable::Local(local),
        bit: bit - frame.bits_of(local).start,
    })
}
