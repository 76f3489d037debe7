//! Times the forward search on one file.
use hardbop_bdd::Manager;
use hardbop_machine::analysis::{CallGraph, Slice};
use hardbop_summary::{forward::Forward, interface::Interfaces, space::Space};
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let label = std::env::args().nth(2);
    let t = std::time::Instant::now();
    let machine =
        hardbop_machine::from_text(&path, &std::fs::read_to_string(&path).unwrap()).unwrap();
    let query = match label {
        Some(l) => hardbop_outcome::Query::label(&machine, &l),
        None => hardbop_outcome::Query::assertions(&machine),
    };
    println!("front {:?}", t.elapsed());
    let t = std::time::Instant::now();
    let space = Space::new(&machine);
    let targets: Vec<_> = query.targets.iter().map(|t| t.node).collect();
    let slice = Slice::new(&machine, &CallGraph::new(&machine), &targets);
    let visible = |p, v| slice.relevant(p, v);
    let interfaces = Interfaces::new(&machine, &space, &visible);
    println!("analyses {:?}", t.elapsed());
    let t = std::time::Instant::now();
    let limit = || t.elapsed().as_secs() > 10;
    let mut forward = Forward::new(
        &machine,
        &space,
        &interfaces,
        &visible,
        Manager::new(1 << 27).with_interrupt(&limit),
    );
    forward.start().unwrap();
    let result = forward.run(&targets);
    let reached = targets.iter().filter(|t| forward.is_reached(**t)).count();
    if std::env::args().nth(3).is_some() || true {
        let t = std::time::Instant::now();
        let limit = || t.elapsed().as_secs() > 10;
        let mut back = hardbop_summary::backward::Backward::new(
            &machine,
            &space,
            &interfaces,
            &visible,
            targets.clone(),
            Manager::new(1 << 27).with_interrupt(&limit),
        );
        back.start().unwrap();
        let r = back.run();
        println!(
            "backward {r:?} visits {} peak {} work {} {:?}",
            back.visits,
            back.manager.peak(),
            back.manager.work(),
            t.elapsed()
        );
    }
    for portion in [20, 100, 400, 1000] {
        let t = std::time::Instant::now();
        let limit = || t.elapsed().as_secs() > 20;
        let mut f2 = Forward::new(
            &machine,
            &space,
            &interfaces,
            &visible,
            Manager::new(1 << 27).with_interrupt(&limit),
        )
        .in_portions(portion);
        f2.start().unwrap();
        let mut r2 = Ok(hardbop_summary::forward::Progress::Complete);
        let mut w = 0;
        while targets.iter().all(|t| !f2.is_reached(*t)) {
            w += 20000;
            f2.manager.set_work_limit(w);
            r2 = f2.run(&targets[..]);
            if !matches!(r2, Err(hardbop_bdd::Exhausted::Work)) {
                break;
            }
        }
        let reached = targets.iter().filter(|t| f2.is_reached(**t)).count();
        println!(
            "portions {portion} {r2:?} reached {reached} visits {} peak {} work {} {:?}",
            f2.visits,
            f2.manager.peak(),
            f2.manager.work(),
            t.elapsed()
        );
    }
    println!(
        "{result:?} reached {reached}/{} visits {} peak {} work {} {:?}",
        targets.len(),
        forward.visits,
        forward.manager.peak(),
        forward.manager.work(),
        t.elapsed()
    );
}
