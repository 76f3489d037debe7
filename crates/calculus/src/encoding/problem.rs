//! A program, a question and an algorithm put together: as one text for any solver of the calculus,
//! or as a system for ours.

use crate::encoding::bodies::BodyWriter;
use crate::encoding::layout::Layout;
use crate::encoding::relations::{ProgramRelation, program_relations};
use crate::encoding::text;
use crate::search::algorithm::{Algorithm, INTERFACE};
use hardbop_formula::{Checked, System, load};
use hardbop_machine::bits::BitView;
use hardbop_machine::{Machine, NodeId, ProcId};
use hardbop_syntax::Source;

/// A sequential program as relations, for one set of targets.
#[derive(Debug)]
pub struct Program<'m> {
    /// The machine.
    pub machine: &'m Machine,
    /// Codes and fields.
    pub layout: Layout,
    view: BitView<'m>,
    relations: Vec<ProgramRelation>,
}

/// Names of the texts that are made here; users see neither.
const ROOT_TEXT: &str = "(problem)";
const PROGRAM_TEXT: &str = "(program)";

impl<'m> Program<'m> {
    /// The relations of what runs from a procedure on, with all that can matter for some nodes. Of
    /// these `targets` are the ones that the relation of that name holds.
    pub fn new(machine: &'m Machine, entry: ProcId, asked: &[NodeId], targets: &[NodeId]) -> Self {
        Self::with_entries(machine, &[entry], asked, targets)
    }

    /// The same for a program that runs from several procedures on, of which the first is where it
    /// starts.
    pub(crate) fn with_entries(
        machine: &'m Machine,
        entries: &[ProcId],
        asked: &[NodeId],
        targets: &[NodeId],
    ) -> Self {
        let layout = Layout::new(machine, asked);
        let mut view = BitView::new(machine);
        let relations = program_relations(&mut view, &layout, entries, targets);
        Self {
            machine,
            layout,
            view,
            relations,
        }
    }

    /// All of the problem as one `.mu` text, for any solver of the calculus.
    pub fn text(&self, algorithm: &Algorithm) -> String {
        let mut text = text::types(self.machine, &self.layout);
        for relation in &self.relations {
            text.push('\n');
            let graph = self.view.graph();
            text.push_str(&text::relation(self.machine, &self.layout, graph, relation));
        }
        text.push('\n');
        text.push_str(INTERFACE);
        text.push('\n');
        text.push_str(&algorithm.text);
        text
    }

    /// All of the problem as a system, with what is wrong with the algorithm.
    pub fn system(&self, algorithm: &Algorithm) -> Checked {
        let mut heads = text::types(self.machine, &self.layout);
        for relation in &self.relations {
            heads.push_str(&text::head(&relation.signature));
            heads.push_str("0;\n");
        }
        heads.push_str(INTERFACE);
        let root = format!("load \"{PROGRAM_TEXT}\";\nload \"{}\";\n", algorithm.name);
        let root = Source::new(ROOT_TEXT, &root);
        let mut own = vec![
            Source::new(&algorithm.name, &algorithm.text),
            Source::new(PROGRAM_TEXT, &heads),
        ];
        // The two texts of the root are asked for first; whatever is asked for afterwards the
        // algorithm itself loads.
        let mut checked = load(&root, &mut |path: &str| {
            let files = &mut algorithm.files.iter();
            let file = own
                .pop()
                .or_else(|| Some(files.find(|(known, _)| known == path)?.1.clone()));
            file.ok_or_else(|| "it was not given".to_owned())
        });
        if let Some(system) = &mut checked.system {
            self.fill(system);
        }
        checked
    }

    fn fill(&self, system: &mut System) {
        let mut writer = BodyWriter::new(system, &self.layout, self.view.graph());
        for relation in &self.relations {
            writer.define(relation);
        }
        writer.finish();
    }
}
