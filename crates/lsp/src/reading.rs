//! One version of a text, read: what is wrong with it, what its names mean and, for a program
//! without errors, its machine. Everything the server answers is computed from this.

use crate::language::Language;
use crate::lines::Lines;
use crate::program_names::program_names;
use hardbop_automata::{ProgramName, read_monitor, read_monitor_text};
use hardbop_calculus::Algorithm;
use hardbop_calculus::algorithm::BuiltIn;
use hardbop_formula::Sources;
use hardbop_machine::{Machine, lower};
use hardbop_program::Dialect;
use hardbop_syntax::ast::{Ast, Form};
use hardbop_syntax::diagnostic::has_errors;
use hardbop_syntax::index::Index;
use hardbop_syntax::source::CReading;
use hardbop_syntax::{Diagnostic, Source, Span, codes};
use std::path::Path;
use std::sync::Arc;

/// A C text after the preprocessor; see [`Outside::preprocess`](crate::Outside::preprocess).
pub(crate) type Preprocessed = Result<Option<Arc<str>>, String>;

/// How other files are read, and C that needs a preprocessor.
pub(crate) struct Files<'a> {
    /// The text of a file: as an editor has it open, or as it is on the disk.
    pub text: &'a dyn Fn(&str) -> Result<String, String>,
    /// See [`Outside::preprocess`](crate::Outside::preprocess).
    pub preprocessed: &'a dyn Fn(&str, &str) -> Preprocessed,
}

/// A text that has been read.
pub(crate) struct Reading {
    pub source: Source,
    pub lines: Arc<Lines>,
    /// Errors and warnings of this text.
    pub diagnostics: Vec<Diagnostic>,
    /// Its names. For `.mu` files spans are those of `sources`, in which this text comes first.
    pub index: Index,
    pub about: About,
}

/// What there is beside the names, by language.
pub(crate) enum About {
    Program {
        ast: Box<Ast>,
        /// Only if there are no errors.
        machine: Option<Arc<Machine>>,
    },
    Formulas {
        sources: Sources,
    },
    Monitor {
        of_program: Vec<ProgramName>,
        /// The program of the same name beside it.
        program: Option<Box<Reading>>,
    },
}

impl Reading {
    pub(crate) fn new(
        path: &str,
        language: Language,
        lines: Arc<Lines>,
        files: &Files<'_>,
    ) -> Self {
        let source = Source::new(path, lines.text());
        match language {
            Language::Program(form) => Self::program(source, lines, form, files),
            Language::Formulas => Self::formulas(source, lines, path, files),
            Language::Monitor => Self::monitor(source, lines, path, files),
        }
    }

    fn program(source: Source, lines: Arc<Lines>, form: Form, files: &Files<'_>) -> Self {
        // An editor has language servers for the names of C; here it is checked.
        let (source, parsed, index) = if form == Form::C {
            let (source, complaint) = with_preprocessor(&source, files);
            let mut parsed = hardbop_c::parse_any(&source);
            if let Some(complaint) = complaint {
                parsed.diagnostics = vec![complaint];
            }
            (source, parsed, Index::default())
        } else {
            let parsed = hardbop_syntax::parse_as(&source, form);
            let index = program_names(&parsed.ast, &source);
            (source, parsed, index)
        };
        let mut diagnostics = parsed.diagnostics;
        let dialect = (form == Form::C).then_some(Dialect::Sequential);
        let checked = hardbop_program::check(parsed.ast.clone(), &source, dialect);
        diagnostics.extend(checked.diagnostics);
        let program = checked.program.filter(|_| !has_errors(&diagnostics));
        let machine = program.map(|program| Arc::new(lower(program, &source)));
        let ast = Box::new(parsed.ast);
        Self {
            source,
            lines,
            diagnostics,
            index,
            about: About::Program { ast, machine },
        }
    }

    /// A file is a system of its own, or an algorithm over the relations of a program: whichever
    /// has fewer errors.
    fn formulas(source: Source, lines: Arc<Lines>, path: &str, files: &Files<'_>) -> Self {
        let mut loaded: Vec<(String, Source)> = Vec::new();
        let alone = hardbop_formula::load(&source, &mut |path| {
            let text = (files.text)(path).or_else(|why| match BuiltIn::at(path) {
                Some(known) => Ok(known.definitions()),
                None => Err(why),
            })?;
            let file = Source::new(path, text);
            loaded.push((path.to_owned(), file.clone()));
            Ok(file)
        });
        let errors = |found: &[Diagnostic]| found.iter().filter(|d| d.is_error()).count();
        let mut checked = alone;
        if has_errors(&checked.diagnostics) {
            let algorithm = Algorithm::own(path, source.text(), loaded.clone()).check();
            let is_better = errors(&algorithm.diagnostics) < errors(&checked.diagnostics);
            if is_better || checked.named.needs {
                checked = algorithm;
            }
        }
        let by_file = checked.sources.by_file(&checked.diagnostics);
        let own = by_file
            .into_iter()
            .find(|(file, _)| file.name() == source.name());
        let diagnostics = own.map(|(_, found)| found).unwrap_or_default();
        let (sources, index) = hardbop_formula::names(&source, &mut |path| {
            let known = loaded.iter().find(|(name, _)| name == path);
            known.map(|(_, file)| file.clone()).ok_or_else(String::new)
        });
        Self {
            source,
            lines,
            diagnostics,
            index,
            about: About::Formulas { sources },
        }
    }

    fn monitor(source: Source, lines: Arc<Lines>, path: &str, files: &Files<'_>) -> Self {
        let text = read_monitor_text(&source);
        let forms = [
            ("bp", Form::Procedures),
            ("gp", Form::GuardedBlocks),
            ("c", Form::C),
        ];
        let program = forms.into_iter().find_map(|(extension, form)| {
            let path = Path::new(path).with_extension(extension);
            let path = path.to_string_lossy().into_owned();
            let text = (files.text)(&path).ok()?;
            let lines = Arc::new(Lines::new(text));
            let source = Source::new(path, lines.text());
            Some(Self::program(source, lines, form, files))
        });
        let machine = program.as_ref().and_then(Self::machine);
        // With a program the names of guards are checked too.
        let diagnostics = match machine.map(|machine| read_monitor(&source, machine)) {
            Some(Ok(_)) => Vec::new(),
            Some(Err(found)) => found,
            None => text.diagnostics,
        };
        Self {
            source,
            lines,
            diagnostics,
            index: text.index,
            about: About::Monitor {
                of_program: text.of_program,
                program: program.map(Box::new),
            },
        }
    }

    /// The machine of a program without errors.
    pub(crate) fn machine(&self) -> Option<&Arc<Machine>> {
        match &self.about {
            About::Program { machine, .. } => machine.as_ref(),
            _ => None,
        }
    }

    /// The text that a span of the index is about, and the span in it.
    pub(crate) fn locate(&self, span: Span) -> (&Source, Span) {
        match &self.about {
            About::Formulas { sources } => sources.locate(span),
            _ => (&self.source, span),
        }
    }

    /// Whether a span of the index lies in this text and not in one that it loads.
    pub(crate) fn is_here(&self, span: Span) -> bool {
        span.end as usize <= self.source.text().len()
    }
}

/// C as it is after the preprocessor where that is needed, or what the preprocessor complains about,
/// in the line that it names.
fn with_preprocessor(source: &Source, files: &Files<'_>) -> (Source, Option<Diagnostic>) {
    let mut reading = CReading::default();
    let mut complaint = None;
    if hardbop_c::needs_preprocessor(source.text()) {
        match (files.preprocessed)(source.name(), source.text()) {
            Ok(preprocessed) => reading.preprocessed = preprocessed,
            Err(why) => {
                let named = why.split(':').find_map(|part| part.parse().ok());
                let line = named.unwrap_or(1).clamp(1, source.line_count());
                let before = source.text().split_inclusive('\n').take(line as usize - 1);
                let start = before.map(str::len).sum::<usize>() as u32;
                let span = Span::new(start, start + source.line_text(line).len() as u32);
                complaint = Some(Diagnostic::new(codes::C_PREPROCESSOR, span, why));
            }
        }
    }
    (source.as_c(reading), complaint)
}
