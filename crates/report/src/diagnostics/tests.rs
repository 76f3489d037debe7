use super::*;
use expect_test::{Expect, expect};
use hardbop_syntax::{codes, parse};

fn rendered(text: &str) -> String {
    let source = Source::new("lock.bp", text);
    let parsed = parse(&source);
    render(&source, &parsed.diagnostics, Colour::Plain)
}

fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&rendered(text));
}

#[test]
fn an_error_shows_its_line_its_code_and_its_help() {
    check(
        "decl x;\nvoid main() begin\n  x = T;\nend\n",
        &expect![[r#"
            error[HB005]: expected `:=` of an assignment, found `=`
             --> lock.bp:3:5
              |
            3 |   x = T;
              |     ^ expected `:=` of an assignment
              |
              = help: `:=` assigns, `=` compares

            error: 1 error in lock.bp
        "#]],
    );
}

#[test]
fn other_places_are_shown_in_the_same_excerpt() {
    check(
        "void main() begin\n  if * then\n    skip;\nend\n",
        &expect![[r"
        error[HB007]: this `if` is not closed by `fi`
         --> lock.bp:2:3
          |
        2 |   if * then
          |   ^^
        3 |     skip;
        4 | end
          | --- `end` stands here

        error: 1 error in lock.bp
    "]],
    );
}

#[test]
fn the_end_of_the_file_is_a_place() {
    check(
        "void main() begin\n  skip;\n",
        &expect![[r"
        error[HB012]: expected `end` of procedure `main`, found the end of the file
         --> lock.bp:2:9
          |
        1 | void main() begin
          |             ----- the body of `main` begins here
        2 |   skip;
          |        ^

        error: 1 error in lock.bp
    "]],
    );
    check(
        "",
        &expect![[r"
        error[HB010]: there is no program in this file
         --> lock.bp:1:1
          |
        1 |
          | ^
          |
          = help: a program needs at least `void main() begin skip; end`

        error: 1 error in lock.bp
    "]],
    );
}

#[test]
fn diagnostics_are_sorted_by_position() {
    let source = Source::new("s.bp", "abc\ndef\n");
    let at = |offset| Diagnostic::new(codes::EXPECTED, Span::new(offset, offset + 1), "here");
    let json = json_lines(&source, &[at(5), at(1)]);
    let lines: Vec<u64> = json
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON")["line"].as_u64())
        .map(|line| line.expect("a number"))
        .collect();
    assert_eq!(lines, [1, 2]);
}

#[test]
fn a_long_line_is_shown_in_part_with_its_true_column() {
    let mut text = "decl x; void main() begin ".to_owned();
    text.push_str(&"x := 'ä' & ".repeat(3));
    text.push_str(&"skip; ".repeat(1_000_000));
    text.push_str("x = T; ");
    text.push_str(&"skip; ".repeat(1_000_000));
    text.push_str("end");
    let source = Source::new("long.bp", text.as_str());
    let wrong = text.find("x = T").expect("it is there") as u32;
    let diagnostic = Diagnostic::new(codes::EXPECTED, Span::new(wrong + 2, wrong + 3), "wrong")
        .at("here")
        .also(Span::new(5, 6), "declared here");
    let column = source.line_column(wrong + 2).1;
    let shown = render(&source, &[diagnostic], Colour::Plain);
    assert!(shown.len() < 2000, "{}", shown.len());
    assert!(
        shown.contains(&format!("--> long.bp:1:{column}")),
        "{shown}"
    );
    assert!(
        shown.contains("x = T;") && shown.contains("decl x;"),
        "{shown}"
    );
}

#[test]
fn a_span_over_many_lines_is_shown_by_its_first_one() {
    let text = "a\n".repeat(100_000);
    let source = Source::new("many.bp", text.as_str());
    let all = Diagnostic::new(
        codes::EXPECTED,
        Span::new(2, text.len() as u32),
        "all of it",
    );
    let shown = render(&source, &[all], Colour::Plain);
    assert!(shown.lines().count() < 10, "{shown}");
}

#[test]
fn many_diagnostics_are_counted_and_only_the_first_are_shown() {
    let source = Source::new("many.bp", "x".repeat(50_000));
    let at = |offset| Diagnostic::new(codes::EXPECTED, Span::new(offset, offset + 1), "here");
    let many: Vec<Diagnostic> = (0..50_000).map(at).collect();
    let shown = render(&source, &many, Colour::Plain);
    assert!(shown.ends_with("error: 50000 errors in many.bp (49900 not shown)\n"));
    assert_eq!(json_lines(&source, &many).lines().count(), 50_000);
}

#[test]
fn places_in_the_middle_of_a_character_or_past_the_end_are_survived() {
    let source = Source::new("odd.bp", "ä\n");
    let odd = Diagnostic::new(codes::EXPECTED, Span::new(1, 900), "odd");
    assert!(render(&source, &[odd], Colour::Plain).contains("odd"));
}

#[test]
fn colours_are_only_there_when_asked_for() {
    let source = Source::new("c.bp", "");
    let diagnostics = parse(&source).diagnostics;
    assert!(render(&source, &diagnostics, Colour::Ansi).contains('\u{1b}'));
    assert!(!render(&source, &diagnostics, Colour::Plain).contains('\u{1b}'));
}

#[test]
fn json_has_the_places_and_the_help() {
    let source = Source::new("j.bp", "decl x;\n");
    let diagnostic = Diagnostic::new(codes::EXPECTED, Span::new(5, 6), "what")
        .at("this")
        .also(Span::new(0, 4), "that")
        .help("do so");
    expect![[r#"
        {"code":"HB005","column":6,"end_column":7,"end_line":1,"file":"j.bp","help":"do so","label":"this","labels":[{"column":1,"end_column":5,"end_line":1,"label":"that","line":1}],"line":1,"message":"what","severity":"error"}
    "#]].assert_eq(&json_lines(&source, &[diagnostic]));
}
