//! Every operation against truth tables, on random functions of a few variables.

use crate::{Bdd, Exhausted, Manager, PlanBuilder};

const VARIABLES: u32 = 6;

/// A function as a table of its 64 values.
type Truth = u64;

fn variable_truth(variable: u32) -> Truth {
    (0..64)
        .filter(|row| row >> variable & 1 == 1)
        .fold(0, |t, row| t | 1 << row)
}

fn truth(manager: &Manager<'_>, f: Bdd) -> Truth {
    let value = |row: u64| manager.eval(f, |v| row >> v & 1 == 1);
    (0..64)
        .filter(|&row| value(row))
        .fold(0, |t, row| t | 1 << row)
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// Pairs of functions with their truth tables, built by random operations.
fn random_functions(manager: &mut Manager<'_>, seed: u64) -> Vec<(Bdd, Truth)> {
    let mut random = Random(seed);
    let mut known: Vec<(Bdd, Truth)> = (0..VARIABLES)
        .map(|v| (manager.variable(v).unwrap(), variable_truth(v)))
        .collect();
    for _ in 0..60 {
        let (f, tf) = known[random.below(known.len())];
        let (g, tg) = known[random.below(known.len())];
        let (h, th) = known[random.below(known.len())];
        known.push(match random.below(5) {
            0 => (manager.and(f, g).unwrap(), tf & tg),
            1 => (manager.or(f, g).unwrap(), tf | tg),
            2 => (manager.xor(f, g).unwrap(), tf ^ tg),
            3 => (manager.ite(f, g, h).unwrap(), (tf & tg) | (!tf & th)),
            _ => (!f, !tf),
        });
    }
    known
}

#[test]
fn operations_agree_with_truth_tables_and_equal_functions_are_equal_handles() {
    for seed in 0..40 {
        let mut manager = Manager::new(1 << 20);
        let known = random_functions(&mut manager, seed);
        for &(f, table) in &known {
            assert_eq!(truth(&manager, f), table);
            assert!((manager.count(f, VARIABLES) - f64::from(table.count_ones())).abs() < 1e-6);
            for &(g, other) in &known {
                assert_eq!(f == g, table == other);
            }
            match manager.pick(f) {
                None => assert_eq!(table, 0),
                Some(chosen) => {
                    let fits = |v: u32| chosen.iter().any(|&(c, value)| c == v && value);
                    assert!(manager.eval(f, fits));
                }
            }
        }
    }
}

#[test]
fn a_relational_product_conjoins_quantifies_and_renames() {
    for seed in 0..40 {
        let mut manager = Manager::new(1 << 20);
        let known = random_functions(&mut manager, seed);
        let mut random = Random(seed + 1000);
        for _ in 0..30 {
            let (f, tf) = known[random.below(known.len())];
            let (g, tg) = known[random.below(known.len())];
            // Quantify two variables and rename two others onto them, crossing or not.
            let mut order: Vec<u32> = (0..VARIABLES).collect();
            for i in (1..order.len()).rev() {
                order.swap(i, random.below(i + 1));
            }
            let mut builder = PlanBuilder::new();
            builder.quantify(order[0]).quantify(order[1]);
            builder
                .rename(order[2], order[0])
                .rename(order[3], order[1]);
            let plan = builder.build(&mut manager);
            let result = manager.relprod(f, g, &plan).unwrap();

            let both = tf & tg;
            let mut expected: Truth = 0;
            for row in (0..64_u64).filter(|row| both >> row & 1 == 1) {
                let bit = |v: u32| row >> v & 1;
                for free in 0..4_u64 {
                    let renamed = bit(order[2]) << order[0] | bit(order[3]) << order[1];
                    let kept = bit(order[4]) << order[4] | bit(order[5]) << order[5];
                    let old = (free & 1) << order[2] | (free >> 1) << order[3];
                    expected |= 1 << (renamed | kept | old);
                }
            }
            assert_eq!(truth(&manager, result), expected);
        }
    }
}

/// The row at which the constraint holds that is nearest: variables above count more than all below.
fn nearest(care: Truth, row: u64) -> u64 {
    let distance = |other: u64| {
        let differs = |v: u32| (row ^ other) >> v & 1;
        (0..VARIABLES).fold(0, |sum, v| sum << 1 | differs(v))
    };
    let rows = (0..64).filter(|&other| care >> other & 1 == 1);
    rows.min_by_key(|&other| distance(other)).unwrap()
}

#[test]
fn generalised_cofactors_agree_where_they_must_and_are_muckes_functions_elsewhere() {
    for seed in 0..20 {
        let mut manager = Manager::new(1 << 20);
        let known = random_functions(&mut manager, seed);
        for &(f, tf) in &known[10..] {
            for &(g, tg) in &known[10..] {
                let constrained = manager.constrain(f, g).unwrap();
                let restricted = manager.restrict(f, g).unwrap();
                if tg == 0 {
                    assert_eq!((constrained, restricted), (Bdd::FALSE, Bdd::FALSE));
                    continue;
                }
                let moved = (0..64).filter(|&row| tf >> nearest(tg, row) & 1 == 1);
                let moved = moved.fold(0, |t, row| t | 1 << row);
                assert_eq!(truth(&manager, constrained), moved);
                assert_eq!(truth(&manager, restricted) & tg, tf & tg);
                let of_f = manager.support(f);
                let support = manager.support(restricted);
                assert!(support.iter().all(|variable| of_f.contains(variable)));
            }
        }
    }
}

#[test]
fn a_copy_takes_the_place_of_a_quantified_variable_in_one_step() {
    // Variables 0, 2, 4 are copies of 1, 3, 5, or the other way round.
    for (from, to) in [(1, 0), (0, 1)] {
        let mut manager = Manager::new(1 << 10);
        let mut builder = PlanBuilder::new();
        let (mut parity, mut expected, mut copies) = (Bdd::FALSE, Bdd::FALSE, Bdd::TRUE);
        for pair in [0, 2, 4] {
            let [x, y] = [from, to].map(|at| manager.variable(pair + at).unwrap());
            parity = manager.xor(parity, x).unwrap();
            expected = manager.xor(expected, y).unwrap();
            let equal = manager.iff(x, y).unwrap();
            copies = manager.and(copies, equal).unwrap();
            builder.quantify(pair + from);
        }
        let plan = builder.build(&mut manager);
        let before = manager.work();
        assert_eq!(manager.relprod(parity, copies, &plan).unwrap(), expected);
        // Two nodes of the parity on each level but the first.
        assert!(manager.work() - before <= 5, "{}", manager.work() - before);
    }
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "was freed by a collection")]
fn a_handle_that_no_root_kept_is_noticed() {
    let mut manager = Manager::new(1 << 10);
    let [x, y] = [0, 1].map(|variable| manager.variable(variable).unwrap());
    let lost = manager.and(x, y).unwrap();
    manager.collect(&x);
    manager.size(lost);
}

#[test]
fn collection_keeps_the_roots_and_frees_the_rest() {
    let mut manager = Manager::new(1 << 20);
    let known = random_functions(&mut manager, 7);
    let (root, table) = known[known.len() - 1];
    let before = manager.node_count();
    manager.collect(&root);
    assert_eq!(manager.node_count(), manager.size(root) + 1);
    assert!(manager.node_count() < before);
    assert_eq!(truth(&manager, root), table);
    for (f, table) in random_functions(&mut manager, 8) {
        assert_eq!(truth(&manager, f), table);
    }
    assert_eq!(truth(&manager, root), table);
}

/// The parity of the first `count` variables taken in pairs far apart: exponential in this order.
fn distant_pairs(manager: &mut Manager<'_>, count: u32) -> Result<Bdd, Exhausted> {
    let mut all = Bdd::TRUE;
    for v in 0..count {
        let (f, g) = (manager.variable(v)?, manager.variable(v + count)?);
        let equal = manager.iff(f, g)?;
        all = manager.and(all, equal)?;
    }
    Ok(all)
}

#[test]
fn running_out_is_reported_and_the_manager_stays_usable() {
    let mut manager = Manager::new(2000);
    assert_eq!(distant_pairs(&mut manager, 16), Err(Exhausted::Nodes));
    manager.collect(&None::<Bdd>);
    let small = distant_pairs(&mut manager, 4).unwrap();
    assert_eq!(manager.support(small).len(), 8);

    let mut manager = Manager::new(1 << 24);
    manager.set_work_limit(5000);
    assert_eq!(distant_pairs(&mut manager, 16), Err(Exhausted::Work));
    manager.set_work_limit(u64::MAX);
    assert!(distant_pairs(&mut manager, 10).is_ok());

    let interrupt = || true;
    let mut manager = Manager::new(1 << 24).with_interrupt(&interrupt);
    assert_eq!(distant_pairs(&mut manager, 16), Err(Exhausted::Interrupted));
}

/// The nodes that the functions have together, with the constant.
fn nodes_together(manager: &Manager<'_>, functions: &[(Bdd, Truth)]) -> usize {
    let mut seen = std::collections::BTreeSet::from([Bdd::TRUE]);
    let mut pending: Vec<Bdd> = functions.iter().map(|&(f, _)| f).collect();
    while let Some(f) = pending.pop() {
        if seen.insert(f.regular())
            && let Some((_, low, high)) = manager.branch(f)
        {
            pending.extend([low, high]);
        }
    }
    seen.len()
}

/// Some operation on known functions. `Ok` has the truth table that the result must have.
fn random_operation(
    manager: &mut Manager<'_>,
    known: &[(Bdd, Truth)],
    random: &mut Random,
) -> Result<(Bdd, Truth), Exhausted> {
    let variable = random.below(VARIABLES as usize) as u32;
    if known.len() < 3 {
        return Ok((manager.variable(variable)?, variable_truth(variable)));
    }
    let (f, tf) = known[random.below(known.len())];
    let (g, tg) = known[random.below(known.len())];
    let (h, th) = known[random.below(known.len())];
    Ok(match random.below(6) {
        0 => (manager.variable(variable)?, variable_truth(variable)),
        1 => (manager.and(f, !g)?, tf & !tg),
        2 => (manager.xor(f, g)?, tf ^ tg),
        3 => (manager.ite(f, g, h)?, (tf & tg) | (!tf & th)),
        4 => {
            let mut builder = PlanBuilder::new();
            builder.quantify(variable);
            let plan = builder.build(manager);
            let (both, ones) = (tf & tg, variable_truth(variable));
            let (zero, one) = (both & !ones, both & ones);
            let expected = both | zero << (1 << variable) | one >> (1 << variable);
            (manager.relprod(f, g, &plan)?, expected)
        }
        _ => {
            let both = manager.and(f, g)?;
            (manager.constrain(both, f)?, 0)
        }
    })
}

#[test]
fn results_stay_right_through_collections_and_limits() {
    let (mut collections, mut continued) = (0, 0);
    for seed in 0..60 {
        let mut random = Random(seed);
        let limit = 30 + random.below(200);
        let mut manager = Manager::new(limit);
        let mut known: Vec<(Bdd, Truth)> = Vec::new();
        for _ in 0..400 {
            manager.set_work_limit(manager.work() + 1 + random.below(30) as u64);
            let before = random.0;
            let mut made = random_operation(&mut manager, &known, &mut random);
            while made == Err(Exhausted::Work) {
                continued += 1;
                manager.set_work_limit(manager.work() + 1 + continued % 30);
                random.0 = before;
                made = random_operation(&mut manager, &known, &mut random);
            }
            assert!(manager.node_count() <= limit && manager.peak() <= limit);
            match made {
                // The values of a cofactor outside its care set are another test's affair.
                Ok((_, 0)) => {}
                Ok((f, table)) => {
                    assert_eq!(truth(&manager, f), table);
                    for &(g, other) in &known {
                        assert_eq!(f == g, table == other);
                    }
                    known.push((f, table));
                }
                Err(why) => {
                    assert_eq!((why, manager.node_count()), (Exhausted::Nodes, limit));
                    collections += 1;
                    for _ in 0..known.len().div_ceil(2) {
                        known.swap_remove(random.below(known.len()));
                    }
                    let roots: Vec<Bdd> = known.iter().map(|&(f, _)| f).collect();
                    manager.collect(&roots);
                    assert_eq!(manager.node_count(), nodes_together(&manager, &known));
                    for &(f, table) in &known {
                        assert_eq!(truth(&manager, f), table);
                    }
                }
            }
        }
    }
    assert!(
        collections > 500 && continued > 500,
        "{collections} {continued}"
    );
}

#[test]
fn equal_functions_are_equal_handles_while_tables_grow() {
    let mut manager = Manager::new(1 << 20);
    let forwards = distant_pairs(&mut manager, 13).unwrap();
    let mut backwards = Bdd::TRUE;
    for v in (0..13).rev() {
        let [f, g] = [v, v + 13].map(|at| manager.variable(at).unwrap());
        let equal = manager.iff(f, g).unwrap();
        backwards = manager.and(equal, backwards).unwrap();
    }
    assert!(manager.node_count() > 1 << 14, "{}", manager.node_count());
    assert_eq!(forwards, backwards);
    manager.collect(&forwards);
    assert_eq!(manager.node_count(), manager.size(forwards) + 1);
    assert_eq!(distant_pairs(&mut manager, 13).unwrap(), forwards);
}

#[test]
fn work_that_makes_no_nodes_lets_the_computed_table_grow() {
    let mut manager = Manager::new(1 << 20);
    let room = manager.cache.room();
    // Nodes are made all the time: nothing is wrong.
    for variable in 0..room as u32 - 10 {
        manager.variable(variable).expect("there is room");
        for _ in 0..7 {
            manager.spend().expect("there is no limit");
        }
    }
    assert_eq!(manager.cache.room(), room);
    for _ in 0..16 * room {
        manager.spend().expect("there is no limit");
    }
    assert!(manager.cache.room() >= 2 * room);
}
