//! The page about certificates says what has to be trusted. Its tables are held against the crates
//! that the judges and the front end of C are built from, read from `cargo metadata`.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is judged, and by whom: what a judge depends on is what has to be trusted. What C means is
/// not judged by any checker, so its front end is on the list.
const JUDGES: [(&str, &str); 5] = [
    ("proofs", "hardbop-checker"),
    ("runs", "hardbop-interpreter"),
    ("strategies", "hardbop-branching"),
    ("C", "hardbop-c"),
    ("properties", "hardbop-transform"),
];

/// The judge of strategies is in the crate of their engine. These files are all of it.
const PART: &str = "hardbop-branching";
const FILES_OF_PART: [&str; 4] = [
    "encoding/formulas.rs",
    "encoding/states.rs",
    "evidence/check.rs",
    "evidence/path.rs",
];

/// A certificate of a property is about a product, which `validate` makes. These files are all that
/// makes one.
const TRANSFORM: &str = "hardbop-transform";
const FILES_OF_PRODUCT: [&str; 8] = [
    "correspondence.rs",
    "draft.rs",
    "product/back.rs",
    "product/mod.rs",
    "product/reading.rs",
    "product/spots.rs",
    "steps.rs",
    "transform.rs",
];

/// How far the lines on the page may be from those that are counted, in percent.
const TOLERANCE: usize = 10;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every crate on the path of a judge.
fn crates_on_the_path() -> BTreeMap<String, (PathBuf, bool)> {
    let metadata = metadata();
    JUDGES
        .into_iter()
        .flat_map(|(_, judge)| path_of(&metadata, judge))
        .collect()
}

/// Every crate that a judge is built from, with the folder of its sources; `true` if it is one of
/// the workspace.
fn path_of(metadata: &Value, judge: &str) -> BTreeMap<String, (PathBuf, bool)> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let packages: BTreeMap<String, Value> = list(&metadata["packages"])
        .into_iter()
        .map(|package| (text(&package["id"]), package))
        .collect();
    let dependencies: BTreeMap<String, Vec<String>> = list(&metadata["resolve"]["nodes"])
        .iter()
        .map(|node| {
            let normal = |dep: &Value| list(&dep["dep_kinds"]).iter().any(|k| k["kind"].is_null());
            let deps = list(&node["deps"]);
            let deps = deps.iter().filter(|dep| normal(dep));
            (
                text(&node["id"]),
                deps.map(|dep| text(&dep["pkg"])).collect(),
            )
        })
        .collect();
    let is_judge = |id: &&String| text(&packages[*id]["name"]) == judge;
    let mut pending: Vec<String> = packages.keys().filter(is_judge).cloned().collect();
    assert_eq!(pending.len(), 1);
    let mut seen = BTreeSet::new();
    let mut found = BTreeMap::new();
    while let Some(id) = pending.pop() {
        if seen.insert(id.clone()) {
            let package = &packages[&id];
            let manifest = PathBuf::from(text(&package["manifest_path"]));
            let sources = manifest.with_file_name("src");
            found.insert(
                text(&package["name"]),
                (sources, package["source"].is_null()),
            );
            pending.extend(dependencies[&id].iter().cloned());
        }
    }
    found
}

fn metadata() -> Value {
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program)
            .args(arguments)
            .current_dir(root())
            .output()
            .expect("cargo runs the tests, so its tools are there");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{errors}");
        String::from_utf8(output.stdout).expect("text")
    };
    let version = run("rustc", &["-vV"]);
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.expect("rustc says what it runs on");
    let arguments = ["metadata", "--format-version=1", "--offline"];
    let arguments = [&arguments[..], &["--filter-platform", host]].concat();
    serde_json::from_str(&run(env!("CARGO"), &arguments)).expect("JSON")
}

/// The lines of all sources in a folder, without blank lines, comments and tests.
fn lines(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("it can be listed").path())
        .collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("test") {
            continue;
        }
        if path.is_dir() {
            found.extend(lines(&path));
        } else if name.ends_with(".rs") {
            found.extend(lines_of_file(&path));
        }
    }
    found
}

fn lines_of_file(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("sources are text");
    let tests = ["", "pub(crate) "].map(|p| format!("#[cfg(test)]\n{p}mod tests"));
    let ends = tests.iter().filter_map(|start| text.find(start));
    let code = text[..ends.min().unwrap_or(text.len())].lines();
    let code = code.map(str::trim);
    let code = code.filter(|line| !line.is_empty() && !line.starts_with("//"));
    code.map(str::to_owned).collect()
}

/// The lines of a crate that have to be trusted.
fn trusted_lines(name: &str, sources: &Path) -> usize {
    let part: &[&str] = match name {
        PART => &FILES_OF_PART,
        TRANSFORM => &FILES_OF_PRODUCT,
        _ => return lines(sources).len(),
    };
    part.iter()
        .map(|file| lines_of_file(&sources.join(file)).len())
        .sum()
}

/// The rows of the table under a heading of the page: the first cell without its backquotes, and
/// the number in the second.
fn table(page: &str, heading: &str) -> BTreeMap<String, usize> {
    let (_, section) = page.split_once(heading).expect("the page has the heading");
    let rows = section.lines().skip_while(|line| !line.starts_with("| `"));
    let rows = rows.take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let number = cells[2].replace(',', "").parse();
        (cells[1].replace('`', ""), number.expect("a number"))
    })
    .collect()
}

fn page() -> String {
    std::fs::read_to_string(root().join("docs/certificates.md")).expect("the page is there")
}

#[test]
fn the_page_names_the_crates_that_have_to_be_trusted_and_their_size() {
    let named = table(&page(), "### Our own code");
    let counted: BTreeMap<String, usize> = crates_on_the_path()
        .into_iter()
        .filter(|(_, (_, is_own))| *is_own)
        .map(|(name, (sources, _))| {
            let count = trusted_lines(&name, &sources);
            (name.replace("hardbop-", ""), count)
        })
        .collect();
    let names = |table: &BTreeMap<String, usize>| table.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&named), names(&counted), "now: {counted:?}");
    for (name, &count) in &counted {
        let off = named[name].abs_diff(count) * 100;
        assert!(
            off <= count * TOLERANCE,
            "{name} has {count} lines: {counted:?}"
        );
    }
}

#[test]
fn the_page_says_which_crates_are_trusted_for_proofs_and_which_for_runs() {
    let (page, metadata) = (page(), metadata());
    let paths = JUDGES.map(|(what, judge)| (what, path_of(&metadata, judge)));
    let (_, section) = page.split_once("### Our own code").expect("the heading");
    for name in table(&page, "### Our own code").keys() {
        let row = section
            .lines()
            .find(|l| l.starts_with(&format!("| `{name}` ")));
        let cells: Vec<&str> = row.expect("its row").split('|').map(str::trim).collect();
        let on_path = paths
            .iter()
            .filter(|(_, path)| path.contains_key(&format!("hardbop-{name}")));
        let judged: Vec<&str> = on_path.map(|(what, _)| *what).collect();
        assert_eq!(cells[3], judged.join(", "), "{name}");
    }
}

#[test]
fn the_page_counts_the_unsafe_lines_of_the_libraries_on_the_path() {
    let named = table(&page(), "### Libraries");
    let is_unsafe = |line: &&String| {
        let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(|word| word == "unsafe")
    };
    let counted: BTreeMap<String, usize> = crates_on_the_path()
        .into_iter()
        .filter(|(_, (_, is_own))| !is_own)
        .map(|(name, (sources, _))| (name, lines(&sources).iter().filter(is_unsafe).count()))
        .collect();
    assert_eq!(named, counted);
}

#[test]
fn what_has_to_be_trusted_checks_overflow_in_releases_too() {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).expect("it is there");
    for (name, (_, is_own)) in crates_on_the_path() {
        let setting = format!("{name} = {{ overflow-checks = true }}");
        assert!(!is_own || manifest.contains(&setting), "{name}");
    }
}

#[test]
fn the_product_uses_nothing_else_of_its_crate() {
    let sources = root().join("crates/transform/src");
    for file in FILES_OF_PRODUCT {
        for line in lines_of_file(&sources.join(file)) {
            for path in line.split("crate::").skip(1) {
                let is_part = |file: &str| {
                    let module = file.trim_end_matches(".rs").split('/').next();
                    module.is_some_and(|module| path.starts_with(module))
                };
                assert!(
                    FILES_OF_PRODUCT.iter().any(|f| is_part(f)),
                    "{file}: {line}"
                );
            }
        }
    }
}

#[test]
fn the_judge_of_strategies_uses_nothing_else_of_its_crate() {
    let sources = root().join("crates/branching/src");
    for file in FILES_OF_PART {
        let folder = file.split('/').next().expect("a folder");
        for line in lines_of_file(&sources.join(file)) {
            let absolute = line.split("crate::").skip(1).map(str::to_owned);
            let siblings = line
                .split("super::")
                .skip(1)
                .map(|l| format!("{folder}::{l}"));
            for path in absolute.chain(siblings) {
                let is_part = |file: &str| {
                    let module = file.trim_end_matches(".rs").replace('/', "::");
                    path.starts_with(&module)
                };
                assert!(FILES_OF_PART.iter().any(|f| is_part(f)), "{file}: {line}");
            }
        }
    }
}

/// Every step that has to be trusted names crates, and every crate is named by a step.
#[test]
fn the_steps_name_every_crate_of_the_table() {
    let page = page();
    let (_, section) = page
        .split_once("## What has to be trusted")
        .expect("the heading");
    let (steps, _) = section.split_once("### Our own code").expect("the heading");
    for name in table(&page, "### Our own code").keys() {
        assert!(steps.contains(&format!("`{name}`")), "no step names {name}");
    }
    for outside in ["`cc -E`", "`lang-c`"] {
        assert!(steps.contains(outside), "no step names {outside}");
    }
}
