//! The extension for Visual Studio Code: its grammars are held against the examples by a
//! test in JavaScript, since no other program reads them as the editor does.

use std::path::Path;
use std::process::Command;

fn skipped(why: &str) {
    #[expect(clippy::print_stderr, reason = "whoever runs the tests wants to know")]
    {
        eprintln!("skipped: {why}");
    }
}

#[test]
fn the_textmate_grammars_colour_the_examples_rightly() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/vscode");
    let version = Command::new("node").arg("--version").output();
    if !version.is_ok_and(|output| output.status.success()) {
        return skipped("node is not installed");
    }
    if !folder.join("node_modules/vscode-textmate").exists() {
        return skipped("run `npm install` in editors/vscode to test its grammars");
    }
    let output = Command::new("node")
        .args(["--test", "test/"])
        .current_dir(&folder)
        .output()
        .expect("node has just been run");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("# pass 8"), "{text}");
}
