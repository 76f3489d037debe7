//! What static analysis asks of a program: control flow without data, reads and writes, source
//! places.
//!
//! All but `valueOf` are facts about the text. They are made only if the algorithm mentions them:
//! a large program has many.

use crate::encoding::layout::Layout;
use crate::encoding::relations::{Clause, ProgramRelation, Signature};
use crate::encoding::source_names::{SourceNames, label_of_procedure, line_of, line_of_step};
use crate::encoding::steps::Part;
use hardbop_machine::analysis::variables::{each_read, each_write};
use hardbop_machine::bits::{BitId, BitNode, BitView};
use hardbop_machine::ir::Label;
use hardbop_machine::{Action, EdgeId, Machine, ProcId, Variable};
use std::collections::BTreeSet;

/// The relations over states and places that are defined from these.
pub(crate) const PLACES: &str = include_str!("../../algorithms/places.mu");

/// A relation with the words of a text that ask for it.
struct Wanted {
    signature: Signature,
    words: &'static [&'static str],
    tuples: fn(&Facts<'_>, ProcId) -> BTreeSet<Vec<u32>>,
}

const fn signature(
    name: &'static str,
    parameters: &'static str,
    hints: &'static str,
    about: &'static str,
) -> Signature {
    Signature {
        name,
        about,
        parameters,
        hints,
    }
}

const STATIC: [Wanted; 13] = [
    Wanted {
        signature: signature(
            "LineOf",
            "mpi",
            "m < p",
            "the statement at p of m starts at line i",
        ),
        words: &["LineOf", "AtLine"],
        tuples: |facts, m| facts.lines(m),
    },
    Wanted {
        signature: signature(
            "LineOn",
            "mpqi",
            "m < p, p ~+ q",
            "the text of the step from p to q in m starts at line i",
        ),
        words: &["LineOn"],
        tuples: |facts, m| facts.lines_of_steps(m),
    },
    Wanted {
        signature: signature("LabelOf", "mpa", "m < p", "p of m has the label a"),
        words: &["LabelOf", "At"],
        tuples: |facts, m| facts.labels(m),
    },
    Wanted {
        signature: signature(
            "Flow",
            "mpq",
            "m < p, p ~+ q",
            "a step that is no call leads from p to q in m, for some values",
        ),
        words: &["Flow"],
        tuples: |facts, m| {
            facts.edges(m, |action| {
                !matches!(action, Action::Call { .. } | Action::EndThread)
            })
        },
    },
    Wanted {
        signature: signature("Calls", "mpn", "m ~+ n, m < p", "n is called at p of m"),
        words: &["Calls"],
        tuples: |facts, m| facts.calls(m),
    },
    Wanted {
        signature: signature(
            "Assigns",
            "mpq",
            "m < p, p ~+ q",
            "the step from p to q in m is an assignment",
        ),
        words: &["Assigns"],
        tuples: |facts, m| facts.edges(m, |action| matches!(action, Action::Assign { .. })),
    },
    Wanted {
        signature: signature(
            "ReadsOn",
            "mpqv",
            "m < p, p ~+ q",
            "the step from p to q in m reads v",
        ),
        words: &["ReadsOn", "Reads"],
        tuples: |facts, m| {
            facts.accesses(m, |machine, edge, visit| each_read(machine, edge, visit))
        },
    },
    Wanted {
        signature: signature(
            "WritesOn",
            "mpqv",
            "m < p, p ~+ q",
            "the step from p to q in m writes v; a call writes what gets its results",
        ),
        words: &["WritesOn", "Writes"],
        tuples: |facts, m| {
            facts.accesses(m, |machine, edge, visit| each_write(machine, edge, visit))
        },
    },
    Wanted {
        signature: signature("LocalOf", "mv", "", "v is a local of m"),
        words: &["LocalOf", "IsGlobal", "VisibleIn"],
        tuples: |facts, m| facts.locals(m, |_, _| true),
    },
    Wanted {
        signature: signature("ParameterOf", "mv", "", "v is a parameter of m"),
        words: &["ParameterOf"],
        tuples: |facts, m| {
            facts.locals(m, |facts, local| {
                local < facts.machine.procedure(m).parameter_count
            })
        },
    },
    Wanted {
        signature: signature("ResultOf", "mv", "", "v is what m returns"),
        words: &["ResultOf"],
        tuples: |facts, m| {
            facts.locals(m, |facts, local| {
                facts
                    .machine
                    .procedure(m)
                    .results()
                    .any(|result| result.0 == local)
            })
        },
    },
    Wanted {
        signature: signature(
            "InitialisedIn",
            "mv",
            "",
            "the program starts in m, and v is a global with an initial value",
        ),
        words: &["InitialisedIn", "Initialised"],
        tuples: |facts, m| facts.initialised(m),
    },
    Wanted {
        signature: signature("Main", "mp", "m < p", "the program starts at p of m"),
        words: &["Main"],
        tuples: |facts, m| facts.start(m),
    },
];

const VALUE_OF: Signature = signature(
    "valueOf",
    "mvlg",
    "m < v, v < l, v < g",
    "v is visible in m and is not 0 where the locals are l and the globals g",
);

/// Where the facts are read off.
struct Facts<'f> {
    machine: &'f Machine,
    layout: &'f Layout,
    names: &'f SourceNames,
    entries: &'f [ProcId],
}

/// The static relations. Those that a text mentions have their tuples, the others are empty.
pub(crate) fn static_relations(
    view: &mut BitView<'_>,
    layout: &Layout,
    names: &SourceNames,
    entries: &[ProcId],
    is_mentioned: &dyn Fn(&str) -> bool,
) -> Vec<ProgramRelation> {
    let facts = Facts {
        machine: view.machine(),
        layout,
        names,
        entries,
    };
    let mut relations: Vec<ProgramRelation> = Vec::new();
    for wanted in STATIC {
        let mut modules = Vec::new();
        if wanted.words.iter().any(|word| is_mentioned(word)) {
            for procedure in layout.procedures() {
                let tuples = (wanted.tuples)(&facts, procedure);
                let clause = |tuple: Vec<u32>| Clause {
                    codes: (1..).zip(tuple).collect(),
                    before: procedure,
                    after: procedure,
                    parts: Vec::new(),
                };
                let clauses: Vec<Clause> = tuples.into_iter().map(clause).collect();
                if !clauses.is_empty() {
                    modules.push((procedure, clauses));
                }
            }
        }
        let signature = wanted.signature;
        relations.push(ProgramRelation { signature, modules });
    }
    let mut modules = Vec::new();
    if is_mentioned("True") {
        for procedure in layout.procedures() {
            let clauses = values(view, layout, names, procedure);
            if !clauses.is_empty() {
                modules.push((procedure, clauses));
            }
        }
    }
    relations.push(ProgramRelation {
        signature: VALUE_OF,
        modules,
    });
    relations
}

/// Which variables that a procedure sees are not 0.
fn values(
    view: &mut BitView<'_>,
    layout: &Layout,
    names: &SourceNames,
    procedure: ProcId,
) -> Vec<Clause> {
    let mut clauses: Vec<(u32, BitId)> = Vec::new();
    for ((variable, bit), _) in layout.bits(procedure) {
        let graph = view.graph_mut();
        let leaf = graph.leaf(BitNode::Var(variable, bit));
        let code = names.variable(procedure, variable);
        match clauses.last_mut() {
            Some((last, value)) if *last == code => *value = graph.or(*value, leaf),
            _ => clauses.push((code, leaf)),
        }
    }
    let clause = |(code, value)| Clause {
        codes: vec![(1, code)],
        before: procedure,
        after: procedure,
        parts: vec![Part::Holds(value)],
    };
    clauses.into_iter().map(clause).collect()
}

impl Facts<'_> {
    fn lines(&self, module: ProcId) -> BTreeSet<Vec<u32>> {
        let nodes = self.machine.procedure(module).node_ids();
        let line = |node| line_of(self.machine, node) as u32;
        nodes
            .map(|node| vec![self.layout.pc(node), line(node)])
            .collect()
    }

    fn lines_of_steps(&self, module: ProcId) -> BTreeSet<Vec<u32>> {
        let edges = self.machine.procedure(module).edge_ids();
        let tuple = |id| {
            let edge = self.machine.edge(id);
            let line = line_of_step(self.machine, id) as u32;
            vec![self.layout.pc(edge.from), self.layout.pc(edge.to), line]
        };
        edges.map(tuple).collect()
    }

    fn labels(&self, module: ProcId) -> BTreeSet<Vec<u32>> {
        let labels = self.machine.labels.iter();
        let labels = labels.filter(|label| self.machine.procedure_of(label.node) == module);
        let codes = |label: &Label| {
            let own = label_of_procedure(self.machine, label);
            [label.name.clone(), own].map(|name| self.names.labels.binary_search(&name))
        };
        let tuples = |label: &Label| {
            let pc = self.layout.pc(label.node);
            let codes = codes(label).into_iter().flatten();
            codes.map(|code| vec![pc, code as u32]).collect::<Vec<_>>()
        };
        labels.flat_map(tuples).collect()
    }

    fn edges(&self, module: ProcId, is_such: fn(&Action) -> bool) -> BTreeSet<Vec<u32>> {
        let edges = self.machine.procedure(module).edge_ids();
        let edges = edges.map(|edge| self.machine.edge(edge));
        let edges = edges.filter(|edge| is_such(&edge.action));
        edges
            .map(|edge| vec![self.layout.pc(edge.from), self.layout.pc(edge.to)])
            .collect()
    }

    fn calls(&self, module: ProcId) -> BTreeSet<Vec<u32>> {
        let edges = self.machine.procedure(module).edge_ids();
        let calls = edges.filter_map(|edge| {
            let edge = self.machine.edge(edge);
            match edge.action {
                Action::Call { callee, .. } => {
                    Some(vec![self.layout.pc(edge.from), self.layout.module(callee)])
                }
                _ => None,
            }
        });
        calls.collect()
    }

    fn accesses(
        &self,
        module: ProcId,
        each: fn(&Machine, EdgeId, &mut dyn FnMut(Variable)),
    ) -> BTreeSet<Vec<u32>> {
        let mut tuples = BTreeSet::new();
        for id in self.machine.procedure(module).edge_ids() {
            let edge = self.machine.edge(id);
            each(self.machine, id, &mut |variable| {
                let code = self.names.variable(module, variable);
                tuples.insert(vec![
                    self.layout.pc(edge.from),
                    self.layout.pc(edge.to),
                    code,
                ]);
            });
        }
        tuples
    }

    fn locals(&self, module: ProcId, is_such: impl Fn(&Self, u32) -> bool) -> BTreeSet<Vec<u32>> {
        let locals = self.machine.procedure(module).local_ids();
        let locals = locals.filter(|local| is_such(self, local.0));
        let code = |local| self.names.variable(module, Variable::Local(local));
        locals.map(|local| vec![code(local)]).collect()
    }

    fn initialised(&self, module: ProcId) -> BTreeSet<Vec<u32>> {
        if self.entries.first() != Some(&module) {
            return BTreeSet::new();
        }
        let globals = self.machine.globals.iter().zip(0..);
        let globals = globals.filter(|(global, _)| global.initial.is_some());
        globals.map(|(_, code)| vec![code]).collect()
    }

    fn start(&self, module: ProcId) -> BTreeSet<Vec<u32>> {
        let entry = self.machine.procedure(module).entry;
        let starts = self.entries.contains(&module);
        starts
            .then(|| vec![self.layout.pc(entry)])
            .into_iter()
            .collect()
    }
}
