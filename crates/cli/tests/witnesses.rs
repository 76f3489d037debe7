//! Verification witnesses are held against what they are about: the values of a violation lead a
//! compiled program to its error, and the invariants of a proof are put into the program as
//! assertions and hold.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PROGRAM: &str = "extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);
int lock = 0;
void take(void) { if (lock) reach_error(); lock = 1; }
void give(void) { lock = 0; }
int main(void) {
  int n = __VERIFIER_nondet_int();
  while (n != 0 && (lock < 2 || __VERIFIER_nondet_int() == 7)) {
    unsigned char how;
    take();
    how = __VERIFIER_nondet_uchar( /* ) */ );
    GIVE
    n = n - 1;
  }
  return 0;
}
";

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).expect("a directory for the test");
    folder
}

fn hardbop(folder: &Path, arguments: &[&str]) -> Output {
    let command = Command::new(env!("CARGO_BIN_EXE_hardbop"))
        .current_dir(folder)
        .env("SOURCE_DATE_EPOCH", "1794893400")
        .args(arguments)
        .output();
    command.expect("the command is built")
}

/// The witness that `check` writes for a program, which ends with this exit code.
fn witness(folder: &Path, program: &str, exit: i32) -> String {
    fs::write(folder.join("p.c"), program).expect("a file in the folder of the test");
    let output = hardbop(
        folder,
        &["check", "p.c", "--trace", "none", "--witness", "w.yml"],
    );
    assert_eq!(output.status.code(), Some(exit), "{output:?}");
    fs::read_to_string(folder.join("w.yml")).expect("a witness is written")
}

/// The values of all members with this name, in order.
fn members<'w>(witness: &'w str, name: &str) -> Vec<&'w str> {
    let of_line = |line: &'w str| {
        let line = line.trim_start().trim_start_matches("- ");
        let value = line.strip_prefix(name)?.strip_prefix(": ")?;
        Some(value.trim_matches('"'))
    };
    witness.lines().filter_map(of_line).collect()
}

#[test]
fn the_values_of_a_violation_lead_the_compiled_program_to_its_error() {
    let folder = folder("witness-violation");
    let program = PROGRAM.replace("GIVE", "if (how > 200) give();");
    let witness = witness(&folder, &program, 1);
    assert_eq!(members(&witness, "entry_type"), ["violation_sequence"]);
    assert_eq!(members(&witness, "creation_time"), ["2026-11-17T05:30:00Z"]);
    let types = members(&witness, "type");
    let (last, returns) = types.split_last().expect("there are waypoints");
    assert_eq!(*last, "target");
    assert!(returns.len() >= 2, "{witness}");
    assert!(returns.iter().all(|kind| *kind == "function_return"));
    // The error stands in line 5, the calls end in lines 8 and 12.
    let places: Vec<_> = members(&witness, "line")
        .into_iter()
        .zip(members(&witness, "column"))
        .collect();
    assert_eq!(places.last(), Some(&("5", "29")));
    assert_eq!(places[..2], [("8", "33"), ("12", "44")]);
    let values: Vec<&str> = members(&witness, "value")
        .iter()
        .map(|value| {
            value
                .strip_prefix("\\\\result == ")
                .expect("what a call returned")
        })
        .collect();
    let harness = format!(
        "{program}
#include <stdlib.h>
static const long long values[] = {{ {} }};
static unsigned used = 0;
static long long next(void) {{
  if (used == sizeof values / sizeof values[0]) exit(3);
  return values[used++];
}}
int __VERIFIER_nondet_int(void) {{ return (int)next(); }}
unsigned char __VERIFIER_nondet_uchar(void) {{ return (unsigned char)next(); }}
void reach_error(void) {{ exit(42); }}
",
        values.join(", ")
    );
    fs::write(folder.join("harness.c"), harness).expect("a file in the folder of the test");
    let built = Command::new("cc")
        .current_dir(&folder)
        .args(["-w", "-o", "harness", "harness.c"])
        .output();
    match built {
        Ok(built) => {
            assert!(built.status.success(), "{built:?}");
            let run = Command::new(folder.join("harness")).status();
            assert_eq!(run.expect("it was compiled").code(), Some(42), "{witness}");
        }
        Err(_) => {
            let line = b"skipped: there is no C compiler to run the violation with\n";
            let _ = std::io::stderr().write_all(line);
        }
    }
}

#[test]
fn the_invariants_of_a_proof_hold_as_assertions() {
    let folder = folder("witness-proof");
    let program = PROGRAM.replace("GIVE", "how = how; give();");
    let witness = witness(&folder, &program, 0);
    assert_eq!(members(&witness, "entry_type"), ["invariant_set"]);
    assert_eq!(members(&witness, "type"), ["loop_invariant"]);
    assert_eq!(members(&witness, "line"), ["9"]);
    let values = members(&witness, "value");
    let [invariant] = values[..] else {
        panic!("one loop has one invariant: {witness}");
    };
    assert!(invariant.contains("lock"), "{witness}");
    // Asserted where the condition is evaluated; with the opposite it must fail.
    for (claim, exit) in [(invariant.to_owned(), 0), (format!("!({invariant})"), 1)] {
        let (head, rest) = program.split_once("while (").expect("there is a loop");
        let (condition, body) = rest.split_once(") {\n").expect("it has a body");
        let asserted = format!(
            "{head}while (1) {{ __VERIFIER_assert({claim}); if (!({condition})) break;\n{body}"
        );
        let asserted = format!("void __VERIFIER_assert(int condition);\n{asserted}");
        fs::write(folder.join("asserted.c"), asserted).expect("a file in the folder of the test");
        let output = hardbop(&folder, &["check", "asserted.c", "--trace", "none"]);
        assert_eq!(output.status.code(), Some(exit), "{claim}: {output:?}");
    }
}

#[test]
fn a_witness_that_there_cannot_be_is_refused() {
    let folder = folder("witness-refused");
    fs::write(folder.join("p.bp"), "void main() begin assert(1); end").expect("a file");
    let output = hardbop(&folder, &["check", "p.bp", "--witness", "w.yml"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("--witness needs a C program"), "{said}");
    assert!(!folder.join("w.yml").exists());
}

#[test]
fn a_witness_claims_the_property_that_is_violated() {
    let folder = folder("witness-property");
    let specification = |witness: &str| members(witness, "specification")[0].to_owned();
    let index = "int a[3];
extern int __VERIFIER_nondet_int(void);
int main(void) { return a[__VERIFIER_nondet_int()]; }
";
    let expected = "CHECK( init(main()), LTL(G valid-deref) )";
    assert_eq!(specification(&witness(&folder, index, 1)), expected);
    let error = "extern void reach_error(void);
int a[3];
int main(void) { int i = 1; reach_error(); return a[i]; }
";
    let expected = "CHECK( init(main()), LTL(G ! call(reach_error())) )";
    assert_eq!(specification(&witness(&folder, error, 1)), expected);
    let division = "extern int __VERIFIER_nondet_int(void);
int main(void) { return 1 / __VERIFIER_nondet_int(); }
";
    fs::write(folder.join("d.c"), division).expect("a file in the folder of the test");
    let output = hardbop(&folder, &["check", "d.c", "--witness", "d.yml"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("the competition has no property for"),
        "{said}"
    );
    assert!(!folder.join("d.yml").exists());
}

#[test]
fn no_invariant_stands_in_the_header_of_a_loop() {
    let folder = folder("witness-header");
    let program = "extern int __VERIFIER_nondet_int(void);
void __VERIFIER_assert(int c);
int a[4];
int main(void) {
  int i, s = 0;
  for (i = 0; i < 4 && a[i] == 0; i++) {
    if (__VERIFIER_nondet_int())
      continue;
    s = s + 1;
  }
  __VERIFIER_assert(s <= 4);
  return 0;
}
";
    let witness = witness(&folder, program, 0);
    let places: Vec<_> = members(&witness, "line")
        .into_iter()
        .zip(members(&witness, "column"))
        .collect();
    assert!(!places.is_empty());
    let in_header = places.iter().filter(|(line, _)| *line == "6");
    let mut columns = in_header.map(|(_, column)| *column);
    assert!(columns.all(|column| column == "3"), "{witness}");
}
