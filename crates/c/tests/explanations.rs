//! The examples of `hardbop explain` about C are true, and texts that nobody can read get a
//! diagnostic, quickly and without overflowing the stack.

use hardbop_syntax::source::CReading;
use hardbop_syntax::{Code, Source, codes};

fn codes_of(text: &str) -> Vec<Code> {
    let source = Source::new("example.c", text);
    let parsed = hardbop_c::parse(&source, &CReading::default());
    let mut found: Vec<Code> = parsed.diagnostics.iter().map(|d| d.code).collect();
    if found.is_empty() {
        let checked = hardbop_program::check(parsed.ast, &source, None);
        found.extend(checked.diagnostics.iter().map(|d| d.code));
        assert!(checked.program.is_some() || !found.is_empty(), "{text}");
    }
    found
}

#[test]
fn each_example_of_an_explanation_is_true() {
    for explanation in codes::of_c() {
        let code = explanation.code;
        assert!(codes_of(explanation.bad).contains(&code), "{code}");
        assert_eq!(codes_of(explanation.fixed), [], "{code}");
    }
}

#[test]
fn deep_texts_are_refused() {
    let nest = |open: &str, inner: &str, close: &str, depth: usize| {
        let (open, close) = (open.repeat(depth), close.repeat(depth));
        format!("int f(int); int main(void) {{ int x; {open}{inner}{close} }}")
    };
    let texts = [
        nest("{", ";", "}", 5_000),
        nest("(", "x", ")", 100_000),
        nest("x = !", "x;", "", 100_000),
        nest("if (x) ", ";", "", 100_000),
        nest("if (x) {} else ", ";", "", 100_000),
        nest("f(", "x", ")", 5_000),
    ];
    for text in texts {
        assert_eq!(codes_of(&text), [codes::C_NESTING]);
    }
}

#[test]
fn texts_just_below_the_limits_are_read() {
    let body = |text: String| {
        format!("int f(int x) {{ return x; }} int main(void) {{ int x = 0; {text} }}")
    };
    let texts = [
        format!("{};{}", "{".repeat(250), "}".repeat(250)),
        format!("x = {}x{};", "(".repeat(250), ")".repeat(250)),
        format!("x = {}x{};", "f(".repeat(120), ")".repeat(120)),
        format!("x = x{};", " + x".repeat(2_900)),
        format!("x = {}x;", "!".repeat(5_000)),
        format!("{};", "if (x) {} else ".repeat(700)),
        format!("x = {}x;", "x ? 1 : ".repeat(1_000)),
        format!("switch (x) {{ {} ; }}", "case 1: ".repeat(1_500)),
    ];
    for text in texts {
        let found = codes_of(&body(text.clone()));
        assert_eq!(found, [], "{}", &text[..40]);
    }
}

#[test]
fn ten_megabytes_of_garbage_get_one_error() {
    let mut state = 1u64;
    let mut bytes = Vec::with_capacity(10 << 20);
    while bytes.len() < 10 << 20 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        bytes.push((state >> 57) as u8 & 0x7f);
    }
    let text = String::from_utf8(bytes).expect("ASCII");
    assert_eq!(codes_of(&text).len(), 1);
    assert_eq!(codes_of(&"int x ".repeat(1_500_000)).len(), 1);
}
