//! An algorithm may use the names of the program it is run on, and is told where there is no such
//! name. Its answers come back in the words of the source.

use hardbop_calculus::actions::Actions;
use hardbop_calculus::{Algorithm, Extent, TupleWords, sequential_problem};
use hardbop_fixpoint::{Limits, Options, Solver};
use hardbop_machine::{Machine, from_text};
use hardbop_syntax::Source;

const PROGRAM: &str = "decl lock := 0, x;
decl int<2> n := 0;
void main() begin
  decl a;
  a := x;
  lock := 1;
  n := 2;
  a := helper(a);
  lock := 0;
  DONE: skip;
end
bool helper(x) begin
  n := n + 1;
  return !x;
end
";

fn machine() -> Machine {
    from_text("test.bp", PROGRAM).expect("a program")
}

const REACHED: &str = "
mu bool Summary(State u, State v)
  u ~+ v
  ( ( AtEntry(u, v) & Init(u) )
  | ( exists State x. Summary(u, x) & ProgramInt(x, v) )
  | ( exists State x, State y. Summary(x, y) & IntoCall(y, u) & AtEntry(u, v) )
  | ( exists State x, State y, State z.
        Summary(u, x) & IntoCall(x, y) & Summary(y, z) & Exit(z.mod, z.pc) & Return(x, z, v) ) );
bool Reached(State v) ( exists State u. Summary(u, v) );
";

/// What the commands and queries behind `REACHED` print.
fn printed(commands: &str, extent: Option<Extent>) -> String {
    let machine = machine();
    let text = format!("{REACHED}{commands}");
    let algorithm = Algorithm::own("own.mu", &text, Vec::new());
    let (program, checked) = sequential_problem(&machine, &algorithm, &[], &[], extent);
    let messages = checked.diagnostics.iter().map(|diagnostic| {
        let help = diagnostic.help.as_deref().unwrap_or_default();
        let (line, column) = {
            let (source, span) = checked.sources.locate(diagnostic.primary.span);
            source.line_column(span.start)
        };
        format!("{line}:{column} {}; {help}\n", diagnostic.message)
    });
    let Some(system) = &checked.system else {
        return messages.collect();
    };
    let actions = Actions {
        system,
        words: Some(TupleWords(&program)),
        shows_all: false,
    };
    let mut solver = Solver::new(system, &Options::default(), &Limits::default());
    let mut text = String::new();
    for action in &system.actions {
        let part = actions.perform(&mut solver, &action.kind);
        text.push_str(&part.expect("nothing limits the solver"));
    }
    text
}

#[test]
fn values_of_variables_are_those_of_the_program() {
    let text = printed(
        "( exists State s. Reached(s) & At(s, DONE) & s.lock );
         ( exists State s. Reached(s) & AtLine(s, 9) & s.lock );
         ( forall State s. Reached(s) & At(s, DONE) -> s.n = 3 );
         ( exists State s. Reached(s) & In(s, main) & s.a & !s.x );
         ( exists State s. Reached(s) & In(s, helper) & s.x & s.helper.x & !s.main.a );",
        None,
    );
    // Inside `helper` the parameter hides the global, and `main.a` is 0.
    assert_eq!(text, "false\ntrue\ntrue\ntrue\ntrue\n");
}

#[test]
fn a_tuple_is_told_in_the_words_of_the_source() {
    let text = printed("#wit exists State s. Reached(s) & At(s, DONE) & s.a;", None);
    assert_eq!(
        text,
        "witness\n  s at 10 main: DONE: skip  a=1 lock=0 x=0 n=3\n"
    );
    let text = printed(
        "bool W(Module m, PC p, Variable v) Writes(m, p, v);\n#list W;",
        None,
    );
    let expected = "W: 7 tuples
  5 main: a := x          main.a
  6 main: lock := 1       lock
  7 main: n := 2          n
  8 main: a := helper(a)  main.a
  9 main: lock := 0       lock
  13 helper: n := n + 1   n
  14 helper: return !x    helper.return
";
    assert_eq!(text, expected);
}

#[test]
fn a_name_that_the_program_does_not_have_is_reported_where_it_stands() {
    let wrong = |formula: &str| printed(&format!("( exists State s. {formula} );"), None);
    assert_eq!(
        wrong("At(s, DOEN)"),
        "10:25 the program has no label `DOEN`; did you mean `DONE`?\n"
    );
    assert_eq!(
        wrong("s.lokc"),
        "10:19 neither the class nor the program has a variable `lokc`; did you mean `lock`?\n"
    );
    assert_eq!(
        wrong("In(s, hepler)"),
        "10:25 the program has no procedure `hepler`; did you mean `helper`?\n"
    );
    assert_eq!(
        wrong("AtLine(s, 12)"),
        "10:29 the program has nothing at line 12; the nearest are 11 and 13\n"
    );
    assert_eq!(
        wrong("Reads(s.mod, s.pc, main.b)"),
        "10:38 the program has no variable `main.b`; did you mean `main.a`?\n"
    );
    let text = printed("( exists State s. s.lock );", Some(Extent::Sliced));
    assert!(text.contains("`lock` has no value here"), "{text}");
}

/// Early termination makes a relation hold of everything as soon as a target is reached; that is not
/// what whoever loads it means.
#[test]
fn what_is_loaded_by_name_says_the_same_when_a_target_is_reached() {
    use hardbop_calculus::algorithm::{BuiltIn, answer};
    use hardbop_syntax::Source;
    let machine = machine();
    let question = "load \"entry-forward\";
        ( exists State u, State v. SummaryEF(u, v) & At(v, DONE) & v.lock );";
    let path = "entry-forward.mu";
    let known = BuiltIn::at(path).expect("it is one of hardbop's");
    let files = vec![(path.to_owned(), Source::new(path, known.definitions()))];
    let algorithm = Algorithm::own("own.mu", question, files);
    let targets = [machine.labels[0].node];
    let (_, checked) = sequential_problem(&machine, &algorithm, &targets, &targets, None);
    let system = checked.system.as_ref().expect("it has no errors");
    let mut solver = Solver::new(system, &Options::default(), &Limits::default());
    let asked = answer(system).expect("it asks something");
    assert_eq!(solver.query(asked), Ok(false));
}

#[test]
fn whatever_comes_with_hardbop_can_be_loaded_by_name() {
    use hardbop_calculus::algorithm::BUILT_IN;
    for known in &BUILT_IN {
        let mut text = known.definitions();
        if known.name == "parity-game" {
            // Whoever loads it says who moves, and what a place is worth.
            text.push_str("bool IsEves(State u) 1; bool HasPriority(State u, Priority k) k = 0;");
        }
        let checked = Algorithm::own(known.name, &text, Vec::new()).check();
        let messages: Vec<&String> = checked.diagnostics.iter().map(|d| &d.message).collect();
        assert!(checked.system.is_some(), "{}: {messages:?}", known.name);
        let system = checked.system.expect("it is there");
        assert!(system.actions.is_empty(), "{} asks something", known.name);
    }
}

#[test]
fn a_variable_of_the_formula_hides_a_name_of_the_program() {
    let text = printed(
        "( exists Module main. exists State s. Reached(s) & In(s, main) & In(s, helper) );",
        None,
    );
    assert_eq!(text, "true\n");
}

/// What is wrong with a file, with and without the program.
fn errors(text: &str, with_program: bool) -> Vec<String> {
    let algorithm = Algorithm::own("own.mu", text, Vec::new());
    let checked = if with_program {
        sequential_problem(&machine(), &algorithm, &[], &[], None).1
    } else {
        algorithm.check()
    };
    let found = checked.diagnostics.iter().map(|d| {
        let help = d.help.as_deref().unwrap_or_default();
        format!("{} {}; {help}", d.code, d.message)
    });
    found.collect()
}

const NEEDS: &str = "needs global lock, n[2];
needs local main.a;
needs label DONE;
needs procedure helper;
needs relation Return;
( exists State s. At(s, DONE) & s.lock & s.n = 3 & s.a & s.main.a & !In(s, helper) );
#list ReadsOn;
( exists Module m, PC p. Reads(m, p, main.a) );
";

#[test]
fn a_file_says_what_it_needs_of_a_program() {
    assert_eq!(errors(NEEDS, true), [""; 0]);
    assert_eq!(errors(NEEDS, false), [""; 0]);
}

#[test]
fn without_a_program_names_that_are_not_needed_are_errors() {
    let text = NEEDS.replace("At(s, DONE)", "At(s, DOEN)");
    let text = text.replace("s.lock", "s.lokc").replace("s.a ", "s.x ");
    let text = text
        .replace("In(s, helper)", "In(s, other)")
        .replace("s.n = 3", "s.n = 5");
    let expected = [
        "HB121 this file needs no label `DOEN`; did you mean `DONE`?",
        "HB121 this file needs no variable `lokc`; did you mean `lock`?",
        "HB125 5 is not a value of `int<2>`; ",
        "HB121 this file needs no variable `x`; say so if it does: `needs global x;`",
        "HB121 this file needs no procedure `other`; say so if it does: `needs procedure other;`",
    ];
    let found = errors(&text, false);
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found, expected);
    }
    assert_eq!(found.len(), expected.len(), "{found:?}");
    // A file without needs may use any name, as its program is not known.
    let open = text.lines().filter(|line| !line.starts_with("needs"));
    let open: Vec<&str> = open.collect();
    assert_eq!(errors(&open.join("\n"), false), [""; 0]);
}

#[test]
fn a_program_that_lacks_what_is_needed_gets_one_sentence_for_each() {
    let text = "needs global lokc, n, a;
needs local main.lock;
needs label DONE, EDN;
needs procedure f;
needs relation SwitchedAt;
( exists State s. At(s, EDN) & s.lokc & At(s, EDN) & In(s, f) );";
    let help = "relations of threads are there with --contexts or --rounds";
    assert_eq!(
        errors(text, true),
        [
            "HB128 the program has no global `lokc`, which this file needs; did you mean `lock`?"
                .to_owned(),
            "HB128 `n` is an integer of 2 bits in the program, and this file needs a Boolean; "
                .to_owned(),
            "HB128 the program has no global `a`, which this file needs; there are `lock`, `n`, `x`".to_owned(),
            "HB128 the program has no local `main.lock`, which this file needs; there are \
             `helper.return`, `helper.x`, `main.a`"
                .to_owned(),
            "HB128 the program has no label `EDN`, which this file needs; there are `DONE`"
                .to_owned(),
            "HB128 the program has no procedure `f`, which this file needs; there are `helper`, \
             `main`"
                .to_owned(),
            format!("HB128 there is no relation `SwitchedAt`, which this file needs; {help}"),
        ]
    );
}

/// `needs` is a word only before the kinds of names, so files with a type of that name stay valid.
#[test]
fn needs_may_be_the_name_of_a_type() {
    use hardbop_formula::load_text;
    let text = "enum needs {0..3};\nbool P(needs n) n = 1;\n( exists needs n. P(n) );\n";
    let checked = load_text(&hardbop_syntax::Source::new("t.mu", text));
    assert!(checked.system.is_some(), "{:?}", checked.diagnostics);
    assert!(!checked.named.needs);
}

/// The text for other solvers has needs in comments, and reads as the file itself does.
#[test]
fn needs_are_comments_in_the_text_for_other_solvers() {
    let machine = machine();
    let algorithm = Algorithm::own("own.mu", NEEDS, Vec::new());
    let (program, _) = sequential_problem(&machine, &algorithm, &[], &[], None);
    let whole = program.text(&algorithm);
    assert!(whole.contains("/* needs label DONE; */"), "{whole}");
    assert!(whole.contains("// 5: a := x\n"), "{whole}");
}

const TWO_PROCEDURES: &str = "decl lock; decl int<3> n;
void main() begin
  decl seen;
  lock := 0;
  n := 2;
  seen := *;
  if (seen) then
    n := 5;
    DONE: lock := *;
  fi;
  helper();
end
void helper() begin
  decl x, seen;
  x := lock;
  seen := !x;
  if (seen) then
    DONE: n := 1;
  fi;
  END: skip;
end";

const NAMED: &str = "needs label END;
load \"entry-forward\", \"more\";
bool Both(bool a, bool b) a & b;
( exists State u, State v. SummaryEF(u, v) & At(v, END) & v.lock );
( exists State u, State v. SummaryEF(u, v) & At(v, DONE) & v.n = 5 );
( exists State u, State v. SummaryEF(u, v) & At(v, helper.DONE) & v.n = 5 );
( exists State u, State v. SummaryEF(u, v) & At(v, main.DONE) & v.n != 5 );
( exists State u, State v. SummaryEF(u, v) & At(v, helper.END) & v.seen & v.x );
( exists State u, State v. SummaryEF(u, v) & At(v, END) & v.seen );
( exists State u, State v. SummaryEF(u, v) & In(v, helper) & u.n = v.n & !(v.lock) );
( exists State u, State v. SummaryEF(u, v) & At(v, END) & Both(v.lock, v.helper.x) );
( exists State u, State v. SummaryEF(u, v) & Odd(v) & v.mod = helper );
( exists State u, State v. SummaryEF(u, v) & AtLine(v, 9) & True(v, main.seen) & v.seen = v.lock );
";

/// What names mean is written out for solvers that do not know them, and means the same.
#[test]
fn names_are_spelled_out_for_other_solvers() {
    let machine = from_text("test.bp", TWO_PROCEDURES).expect("a program");
    let library = hardbop_calculus::algorithm::BuiltIn::find("entry-forward").expect("it is there");
    let source = |name: &str, text: &str| (name.to_owned(), Source::new(name, text));
    let files = vec![
        source("entry-forward.mu", &library.definitions()),
        source("more.mu", "load \"deeper\";\n"),
        source(
            "deeper.mu",
            "bool Odd(State v) v.n = 1 | v.n = 3 | v.n = 5;\n",
        ),
    ];
    let algorithm = Algorithm::own("own.mu", NAMED, files);
    let (program, checked) = sequential_problem(&machine, &algorithm, &[], &[], Some(Extent::Full));
    let named = checked.system.as_ref().expect("no errors");
    let text = program.text_of(&algorithm, &checked);
    let plain = hardbop_formula::load_text(&Source::new("plain.mu", &text));
    let messages: Vec<&str> = plain
        .diagnostics
        .iter()
        .map(|d| d.message.as_str())
        .collect();
    let plain = plain
        .system
        .unwrap_or_else(|| panic!("{messages:?}\n{text}"));
    let answers = |system| {
        let mut solver = Solver::new(system, &Options::default(), &Limits::default());
        let mut answers = Vec::new();
        for action in &system.actions {
            if let hardbop_formula::ActionKind::Query(formula) = action.kind {
                answers.push(solver.query(formula).expect("nothing limits it"));
            }
        }
        answers
    };
    let expected = [
        true, true, true, false, false, true, true, true, true, false,
    ];
    assert_eq!(answers(named), expected);
    assert_eq!(answers(&plain), expected, "{text}");
}

/// Without a program a file may say which global it means.
#[test]
fn globals_can_be_named_behind_their_class_without_a_program() {
    let check = |text: &str| {
        let checked = Algorithm::own("own.mu", text, Vec::new()).check();
        let messages = checked.diagnostics.iter().map(|d| d.message.clone());
        messages.collect::<Vec<_>>()
    };
    let formula = "( exists State v. Init(v) & v.CG.lock );\n";
    assert_eq!(check(formula), Vec::<String>::new());
    assert_eq!(
        check(&format!("needs global lock;\n{formula}")),
        Vec::<String>::new()
    );
    assert_eq!(
        check(&format!("needs global look;\n{formula}")),
        ["this file needs no variable `lock`"]
    );
}

/// Steps have lines of their own: two that leave one place may stand on different lines.
#[test]
fn steps_have_lines() {
    let text = "void main() begin
  if (*) then
    A: skip;
  else
    B: skip;
  fi;
  goto C, D;
  C: skip;
  D: skip;
end";
    let machine = from_text("test.bp", text).expect("a program");
    let algorithm = Algorithm::own("own.mu", "#list LineOn;\n#list LineOf;\n", Vec::new());
    let full = Some(Extent::Full);
    let (program, checked) = sequential_problem(&machine, &algorithm, &[], &[], full);
    let system = checked.system.as_ref().expect("it has no errors");
    let mut solver = Solver::new(system, &Options::default(), &Limits::default());
    let mut codes = |relation: &str| -> std::collections::BTreeSet<Vec<u64>> {
        let relation = system.find(relation).expect("it is there");
        let tuples = solver
            .tuples(relation, 1000)
            .expect("nothing limits the solver");
        let codes = tuples.iter().map(|t| t.iter().map(|b| b.code).collect());
        codes.collect()
    };
    let mut expected = std::collections::BTreeSet::new();
    for edge in &machine.edges {
        let line = machine.source.text()[..edge.span.start as usize]
            .matches('\n')
            .count() as u64;
        expected.insert((edge.from, edge.to, line + 1));
    }
    let place = |tuple: &[u64]| {
        (
            program.node(tuple[0], tuple[1]),
            program.node(tuple[0], tuple[2]),
        )
    };
    let found: std::collections::BTreeSet<_> = codes("LineOn")
        .iter()
        .map(|tuple| {
            let (from, to) = place(tuple);
            (from.expect("a place"), to.expect("a place"), tuple[3])
        })
        .collect();
    assert_eq!(found, expected);
    // All statements of the program have a step on their line.
    let lines: std::collections::BTreeSet<u64> = found.iter().map(|found| found.2).collect();
    assert!(lines.is_superset(&[2, 3, 5, 7, 8, 9].into()), "{lines:?}");
    assert_eq!(codes("LineOf").len(), machine.nodes.len());
}
