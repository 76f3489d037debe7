//! The states of a complete search as a forward certificate.
//!
//! A state stands for a cube of pairs of entry and current state, with some equalities between
//! bits. The relation of a node is the union of its states' cubes. Written as a list, that would be
//! as long as the search was; so the cubes are rows of a table, one column per bit, and the rows
//! become a trie whose equal parts are shared from the bottom up: where all values of a bit lead to
//! the same, nothing is said about it. What is known of open words, intervals and differences, is
//! one more column, whose cells are formulas over the others ([`conditions`]).
//!
//! Dead variables have no column. What the certificate leaves open about them is what liveness says
//! nobody reads, so its conditions hold.

mod conditions;

use crate::encoding::frame::{Frame, set_bits};
use crate::encoding::layout::Place;
use crate::search::exploration::{Exploration, StateId};
use conditions::Condition;
use hardbop_machine::analysis::QuickMap;
use hardbop_machine::{NodeId, ProcId, Variable};
use hardbop_outcome::Target;
use hardbop_outcome::certificate::{Bit, Certificate, Direction, Formula, NodeRelation};

/// The certificate of a complete search that has met none of the targets.
pub(crate) fn certificate(exploration: &Exploration<'_>, targets: Vec<Target>) -> Certificate {
    let machine = exploration.statics().machine;
    let (states, starts) = states_by_node(exploration);
    let mut writer = Writer::default();
    let mut nodes = Vec::with_capacity(machine.nodes.len());
    for node in machine.node_ids() {
        let states = &states[starts[node.index()] as usize..starts[node.index() + 1] as usize];
        if !states.is_empty() {
            let relation = relation(exploration, node, states, &mut writer);
            nodes.push(NodeRelation::new(machine, node, relation));
        }
    }
    Certificate::new(machine, Direction::Forward, targets, writer.formulas, nodes)
}

/// All states in order of their nodes, and for each node, and behind the last one, where its own
/// begin.
fn states_by_node(exploration: &Exploration<'_>) -> (Vec<StateId>, Vec<u32>) {
    let count = exploration.len() as StateId;
    let mut starts = vec![0; exploration.statics().machine.nodes.len() + 1];
    for state in 0..count {
        starts[exploration.node_of(state).index()] += 1;
    }
    let mut end = 0;
    for start in &mut starts {
        end += *start;
        *start = end;
    }
    let mut states = vec![0; count as usize];
    for state in (0..count).rev() {
        let start = &mut starts[exploration.node_of(state).index()];
        *start -= 1;
        states[*start as usize] = state;
    }
    (states, starts)
}

/// A bit that cubes speak of.
#[derive(Clone, Copy)]
struct Column {
    bit: u32,
    is_entry: bool,
}

/// What a cube says of a bit: nothing, its value, or the column it is equal to.
const FREE: u32 = 0;
const ZERO: u32 = 1;
const EQUAL: u32 = 3;

/// A bit of a cube before equalities are put in terms of columns.
#[derive(Clone, Copy)]
enum Content {
    Known(bool),
    Symbol(u32),
}

fn content(frame: &Frame, bit: u32) -> Content {
    let (word, shift) = ((bit / u64::BITS) as usize, bit % u64::BITS);
    if frame.unknown[word] >> shift & 1 == 1 {
        Content::Symbol(frame.symbols[bit as usize])
    } else {
        Content::Known(frame.values[word] >> shift & 1 == 1)
    }
}

/// The columns of a node: live bits, and live bits at the entry if summaries of the procedure are
/// used.
fn columns(exploration: &Exploration<'_>, procedure: ProcId, node: NodeId) -> Vec<Column> {
    let statics = exploration.statics();
    let layout = statics.layouts.of(procedure);
    let live = statics.layouts.live(procedure, node);
    let mut columns: Vec<Column> = set_bits(live)
        .map(|bit| Column {
            bit,
            is_entry: false,
        })
        .collect();
    if statics.layouts.is_called(procedure) {
        let entry = statics.machine.procedure(procedure).entry;
        let at_entry = set_bits(statics.layouts.live(procedure, entry));
        let at_entry = at_entry.filter(|&bit| layout.is_entry_bit(bit));
        columns.extend(at_entry.map(|bit| Column {
            bit,
            is_entry: true,
        }));
    }
    columns.sort_by_key(|column| (column.bit, column.is_entry));
    columns
}

fn relation(
    exploration: &Exploration<'_>,
    node: NodeId,
    states: &[StateId],
    writer: &mut Writer,
) -> u32 {
    let procedure = exploration.statics().machine.procedure_of(node);
    let columns = columns(exploration, procedure, node);
    writer.begin(exploration, procedure, &columns);
    if columns.is_empty() {
        return writer.add(Formula::Constant(true));
    }
    let is_known = |&state: &StateId| exploration.is_known(state);
    let is_plain =
        !exploration.statics().layouts.is_called(procedure) && states.iter().all(is_known);
    if is_plain && columns.len() <= u64::BITS as usize {
        return plain_relation(exploration, states, &columns, writer);
    }
    let mut cells: Vec<u32> = Vec::with_capacity(states.len() * columns.len());
    let mut cubes = Cubes::new(exploration, &columns);
    let has_conditions = states.iter().any(|&state| exploration.has_blocks(state));
    let mut conditions: Vec<Condition> = Vec::new();
    for &state in states {
        cubes.add(state, &mut cells);
        if has_conditions {
            conditions.push(cubes.condition());
            cells.push(0);
        }
    }
    let width = columns.len() + usize::from(has_conditions);
    writer.number(&conditions, cells.chunks_mut(width));
    let mut rows: Vec<&[u32]> = cells.chunks(width).collect();
    rows.sort_unstable();
    rows.dedup();
    let cell = |row: usize, column: usize| rows[row][column];
    let shared = |row: usize| {
        let pairs = rows[row].iter().zip(rows[row + 1]);
        pairs.take_while(|(a, b)| a == b).count()
    };
    writer.trie(rows.len(), &cell, &shared)
}

/// The same where every bit of every state is known and entries do not count: a row is a number,
/// its first column the highest bit.
fn plain_relation(
    exploration: &Exploration<'_>,
    states: &[StateId],
    columns: &[Column],
    writer: &mut Writer,
) -> u32 {
    let row = |&state: &StateId| {
        let words = exploration.known_words(state);
        columns.iter().fold(0, |row: u64, column| {
            row << 1 | words[(column.bit / u64::BITS) as usize] >> (column.bit % u64::BITS) & 1
        })
    };
    let mut rows: Vec<u64> = states.iter().map(row).collect();
    rows.sort_unstable();
    rows.dedup();
    let last = columns.len() as u32 - 1;
    let cell = |row: usize, column: usize| ZERO + (rows[row] >> (last - column as u32) & 1) as u32;
    let unused = u64::BITS - 1 - last;
    let shared = |row: usize| ((rows[row] ^ rows[row + 1]).leading_zeros() - unused) as usize;
    writer.trie(rows.len(), &cell, &shared)
}

/// Turns states into rows of cells.
struct Cubes<'c, 's> {
    exploration: &'c Exploration<'s>,
    columns: &'c [Column],
    now: Frame,
    entry: Frame,
    /// The column in which each symbol was met first.
    first_column: Vec<u32>,
}

impl<'c, 's> Cubes<'c, 's> {
    fn new(exploration: &'c Exploration<'s>, columns: &'c [Column]) -> Self {
        Self {
            exploration,
            columns,
            now: Frame::default(),
            entry: Frame::default(),
            first_column: Vec::new(),
        }
    }

    fn add(&mut self, state: StateId, cells: &mut Vec<u32>) {
        let symbols = self.exploration.open(state, &mut self.now);
        let root = self.exploration.root_of(state);
        self.exploration.open_entry(root, &mut self.entry);
        self.first_column.clear();
        self.first_column.resize(symbols as usize, u32::MAX);
        for (index, column) in self.columns.iter().enumerate() {
            let content = if column.is_entry {
                self.at_entry(root, column.bit)
            } else {
                content(&self.now, column.bit)
            };
            cells.push(match content {
                Content::Known(value) => ZERO + u32::from(value),
                Content::Symbol(symbol) => {
                    let first = &mut self.first_column[symbol as usize];
                    if *first == u32::MAX {
                        *first = index as u32;
                        FREE
                    } else {
                        EQUAL + *first
                    }
                }
            });
        }
    }

    /// What a state says of a bit at its entry: what the root says, and what has been decided
    /// since.
    fn at_entry(&self, root: u32, bit: u32) -> Content {
        let symbol = match content(&self.entry, bit) {
            Content::Symbol(symbol) => symbol,
            known @ Content::Known(_) => return known,
        };
        let shape = self.exploration.shape(root);
        let mut homes = shape.homes.iter();
        let home = homes.position(|&home| self.entry.symbols[home as usize] == symbol);
        let home = home.expect("every undetermined bit of an entry has a home");
        content(&self.now, shape.entry_bit(home))
    }
}

/// Writes formulas, equal ones once.
#[derive(Default)]
struct Writer {
    formulas: Vec<Formula>,
    numbers: QuickMap<Formula, u32>,
    /// The formula of each column of the current node.
    columns: Vec<u32>,
    /// The formulas of the conditions of the current node, if rows end with one.
    conditions: Vec<u32>,
    /// Formulas of the current node by column, what its only branch says, and what follows.
    single: QuickMap<(u32, u32, u32), u32>,
}

impl Writer {
    /// How many cells a row has.
    fn width(&self) -> usize {
        self.columns.len() + usize::from(!self.conditions.is_empty())
    }

    /// Writes conditions down and puts their numbers into the last cells of their rows.
    fn number<'r>(&mut self, conditions: &[Condition], rows: impl Iterator<Item = &'r mut [u32]>) {
        let mut different: Vec<&Condition> = conditions.iter().collect();
        different.sort_unstable();
        different.dedup();
        self.conditions = different
            .iter()
            .map(|condition| self.condition(condition))
            .collect();
        for (condition, row) in conditions.iter().zip(rows) {
            let number = different.binary_search(&condition);
            let number = number.expect("every condition is among the different ones");
            if let Some(last) = row.last_mut() {
                *last = number as u32;
            }
        }
    }

    fn add(&mut self, formula: Formula) -> u32 {
        if let Some(&number) = self.numbers.get(&formula) {
            return number;
        }
        let number = self.formulas.len() as u32;
        self.formulas.push(formula.clone());
        self.numbers.insert(formula, number);
        number
    }

    /// Goes on with the columns of another node.
    fn begin(&mut self, exploration: &Exploration<'_>, procedure: ProcId, columns: &[Column]) {
        let layout = exploration.statics().layouts.of(procedure);
        let variables: Vec<(Variable, Place)> = layout.variables().collect();
        self.columns.clear();
        self.conditions.clear();
        self.single.clear();
        for column in columns {
            let owner = variables.partition_point(|(_, place)| place.first_bit() <= column.bit);
            let (variable, place) = variables[owner - 1];
            let bit = column.bit - place.first_bit();
            let bit = Bit { variable, bit };
            let formula = self.add(if column.is_entry {
                Formula::Entry(bit)
            } else {
                Formula::Now(bit)
            });
            self.columns.push(formula);
        }
    }

    /// The union of sorted rows. A node of the trie is written when the rows have left it; `shared`
    /// says in how many columns a row agrees with the next one.
    fn trie(
        &mut self,
        rows: usize,
        cell: &dyn Fn(usize, usize) -> u32,
        shared: &dyn Fn(usize) -> usize,
    ) -> u32 {
        let width = self.width();
        let holds = self.add(Formula::Constant(true));
        let mut open: Vec<Vec<(u32, u32)>> = vec![Vec::new(); width];
        for row in 0..rows {
            let is_last = row + 1 == rows;
            let stays = if is_last { 0 } else { shared(row) };
            let mut below = holds;
            for depth in (stays..width).rev() {
                open[depth].push((cell(row, depth), below));
                if is_last || depth > stays {
                    let mut branches = std::mem::take(&mut open[depth]);
                    below = self.branch(depth, &branches);
                    branches.clear();
                    open[depth] = branches;
                }
            }
            if is_last {
                return below;
            }
        }
        self.add(Formula::Constant(false))
    }

    /// What the branches of a trie node say together. Most nodes have one, and most of these have
    /// been there before.
    fn branch(&mut self, column: usize, branches: &[(u32, u32)]) -> u32 {
        let [(code, below)] = *branches else {
            return self.branches(column, branches);
        };
        let key = (column as u32, code, below);
        if let Some(&known) = self.single.get(&key) {
            return known;
        }
        let formula = self.branches(column, branches);
        self.single.insert(key, formula);
        formula
    }

    fn branches(&mut self, column: usize, branches: &[(u32, u32)]) -> u32 {
        if column == self.columns.len() {
            let conditions = branches
                .iter()
                .map(|&(code, _)| self.conditions[code as usize]);
            return self.any(conditions.collect());
        }
        let bit = self.columns[column];
        let below = |code: u32| branches.iter().find(|(c, _)| *c == code).map(|(_, f)| *f);
        let mut cases = Vec::new();
        cases.extend(below(FREE));
        match (below(ZERO), below(ZERO + 1)) {
            (Some(no), Some(yes)) if no == yes => cases.push(no),
            (Some(no), Some(yes)) => cases.push(self.add(Formula::Ite(bit, yes, no))),
            (Some(no), None) => {
                let negated = self.add(Formula::Not(bit));
                cases.push(self.both(negated, no));
            }
            (None, Some(yes)) => cases.push(self.both(bit, yes)),
            (None, None) => {}
        }
        for &(code, rest) in branches.iter().filter(|(code, _)| *code >= EQUAL) {
            let other = self.columns[(code - EQUAL) as usize];
            let not_other = self.add(Formula::Not(other));
            let equal = self.add(Formula::Ite(bit, other, not_other));
            cases.push(self.both(equal, rest));
        }
        self.any(cases)
    }

    fn any(&mut self, cases: Vec<u32>) -> u32 {
        let holds = |&&case: &&u32| self.formulas[case as usize] == Formula::Constant(true);
        if let Some(&always) = cases.iter().find(holds) {
            return always;
        }
        match cases[..] {
            [only] => only,
            _ => self.add(Formula::Or(cases)),
        }
    }

    fn both(&mut self, condition: u32, rest: u32) -> u32 {
        if self.formulas[rest as usize] == Formula::Constant(true) {
            condition
        } else {
            self.add(Formula::And(vec![condition, rest]))
        }
    }
}
