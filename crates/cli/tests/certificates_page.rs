//! The examples on the page about certificates are certificates of the program shown there.

use std::path::Path;
use std::process::Command;

/// The fenced blocks of a page, by the word behind the opening fence.
fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut parts = page.split("\n```");
    parts.next();
    while let Some(block) = parts.next() {
        let (word, text) = block.split_once('\n').unwrap_or((block, ""));
        if word == language {
            found.push(text);
        }
        parts.next();
    }
    found
}

#[test]
fn both_examples_are_accepted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/certificates.md")).unwrap();
    let program = blocks(&page, "")
        .into_iter()
        .find(|text| text.starts_with("decl g := 0;"))
        .unwrap();
    let parse = |text: &&str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    let json: Vec<serde_json::Value> = blocks(&page, "json").iter().map(parse).collect();
    assert_eq!(json.len(), 2, "a forward and a backward example");
    let forward = json[0].clone();
    // The backward example shows only the members that differ.
    let mut backward = forward.clone();
    backward["direction"] = "backward".into();
    for member in ["formulas", "nodes"] {
        backward[member] = json[1][member].clone();
    }
    let folder = std::env::temp_dir().join(format!("hardbop-certificates-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("flip.bp"), program).unwrap();
    for certificate in [forward, backward] {
        std::fs::write(folder.join("proof.json"), certificate.to_string()).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_hardbop"))
            .current_dir(&folder)
            .args(["validate", "flip.bp", "proof.json"])
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{certificate}: {errors}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
