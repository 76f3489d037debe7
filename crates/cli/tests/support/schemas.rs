//! Whatever a document shows as JSON is held against the schema that `hardbop schema` prints.

use serde_json::Value;
use std::collections::HashMap;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// Checks the result of a command, and what it says besides.
pub fn check(command: &str, result: &str, messages: &str) {
    let words: Vec<&str> = command.split_whitespace().collect();
    let printed = ["check", "replay", "coverage"];
    if let Some(form) = words.get(1).filter(|form| printed.contains(form))
        && words.contains(&"--json")
        && let Some(start) = result.find("{\n").or_else(|| result.find("{\""))
    {
        // Notes may stand before and behind the object.
        let mut values = serde_json::Deserializer::from_str(&result[start..]).into_iter::<Value>();
        let value = values.next().expect("there is an object");
        let value = value.unwrap_or_else(|error| panic!("`{command}` prints no JSON: {error}"));
        assert_fits(command, form, &value);
    }
    if command.contains("--message-format json") {
        for line in messages.lines().filter(|line| line.starts_with('{')) {
            let message = serde_json::from_str(line).expect("a message is a line of JSON");
            assert_fits(command, "messages", &message);
        }
    }
}

fn assert_fits(command: &str, form: &str, value: &Value) {
    static KNOWN: Mutex<Option<HashMap<String, jsonschema::Validator>>> = Mutex::new(None);
    // One test provokes a failure on purpose.
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    let schema = known.entry(form.to_owned()).or_insert_with(|| {
        let process = Command::new(env!("CARGO_BIN_EXE_hardbop"))
            .args(["schema", form])
            .output()
            .expect("the command can be started");
        let schema = serde_json::from_slice(&process.stdout).expect("a schema is JSON");
        jsonschema::validator_for(&schema).expect("the schema is valid")
    });
    let errors: Vec<String> = schema
        .iter_errors(value)
        .take(5)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(
        errors.is_empty(),
        "`{command}` does not fit its schema:\n{}",
        errors.join("\n")
    );
}

#[test]
fn an_output_that_does_not_fit_is_noticed() {
    let coverage =
        r#"{"hardbop-coverage":1,"file":"t.bp","statements":[],"conditions":[],"vacuous":false}"#;
    check("hardbop coverage t.bp --json", coverage, "");
    let damaged = coverage.replace("false", "0");
    let refused = std::panic::catch_unwind(|| check("hardbop coverage t.bp --json", &damaged, ""));
    assert!(refused.is_err());
}
