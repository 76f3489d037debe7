//! Where the variables of a procedure lie in packed words, and which of their bits are live at each
//! node.
//!
//! A state of a procedure holds its locals and those globals that the procedure or its callees
//! touch (MOD and REF); all other globals stay with the caller. No variable straddles two words, so
//! that reading one is a shift and a mask, and expressions are evaluated on packed states as they
//! are. Bits of dead variables are 0 in every stored state: states that differ only in what nobody
//! will read are one state.

use hardbop_machine::analysis::Recent;
use hardbop_machine::{GlobalId, LocalId, Machine, NodeId, ProcId, Type, Variable};

const WORD_BITS: u32 = u64::BITS;

/// The bits of one variable in packed words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The word.
    pub(crate) word: u32,
    /// Its lowest bit in the word.
    pub(crate) shift: u32,
    /// How many bits it has.
    pub(crate) width: u32,
}

impl Place {
    /// The largest value, which is also the mask of its bits shifted down.
    pub(crate) fn mask(self) -> u64 {
        u64::MAX >> (WORD_BITS - self.width)
    }

    /// The value in some words.
    pub(crate) fn read(self, words: &[u64]) -> u64 {
        words[self.word as usize] >> self.shift & self.mask()
    }

    /// Changes the value in some words.
    pub(crate) fn write(self, words: &mut [u64], value: u64) {
        let word = &mut words[self.word as usize];
        *word = *word & !(self.mask() << self.shift) | value << self.shift;
    }

    /// The number of its lowest bit, counted over all words.
    pub(crate) fn first_bit(self) -> u32 {
        self.word * WORD_BITS + self.shift
    }
}

/// The places of one procedure's variables.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    globals: Vec<(GlobalId, Place)>,
    locals: Vec<Place>,
    words: usize,
    /// Bits of globals and parameters: what callers determine.
    entry_bits: Vec<u64>,
    /// The lowest bits of variables.
    starts: Vec<u64>,
}

impl Layout {
    fn new(machine: &Machine, procedure: ProcId) -> Self {
        let effects = machine.effects();
        let (mut word, mut shift) = (0, 0);
        let mut next = |ty: Type| {
            let width = ty.width();
            if shift + width > WORD_BITS {
                (word, shift) = (word + 1, 0);
            }
            let place = Place { word, shift, width };
            shift += width;
            place
        };
        let globals = machine.globals.iter().enumerate();
        let globals = globals.map(|(index, global)| (GlobalId::new(index), global.ty));
        let globals: Vec<(GlobalId, Place)> = globals
            .filter(|&(id, _)| effects.modifies(procedure, id) || effects.references(procedure, id))
            .map(|(id, ty)| (id, next(ty)))
            .collect();
        let declared = machine.procedure(procedure);
        let locals: Vec<Place> = declared.locals.iter().map(|l| next(l.ty)).collect();
        let words = (word + 1) as usize;
        let mut entry_bits = vec![0; words];
        let parameters = declared.parameters().map(|id| locals[id.index()]);
        for place in globals.iter().map(|&(_, place)| place).chain(parameters) {
            place.write(&mut entry_bits, place.mask());
        }
        let mut starts = vec![0; words];
        for place in globals
            .iter()
            .map(|&(_, place)| place)
            .chain(locals.iter().copied())
        {
            starts[place.word as usize] |= 1 << place.shift;
        }
        Self {
            globals,
            locals,
            words,
            entry_bits,
            starts,
        }
    }

    /// The lowest bits of variables.
    pub(crate) fn starts(&self) -> &[u64] {
        &self.starts
    }

    /// How many words a state has.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// The place of a local.
    pub(crate) fn local(&self, id: LocalId) -> Place {
        self.locals[id.index()]
    }

    /// The place of a variable; globals that the procedure does not touch have none.
    pub(crate) fn place(&self, variable: Variable) -> Option<Place> {
        match variable {
            Variable::Local(id) => Some(self.local(id)),
            Variable::Global(id) => {
                let index = self.globals.binary_search_by_key(&id, |&(id, _)| id).ok()?;
                Some(self.globals[index].1)
            }
        }
    }

    /// All variables with their places: globals first, then locals.
    pub(crate) fn variables(&self) -> impl Iterator<Item = (Variable, Place)> + '_ {
        let globals = self.globals.iter();
        let globals = globals.map(|&(id, place)| (Variable::Global(id), place));
        let locals = self.locals.iter().enumerate();
        globals.chain(locals.map(|(index, &place)| (Variable::Local(LocalId::new(index)), place)))
    }

    /// Whether a bit belongs to a global or a parameter.
    pub(crate) fn is_entry_bit(&self, bit: u32) -> bool {
        self.entry_bits[(bit / WORD_BITS) as usize] >> (bit % WORD_BITS) & 1 == 1
    }

    /// The globals that a callee touches, with their places here and there: the callee's are some
    /// of the caller's.
    pub(crate) fn shared_with<'l>(
        &'l self,
        callee: &'l Layout,
    ) -> impl Iterator<Item = (Place, Place)> + 'l {
        let mut here = self.globals.iter();
        callee.globals.iter().filter_map(move |&(id, there)| {
            let &(_, place) = here.find(|&&(other, _)| other == id)?;
            Some((place, there))
        })
    }
}

/// The layouts of all procedures and the live bits of all nodes; equal ones are shared.
#[derive(Clone, Debug)]
pub(crate) struct Layouts {
    different: Vec<Layout>,
    /// By procedure.
    of: Vec<u32>,
    live: Vec<u64>,
    /// By node: where its bits start.
    live_starts: Vec<u32>,
    is_called: Vec<bool>,
}

impl Layouts {
    /// Lays out a machine.
    pub(crate) fn new(machine: &Machine) -> Self {
        let (calls, liveness) = (machine.calls(), machine.liveness());
        let (layouts, of) = all_layouts(machine);
        let mut live = Vec::new();
        let mut live_starts: Vec<u32> = Vec::with_capacity(machine.nodes.len());
        let mut recent = Recent::default();
        let key = |node| {
            let procedure = machine.procedure_of(node);
            (of[procedure.index()], liveness.set_at(node))
        };
        for node in machine.node_ids() {
            let same = recent.get_or(key(node), node.0, |other| key(NodeId(other)) == key(node));
            if same != node.0 {
                live_starts.push(live_starts[same as usize]);
                continue;
            }
            let layout = &layouts[key(node).0 as usize];
            let start = live.len();
            live_starts.push(start as u32);
            live.resize(start + layout.words, 0);
            for variable in liveness.live_at(node) {
                if let Some(place) = layout.place(variable) {
                    place.write(&mut live[start..], place.mask());
                }
            }
        }
        let is_called = machine.procedure_ids();
        Self {
            different: layouts,
            of,
            live,
            live_starts,
            is_called: is_called
                .map(|procedure| !calls.calls_of(procedure).is_empty())
                .collect(),
        }
    }

    /// The layout of a procedure.
    pub(crate) fn of(&self, procedure: ProcId) -> &Layout {
        &self.different[self.number(procedure) as usize]
    }

    /// The number of the layout of a procedure; equal layouts may have different numbers.
    pub(crate) fn number(&self, procedure: ProcId) -> u32 {
        self.of[procedure.index()]
    }

    /// The bits of live variables at a node of a procedure.
    pub(crate) fn live(&self, procedure: ProcId, node: NodeId) -> &[u64] {
        let start = self.live_starts[node.index()] as usize;
        &self.live[start..start + self.of(procedure).words]
    }

    /// Whether some procedure calls this one, so that summaries of it are asked for.
    pub(crate) fn is_called(&self, procedure: ProcId) -> bool {
        self.is_called[procedure.index()]
    }
}

/// All layouts, and which one each procedure has.
fn all_layouts(machine: &Machine) -> (Vec<Layout>, Vec<u32>) {
    let mut layouts = Vec::new();
    let mut of: Vec<u32> = Vec::with_capacity(machine.procedures.len());
    let mut recent = Recent::default();
    let key = |id: ProcId| {
        let declared = machine.procedure(id);
        let types: Vec<Type> = declared.locals.iter().map(|local| local.ty).collect();
        (
            machine.effects().sets_of(id),
            declared.parameter_count,
            types,
        )
    };
    for id in machine.procedure_ids() {
        let wanted = key(id);
        let same = recent.get_or(&wanted, id.0, |other| key(ProcId(other)) == wanted);
        if same == id.0 {
            of.push(layouts.len() as u32);
            layouts.push(Layout::new(machine, id));
        } else {
            of.push(of[same as usize]);
        }
    }
    (layouts, of)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layouts(text: &str) -> (Machine, Layouts) {
        let machine = hardbop_machine::from_text("test.bp", text).expect("the program is valid");
        let layouts = Layouts::new(&machine);
        (machine, layouts)
    }

    #[test]
    fn globals_that_a_procedure_cannot_touch_have_no_place_in_it() {
        let (machine, layouts) = layouts(
            "decl a, b; void main() begin a := b; f(); assert(a); end
             void f() begin b := 0; end",
        );
        let f = machine
            .procedure_ids()
            .nth(1)
            .expect("f is the second procedure");
        assert!(layouts.of(f).place(Variable::Global(GlobalId(0))).is_none());
        let (caller, callee) = (layouts.of(ProcId(0)), layouts.of(f));
        let shared: Vec<_> = caller.shared_with(callee).collect();
        assert_eq!(shared.len(), 1);
        assert_eq!(
            shared[0].0,
            caller
                .place(Variable::Global(GlobalId(1)))
                .expect("touched")
        );
        assert!(layouts.is_called(f) && !layouts.is_called(ProcId(0)));
    }

    #[test]
    fn wide_integers_do_not_straddle_words() {
        let (_, layouts) = layouts(
            "void main() begin decl x; decl int<40> m; decl int<64> n; decl y;
             x := y; m := 1; n := 1; assert(x & m = 1 & n = 1); end",
        );
        let layout = layouts.of(ProcId(0));
        let places: Vec<(u32, u32)> = layout.variables().map(|(_, p)| (p.word, p.shift)).collect();
        assert_eq!(places, [(0, 0), (0, 1), (1, 0), (2, 0)]);
        let mut words = vec![u64::MAX; 3];
        layout.local(LocalId(1)).write(&mut words, 5);
        assert_eq!(layout.local(LocalId(1)).read(&words), 5);
        assert_eq!(words[0] & 1, 1);
    }
}
