//! Holds the workspace to its architecture: who may depend on whom, read from `cargo metadata`.
//!
//! The tables name crates that may not exist yet; what does not exist breaks no rule.

use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;

/// The decision procedures. None knows another.
const ENGINES: &[&str] = &[
    "hardbop-summary",
    "hardbop-calculus",
    "hardbop-explicit",
    "hardbop-directed",
    "hardbop-satcheck",
    "hardbop-threads",
    "hardbop-branching",
    "hardbop-brute-force",
];

/// Crates that judge evidence, or are what it is judged by: they know no engine and no BDDs.
const JUDGES: &[&str] = &[
    "hardbop-syntax",
    "hardbop-c",
    "hardbop-program",
    "hardbop-machine",
    "hardbop-evidence",
    "hardbop-outcome",
    "hardbop-interpreter",
    "hardbop-checker",
];

/// Libraries of binary decision diagrams.
const BDD_LIBRARIES: &[&str] = &["oxidd", "oxidd-core", "biodivine-lib-bdd", "cudd"];

/// SAT solvers.
const SAT_LIBRARIES: &[&str] = &[
    "batsat",
    "cadical",
    "rustsat",
    "rustsat-batsat",
    "rustsat-cadical",
    "splr",
    "varisat",
];

/// Groups of libraries that one crate of the workspace may name, so that they can be exchanged in
/// one place.
const FENCED: &[&[&str]] = &[
    BDD_LIBRARIES,
    SAT_LIBRARIES,
    &["annotate-snippets"],
    &["lang-c"],
    &["layout-rs"],
];

/// Libraries that talk to the outside: only the command may.
const OUTSIDE: &[&str] = &[
    "clap",
    "signal-hook",
    "rustix",
    "anstream",
    "env_logger",
    "tracing-subscriber",
];

/// The crate of the command.
const COMMAND: &str = "hardbop-cli";

/// The command that measures. It is built on the other one.
const LAB: &str = "hardbop-lab";

/// What a crate may depend on among the crates of the workspace, for those where the order of the
/// boxes matters.
const ALLOWED: &[(&str, &[&str])] = &[
    ("hardbop-syntax", &[]),
    ("hardbop-c", &["hardbop-syntax"]),
    ("hardbop-program", &["hardbop-syntax"]),
    ("hardbop-machine", &["hardbop-syntax", "hardbop-program"]),
    ("hardbop-evidence", &["hardbop-machine"]),
    (
        "hardbop-outcome",
        &["hardbop-machine", "hardbop-automata", "hardbop-evidence"],
    ),
    (
        "hardbop-interpreter",
        &["hardbop-machine", "hardbop-evidence", "hardbop-automata"],
    ),
    ("hardbop-families", &["hardbop-program"]),
    ("hardbop-shrink", &["hardbop-syntax", "hardbop-program"]),
    (
        "hardbop-brute-force",
        &[
            "hardbop-machine",
            "hardbop-outcome",
            "hardbop-automata",
            "hardbop-interpreter",
        ],
    ),
    (
        "hardbop-checker",
        &["hardbop-machine", "hardbop-evidence", "hardbop-sat"],
    ),
    (
        "hardbop-export",
        &["hardbop-machine", "hardbop-evidence", "hardbop-checker"],
    ),
    (
        "hardbop-harness",
        &[
            "hardbop-syntax",
            "hardbop-c",
            "hardbop-machine",
            "hardbop-evidence",
            "hardbop-interpreter",
        ],
    ),
    ("hardbop-bdd", &[]),
    ("hardbop-sat", &[]),
    (
        "hardbop-symbolic",
        &["hardbop-machine", "hardbop-outcome", "hardbop-bdd"],
    ),
    ("hardbop-formula", &["hardbop-syntax"]),
    ("hardbop-fixpoint", &["hardbop-formula", "hardbop-bdd"]),
    (
        "hardbop-automata",
        &["hardbop-syntax", "hardbop-program", "hardbop-machine"],
    ),
    (
        "hardbop-transform",
        &[
            "hardbop-syntax",
            "hardbop-machine",
            "hardbop-automata",
            "hardbop-outcome",
            "hardbop-interpreter",
            "hardbop-sat",
        ],
    ),
];

/// Dependencies of every crate of the workspace; those for tests only are left out.
fn dependencies() -> BTreeMap<String, Vec<String>> {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--offline",
            "--no-deps",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs the tests, so it can be run");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let text = |value: &Value| value.as_str().expect("names are text").to_owned();
    let packages = metadata["packages"]
        .as_array()
        .expect("a workspace has packages");
    let package = |package: &Value| {
        let dependencies = package["dependencies"].as_array().expect("a list");
        let normal = dependencies
            .iter()
            .filter(|dependency| dependency["kind"] != "dev");
        (
            text(&package["name"]),
            normal.map(|d| text(&d["name"])).collect(),
        )
    };
    packages.iter().map(package).collect()
}

/// All crates of the workspace that a crate depends on, however indirectly.
fn closure(all: &BTreeMap<String, Vec<String>>, name: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut pending = vec![name.to_owned()];
    while let Some(next) = pending.pop() {
        for dependency in all.get(&next).into_iter().flatten() {
            if !found.contains(dependency) {
                found.push(dependency.clone());
                pending.push(dependency.clone());
            }
        }
    }
    found
}

#[test]
fn engines_do_not_know_each_other() {
    let all = dependencies();
    for engine in ENGINES {
        for other in closure(&all, engine) {
            assert!(
                !ENGINES.contains(&other.as_str()),
                "{engine} depends on {other}"
            );
        }
    }
}

#[test]
fn engines_do_not_know_who_chooses_them() {
    let all = dependencies();
    for engine in ENGINES {
        let below = closure(&all, engine);
        for chooser in ["hardbop-portfolio", "hardbop", COMMAND] {
            assert!(
                !below.iter().any(|name| name == chooser),
                "{engine} depends on {chooser}"
            );
        }
    }
}

#[test]
fn only_tests_depend_on_the_testkit() {
    for (name, dependencies) in dependencies() {
        let is_used = dependencies.iter().any(|name| name == "hardbop-testkit");
        assert!(!is_used, "{name} depends on the testkit");
    }
}

#[test]
fn what_users_install_contains_nothing_that_only_measures() {
    let below = closure(&dependencies(), COMMAND);
    for tool in [LAB, "hardbop-bench", "hardbop-soak"] {
        assert!(!below.iter().any(|name| name == tool), "{tool}");
    }
}

#[test]
fn judges_know_no_engine_and_no_bdds() {
    let all = dependencies();
    let bdds = BDD_LIBRARIES.iter().chain(&["hardbop-bdd"]);
    let forbidden: Vec<&str> = ENGINES.iter().chain(bdds).copied().collect();
    for judge in JUDGES {
        for dependency in closure(&all, judge) {
            assert!(
                !forbidden.contains(&dependency.as_str()),
                "{judge} depends on {dependency}"
            );
        }
    }
}

#[test]
fn solvers_and_renderers_are_named_in_one_crate() {
    let all = dependencies();
    for libraries in FENCED {
        let names = |dependencies: &Vec<String>| {
            dependencies.iter().any(|d| libraries.contains(&d.as_str()))
        };
        let users: Vec<&String> = all
            .iter()
            .filter(|(_, d)| names(d))
            .map(|(name, _)| name)
            .collect();
        assert!(users.len() <= 1, "{libraries:?} are named by {users:?}");
    }
}

#[test]
fn only_the_command_talks_to_the_outside() {
    for (name, dependencies) in dependencies() {
        for dependency in dependencies {
            let is_outside = OUTSIDE.contains(&dependency.as_str());
            assert!(
                !is_outside || [COMMAND, LAB].contains(&name.as_str()),
                "{name} depends on {dependency}"
            );
            assert!(
                dependency != COMMAND || name == LAB,
                "{name} depends on the command"
            );
        }
    }
}

#[test]
fn the_boxes_stand_in_their_order() {
    let all = dependencies();
    for (name, allowed) in ALLOWED {
        for dependency in all.get(*name).into_iter().flatten() {
            let is_ours = all.contains_key(dependency);
            assert!(
                !is_ours || allowed.contains(&dependency.as_str()),
                "{name} depends on {dependency}"
            );
        }
    }
}

#[test]
fn the_metadata_is_read_at_all() {
    let all = dependencies();
    assert!(all[COMMAND].iter().any(|dependency| dependency == "clap"));
    assert!(
        closure(&all, COMMAND)
            .iter()
            .any(|dependency| dependency == "hardbop-syntax")
    );
}
