//! The page about performance: who decides what, who is first, how it grows, and how peers do
//! beside hardbop. Every sentence is made from the records.
//!
//! [`standings`](crate::standings) has the sentences about single contenders.

use crate::document::{Block, Document};
use crate::growth_table::{self, all_series, fit};
use crate::measure::Measure;
use crate::plot;
use crate::quantity;
use crate::record::{End, Kind, Record};
use crate::run::Run;
use crate::standings::{answers, best, common, in_short, portrait};
use crate::table::{Align, Table};

/// What a page says whose run was ended early.
const INCOMPLETE: &str = "**This page is incomplete**: the run was interrupted, and programs that \
                          would have come later are missing.";

/// The page of a benchmark.
pub fn page(run: &Run) -> Document {
    let cases: Vec<&[Record]> = by_case(&run.records).collect();
    let mut blocks = vec![
        Block::Heading(1, "Performance".to_owned()),
        Block::Text(format!(
            "This page was made by `{}`, tables, plots and sentences alike. It puts the engines of \
             hardbop {} beside each other and beside other tools, on generated programs whose \
             answers are known; `hardbop generate --list` describes them, and every answer was \
             held against the known one.",
            run.command, run.hardbop
        )),
        Block::Text(format!(
            "Measured on {}. {} {} Other tools get the program as `hardbop export` writes it for \
             them; writing it is not part of their time.",
            run.host, run.limits, run.counted_by
        )),
    ];
    if run.is_incomplete {
        blocks.push(Block::Text(INCOMPLETE.to_owned()));
    }
    for (name, why) in &run.absent {
        blocks.push(Block::Text(format!("Not measured: {name}, {why}.")));
    }
    blocks.push(Block::Heading(2, "In short".to_owned()));
    blocks.extend(in_short(&cases).into_iter().map(Block::Text));
    blocks.push(Block::Heading(2, "Who is first".to_owned()));
    blocks.push(Block::Text(
        "The largest member of every family that anything has decided, the engine that needs \
         least for it, and the best of the other tools. `decided by` counts those that have an \
         answer among those that take the program. A ratio above 1 means that the other tool needs \
         more than the engine."
            .to_owned(),
    ));
    blocks.push(Block::Table(winners(&run.records)));
    blocks.push(Block::Heading(2, "What each is good at".to_owned()));
    for contender in contenders(&run.records) {
        blocks.push(Block::Text(portrait(contender, &cases)));
    }
    let peers: Vec<&str> = contenders(&run.records)
        .into_iter()
        .filter(|name| cases.iter().any(|case| is_peer(case, name)))
        .collect();
    if !peers.is_empty() {
        blocks.push(Block::Heading(2, "Other tools beside hardbop".to_owned()));
        let unit = if has_instructions(&run.records) {
            "Ratios of wall times are marked with a `t`, all others are of instructions."
        } else {
            "All are ratios of wall times."
        };
        blocks.push(Block::Text(format!(
            "What each needs as a multiple of the best engine: above 1 hardbop is ahead, below 1 \
             the other tool is. {unit} `>` marks a tool that was stopped at the time limit; larger \
             members of the family are then `skipped`. `no answer` is a tool that gave up, `error` \
             one that failed, and `n/a` one for which the program cannot be written. Programs that \
             no other tool takes are left out."
        )));
        blocks.push(Block::Table(ratios(&cases, &peers)));
    }
    for family in run.records.chunk_by(|a, b| a.case.name == b.case.name) {
        section(&mut blocks, family);
    }
    let growth = growth_table::table(&run.records);
    if !growth.is_empty() {
        blocks.push(Block::Heading(2, "Exponents of growth".to_owned()));
        blocks.push(Block::Text(
            "The exponent of the power law that fits best, for every series with two sizes or \
             more: 1 is linear, 2 quadratic. Times below 10 ms are left out, since they are mostly \
             the start of a process; `-` means that fewer than two are left. Peak memory contains \
             that of an empty process, so its exponents are low. The last column has the engine's \
             own counters of work, where they grow."
                .to_owned(),
        ));
        blocks.push(Block::Table(growth));
    }
    Document { blocks }
}

fn by_case(records: &[Record]) -> impl Iterator<Item = &[Record]> {
    records.chunk_by(|one, other| one.case == other.case)
}

fn contenders(records: &[Record]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for record in records {
        if !names.contains(&record.contender.as_str()) {
            names.push(&record.contender);
        }
    }
    names
}

fn is_peer(case: &[Record], name: &str) -> bool {
    case.iter()
        .any(|record| record.contender == name && record.kind == Kind::Peer)
}

/// A figure with what it is a figure of, if it is a time.
fn figure(record: &Record) -> String {
    let measure = match record.instructions {
        Some(_) => Measure::Instructions,
        None => Measure::Wall,
    };
    measure.cell(record)
}

fn winners(records: &[Record]) -> Table {
    let mut table = Table::new([
        ("program", Align::Left),
        ("size", Align::Right),
        ("decided by", Align::Left),
        ("best engine", Align::Left),
        ("", Align::Right),
        ("best other tool", Align::Left),
        ("", Align::Right),
        ("ratio", Align::Right),
    ]);
    let marks_times = has_instructions(records);
    for family in records.chunk_by(|a, b| a.case.name == b.case.name) {
        let is_decided = |case: &&[Record]| case.iter().any(Record::is_answered);
        let Some(case) = by_case(family).filter(is_decided).last() else {
            table.row([family[0].case.title(), String::new(), "none".to_owned()]);
            continue;
        };
        let (engine, peer) = (
            best(answers(case, Kind::Engine)),
            best(answers(case, Kind::Peer)),
        );
        let suited = case
            .iter()
            .filter(|record| record.best().end != End::Unsuited);
        let shown = |record: Option<&Record>| {
            let name = record.map(|record| record.contender.clone());
            [
                name.unwrap_or_default(),
                record.map(figure).unwrap_or_default(),
            ]
        };
        let [engine_name, engine_figure] = shown(engine);
        let [peer_name, peer_figure] = shown(peer);
        let ratio = engine
            .zip(peer)
            .and_then(|(engine, peer)| ratio(peer, engine, marks_times));
        let decided = case.iter().filter(|record| record.is_answered()).count();
        table.row([
            case[0].case.title(),
            case[0]
                .case
                .size
                .map(|size| size.to_string())
                .unwrap_or_default(),
            format!("{decided} of {}", suited.count()),
            engine_name,
            engine_figure,
            peer_name,
            peer_figure,
            ratio.unwrap_or_default(),
        ]);
    }
    table
}

/// A ratio, marked if it is one of times among others.
fn ratio(record: &Record, first: &Record, marks_times: bool) -> Option<String> {
    let measure = common(record, first);
    let ratio = measure.ratio(record, first)?;
    Some(match measure {
        Measure::Instructions => ratio,
        _ if marks_times => ratio + " t",
        _ => ratio,
    })
}

fn has_instructions(records: &[Record]) -> bool {
    records.iter().any(|record| record.instructions.is_some())
}

fn ratios(cases: &[&[Record]], peers: &[&str]) -> Table {
    let mut columns = vec![
        ("program", Align::Left),
        ("size", Align::Right),
        ("best engine", Align::Left),
        ("", Align::Right),
    ];
    columns.extend(peers.iter().map(|&peer| (peer, Align::Right)));
    let mut table = Table::new(columns);
    let marks_times = cases.iter().any(|case| has_instructions(case));
    for case in cases {
        let Some(engine) = best(answers(case, Kind::Engine)) else {
            continue;
        };
        let takes =
            |record: &Record| record.kind == Kind::Peer && record.best().end != End::Unsuited;
        if !case.iter().any(takes) {
            continue;
        }
        let mut cells = vec![
            case[0].case.title(),
            case[0]
                .case
                .size
                .map(|size| size.to_string())
                .unwrap_or_default(),
            engine.contender.clone(),
            figure(engine),
        ];
        cells.extend(peers.iter().map(|&peer| {
            let record = case.iter().find(|record| record.contender == peer);
            record.map_or_else(String::new, |record| {
                ratio(record, engine, marks_times).unwrap_or_else(|| Measure::Wall.cell(record))
            })
        }));
        table.row(cells);
    }
    table
}

/// The section of one family: plots, and a line per contender.
fn section(blocks: &mut Vec<Block>, family: &[Record]) {
    let name = &family[0].case.name;
    blocks.push(Block::Heading(2, family[0].case.title()));
    if let Some(known) = hardbop_families::find(name) {
        let answer = family[0].case.expected.map_or("unknown", |v| v.word());
        blocks.push(Block::Text(format!("{} Answer: {answer}.", known.about)));
    }
    let series = all_series(family);
    let mut measures = vec![Measure::Instructions, Measure::Wall, Measure::Memory];
    measures.retain(|measure| family.iter().any(|r| measure.of_answer(r).is_some()));
    for &measure in &measures {
        if let Some(svg) = plot::svg(name, &series, measure) {
            let what = measure.name();
            blocks.push(Block::Plot {
                file: format!("{name}-{}.svg", what.replace(' ', "-")).replace('/', "-"),
                caption: format!("{name}: {what} by size"),
                svg,
            });
        }
    }
    let cases: Vec<&[Record]> = by_case(family).collect();
    for measure in measures {
        let mut columns = vec![(measure.name().to_owned(), Align::Left)];
        columns.extend(cases.iter().map(|case| {
            let size = case[0].case.size.map(|size| size.to_string());
            (size.unwrap_or_default(), Align::Right)
        }));
        columns.push(("exponent".to_owned(), Align::Right));
        let mut table = Table::new(columns);
        for contender in contenders(family) {
            let of = |case: &&[Record]| {
                let record = case.iter().find(|record| record.contender == contender);
                record.map_or_else(String::new, |record| measure.cell(record))
            };
            let unsuited = |case: &&[Record]| {
                let mut records = case.iter().filter(|record| record.contender == contender);
                records.all(|record| record.best().end == End::Unsuited)
            };
            if cases.iter().all(unsuited) {
                continue;
            }
            let own = series.iter().find(|own| own[0].contender == contender);
            let fit = own.and_then(|own| fit(own, measure));
            let mut cells = vec![contender.to_owned()];
            cells.extend(cases.iter().map(of));
            cells.push(quantity::or_nothing(fit, |fit| {
                quantity::exponent(fit.exponent)
            }));
            table.row(cells);
        }
        blocks.push(Block::Table(table));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::tests::assert_well_formed;
    use crate::record::Sample;
    use crate::record::tests::record;
    use expect_test::expect;

    fn run() -> Run {
        let peer = |size, millis: u64| Record {
            kind: Kind::Peer,
            ..record("tn", size, "moped", &[millis])
        };
        let counted = |mut record: Record, count| {
            record.instructions = Some(count);
            record
        };
        let mut stopped = record("tn", 800, "sat", &[1]);
        stopped.samples = vec![Sample::ended(End::TimedOut)];
        Run {
            hardbop: "0.1.0".to_owned(),
            host: "a machine".to_owned(),
            command: "hardbop bench --page x.md".to_owned(),
            absent: vec![("cbmc".to_owned(), "it was not found".to_owned())],
            records: vec![
                record("tn", 200, "auto", &[30]),
                counted(record("tn", 200, "summary", &[20]), 5_000_000),
                record("tn", 200, "sat", &[10]),
                counted(peer(200, 90), 2_000_000),
                record("tn", 800, "auto", &[100]),
                record("tn", 800, "summary", &[80]),
                stopped,
                peer(800, 160),
            ],
            ..Run::new()
        }
    }

    #[test]
    fn peers_are_held_against_the_best_engine_in_what_both_have() {
        let run = run();
        let cases: Vec<&[Record]> = by_case(&run.records).collect();
        expect![[r"
            program  size  best engine            moped
            -------  ----  -----------  ------  -------
            tn        200  sat          10.0ms  9.00x t
            tn        800  summary      80.0ms  2.00x t
        "]]
        .assert_eq(&ratios(&cases, &["moped"]).render());
        expect![[r"
            program  size  decided by  best engine          best other tool           ratio
            -------  ----  ----------  -----------  ------  ---------------  -----  -------
            tn        800  3 of 4      summary      80.0ms  moped            160ms  2.00x t
        "]]
        .assert_eq(&winners(&run.records).render());
        let both: Vec<Record> = run
            .records
            .iter()
            .filter(|record| record.instructions.is_some())
            .cloned()
            .collect();
        let table = ratios(&[&both], &["moped"]).render();
        assert!(table.contains("0.40x\n"), "{table}");
    }

    #[test]
    fn the_page_of_a_run_that_was_interrupted_says_so() {
        let whole = page(&run());
        let part = page(&Run {
            is_incomplete: true,
            ..run()
        });
        for (page, is_said) in [(whole, false), (part, true)] {
            assert_eq!(page.html().contains("This page is incomplete"), is_said);
            let (text, _) = page.markdown("performance");
            assert_eq!(text.contains("This page is incomplete"), is_said);
        }
    }

    #[test]
    fn the_page_is_well_formed_and_names_what_is_absent() {
        let page = page(&run());
        let html = page.html();
        assert_well_formed(&html);
        assert!(html.contains("Not measured: cbmc, it was not found."));
        assert!(html.contains("<svg "));
        let (text, pictures) = page.markdown("performance");
        assert!(text.contains("(performance/tn-wall-time.svg)"), "{text}");
        assert!(pictures.iter().any(|(name, _)| name == "tn-wall-time.svg"));
        assert!(
            text.lines()
                .all(|line| line.starts_with(['|', '!']) || line.len() <= 100)
        );
    }
}
