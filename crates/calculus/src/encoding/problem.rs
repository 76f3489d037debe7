//! A program, a question and an algorithm put together: as one text for any solver of the calculus,
//! or as a system for ours.

use crate::encoding::bodies::BodyWriter;
use crate::encoding::games;
use crate::encoding::layout::{Extent, Layout};
use crate::encoding::relations::{ProgramRelation, program_relations};
use crate::encoding::source_names::SourceNames;
use crate::encoding::static_relations::{PLACES, static_relations};
use crate::encoding::text;
use crate::search::algorithm::{Algorithm, INTERFACE, Kind};
use hardbop_formula::{Checked, System, Vocabulary, load_with};
use hardbop_machine::bits::BitView;
use hardbop_machine::{Machine, NodeId, ProcId, Variable};
use hardbop_syntax::Source;

/// What is asked of a program.
#[derive(Clone, Copy, Debug, Default)]
pub struct Aim<'q> {
    /// The nodes for which everything has to be kept that can matter.
    pub asked: &'q [NodeId],
    /// Those of them that the relation `Target` holds.
    pub targets: &'q [NodeId],
    /// How much the relations say.
    pub extent: Extent,
}

/// A program as relations, for an algorithm and one set of targets.
#[derive(Debug)]
pub struct Program<'m> {
    /// The machine.
    pub machine: &'m Machine,
    /// Codes and fields.
    pub layout: Layout,
    /// The codes of labels, lines, variables and threads, for whoever speaks of them.
    pub(crate) names: SourceNames,
    view: BitView<'m>,
    relations: Vec<ProgramRelation>,
    /// The text between the relations and the algorithm.
    interface: String,
    vocabulary: Vocabulary,
}

/// Names of the texts that are made here; users see neither.
const ROOT_TEXT: &str = "(problem)";
const PROGRAM_TEXT: &str = "(program)";

impl<'m> Program<'m> {
    /// The relations of what runs from some procedures on, of which the first is where the program
    /// starts. An algorithm that speaks of source names gets them, with the relations that it
    /// mentions.
    pub fn new(
        machine: &'m Machine,
        entries: &[ProcId],
        aim: Aim<'_>,
        algorithm: &Algorithm,
    ) -> Self {
        let layout = if aim.extent == Extent::Sliced && algorithm.kind == Kind::Sequential {
            Layout::with_joined_places(machine, aim.asked)
        } else {
            Layout::new(machine, aim.asked, aim.extent)
        };
        let mut view = BitView::new(machine);
        let mut relations = program_relations(&mut view, &layout, entries, aim.targets);
        let mut names = SourceNames::default();
        let mut interface = INTERFACE.to_owned();
        let mut vocabulary = Vocabulary::default();
        if algorithm.speaks_of_names() {
            names = SourceNames::new(machine, &|word| algorithm.mentions(word));
            relations.extend(static_relations(
                &mut view,
                &layout,
                &names,
                entries,
                &|word| algorithm.mentions(word),
            ));
            interface.push_str(PLACES);
            vocabulary = names.vocabulary(machine, &layout);
            if algorithm.mentions("DeclaredBefore") {
                interface.push_str(&text::order_of_variables(&names));
            }
            interface.push_str(&games::text(machine, &layout, algorithm));
            if let Some(why) = games::refused(machine, &layout, algorithm) {
                vocabulary.refused.insert("ExitSet".to_owned(), why);
            }
        }
        Self {
            machine,
            layout,
            names,
            view,
            relations,
            interface,
            vocabulary,
        }
    }

    /// The node with these values of `Module` and `PC`.
    pub fn node(&self, module: u64, pc: u64) -> Option<NodeId> {
        self.layout.node(self.layout.procedure(module)?, pc)
    }

    /// The value of `Variable` for a variable of a procedure.
    pub fn variable(&self, procedure: ProcId, variable: Variable) -> u64 {
        u64::from(self.names.variable(procedure, variable))
    }

    /// Adds a text that comes before the algorithm.
    pub(crate) fn add_interface(&mut self, text: &str) {
        self.interface.push_str(text);
    }

    /// Takes names that the program does not have for names of another program.
    pub(crate) fn open(&mut self) {
        self.vocabulary.is_open = true;
    }

    fn types(&self) -> String {
        let mut types = text::types(self.machine, &self.layout);
        if !self.vocabulary.values.is_empty() {
            types.push_str(&text::name_types(&self.names));
        }
        types
    }

    /// All of the problem as one `.mu` text, for any solver of the calculus.
    ///
    /// What the algorithm says is said without names of the program, and with the files that it
    /// loads in their places.
    pub fn text(&self, algorithm: &Algorithm) -> String {
        self.text_of(algorithm, &self.system(algorithm))
    }

    /// The same for an algorithm that has been checked.
    pub fn text_of(&self, algorithm: &Algorithm, checked: &Checked) -> String {
        let mut text = self.types();
        for relation in &self.relations {
            text.push('\n');
            let graph = self.view.graph();
            text.push_str(&text::relation(self.machine, &self.layout, graph, relation));
        }
        text.push('\n');
        text.push_str(&self.interface);
        text.push('\n');
        let plain = checked.plain_text(&algorithm.name);
        text.push_str(plain.as_deref().unwrap_or(&algorithm.text));
        text
    }

    /// All of the problem as a system, with what is wrong with the algorithm.
    pub fn system(&self, algorithm: &Algorithm) -> Checked {
        let mut heads = self.types();
        for relation in &self.relations {
            heads.push_str(&text::head(&relation.signature));
            heads.push_str("0;\n");
        }
        heads.push_str(&self.interface);
        let root = format!("load \"{PROGRAM_TEXT}\";\nload \"{}\";\n", algorithm.name);
        let root = Source::new(ROOT_TEXT, &root);
        let mut own = vec![
            Source::new(&algorithm.name, &algorithm.text),
            Source::new(PROGRAM_TEXT, &heads),
        ];
        // The two texts of the root are asked for first; whatever is asked for afterwards the
        // algorithm itself loads.
        let mut loader = |path: &str| {
            let files = &mut algorithm.files.iter();
            let file = own
                .pop()
                .or_else(|| Some(files.find(|(known, _)| known == path)?.1.clone()));
            file.ok_or_else(|| "it was not given".to_owned())
        };
        let mut checked = load_with(&root, &mut loader, &self.vocabulary);
        if let Some(system) = &mut checked.system {
            self.fill(system);
        }
        checked
    }

    fn fill(&self, system: &mut System) {
        let mut writer = BodyWriter::new(system, self.machine, &self.layout, self.view.graph());
        for relation in &self.relations {
            writer.define(relation);
        }
        writer.put_in_rows(&self.layout.integer_rows(self.machine), &self.relations);
        writer.finish();
    }
}
