//! Reports for other tools: SARIF is held against the official schema, `JUnit` is read back, and a
//! file is written whole or not at all.

use serde_json::Value;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SEQUENTIAL: &str = "decl g := 0;
bool f(a) begin
  return !a;
end
void main() begin
  g := f(*);
  if (*) then
    assert(g);
  fi
  L: assert(g | !g);
end
";

const THREADS: &str = "decl g := 0;
thread one begin
  void main() begin
    g := 1;
    assert(g);
  end
end
thread two begin
  void main() begin
    g := 0;
  end
end
";

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("reports")
        .join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).expect("the folder of an earlier run can go");
    }
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

fn hardbop(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hardbop"))
        .current_dir(folder)
        .args(words)
        .output()
        .expect("the command can be started")
}

/// The official schema, from the package that our types of SARIF are generated from.
/// Cargo may have to fetch packages of other platforms to say where it is; without a network there
/// is nothing.
fn sarif_schema() -> Option<jsonschema::Validator> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs the tests, so it can be run");
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr).into_owned();
        let _ = writeln!(std::io::stderr(), "skipped: no schema of SARIF: {why}");
        return None;
    }
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let packages = metadata["packages"].as_array().expect("a list").iter();
    let package = packages.clone().find(|p| p["name"] == "serde-sarif");
    let manifest = package.expect("a dependency of the report")["manifest_path"].clone();
    let manifest = PathBuf::from(manifest.as_str().expect("a path"));
    let schema = manifest.with_file_name("src").join("schema.json");
    let schema = std::fs::read_to_string(schema).expect("the package has the schema");
    // One pattern has a bracket that means itself only in the dialect of browsers.
    let schema = schema.replace("[a-zA-Z]{2}]?$", r"[a-zA-Z]{2}\\]?$");
    let schema = serde_json::from_str(&schema).expect("a schema is JSON");
    Some(jsonschema::validator_for(&schema).expect("the official schema is valid"))
}

fn sarif(folder: &Path, words: &[&str]) -> Value {
    let output = hardbop(folder, &[words, &["--sarif", "out.sarif"]].concat());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{said}");
    let text = std::fs::read_to_string(folder.join("out.sarif")).expect("the report is there");
    serde_json::from_str(&text).expect("SARIF is JSON")
}

#[test]
fn sarif_fits_the_official_schema() {
    let folder = folder("sarif");
    std::fs::write(folder.join("a b.bp"), SEQUENTIAL).expect("a program can be written");
    std::fs::write(folder.join("threads.bp"), THREADS).expect("a program can be written");
    let Some(schema) = sarif_schema() else {
        return;
    };
    let questions: [&[&str]; 6] = [
        &["check", "a b.bp"],
        &["check", "a b.bp", "--reach", "L", "--expand", "100"],
        &[
            "check",
            "a b.bp",
            "--reach-line",
            "6",
            "--ltl",
            "G g",
            "--terminates",
        ],
        &[
            "check", "a b.bp", "--ltl", "G F g", "--states", "1", "--engine", "explicit",
        ],
        &["check", "threads.bp"],
        &["check", "threads.bp", "--contexts", "0"],
    ];
    for question in questions {
        let log = sarif(&folder, question);
        let errors: Vec<String> = schema
            .iter_errors(&log)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{question:?}\n{}", errors.join("\n"));
    }
    // The schema is one that notices something.
    let mut damaged = sarif(&folder, questions[0]);
    damaged["runs"][0]["results"][0]["level"] = Value::from("fatal");
    assert!(!schema.is_valid(&damaged));
}

#[test]
fn sarif_has_results_with_places_and_flows_per_thread() {
    let folder = folder("flows");
    std::fs::write(folder.join("a b.bp"), SEQUENTIAL).expect("a program can be written");
    std::fs::write(folder.join("threads.bp"), THREADS).expect("a program can be written");
    let log = sarif(&folder, &["check", "a b.bp", "--expand", "100"]);
    let results = log["runs"][0]["results"].as_array().expect("a list");
    let kinds: Vec<&str> = results.iter().filter_map(|r| r["kind"].as_str()).collect();
    assert_eq!(kinds, ["fail", "pass"]);
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "a%20b.bp");
    assert_eq!(
        (
            &place["region"]["startLine"],
            &place["region"]["startColumn"]
        ),
        (&8.into(), &5.into())
    );
    let flow = &results[0]["codeFlows"][0]["threadFlows"];
    let steps = flow[0]["locations"].as_array().expect("a list");
    let levels: Vec<i64> = steps
        .iter()
        .filter_map(|s| s["nestingLevel"].as_i64())
        .collect();
    assert_eq!(levels, [0, 1, 1, 0, 0]);
    let log = sarif(&folder, &["check", "threads.bp"]);
    let flows = &log["runs"][0]["results"][0]["codeFlows"][0]["threadFlows"];
    let flows = flows.as_array().expect("a list");
    let names: Vec<&str> = flows.iter().filter_map(|f| f["id"].as_str()).collect();
    assert_eq!(names, ["one", "two"]);
    let orders = flows
        .iter()
        .flat_map(|f| f["locations"].as_array().expect("a list"));
    let mut orders: Vec<u64> = orders
        .filter_map(|l| l["executionOrder"].as_u64())
        .collect();
    orders.sort_unstable();
    assert_eq!(orders, (1..=orders.len() as u64).collect::<Vec<_>>());
}

#[test]
fn junit_reads_back_with_one_test_per_answer() {
    let folder = folder("junit");
    std::fs::write(folder.join("p.bp"), SEQUENTIAL).expect("a program can be written");
    hardbop(&folder, &["check", "p.bp", "--junit", "out.xml"]);
    let text = std::fs::read_to_string(folder.join("out.xml")).expect("the report is there");
    let report = quick_junit::Report::deserialize_from_str(&text).expect("it is JUnit");
    let suite = &report.test_suites[0];
    assert_eq!((suite.tests, suite.failures, suite.errors), (2, 1, 0));
    assert_eq!(suite.test_cases[0].name.as_str(), "8:5 main: assert(g)");
    assert!(text.contains("8: assert(g)  fails"), "{text}");
}

#[test]
fn a_report_that_cannot_be_written_is_refused_before_the_search() {
    let folder = folder("refused");
    std::fs::write(folder.join("p.bp"), SEQUENTIAL).expect("a program can be written");
    for option in ["--html", "--sarif", "--junit"] {
        let output = hardbop(&folder, &["check", "p.bp", option, "no/such/folder/out"]);
        assert_eq!(output.status.code(), Some(2), "{option}");
        assert!(output.stdout.is_empty(), "{option}");
    }
    let twice = ["check", "p.bp", "--html", "out", "--junit", "out"];
    assert_eq!(hardbop(&folder, &twice).status.code(), Some(2));
}

/// What the page colours is a remark: the search for it used to go on for minutes after the verdict.
#[test]
fn a_page_does_not_wait_for_its_colours() {
    let folder = folder("colours");
    hardbop(&folder, &["generate", "terminator-safe", "8", "-o", "t.bp"]);
    let words = [
        "check", "t.bp", "--trace", "none", "--html", "t.html", "--time", "20",
    ];
    let start = std::time::Instant::now();
    let output = hardbop(&folder, &words);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(start.elapsed().as_secs() < 15, "{:?}", start.elapsed());
    assert!(folder.join("t.html").exists());
}

/// A run of branching time says in every form what holds at its end.
#[test]
fn what_holds_at_the_end_of_a_run_is_in_every_report() {
    let folder = folder("holds");
    let text = "void main() begin
  while (*) do skip; od;
  if (*) then LOST: while (1) do skip; od; fi;
  DONE: skip;
end";
    std::fs::write(folder.join("lost.bp"), text).expect("a program can be written");
    let words = [
        "check",
        "lost.bp",
        "--ctl",
        "AG EF at(DONE)",
        "--html",
        "out.html",
        "--junit",
        "out.xml",
        "--sarif",
        "out.sarif",
        "--json",
    ];
    let output = hardbop(&folder, &words);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON was asked for");
    let answer = &json["answers"][0];
    let path = &answer["evidence"]["strategy"]["path"];
    assert_eq!(path["holds"], "AG !at(DONE)", "{json}");
    assert_eq!(answer["run"]["holds"], "AG !at(DONE)", "{json}");
    for file in ["out.html", "out.xml", "out.sarif"] {
        let report = std::fs::read_to_string(folder.join(file)).expect("the report is there");
        assert!(
            report.contains("ends in a state where AG !at(DONE) holds"),
            "{file}"
        );
    }
}
