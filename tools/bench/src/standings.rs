//! Who decides what, who is first, and where: the sentences of the page about performance.
//!
//! Instructions are compared where both have them, wall times elsewhere: instructions are nearly
//! the same in every run, however busy the machine is. The portfolio, `auto`, is not counted among
//! the engines that can be first, since it consists of them.

use crate::auto_table::AUTO;
use crate::case::Case;
use crate::known_peer::KNOWN;
use crate::measure::Measure;
use crate::quantity;
use crate::record::{End, Kind, Record};
use std::fmt::Write;

/// The measure in which two records can be compared.
pub(crate) fn common(one: &Record, other: &Record) -> Measure {
    if one.instructions.is_some() && other.instructions.is_some() {
        Measure::Instructions
    } else {
        Measure::Wall
    }
}

/// The records that answer one case, without the portfolio.
pub(crate) fn answers(case: &[Record], kind: Kind) -> impl Iterator<Item = &Record> {
    case.iter().filter(move |record| {
        record.kind == kind && !record.contender.starts_with(AUTO) && record.is_answered()
    })
}

/// The one that needs least.
pub(crate) fn best<'a>(records: impl Iterator<Item = &'a Record>) -> Option<&'a Record> {
    records.reduce(|one, other| {
        let measure = common(one, other);
        if measure.figure(other) < measure.figure(one) {
            other
        } else {
            one
        }
    })
}

/// The one that needs least on a case, engine or peer.
fn winner(case: &[Record]) -> Option<&Record> {
    let engine = best(answers(case, Kind::Engine));
    best(engine.into_iter().chain(best(answers(case, Kind::Peer))))
}

/// The outcome in a few sentences: how much is decided, and where engines or peers are ahead.
pub(crate) fn in_short(cases: &[&[Record]]) -> Vec<String> {
    let decided_by = |kind: Kind| {
        let is_decided = |case: &&&[Record]| {
            case.iter()
                .any(|record| record.kind == kind && record.is_answered())
        };
        cases.iter().filter(is_decided).count()
    };
    let mut text = format!(
        "Of {} programs hardbop decides {} within the limits",
        cases.len(),
        decided_by(Kind::Engine)
    );
    let of_peers = cases
        .iter()
        .flat_map(|case| case.iter())
        .any(|record| record.kind == Kind::Peer);
    if !of_peers {
        return vec![text + "."];
    }
    write!(
        text,
        ", and the other tools together {}.",
        decided_by(Kind::Peer)
    )
    .expect("a string can be written to");
    let winners = cases.iter().filter_map(|case| winner(case));
    let ahead: Vec<&Record> = winners.filter(|one| one.kind == Kind::Peer).collect();
    let mut names: Vec<&str> = Vec::new();
    for record in &ahead {
        if !names.contains(&record.contender.as_str()) {
            names.push(&record.contender);
        }
    }
    let mut paragraphs = vec![text];
    if names.is_empty() {
        let text = "Wherever another tool has an answer, some engine needs less for it.";
        paragraphs.push(text.to_owned());
    }
    for name in names {
        let own = ahead.iter().filter(|record| record.contender == name);
        let own: Vec<&Record> = own.copied().collect();
        paragraphs.push(format!(
            "{name} needs less than every engine on {}.",
            list(&own, cases)
        ));
    }
    let is_lost = |one: &&Record| {
        let mut all = cases.iter().flat_map(|case| case.iter());
        !all.any(|r| r.case == one.case && r.kind == Kind::Engine && r.is_answered())
    };
    let lost: Vec<&Record> = ahead.iter().copied().filter(is_lost).collect();
    if !lost.is_empty() {
        paragraphs.push(format!("No engine decides {}.", list(&lost, cases)));
    }
    paragraphs
}

/// What a contender decides, where it is first, and where it is not.
pub(crate) fn portrait(name: &str, cases: &[&[Record]]) -> String {
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
        let winner = winner(case);
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
        Kind::Peer => {
            let known = KNOWN.iter().find(|known| known.name == name);
            let about = known.map_or("another tool", |known| known.about);
            format!("{name} ({about})")
        }
        Kind::Engine | Kind::FrontEnd => format!("`{name}`"),
    };
    let mut text = if decided == asked && asked > 1 {
        format!("{who} decides all {asked} programs that it takes.")
    } else {
        format!("{who} decides {decided} of the {asked} programs that it takes.")
    };
    if name.starts_with(AUTO) {
        if let Some((ratio, record)) = worst {
            write!(
                text,
                " It tries the engines in turn and needs at most {} of the best of them, on {}.",
                quantity::ratio(ratio).replace('x', " times the cost"),
                list(&[record], cases)
            )
            .expect("a string can be written to");
        }
    } else if first.is_empty() {
        text += " It is first on none of them.";
    } else {
        write!(text, " It needs least of all on {}.", list(&first, cases))
            .expect("a string can be written to");
    }
    if !lost.is_empty() {
        write!(
            text,
            " Not decided by it, but by others: {}.",
            list(&lost, cases)
        )
        .expect("a string can be written to");
    }
    text
}

/// Cases in words: `tn` 50–800; `driver` 10; all of `mixing`.
fn list(records: &[&Record], cases: &[&[Record]]) -> String {
    let groups = records.chunk_by(|a, b| a.case.name == b.case.name);
    let groups = groups.map(|group| {
        let title = group[0].case.title();
        let of_family = cases.iter().map(|case| &case[0].case);
        let all: Vec<&Case> = of_family
            .filter(|case| case.name == group[0].case.name)
            .collect();
        if group.len() == all.len() && all.len() > 1 {
            return format!("all of `{title}`");
        }
        let own: Vec<&Case> = group.iter().map(|record| &record.case).collect();
        let place = |case: &Case| all.iter().position(|&other| other == case);
        let stretches = own.chunk_by(|a, b| place(a).map(|place| place + 1) == place(b));
        let stretches = stretches.filter_map(|stretch| {
            let (first, last) = (stretch[0].size?, stretch[stretch.len() - 1].size?);
            Some(match stretch.len() {
                1 => first.to_string(),
                2 => format!("{first}, {last}"),
                _ => format!("{first}–{last}"),
            })
        });
        let sizes = stretches.collect::<Vec<_>>().join(", ");
        format!("`{title}` {sizes}").trim_end().to_owned()
    });
    groups.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Sample;
    use crate::record::tests::record;
    use expect_test::expect;

    /// What two engines, the portfolio and a peer need on four sizes; 0 is a run that was stopped.
    const TIMES: [(u32, [u64; 4]); 4] = [
        (50, [5, 3, 4, 9]),
        (100, [15, 10, 4, 9]),
        (200, [30, 20, 10, 90]),
        (800, [100, 80, 0, 160]),
    ];

    fn records(times: &[(u32, [u64; 4])]) -> Vec<Record> {
        let mut records = Vec::new();
        for &(size, millis) in times {
            for (name, millis) in ["auto", "summary", "sat", "moped"].into_iter().zip(millis) {
                let mut record = record("tn", size, name, &[millis]);
                if millis == 0 {
                    record.samples = vec![Sample::ended(End::TimedOut)];
                }
                if name == "moped" {
                    record.kind = Kind::Peer;
                }
                records.push(record);
            }
        }
        records
    }

    fn by_case(records: &[Record]) -> Vec<&[Record]> {
        records.chunk_by(|a, b| a.case == b.case).collect()
    }

    #[test]
    fn sentences_say_who_is_first_and_who_does_not_decide() {
        let records = records(&TIMES);
        let cases = by_case(&records);
        let names = ["auto", "summary", "sat", "moped"];
        let portraits = names.map(|name| portrait(name, &cases));
        expect![[r"
            `auto` decides all 4 programs that it takes. It tries the engines in turn and needs at most 3.75 times the cost of the best of them, on `tn` 100.
            `summary` decides all 4 programs that it takes. It needs least of all on `tn` 50, 800.
            `sat` decides 3 of the 4 programs that it takes. It needs least of all on `tn` 100, 200. Not decided by it, but by others: `tn` 800.
            moped (symbolic pushdown systems, on Boolean programs) decides all 4 programs that it takes. It is first on none of them.
        "]]
        .assert_eq(&(portraits.join("\n") + "\n"));
    }

    #[test]
    fn the_outcome_says_where_a_peer_is_ahead() {
        let all_behind = records(&TIMES);
        let text = in_short(&by_case(&all_behind)).join("\n");
        expect![[r"
            Of 4 programs hardbop decides 4 within the limits, and the other tools together 4.
            Wherever another tool has an answer, some engine needs less for it.
        "]]
        .assert_eq(&(text + "\n"));
        let ahead = records(&[
            (50, [5, 3, 4, 1]),
            (100, [15, 10, 4, 2]),
            (200, [30, 20, 10, 5]),
            (800, [100, 80, 70, 71]),
            (3200, [0, 0, 0, 900]),
        ]);
        let text = in_short(&by_case(&ahead)).join("\n");
        expect![[r"
            Of 5 programs hardbop decides 4 within the limits, and the other tools together 5.
            moped needs less than every engine on `tn` 50–200, 3200.
            No engine decides `tn` 3200.
        "]]
        .assert_eq(&(text + "\n"));
        let without: Vec<Record> = ahead
            .into_iter()
            .filter(|record| record.kind != Kind::Peer)
            .collect();
        let text = in_short(&by_case(&without)).join("\n");
        assert_eq!(text, "Of 5 programs hardbop decides 4 within the limits.");
    }
}
