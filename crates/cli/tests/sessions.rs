//! Sessions with a person: what is shown when Ctrl-C ends one.

#![cfg(unix)]

use std::io::{BufReader, Read, Write};
use std::process::{Command, Stdio};

/// Reads until a text has come.
fn read_until(reader: &mut impl Read, text: &str) -> String {
    let mut seen = Vec::new();
    let mut byte = [0];
    while !String::from_utf8_lossy(&seen).contains(text) {
        let count = reader.read(&mut byte).expect("the output can be read");
        assert!(count > 0, "{text} does not come");
        seen.push(byte[0]);
    }
    String::from_utf8_lossy(&seen).into_owned()
}

#[test]
fn ctrl_c_shows_the_run_so_far() {
    let folder = std::env::temp_dir().join(format!("hardbop-sessions-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    let file = folder.join("loop.bp");
    let text = "decl g;\nvoid main() begin\n  g := *;\n  while (*) do g := !g; od\nend\n";
    std::fs::write(&file, text).expect("the program is written");
    let mut session = Command::new(env!("CARGO_BIN_EXE_hardbop"))
        .args(["simulate", "--interactive"])
        .arg(&file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("hardbop starts");
    let mut input = session.stdin.take().expect("it is piped");
    let mut output = BufReader::new(session.stdout.take().expect("it is piped"));
    input.write_all(b"true\ntrue\n").expect("it listens");
    read_until(&mut output, "g := !g");
    read_until(&mut output, "true or false?");
    let id = session.id().to_string();
    let killed = Command::new("kill").args(["-INT", &id]).status();
    assert!(killed.expect("kill starts").success());
    let mut rest = String::new();
    output.read_to_string(&mut rest).expect("it is text");
    let exit = session.wait().expect("it ends");
    assert_eq!(exit.code(), Some(3), "{rest}");
    assert!(rest.contains("start:"), "{rest}");
    assert!(rest.contains("after 3 steps: interrupted"), "{rest}");
    let _ = std::fs::remove_dir_all(&folder);
}
