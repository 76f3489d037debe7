use hardbop_calculus::{Algorithm, CalculusEngine};
use hardbop_outcome::{Budget, Engine, Query, Silent, Verdict};
#[test]
fn perf() {
    let Ok(file) = std::env::var("PERF_FILE") else {
        return;
    };
    let text = std::fs::read_to_string(&file).unwrap();
    let t = std::time::Instant::now();
    let machine = hardbop_machine::from_text("x.bp", &text).unwrap();
    println!("front {:?}", t.elapsed());
    let label = std::env::var("PERF_LABEL").unwrap_or_default();
    let query = if label.is_empty() {
        Query::assertions(&machine)
    } else {
        Query::label(&machine, &label)
    };
    for name in std::env::var("PERF_ALG").unwrap().split(',') {
        let algorithm = Algorithm::built_in(name).unwrap();
        let nodes: Vec<_> = query.targets.iter().map(|t| t.node).collect();
        let t = std::time::Instant::now();
        let program =
            hardbop_calculus::Program::new(&machine, machine.threads[0].entry, &nodes, &nodes);
        println!("relations {:?}", t.elapsed());
        let t = std::time::Instant::now();
        let text = program.text(&algorithm);
        println!("text {:?} {} bytes", t.elapsed(), text.len());
        if let Ok(out) = std::env::var("PERF_OUT") {
            std::fs::write(out, &text).unwrap();
        }
        let t = std::time::Instant::now();
        let parsed = hardbop_formula::load_text(&hardbop_syntax::Source::new("a.mu", &text));
        println!("parse {:?} ok {}", t.elapsed(), parsed.system.is_some());
        for d in parsed.diagnostics.iter().take(5) {
            println!("{} {}", d.message, parsed.sources.describe(d.primary.span));
        }
        let t = std::time::Instant::now();
        let checked = program.system(&algorithm);
        println!("system {:?}", t.elapsed());
        let system = checked.system.unwrap();
        let t = std::time::Instant::now();
        let mut solver =
            hardbop_fixpoint::Solver::new(&system, &Default::default(), &Default::default());
        println!("solver new {:?}", t.elapsed());
        let t = std::time::Instant::now();
        let hardbop_formula::system::ActionKind::Query(q) = system.actions.last().unwrap().kind
        else {
            panic!()
        };
        println!("query {:?} {:?}", solver.query(q), t.elapsed());
        let s = solver.statistics();
        println!("vars {} peak {} work {}", s.variables, s.peak, s.work);
        for r in s.relations {
            println!(
                "   {} rounds {} evals {} nodes {}",
                r.name, r.rounds, r.evaluations, r.nodes
            );
        }
        let engine = CalculusEngine { algorithm };
        let t = std::time::Instant::now();
        let outcome = engine.check(&machine, &query, &Budget::unlimited(), &mut Silent);
        println!("{name}: engine {:?} {:?}", t.elapsed(), outcome.statistics);
        for a in &outcome.answers {
            println!(
                "{} {}",
                a.target.kind,
                match &a.verdict {
                    Verdict::Reachable { trace } => format!(
                        "reachable {:?}",
                        hardbop_interpreter::replay(&machine, trace).is_ok()
                    ),
                    v => format!("{v:?}"),
                }
            );
        }
    }
}
