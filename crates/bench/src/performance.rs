//! The page about performance: who decides what, who is first, how it grows, and how peers do
//! beside hardbop. Every sentence is made from the records.
//!
//! Instructions are compared where both have them, wall times elsewhere: instructions are nearly
//! the same in every run, however busy the machine is. The portfolio, `auto`, is not counted among
//! the engines that can be first, since it consists of them.

use crate::auto_table::AUTO;
use crate::document::{Block, Document};
use crate::fit::Fit;
use crate::growth_table::{self, all_series, points};
use crate::measure::Measure;
use crate::plot;
use crate::quantity;
use crate::record::{End, Kind, Record};
use crate::run::Run;
use crate::table::{Align, Table};
use std::fmt::Write;

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
             them; writing it is not part of their time. Runs of a few milliseconds consist mostly \
             of the start of a process, which is why exponents below 1 appear: the slope at large \
             sizes counts.",
            run.host, run.limits, run.counted_by
        )),
    ];
    if run.is_incomplete {
        blocks.push(Block::Text(INCOMPLETE.to_owned()));
    }
    for (name, why) in &run.absent {
        blocks.push(Block::Text(format!("Not measured: {name}, {why}.")));
    }
    blocks.push(Block::Heading(2, "Who is first".to_owned()));
    blocks.push(Block::Text(
        "The largest member of every family that anything has decided, the engine that needs \
         least for it, and the best of the other tools. A ratio above 1 means that the other tool \
         needs more than the engine."
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
        blocks.push(Block::Text(
            "What each needs as a multiple of the best engine: above 1 hardbop is ahead, below 1 \
             the other tool is. `>` marks a tool that was stopped at the time limit. Times are \
             marked with a `t`, all other ratios are of instructions."
                .to_owned(),
        ));
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
             more; 1 is linear. The last column has the engine's own counters of work."
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

/// The measure in which two records can be compared.
fn common(one: &Record, other: &Record) -> Measure {
    if one.instructions.is_some() && other.instructions.is_some() {
        Measure::Instructions
    } else {
        Measure::Wall
    }
}

/// The records that answer one case, without the portfolio.
fn answers(case: &[Record], kind: Kind) -> impl Iterator<Item = &Record> {
    case.iter().filter(move |record| {
        record.kind == kind && !record.contender.starts_with(AUTO) && record.is_answered()
    })
}

/// The one that needs least.
fn best<'a>(records: impl Iterator<Item = &'a Record>) -> Option<&'a Record> {
    records.reduce(|one, other| {
        let measure = common(one, other);
        if measure.figure(other) < measure.figure(one) {
            other
        } else {
            one
        }
    })
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
            .and_then(|(engine, peer)| ratio(peer, engine));
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

fn ratio(record: &Record, first: &Record) -> Option<String> {
    let measure = common(record, first);
    let ratio = measure.ratio(record, first)?;
    Some(match measure {
        Measure::Instructions => ratio,
        _ => ratio + " t",
    })
}

/// What a contender decides, where it is first, and where it is not.
fn portrait(name: &str, cases: &[&[Record]]) -> String {
    let (mut asked, mut decided) = (0, 0);
    let (mut first, mut lost): (Vec<&Record>, Vec<&Record>) = (Vec::new(), Vec::new());
    let mut worst: Option<(f64, &Record)> = None;
    let mut kind = Kind::Engine;
    for case in cases {
        let Some(record) = case.iter().find(|record| record.contender == name) else {
            continue;
        };
        if record.best().end == End::Unsuited {
            continue;
        }
        kind = record.kind;
        asked += 1;
        decided += usize::from(record.is_answered());
        let engine = best(answers(case, Kind::Engine));
        let winner = best(engine.into_iter().chain(best(answers(case, Kind::Peer))));
        if winner.is_some_and(|winner| winner.contender == name) {
            first.push(record);
        }
        if winner.is_some() && !record.is_answered() {
            lost.push(record);
        }
        if let Some(engine) = engine.filter(|_| record.is_answered()) {
            let measure = common(record, engine);
            let ratio = measure.figure(record).zip(measure.figure(engine));
            let ratio = ratio.map_or(1.0, |(mine, least)| mine / least);
            if worst.is_none_or(|(known, _)| ratio > known) {
                worst = Some((ratio, record));
            }
        }
    }
    let who = match kind {
        Kind::Peer => format!("{name} (another tool)"),
        Kind::Engine | Kind::FrontEnd => format!("`{name}`"),
    };
    let mut text = format!("{who} decides {decided} of the {asked} programs that it takes.");
    if name.starts_with(AUTO) {
        if let Some((ratio, record)) = worst {
            write!(
                text,
                " It tries the engines in turn and needs at most {} of the best of them, on {}.",
                quantity::ratio(ratio).replace('x', " times the cost"),
                list(&[record])
            )
            .expect("a string can be written to");
        }
    } else if first.is_empty() {
        text += " It is first on none of them.";
    } else {
        write!(text, " It needs least of all on {}.", list(&first))
            .expect("a string can be written to");
    }
    if !lost.is_empty() {
        write!(
            text,
            " It does not decide {}, which others do.",
            list(&lost)
        )
        .expect("a string can be written to");
    }
    text
}

/// Cases in words: `tn 50, 200; driver 10`.
fn list(records: &[&Record]) -> String {
    let groups = records.chunk_by(|a, b| a.case.name == b.case.name);
    let groups = groups.map(|group| {
        let sizes = group.iter().filter_map(|record| record.case.size);
        let sizes: Vec<String> = sizes.map(|size| size.to_string()).collect();
        format!("`{}` {}", group[0].case.title(), sizes.join(", "))
    });
    let groups: Vec<String> = groups.map(|group| group.trim_end().to_owned()).collect();
    groups.join("; ")
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
    for case in cases {
        let Some(engine) = best(answers(case, Kind::Engine)) else {
            continue;
        };
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
                ratio(record, engine).unwrap_or_else(|| Measure::Wall.cell(record))
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
            let fit = own.and_then(|own| Fit::through(&points(own, measure)));
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
    fn sentences_say_who_is_first_and_who_does_not_decide() {
        let run = run();
        let cases: Vec<&[Record]> = by_case(&run.records).collect();
        let portraits = contenders(&run.records).into_iter();
        let portraits: Vec<String> = portraits.map(|name| portrait(name, &cases)).collect();
        expect![[r"
            `auto` decides 2 of the 2 programs that it takes. It tries the engines in turn and needs at most 3.00 times the cost of the best of them, on `tn` 200.
            `summary` decides 2 of the 2 programs that it takes. It needs least of all on `tn` 800.
            `sat` decides 1 of the 2 programs that it takes. It needs least of all on `tn` 200. It does not decide `tn` 800, which others do.
            moped (another tool) decides 2 of the 2 programs that it takes. It is first on none of them."]]
        .assert_eq(&portraits.join("\n"));
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
