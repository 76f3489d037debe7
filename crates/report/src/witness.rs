//! Verification witnesses 2.0: what was found out about a C program, for tools that check it again.
//!
//! The format is that of the competition on software verification (Ayaziová, Beyer,
//! Lingsch-Rosenfeld, Spiessl, Strejček, "Software Verification Witnesses 2.0", SPIN 2024), a YAML
//! file. A violation is told by what calls without a body returned, in order, and by the place of
//! the error; a proof by invariants where the program comes back to. A witness says less than a
//! trace or a certificate, never something else: what cannot be said in C is left out.

mod correctness;
mod names;
mod scopes;
mod types;
mod violation;
mod yaml;

use crate::document::{Place, Run};
use hardbop_machine::Machine;
use hardbop_outcome::Certificate;
use hardbop_syntax::source::DataModel;
use sha2::{Digest, Sha256};
use yaml::{Item, map, text};

/// What was checked, and by whom.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// The file as it was named.
    pub file: &'a str,
    /// What is in it.
    pub content: &'a [u8],
    /// What was asked, in the competition's notation.
    pub specification: &'a str,
    /// How wide the integers are.
    pub data_model: DataModel,
    /// When the witness was made, in ISO 8601.
    pub created: &'a str,
    /// The version of the tool.
    pub hardbop: &'a str,
}

/// The witness of a run that goes wrong.
pub fn violation_witness(machine: &Machine, run: &Run, task: &Task<'_>) -> String {
    entry(
        "violation_sequence",
        violation::content(machine, run, task),
        task,
    )
}

/// The witness of a proof.
pub fn correctness_witness(
    machine: &Machine,
    certificates: &[Certificate],
    task: &Task<'_>,
) -> String {
    let content = correctness::content(machine, certificates, task);
    entry("invariant_set", content, task)
}

fn entry(kind: &str, content: Item, task: &Task<'_>) -> String {
    let content_text = yaml::written(&content);
    let file_digest = hex(&Sha256::digest(task.content));
    let identity = format!("{file_digest} {} {content_text}", task.specification);
    let metadata = map([
        ("format_version", text("2.0")),
        ("uuid", text(uuid(&Sha256::digest(identity)))),
        ("creation_time", text(task.created)),
        (
            "producer",
            map([("name", text("hardbop")), ("version", text(task.hardbop))]),
        ),
        (
            "task",
            map([
                ("input_files", Item::List(vec![text(task.file)])),
                (
                    "input_file_hashes",
                    Item::Map(vec![(yaml::quoted(task.file), text(file_digest))]),
                ),
                ("specification", text(task.specification)),
                ("data_model", text(types::name(task.data_model))),
                ("language", text("C")),
            ]),
        ),
    ]);
    let whole = Item::List(vec![map([
        ("entry_type", text(kind)),
        ("metadata", metadata),
        ("content", content),
    ])]);
    yaml::written(&whole)
}

/// A place in the file of the task.
fn location(task: &Task<'_>, place: &Place) -> Item {
    map([
        ("file_name", text(task.file)),
        ("line", Item::Number(u64::from(place.line))),
        ("column", Item::Number(u64::from(place.column))),
        ("function", text(place.procedure.as_str())),
    ])
}

fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let digit = |digit: u8| char::from_digit(u32::from(digit), 16);
    digits.filter_map(digit).collect()
}

/// A name made from a digest, in the form of RFC 4122: the same witness has the same name.
fn uuid(digest: &[u8]) -> String {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    bytes[6] = bytes[6] & 0x0f | 0x50;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = hex(&bytes);
    let parts = [
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..],
    ];
    parts.join("-")
}
