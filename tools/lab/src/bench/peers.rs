//! Which peers take part: those that the user describes or names, and with `--peers` every known
//! one that is found.
//!
//! A known peer is run by the words of its environment variable, or by its program on the path.
//! Whoever was asked for and is not there is named with the reason.

use hardbop_bench::{KNOWN, KnownPeer, Peer};
use hardbop_cli::exit::Failure;
use std::path::Path;

/// What `--peer` says.
#[derive(Clone, Debug)]
pub enum Choice {
    /// A description.
    Described(Peer),
    /// The name of a known one.
    Known(KnownPeer),
}

/// Reads the value of `--peer`.
pub fn choice(text: &str) -> Result<Choice, String> {
    if let Some(known) = KNOWN.iter().find(|known| known.name == text) {
        return Ok(Choice::Known(*known));
    }
    let names = KNOWN.map(|known| known.name).join(", ");
    match text.parse() {
        Ok(peer) => Ok(Choice::Described(peer)),
        Err(error) => Err(format!("{error}, or as one of {names}")),
    }
}

/// Peers, and those that are absent, each with the reason.
pub type Found = (Vec<Peer>, Vec<(String, String)>);

/// The peers that take part.
pub fn find(choices: &[Choice], all_known: bool) -> Result<Found, Failure> {
    let mut peers = Vec::new();
    let mut absent = Vec::new();
    let mut known: Vec<KnownPeer> = Vec::new();
    for choice in choices {
        match choice {
            Choice::Described(peer) => peers.push(peer.clone()),
            Choice::Known(one) => known.push(*one),
        }
    }
    if all_known {
        known = KNOWN.to_vec();
    }
    for one in known {
        let words = std::env::var(one.variable).ok();
        let words = words.filter(|words| !words.trim().is_empty());
        let (words, place) = match words {
            Some(words) => (words, format!("`{}`", one.variable)),
            None => (one.program.to_owned(), "the path".to_owned()),
        };
        if is_there(words.split_whitespace().next().unwrap_or_default()) {
            let peer = one.run_by(&words);
            peers.push(peer.map_err(|error| Failure::BadInput(error.to_string()))?);
        } else {
            let why = format!(
                "no program `{words}` was found (by {place}; `{}` may name another)",
                one.variable
            );
            absent.push((one.name.to_owned(), why));
        }
    }
    Ok((peers, absent))
}

/// Whether a program can be found: by its path, or in a folder of the path.
fn is_there(program: &str) -> bool {
    if program.contains('/') {
        return Path::new(program).is_file();
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}
