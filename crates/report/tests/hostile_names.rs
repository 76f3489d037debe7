//! A name in braces may be any text. Whatever it is, it must not break the line it stands on, and
//! it must not control a terminal.

use hardbop_interpreter::{RandomChooser, fold, simulate};
use hardbop_machine::{Machine, graph};
use hardbop_outcome::Evidence;
use hardbop_outcome::Reach;
use hardbop_report::{TraceLevel, TraceOptions, TraceTexts, coverage, diagnostics, svg};
use hardbop_syntax::Source;
use hardbop_transform::split::CoverageQuestion;

/// The beginning of a line that would look like a verdict.
const VERDICT: &str = "ACCEPTED     everything holds";

/// A name with a line of its own, an escape sequence, and a mark that reverses the text.
fn hostile(distinction: &str) -> String {
    format!("{{{distinction}\n{VERDICT}\u{1b}[2K\r\u{202e}\u{9b}31m\\}}")
}

fn program() -> String {
    let [global, local, label, procedure, thread] = ["g", "x", "L", "f", "t"].map(hostile);
    format!(
        "decl {global} := 0;
thread {thread} begin
  void main() begin
    decl {local};
    {local} := 1;
    {label}: {global} := {procedure}({local});
    if ({global}) then print({global}); fi
    assert({global});
  end
  bool {procedure}({local}) begin return {local}; end
end
// a comment with an escape sequence: \u{1b}[2K
void main() begin {global} := !{global}; end
"
    )
}

fn machine() -> Machine {
    hardbop_machine::from_text("a\u{1b}[2K\nACCEPTED.bp", &program()).expect("it is a program")
}

/// Nothing in the text breaks a line early or controls a terminal.
fn check(what: &str, text: &str) {
    assert!(text.contains("ACCEPTED"), "{what} does not show the names");
    let is_unsafe = |c: char| (c.is_control() && c != '\n' && c != '\t') || c == '\u{202e}';
    let found = text.lines().find(|line| line.contains(is_unsafe));
    assert_eq!(found, None, "{what}");
    let found = text
        .lines()
        .find(|line| line.trim_start().starts_with(VERDICT));
    assert_eq!(found, None, "{what}");
}

#[test]
fn graphs_show_hostile_names_on_one_line() {
    let machine = machine();
    let all: Vec<_> = machine.procedure_ids().collect();
    check("DOT", &graph::to_dot(&machine, &all));
    check("JSON", &graph::to_json(&machine, &all));
    check("SVG", &svg(&machine, &all).expect("it is small"));
}

#[test]
fn runs_show_hostile_names_on_one_line() {
    let machine = machine();
    for seed in 0..10 {
        let trace = simulate(&machine, &mut RandomChooser::new(seed), 1000, None).trace;
        let trace = fold(&machine, &trace).expect("it is a run");
        for expand in [false, true] {
            let options = TraceOptions {
                expand,
                level: TraceLevel::Full,
                ..Default::default()
            };
            let run = Evidence::Run(trace.clone());
            let text = TraceTexts::new(&machine, options).text(&run, None);
            check("a trace", &text.expect("it replays"));
        }
    }
}

#[test]
fn coverage_shows_hostile_names_on_one_line() {
    let machine = machine();
    let coverage = CoverageQuestion::new(&machine).coverage(|_| Reach::Unreachable);
    let text = coverage::render(&machine, &coverage, coverage::Lines::All);
    // The source is shown line by line, so lines of a name are lines here too, with a mark and a
    // number in front.
    check("coverage", &text);
}

#[test]
fn diagnostics_show_hostile_names_on_one_line() {
    let text = program().replace(":= 1;", ":= 77;");
    let text = format!("{text} void {}() begin nothing(); end", hostile("unused"));
    let source = Source::new("a\nACCEPTED.bp", text.clone());
    let found = hardbop_machine::from_text("t.bp", &text).expect_err("there are errors");
    assert!(found.len() > 1, "{found:?}");
    let text = diagnostics::render(&source, &found, diagnostics::Colour::Plain);
    check("diagnostics", &text);
    check(
        "diagnostics as JSON",
        &diagnostics::json_lines(&source, &found),
    );
}
