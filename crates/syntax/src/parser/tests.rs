//! What the parser makes of right and wrong text.

use super::{Parsed, parse_as};
use crate::ast::{Form, StmtKind};
use crate::codes::{self, Code};
use crate::diagnostic::has_errors;
use crate::format::format;
use crate::source::Source;

fn parse_text(text: &str) -> (Source, Parsed) {
    let source = Source::new("test.bp", text);
    let parsed = parse_as(&source, Form::Procedures);
    (source, parsed)
}

fn errors(text: &str) -> Vec<Code> {
    let (_, parsed) = parse_text(text);
    parsed.diagnostics.iter().map(|d| d.code).collect()
}

/// The expression with every operator's operands in parentheses.
fn grouping(expression: &str) -> String {
    use crate::ast::{Ast, ExprId, ExprKind};
    fn show(ast: &Ast, id: ExprId) -> String {
        match ast.expr(id).kind {
            ExprKind::Binary {
                op,
                alternative,
                left,
                right,
            } => {
                let (left, right) = (show(ast, left), show(ast, right));
                format!("[{left} {} {right}]", op.text(alternative))
            }
            ExprKind::Not { operand, .. } => format!("[!{}]", show(ast, operand)),
            ExprKind::Paren(inner) => show(ast, inner),
            ExprKind::Conditional {
                condition,
                then,
                otherwise,
            } => format!(
                "[{} ? {} : {}]",
                show(ast, condition),
                show(ast, then),
                show(ast, otherwise)
            ),
            ExprKind::Choose { yes, no, .. } => {
                format!("choose[{}, {}]", show(ast, yes), show(ast, no))
            }
            ExprKind::Name(name) => ast.text(name).to_owned(),
            ExprKind::Primed(name) => format!("'{}", ast.text(name)),
            ExprKind::Number { value, .. } => value.to_string(),
            ExprKind::Index { array, index } => {
                format!("{}[{}]", show(ast, array), show(ast, index))
            }
            ExprKind::Negate(operand) => format!("[-{}]", show(ast, operand)),
            ExprKind::Signed(operand) => format!("signed({})", show(ast, operand)),
            ExprKind::ToBool(operand) => format!("bool({})", show(ast, operand)),
            ExprKind::ToInt { width, operand } => format!("int<{width}>({})", show(ast, operand)),
            ExprKind::Choice { .. } => "*".to_owned(),
            ExprKind::Bool { value, .. } => value.to_string(),
            ExprKind::Error => "error".to_owned(),
        }
    }
    let (_, parsed) = parse_text(&format!("void main() begin x := {expression}; end"));
    assert!(!has_errors(&parsed.diagnostics), "{:?}", parsed.diagnostics);
    match &parsed.ast.stmts[0].kind {
        StmtKind::Assign { values, .. } => show(&parsed.ast, values[0]),
        other => panic!("not an assignment: {other:?}"),
    }
}

#[test]
fn operators_bind_as_the_language_says() {
    assert_eq!(
        grouping("a <-> b => c | d ^ e & f = g < h + i * j"),
        "[a <-> [b => [c | [d ^ [e & [f = [g < [h + [i * j]]]]]]]]]"
    );
    assert_eq!(
        grouping("a & b < c << d + e % f / g >> h"),
        "[a & [b < [[c << [d + [[e % f] / g]]] >> h]]]"
    );
    assert_eq!(grouping("a => b => c"), "[a => [b => c]]");
    assert_eq!(grouping("a - b - c"), "[[a - b] - c]");
    assert_eq!(grouping("!a = b"), "[[!a] = b]");
    assert_eq!(grouping("!(a = b) & !!c"), "[[![a = b]] & [![!c]]]");
}

#[test]
fn conversions_signs_and_indexes_are_operands() {
    assert_eq!(
        grouping("-a[i + 1] - -0x1f < int<8>(signed(~b))"),
        "[[[-a[[i + 1]]] - [-31]] < int<8>(signed([!b]))]"
    );
    assert_eq!(grouping("bool(a) & b[c[*]]"), "[bool(a) & b[c[*]]]");
    assert_eq!(grouping("int<4>(a) <-1"), "[int<4>(a) < [-1]]");
    assert_eq!(
        grouping("(c ? a[i] : 'b[j]) = 1"),
        "[[c ? a[i] : 'b[j]] = 1]"
    );
}

#[test]
fn brackets_of_an_index_are_closed_or_reported() {
    let program = |statement: &str| format!("decl a[2];\nvoid main() begin {statement} end");
    assert_eq!(errors(&program("a[1 := a[0];")), [codes::EXPECTED]);
    assert_eq!(errors(&program("a[0] := a[(1];")), [codes::EXPECTED; 2]);
    assert_eq!(errors(&program("a[] := 1;")), [codes::EXPECTED]);
    assert_eq!(errors(&program("a := int<8> 1;")), [codes::EXPECTED; 2]);
    assert_eq!(errors("decl a[n];"), [codes::EXPECTED; 2]);
    assert_eq!(errors("decl signed;"), [codes::KEYWORD_AS_NAME]);
    assert_eq!(errors(&program("a[0], a[1] := 0x0, 1;")), []);
}

#[test]
fn star_and_question_mark_are_choices_before_and_operators_behind_an_operand() {
    assert_eq!(grouping("* * *"), "[* * *]");
    assert_eq!(grouping("? ? ? : ?"), "[* ? * : *]");
    assert_eq!(grouping("a ? b : c ? d : e"), "[a ? b : [c ? d : e]]");
    assert_eq!(grouping("a ? b ? c : d : e"), "[a ? [b ? c : d] : e]");
    assert_eq!(
        grouping("(a ? b : c) & schoose[a | b, *]"),
        "[[a ? b : c] & choose[[a | b], *]]"
    );
}

#[test]
fn every_error_of_a_file_is_reported_in_one_run() {
    let text = "decl a b;\nvoid main() begin x := ; goto ; if a then skip; end\nvoid p() begin y z := 1; end";
    assert_eq!(
        errors(text),
        [
            codes::EXPECTED,
            codes::EXPECTED,
            codes::EXPECTED,
            codes::UNCLOSED_BLOCK,
            codes::EXPECTED
        ]
    );
}

#[test]
fn a_block_closed_by_the_wrong_word_is_shown_where_it_opened() {
    let (source, parsed) =
        parse_text("void main() begin\nwhile (a) do\nif (b) then skip;\nod\nend");
    let codes: Vec<_> = parsed.diagnostics.iter().map(|d| d.code).collect();
    assert_eq!(codes, [codes::UNCLOSED_BLOCK]);
    assert_eq!(source.line(parsed.diagnostics[0].primary.span.start), 3);
}

#[test]
fn keywords_as_names_are_called_keywords() {
    assert_eq!(
        errors("decl end, x; void main() begin skip; end"),
        [codes::KEYWORD_AS_NAME]
    );
    assert_eq!(
        errors("void main() begin while := 1; end"),
        [codes::KEYWORD_AS_NAME]
    );
    assert_eq!(
        errors("void main() begin do := 1; end"),
        [codes::KEYWORD_AS_NAME]
    );
    assert_eq!(
        errors("void main() begin x := a & then; end"),
        [codes::KEYWORD_AS_NAME]
    );
}

#[test]
fn what_belongs_elsewhere_is_named_and_read_anyway() {
    assert_eq!(
        errors("void main() begin skip; decl x; x := 1; end"),
        [codes::MISPLACED_DECLARATION]
    );
    assert_eq!(
        errors("void main() begin skip; enforce x; end"),
        [codes::MISPLACED_ENFORCE]
    );
    assert_eq!(
        errors("void main() begin x := f(y) & z; end"),
        [codes::EXPECTED]
    );
    assert_eq!(
        errors("void main() begin x := z & f(y); end"),
        [codes::CALL_IN_EXPRESSION]
    );
    assert_eq!(errors("void main() begin sync; end"), [codes::BOOM_ONLY]);
    assert_eq!(
        errors("void main() begin fi; skip; end"),
        [codes::STRAY_TEXT]
    );
}

#[test]
fn a_file_that_ends_too_early_says_so() {
    assert_eq!(errors(""), [codes::EMPTY_FILE]);
    assert_eq!(errors("// nothing\n"), [codes::EMPTY_FILE]);
    assert_eq!(errors("void main() begin"), [codes::UNEXPECTED_END]);
    assert_eq!(
        errors("void main() begin x := "),
        [codes::UNEXPECTED_END; 3]
    );
    assert_eq!(
        errors("void main() begin x := 1 }"),
        [
            codes::UNEXPECTED_CHARACTER,
            codes::UNEXPECTED_END,
            codes::UNEXPECTED_END
        ]
    );
}

#[test]
fn semicolons_may_be_many_or_missing_before_a_closing_word() {
    let text = "void main() begin ;; if a then L: skip fi; ; while b do skip od E: end;";
    assert_eq!(errors(text), []);
}

#[test]
fn nesting_is_limited_by_memory_only() {
    let deep = 100_000;
    let parens = format!("{}a{}", "(".repeat(deep), ")".repeat(deep));
    let nots = "!".repeat(deep);
    let implications = "a => ".repeat(deep);
    let ifs = "if (a) then ".repeat(deep);
    let fis = "fi ".repeat(deep);
    let text = format!(
        "decl a; void main() begin a := {parens}; a := {nots}a; a := {implications}a; {ifs} skip; {fis} end"
    );
    let (source, parsed) = parse_text(&text);
    assert!(!has_errors(&parsed.diagnostics));
    let formatted = format(&parsed.ast, &source);
    assert!(
        formatted.len() < 40 * text.len(),
        "indentation must not be quadratic"
    );
    let opening_only = format!("void main() begin a := {}", "(".repeat(deep));
    assert!(has_errors(&parse_text(&opening_only).1.diagnostics));
    let unclosed = format!("void main() begin {ifs}");
    assert!(has_errors(&parse_text(&unclosed).1.diagnostics));
}

#[test]
fn guarded_blocks_become_one_procedure() {
    let source = Source::new(
        "t.gp",
        "var x, y;\nA: x := true; goto B;\nB: assert x; x := x & y; goto B or C;\nC:\n",
    );
    let parsed = super::parse(&source);
    assert!(!has_errors(&parsed.diagnostics), "{:?}", parsed.diagnostics);
    let expected = "var x, y;\nA:\n  x := true;\n  goto B;\nB:\n  assert x;\n  x := x & y;\n  goto B or C;\nC:\n";
    assert_eq!(format(&parsed.ast, &source), expected);
    let again = Source::new("t.gp", expected);
    assert!(super::parse(&again).ast.without_places() == parsed.ast.without_places());
}

#[test]
fn a_guarded_file_of_semicolons_is_no_program() {
    let source = Source::new("test.gp", "; // nothing");
    let parsed = parse_as(&source, Form::GuardedBlocks);
    let codes: Vec<Code> = parsed.diagnostics.iter().map(|d| d.code).collect();
    assert_eq!(codes, [codes::EMPTY_FILE]);
}

/// A block of C is skipped only where the word that opens a block is missing.
#[test]
fn a_name_in_braces_may_begin_a_block() {
    let text = "decl {p};
void main() begin
  if (*) then {p} := 1; else {p} := 0; fi
  while (*) do {p} := *; od
end
void f() begin {p} := 1; end
";
    assert_eq!(errors(text), []);
}
