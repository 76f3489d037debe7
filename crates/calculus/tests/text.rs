//! The text of a problem means the same as the system that the engine builds without it.

use expect_test::expect;
use hardbop_calculus::algorithm::{BUILT_IN, Kind, answer};
use hardbop_calculus::threads::{ThreadBound, ThreadProblem, fixed};
use hardbop_calculus::{Aim, Algorithm, Extent, Program};
use hardbop_fixpoint::{Limits, Options, Solver};
use hardbop_formula::{Formula, RelationId, RelationKind, System, load_text};
use hardbop_machine::Machine;
use hardbop_outcome::Question;
use hardbop_syntax::Source;
use hardbop_testkit::{Knobs, generate};
use std::collections::BTreeSet;

fn value(system: &System) -> bool {
    let query = answer(system).expect("an algorithm asks something");
    let mut solver = Solver::new(system, &Options::default(), &Limits::default());
    solver.query(query).expect("nothing limits the solver")
}

fn machine(text: &str) -> Machine {
    hardbop_machine::from_text("test.bp", text).expect("a program")
}

fn program<'m>(machine: &'m Machine, question: &Question, algorithm: &Algorithm) -> Program<'m> {
    let targets: Vec<_> = question
        .targets()
        .iter()
        .map(|target| target.node)
        .collect();
    let aim = Aim {
        asked: &targets,
        targets: &targets,
        extent: Extent::Sliced,
    };
    Program::new(machine, &[machine.threads[0].entry], aim, algorithm)
}

#[test]
fn the_text_is_a_file_of_the_language_with_the_same_answer() {
    let mut answers = [0, 0];
    for (seed, knobs) in (0..12).zip([Knobs::recursive(), Knobs::integers()].iter().cycle()) {
        let machine = machine(&generate(seed, knobs));
        let question = Question::assertions(&machine);
        for known in BUILT_IN
            .iter()
            .filter(|known| known.kind == Kind::Sequential)
        {
            let algorithm = Algorithm::built_in(known.name).expect("its own name");
            let program = program(&machine, &question, &algorithm);
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
    let algorithm = Algorithm::built_in("summary").expect("its name");
    let text = program(&machine, &Question::label(&machine, "L"), &algorithm).text(&algorithm);
    let interface = text
        .find("// The program as section 4")
        .expect("the interface");
    expect![[r#"
        enum Module {0..1};
        // 0 f s0=x return
        // 1 main s0=a
        enum PC {0..4};
        class Local { bool s0; bool return; };
        class Global { bool g; };

        // the program may start at p of module m with locals l and globals g
        bool initial(Module m, PC p, Local l, Global g)
          m < p, p < l, p < g
        ( m=1 & ( // main
            p=0
          )
        );

        // a step within module m from p to q that is no call; locals l become k, globals g become h
        bool programInt(Module m, PC p, PC q, Local l, Local k, Global g, Global h)
          m < p, p ~+ q, p < l, p < g, l ~+ k, g ~+ h
        ( m=0 & ( // f
            p=0 & q=1 & (k.return <-> (l.s0 & g.g)) // 10: return x & g
          )
        | m=1 & ( // main
            p=0 & q=1 & k.s0=g.g // 5: a, g := g, *
          | p=2 & q=3 & l.s0 // 7: if (a)
          | p=2 & q=4 & !l.s0 // 7: if (a)
          | p=3 & q=4 // 7: L: skip
          )
        );

        // at p of module m, with locals l and globals g, n is called and may start with locals k
        bool programCall(Module m, Module n, PC p, Local l, Local k, Global g)
          m ~+ n, m < p, p < l, p < g, l ~+ k
        ( m=1 & ( // main
            n=0 & p=1 & (k.s0 <-> !l.s0) // 6: a := f(!a)
          )
        );

        // the call at p of module m goes on at q after its return
        bool SkipCall(Module m, PC p, PC q)
          m < p, p ~+ q
        ( m=1 & ( // main
            p=1 & q=2
          )
        );

        // what the call of n at p of m leaves alone: k and h after the return agree with l and g before; x is the exit of n
        bool SetReturn1(Module m, Module n, PC p, PC x, Local l, Local k, Global g, Global h)
          m ~+ n, m < p, p ~+ x, p < l, p < g, l ~+ k, g ~+ h
        ( m=1 & ( // main
            n=0 & p=1 & x=1
          )
        );

        // what the call at p of m gets from n: with locals l and globals g at the exit x of n, m goes on with k and h
        bool SetReturn2(Module m, Module n, PC p, PC x, Local l, Local k, Global g, Global h)
          m ~+ n, m < p, p ~+ x, p < l, p < g, l ~+ k, g ~+ h
        ( m=1 & ( // main
            n=0 & p=1 & x=1 & k.s0=l.return
          )
        );

        // l and k agree on the parameters of module m; its other locals start with any value
        bool CopyLocals(Module m, Local l, Local k)
          m < l, l ~+ k
        ( m=0 & ( // f
            k.s0=l.s0
          )
        | m=1 & ( // main
            1
          )
        );

        // g and h agree on the globals that module m, or a module that it calls, may touch
        bool CopyGlobals(Module m, Global g, Global h)
          m < g, g ~+ h
        ( m=0 & ( // f
            h.g=g.g
          )
        | m=1 & ( // main
            h.g=g.g
          )
        );

        // p is the exit of module m
        bool Exit(Module m, PC p)
          m < p
        ( m=0 & ( // f
            p=1
          )
        | m=1 & ( // main
            p=4
          )
        );

        // fewer bits go out of module m at its exit than come in at its entry
        bool ByExit(Module m)
        ( m=0 & ( // f
            1
          )
        | m=1 & ( // main
            1
          )
        );

        // it is asked whether p of module m can be reached
        bool Target(Module m, PC p)
          m < p
        ( m=1 & ( // main
            p=3
          )
        );

    "#]]
    .assert_eq(&text[..interface]);
}

/// Abbreviations of a system that are defined by themselves.
fn recursive_abbreviations(system: &System) -> Vec<&str> {
    let reads = |of: RelationId| {
        let mut pending = vec![system.relation(of).body];
        let mut seen = BTreeSet::new();
        let mut found = BTreeSet::new();
        while let Some(id) = pending.pop() {
            if !seen.insert(id) {
                continue;
            }
            match system.formula(id) {
                Formula::Apply(relation, _) => {
                    found.insert(*relation);
                }
                Formula::Constant(_) | Formula::Bit(..) => {}
                Formula::Not(a) | Formula::Exists(_, a) | Formula::Forall(_, a) => pending.push(*a),
                Formula::And(parts) | Formula::Or(parts) => pending.extend(parts),
                Formula::Iff(a, b) | Formula::Cofactor(_, a, b) => pending.extend([*a, *b]),
                Formula::Ite(c, a, b) => pending.extend([*c, *a, *b]),
            }
        }
        found
    };
    let is_recursive = |start: RelationId| {
        let mut pending: Vec<RelationId> = reads(start).into_iter().collect();
        let mut seen = BTreeSet::new();
        while let Some(relation) = pending.pop() {
            if seen.insert(relation) {
                pending.extend(reads(relation));
            }
        }
        seen.contains(&start)
    };
    let ids = (0..system.relations.len() as u32).map(RelationId);
    let abbreviations = ids.filter(|&id| system.relation(id).kind == RelationKind::Definition);
    let recursive = abbreviations.filter(|&id| is_recursive(id));
    recursive
        .map(|id| system.relation(id).name.as_str())
        .collect()
}

#[test]
fn what_is_written_has_nothing_that_mucke_refuses() {
    let machine = machine(
        "decl a, b; void main() begin a := (!a ? b : !b); f(); assert(a); end
        void f() begin if (!a) then f(); fi end",
    );
    let question = Question::assertions(&machine);
    let targets: Vec<_> = question.targets().iter().map(|t| t.node).collect();
    let sequential = BUILT_IN
        .iter()
        .filter(|known| known.kind == Kind::Sequential);
    let named = sequential.filter_map(|known| Algorithm::built_in(known.name));
    let mut texts: Vec<String> = named
        .map(|own| program(&machine, &question, &own).text(&own))
        .collect();
    let fixed = fixed(&machine, 1).expect("it has no threads of its own");
    for bound in [ThreadBound::Contexts(1), ThreadBound::Rounds(2)] {
        texts.push(ThreadProblem::new(&fixed, &targets, bound, None, Extent::Sliced).text());
    }
    for text in texts {
        assert!(!text.contains("!!"), "{text}");
        let read = load_text(&Source::new("problem.mu", &text));
        let system = read.system.expect("it is valid");
        assert_eq!(
            recursive_abbreviations(&system),
            Vec::<&str>::new(),
            "{text}"
        );
    }
}

#[test]
fn places_at_which_nothing_happens_have_no_program_counter_of_their_own() {
    let machine = machine(
        "decl g; void main() begin decl x; x := *; x := !x; if (*) then skip; else x := g; fi \
         skip; assume(g); skip; L: skip; skip; end",
    );
    let question = Question::label(&machine, "L");
    let places = |algorithm: &Algorithm| {
        let text = program(&machine, &question, algorithm).text(algorithm);
        let line = text.lines().find(|line| line.starts_with("enum PC"));
        line.map(str::to_owned)
    };
    let built_in = Algorithm::built_in("entry-forward").expect("its own name");
    // The entry, the assumption, the label and the exit.
    assert_eq!(places(&built_in).as_deref(), Some("enum PC {0..3};"));
    let own = Algorithm::own("own.mu", &built_in.text, Vec::new());
    assert_ne!(places(&own), places(&built_in));
}

#[test]
fn the_formula_for_threads_keeps_the_globals_of_all_switches_but_the_last() {
    let machine = machine(
        "decl g; thread a begin void main() begin g := 1; end end \
         thread b begin void main() begin assert(!g); end end",
    );
    let targets: Vec<_> = machine.assertions.iter().map(|a| a.failure).collect();
    let fixed = fixed(&machine, 4).expect("its threads run from the start");
    let copies = |switches: u32| {
        let bound = ThreadBound::Contexts(switches);
        let text = ThreadProblem::new(&fixed, &targets, bound, None, Extent::Sliced).text();
        let line = text.lines().find(|line| line.starts_with("class Earlier"));
        line.map(|line| line.matches("Shared g").count())
    };
    // With those of `u` and `v` that is one more than there are switches.
    assert_eq!([1, 2, 5].map(copies), [0, 1, 4].map(Some));
}
