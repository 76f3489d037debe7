//! What is run: the programs and the contenders that the command line asks for.

use super::Arguments;
use super::peers;
use super::session::Contender;
use hardbop_bench::{Case, FRONT_END_FAMILY, FRONT_END_SIZES, Suite, auto_table};
use hardbop_cli::engine_arguments as engines;
use hardbop_cli::exit::Failure;
use hardbop_families::Family;

/// The programs, in the order in which they are run.
pub fn cases(arguments: &Arguments) -> Result<Vec<Case>, Failure> {
    let suite = arguments.suite.map_or(Suite::Quick, Suite::from);
    let mut families: Vec<&'static Family> = Vec::new();
    for name in &arguments.families {
        let known = hardbop_families::find(name);
        families.push(known.expect("only names of families are possible values"));
    }
    let asks_for_files_only = !arguments.programs.is_empty() && arguments.suite.is_none();
    if families.is_empty() && !asks_for_files_only {
        families = if arguments.frontend {
            hardbop_families::find(FRONT_END_FAMILY)
                .into_iter()
                .collect()
        } else {
            suite.families()
        };
    }
    let given_or = |given: &[u32], default: &[u32]| {
        let chosen = if given.is_empty() { default } else { given };
        chosen.to_vec()
    };
    let mut cases = Vec::new();
    for family in families {
        let default = if arguments.frontend {
            &FRONT_END_SIZES[..]
        } else {
            suite.sizes(family)
        };
        let sizes = given_or(&arguments.sizes, default);
        let seeds = match &arguments.seeds[..] {
            [] if arguments.frontend => Suite::Quick.seeds(),
            [] => suite.seeds(),
            given => given,
        };
        cases.extend(Case::members(family, &sizes, seeds));
    }
    cases.extend(arguments.programs.cases()?);
    if arguments.frontend {
        cases = cases.into_iter().map(Case::without_question).collect();
    }
    Ok(cases)
}

/// Engines that never are the best, left out of `--auto`.
const SLOW: [&str; 3] = ["calculus", "tabulation", "brute-force"];

/// The contenders of the suite `page`: the portfolio and what it and the papers consist of.
const PAGE: [&str; 7] = [
    "auto",
    "summary",
    "explicit",
    "sat",
    "calculus",
    "interleaving",
    "concurrent",
];

/// The name of an engine and perhaps options of `hardbop check`.
pub fn engine_with_options(text: &str) -> Result<String, String> {
    let name = text.split_whitespace().next().unwrap_or_default();
    if engines::names().any(|known| known == name) {
        return Ok(text.to_owned());
    }
    let names: Vec<&str> = engines::names().collect();
    Err(format!("the engines are {}", names.join(", ")))
}

/// Who is measured, and the absent peers with why they are.
pub type Found = (Vec<Contender>, Vec<(String, String)>);

/// Who is measured, and which peers are absent.
pub fn contenders(arguments: &Arguments) -> Result<Found, Failure> {
    if arguments.frontend {
        return Ok((vec![Contender::FrontEnd], Vec::new()));
    }
    let mut contenders: Vec<Contender> = Vec::new();
    let default = if arguments.auto {
        let every = engines::names().skip(1).filter(|name| !SLOW.contains(name));
        let portfolio = [auto_table::AUTO, auto_table::AUTO_TWO_JOBS];
        every.chain(portfolio).map(str::to_owned).collect()
    } else if arguments.is_page() {
        PAGE.map(str::to_owned).to_vec()
    } else {
        vec![engines::AUTO.to_owned()]
    };
    let engines = if arguments.engines.is_empty() {
        &default[..]
    } else {
        &arguments.engines[..]
    };
    contenders.extend(engines.iter().cloned().map(Contender::Engine));
    let (peers, absent) =
        peers::find(&arguments.peers, arguments.all_peers || arguments.is_page())?;
    contenders.extend(peers.into_iter().map(Contender::Peer));
    for (position, contender) in contenders.iter().enumerate() {
        let name = contender.name();
        if contenders[..position]
            .iter()
            .any(|other| other.name() == name)
        {
            return Err(Failure::BadInput(format!(
                "two contenders are called {name}"
            )));
        }
    }
    Ok((contenders, absent))
}
