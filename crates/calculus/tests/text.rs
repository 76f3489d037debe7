//! The text of a problem means the same as the system that the engine builds without it.

use expect_test::expect;
use hardbop_calculus::algorithm::{BUILT_IN, answer};
use hardbop_calculus::{Algorithm, Program};
use hardbop_fixpoint::{Limits, Options, Solver};
use hardbop_formula::{System, load_text};
use hardbop_machine::Machine;
use hardbop_outcome::Query;
use hardbop_syntax::Source;
use hardbop_testkit::{Knobs, generate};

fn value(system: &System) -> bool {
    let query = answer(system).expect("an algorithm asks something");
    let mut solver = Solver::new(system, &Options::default(), &Limits::default());
    solver.query(query).expect("nothing limits the solver")
}

fn machine(text: &str) -> Machine {
    hardbop_machine::from_text("test.bp", text).expect("a program")
}

fn program<'m>(machine: &'m Machine, query: &Query) -> Program<'m> {
    let targets: Vec<_> = query.targets.iter().map(|target| target.node).collect();
    Program::new(machine, machine.threads[0].entry, &targets, &targets)
}

#[test]
fn the_text_is_a_file_of_the_language_with_the_same_answer() {
    let mut answers = [0, 0];
    for (seed, knobs) in (0..12).zip([Knobs::recursive(), Knobs::integers()].iter().cycle()) {
        let machine = machine(&generate(seed, knobs));
        let query = Query::assertions(&machine);
        let program = program(&machine, &query);
        for known in &BUILT_IN {
            let algorithm = Algorithm::built_in(known.name).expect("its own name");
            let text = program.text(&algorithm);
            let read = load_text(&Source::new("problem.mu", &text));
            let messages: Vec<_> = read.diagnostics.iter().map(|d| &d.message).collect();
            let by_text = read
                .system
                .unwrap_or_else(|| panic!("{messages:?}\n{text}"));
            let checked = program.system(&algorithm);
            let directly = checked.system.expect("built-in algorithms have no errors");
            assert_eq!(
                value(&by_text),
                value(&directly),
                "{} of\n{text}",
                known.name
            );
            answers[usize::from(value(&directly))] += 1;
        }
    }
    assert!(answers[0] > 0 && answers[1] > 0, "{answers:?}");
}

#[test]
fn relations_can_be_read() {
    let text = "
decl g;
void main() begin
  decl a;
  a, g := g, *;
  a := f(!a) ;
  if (a) then L: skip; fi
end
bool f(x) begin
  return x & g;
end
";
    let machine = machine(text);
    let own = Algorithm::own("mine.mu", "( exists State s. Init(s) );\n", Vec::new());
    let text = program(&machine, &Query::label(&machine, "L")).text(&own);
    let interface = text
        .find("// The program as section 4")
        .expect("the interface");
    expect![[r#"
    "#]]
    .assert_eq(&text[..interface]);
}
