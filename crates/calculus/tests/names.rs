//! An algorithm may use the names of the program it is run on, and is told where there is no such
//! name. Its answers come back in the words of the source.

use hardbop_calculus::actions::Actions;
use hardbop_calculus::{Algorithm, Extent, TupleWords, sequential_problem};
use hardbop_fixpoint::{Limits, Options, Solver};
use hardbop_machine::{Machine, from_text};

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
    use hardbop_calculus::algorithm::{BUILT_IN, Kind};
    for known in &BUILT_IN {
        let checked = Algorithm::own(known.name, &known.definitions(), Vec::new()).check();
        let messages: Vec<&String> = checked.diagnostics.iter().map(|d| &d.message).collect();
        assert!(checked.system.is_some(), "{}: {messages:?}", known.name);
        let system = checked.system.expect("it is there");
        let asks = known.kind == Kind::Threads;
        assert_eq!(!system.actions.is_empty(), asks, "{}", known.name);
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
