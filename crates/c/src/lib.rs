//! C to syntax tree.
//!
//! Another first box of the data flow: [`parse`] turns the text of a C program into the tree of a
//! Boolean program, whose places are those of the C text, so that nothing behind it knows C. The
//! grammar is that of the library `lang-c`; types, conversions and the order of evaluation are
//! here. What is not supported is refused, all of it in one run; nothing is approximated.
//!
//! The tree of `lang-c` is recursive and so is everything that walks it. That is the one exception
//! to the rule that nothing recurses on the shape of the input: how deeply a text is nested is
//! measured before it is parsed ([`text`]), and all this happens on a thread whose stack is large
//! enough for that depth.

mod alignment;
mod arithmetic;
mod assignments;
mod body;
mod builtins;
mod calls;
mod claims;
mod declarations;
mod effects;
mod erased;
mod functions;
mod initials;
mod kinds;
mod library;
mod lines;
mod literals;
mod notations;
mod order;
mod places;
mod pointers;
mod pthreads;
mod questions;
mod sharing;
mod sites;
mod starts;
mod statements;
mod syntax_error;
mod terms;
mod text;
mod threads;
mod types;
mod unit;
mod values;
mod variables;

use hardbop_syntax::ast::{Ast, Form};
use hardbop_syntax::source::CReading;
use hardbop_syntax::{Diagnostic, Parsed, Source, Span, codes};
use lang_c::driver::{Config, Flavor, parse_preprocessed};
use lines::Lines;
pub use sites::{CheckMeaning, Site, SiteKind};
use unit::Unit;

/// Enough for the deepest text that is parsed, in a build without optimisation too.
const STACK: usize = 512 << 20;

/// Parses a source in the form that it has: C, or one of those that `hardbop_syntax` reads.
pub fn parse_any(source: &Source) -> Parsed {
    match source.c_reading() {
        Some(reading) => parse(source, &reading),
        None => hardbop_syntax::parse(source),
    }
}

/// Whether a text has directives that only a preprocessor understands.
pub fn needs_preprocessor(text: &str) -> bool {
    text::strip(text).directive.is_some()
}

/// Parses a C program. Whatever the text, there is a tree, and at least one error where it is not a
/// program that is supported.
pub fn parse(source: &Source, reading: &CReading) -> Parsed {
    parse_apart(source, reading).0
}

/// The places where a C program meets what is outside of it, in the order of the text.
pub fn sites(source: &Source, reading: &CReading) -> Vec<Site> {
    parse_apart(source, reading).1
}

/// Parses on a thread whose stack is large enough.
fn parse_apart(source: &Source, reading: &CReading) -> (Parsed, Vec<Site>) {
    let result = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        let thread = thread.spawn_scoped(scope, || parse_here(source, reading));
        thread.map(std::thread::ScopedJoinHandle::join)
    });
    match result {
        Ok(Ok(parsed)) => parsed,
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        Err(error) => failed(Diagnostic::new(
            codes::C_NESTING,
            Span::default(),
            format!("there is no memory to parse C with: {error}"),
        )),
    }
}

fn failed(diagnostic: Diagnostic) -> (Parsed, Vec<Site>) {
    let parsed = Parsed {
        ast: Ast {
            form: Form::C,
            ..Ast::default()
        },
        diagnostics: vec![diagnostic],
    };
    (parsed, Vec::new())
}

fn parse_here(source: &Source, reading: &CReading) -> (Parsed, Vec<Site>) {
    let given = reading.preprocessed.as_deref();
    let original = given.unwrap_or(source.text());
    let stripped = text::strip(original);
    let text = stripped.text.as_str();
    let lines = match given {
        Some(marked) => Lines::preprocessed(text, marked, source),
        None => Lines::same(text),
    };
    if let Some(start) = stripped.open_comment {
        let span = lines.span(start, start + 2);
        let message = "the comment does not end";
        return failed(Diagnostic::new(codes::C_SYNTAX, span, message));
    }
    if let Some((start, end)) = stripped.directive {
        let span = lines.span(start, end);
        let message = "the text has to go through a preprocessor first";
        let help = "install a C compiler (`cc`), or give the output of `cc -E`";
        let diagnostic = Diagnostic::new(codes::C_PREPROCESSOR, span, message);
        return failed(diagnostic.at("a directive").help(help));
    }
    if let Some(start) = text::too_deep(text) {
        let span = lines.span(start, start + 1);
        let message = "the text is nested too deeply from here on";
        let help = format!(
            "at most {} brackets and {} words can be open at once, and {} of `++` and `--`",
            text::MAX_BRACKETS,
            text::MAX_OPEN_TOKENS,
            text::MAX_STEPS
        );
        return failed(Diagnostic::new(codes::C_NESTING, span, message).help(help));
    }
    let config = Config {
        cpp_command: String::new(),
        cpp_options: Vec::new(),
        flavor: Flavor::GnuC11,
    };
    let (readable, thread_words) = text::readable(text.to_owned());
    match parse_preprocessed(&config, readable) {
        Err(error) => failed(syntax_error::diagnostic(&error, text, &lines)),
        Ok(parsed) => {
            let mut unit = Unit::new(text, source.text(), lines, reading);
            unit.thread_words = thread_words;
            unit.translate(&parsed.unit);
            let mut sites: Vec<Site> = unit.sites.into_iter().collect();
            let foreign = unit.objects.iter().filter(|object| object.is_foreign);
            sites.extend(foreign.map(|object| Site {
                span: object.span,
                kind: SiteKind::Foreign {
                    name: object.name.clone(),
                },
            }));
            sites.sort();
            let mut diagnostics = unit.diagnostics;
            diagnostics.sort_by_key(|diagnostic| diagnostic.primary.span);
            let parsed = Parsed {
                ast: unit.ast,
                diagnostics,
            };
            (parsed, sites)
        }
    }
}
