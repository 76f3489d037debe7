//! Sequential programs with their targets: generated ones and the examples.

use hardbop_machine::{Machine, from_text};
use hardbop_outcome::Target;
use hardbop_testkit::{Knobs, generate};

/// Programs with assertions, with their names.
pub fn generated(seeds: std::ops::Range<u64>) -> Vec<(String, Machine, Vec<Target>)> {
    let knobs = [
        ("tiny", Knobs::tiny()),
        ("sequential", Knobs::sequential()),
        ("recursive", Knobs::recursive()),
        ("integers", Knobs::integers()),
        ("words", Knobs::words()),
    ];
    let each = seeds.flat_map(|seed| knobs.iter().map(move |(name, knobs)| (seed, *name, knobs)));
    let programs = each.filter_map(|(seed, name, knobs)| {
        let machine = from_text("random.bp", &generate(seed, knobs));
        let machine = machine.expect("generated programs are good");
        let mut targets = Target::assertions(&machine);
        targets.extend(Target::labels(&machine, "TARGET"));
        let is_good = machine.is_sequential() && !targets.is_empty();
        is_good.then(|| (format!("{name} {seed}"), machine, targets))
    });
    programs.collect()
}

/// The sequential examples that have assertions or labels.
pub fn examples() -> Vec<(String, Machine, Vec<Target>)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let entries = std::fs::read_dir(folder).expect("the examples are there");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("it can be read").path())
        .collect();
    paths.sort();
    let programs = paths.into_iter().filter_map(|path| {
        let name = path.file_name()?.to_str()?.to_owned();
        if !matches!(path.extension()?.to_str()?, "bp" | "gp") {
            return None;
        }
        let text = std::fs::read_to_string(&path).expect("an example can be read");
        let machine = from_text(&name, &text).expect("an example is good");
        let targets = Target::all(&machine);
        let is_good = machine.is_sequential() && !targets.is_empty();
        is_good.then_some((name, machine, targets))
    });
    programs.collect()
}
