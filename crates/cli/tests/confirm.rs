//! `check --confirm` and `export --to harness`: a second opinion from the C compiler.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Whether there is a compiler. Says so on the terminal itself if there is none: the harness
/// swallows what passing tests print.
fn has_compiler() -> bool {
    let is_there = Command::new("cc").arg("--version").output().is_ok();
    if !is_there {
        let line = "skipped: there is no C compiler `cc`\n";
        // A terminal that cannot be written to does not fail the test.
        let _ = std::io::stderr().write_all(line.as_bytes());
    }
    is_there
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("confirm-{name}"));
    // What an earlier test has left must not help this one.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a directory for the test");
    folder
}

fn hardbop(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hardbop"));
    command.current_dir(folder).args(arguments);
    command
}

fn said(output: &Output) -> String {
    let both = [&output.stdout, &output.stderr];
    both.map(|text| String::from_utf8_lossy(text).into_owned())
        .concat()
}

/// What `check --confirm` says about a program, and its exit code.
fn confirmed(name: &str, text: &str) -> (String, Option<i32>) {
    let folder = folder(name);
    std::fs::write(folder.join("p.c"), text).expect("a file in the folder of the test");
    let arguments = ["check", "p.c", "--confirm", "--trace", "none"];
    let output = hardbop(&folder, &arguments)
        .output()
        .expect("the command is built");
    (said(&output), output.status.code())
}

/// Inputs of every kind: results of functions, in loops too, locals, an array, a struct, variables
/// of other files, parameters of `main`.
const INPUTS: &str = "extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);
void reach_error(void) {}
void __VERIFIER_assert(int c) { if (!c) { reach_error(); } }
int unknown(int a);
extern short outside;
struct pair { int x; char y[2]; };
static int help(int depth) {
  int u;
  if (depth > 0 && help(depth - 1) != 21)
    return 0;
  return u;
}
int main(int argc) {
  int u, a[3], n = 0;
  struct pair s;
  int *p = &u;
  int x = __VERIFIER_nondet_int();
  for (int i = 0; i < 3; i++) {
    int t;
    if (__VERIFIER_nondet_bool() && t == 5)
      n++;
  }
  if (x > 3 && unknown(2) == 7 && unknown(3) == -8 && *p == 9 && a[1] == 4 && s.y[1] == -2)
    if (outside == -3 && argc == 11 && help(1) == 22)
      __VERIFIER_assert(n != 2);
  return 0;
}
";

#[test]
fn an_execution_with_inputs_of_every_kind_is_confirmed() {
    if !has_compiler() {
        return;
    }
    let (said, code) = confirmed("inputs", INPUTS);
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("confirmed: the compiled program fails at line 26\n"),
        "{said}"
    );
    assert!(!said.contains("not confirmed"), "{said}");
}

#[test]
fn implicit_checks_are_confirmed_by_sanitizers_or_not_at_all() {
    if !has_compiler() {
        return;
    }
    let programs = [
        "int main(void) {\n  int a[3] = {0}, i;\n  a[i] = 1;\n  return 0;\n}\n",
        "int main(void) {\n  int a = 1, i;\n  a = 7 / i;\n  return a;\n}\n",
        "int main(void) {\n  int a = 1, i;\n  a = a << i;\n  return a;\n}\n",
    ];
    for (number, program) in programs.iter().enumerate() {
        let (said, code) = confirmed(&format!("implicit-{number}"), program);
        assert_eq!(code, Some(1), "{said}");
        let is_confirmed = said.contains("confirmed: the compiled program fails at line 3\n");
        assert!(is_confirmed || said.contains("no sanitizers"), "{said}");
    }
}

#[test]
fn a_program_that_holds_is_executed_on_random_inputs() {
    if !has_compiler() {
        return;
    }
    let text = "extern unsigned __VERIFIER_nondet_uint(void);\nvoid __VERIFIER_assert(int c);\n\
                int main(void) {\n  unsigned x = __VERIFIER_nondet_uint() % 7;\n  \
                __VERIFIER_assert(x < 7);\n  return 0;\n}\n";
    let (said, code) = confirmed("holds", text);
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("confirmed: nothing that holds has failed in "),
        "{said}"
    );
}

/// The compiler is given another program than the preprocessor: a disagreement as a mistake of the
/// front end would make it.
#[cfg(unix)]
#[test]
fn a_disagreement_is_an_internal_error_and_its_harness_is_kept() {
    use std::os::unix::fs::PermissionsExt;
    if !has_compiler() {
        return;
    }
    let folder = folder("disagreement");
    let real = Command::new("sh").args(["-c", "command -v cc"]).output();
    let real = String::from_utf8(real.expect("a shell").stdout).expect("a path");
    let script = format!(
        "#!/bin/sh\nif [ \"$1\" = -E ]; then exec {0} \"$@\"; fi\nexec {0} -DCOMPILED \"$@\"\n",
        real.trim()
    );
    std::fs::write(folder.join("cc"), script).expect("a file in the folder of the test");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.join("cc"), mode).expect("it is ours");
    let text = "extern int __VERIFIER_nondet_int(void);\nvoid __VERIFIER_assert(int c);\n\
                #ifdef COMPILED\nint most = 3;\n#else\nint most = 4;\n#endif\n\
                int main(void) {\n  int x = __VERIFIER_nondet_int();\n  \
                if (x < 0 || x > 3) return 0;\n  __VERIFIER_assert(x RELATION most);\n  \
                return 0;\n}\n";
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", folder.display());
    for (relation, why) in [
        ("<", "line 11 should hold, but fails"),
        ("!=", "line 11 should hold"),
    ] {
        std::fs::write(folder.join("p.c"), text.replace("RELATION", relation)).expect("a file");
        let arguments = ["check", "p.c", "--confirm", "--trace", "none"];
        let output = hardbop(&folder, &arguments).env("PATH", &path).output();
        let output = output.expect("the command is built");
        let said = said(&output);
        assert_eq!(output.status.code(), Some(4), "{said}");
        assert!(said.contains(why) && said.contains("p.harness.c"), "{said}");
        std::fs::remove_file(folder.join("p.harness.c")).expect("it was kept");
    }
    // With more than hardbop sees, the execution it found does not fail.
    let text = text.replace("RELATION", "!=").replace("x > 3", "x > 4");
    std::fs::write(folder.join("p.c"), text).expect("a file");
    let arguments = ["check", "p.c", "--confirm", "--trace", "none"];
    let output = hardbop(&folder, &arguments).env("PATH", &path).output();
    let output = output.expect("the command is built");
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    assert!(said(&output).contains("line 11 should fail, but it ends without a failure"));
}

#[test]
fn without_a_compiler_nothing_is_confirmed_and_the_verdict_stays() {
    let folder = folder("no-compiler");
    let text = "void __VERIFIER_assert(int c);\nint main(void) { int u; __VERIFIER_assert(u); return 0; }\n";
    std::fs::write(folder.join("p.c"), text).expect("a file in the folder of the test");
    let arguments = ["check", "p.c", "--confirm", "--trace", "none"];
    let output = hardbop(&folder, &arguments).env("PATH", &folder).output();
    let output = output.expect("the command is built");
    assert_eq!(output.status.code(), Some(1));
    let expected = "not confirmed: line 2: there is no C compiler `cc`";
    assert!(said(&output).contains(expected), "{}", said(&output));
}

#[test]
fn a_harness_can_be_exported_and_compiled() {
    if !has_compiler() {
        return;
    }
    let folder = folder("export");
    std::fs::write(folder.join("p.c"), INPUTS).expect("a file in the folder of the test");
    let arguments = ["export", "p.c", "--to", "harness", "-o", "h.c"];
    let output = hardbop(&folder, &arguments)
        .output()
        .expect("the command is built");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let mut compiler = Command::new("cc");
    let options = [
        "-fwrapv",
        "-fsigned-char",
        "-fno-builtin",
        "-w",
        "h.c",
        "-o",
        "h",
    ];
    let built = compiler.current_dir(&folder).args(options).output();
    let built = built.expect("there is a compiler");
    assert!(built.status.success(), "{}", said(&built));
    let run = Command::new(folder.join("h"))
        .output()
        .expect("it was built");
    assert_eq!(said(&run), "hardbop: fails at line 26\n");
}

#[test]
fn boolean_programs_have_no_second_opinion() {
    let folder = folder("boolean");
    std::fs::write(folder.join("p.bp"), "void main() begin assert(T); end\n").expect("a file");
    let output = hardbop(&folder, &["check", "p.bp", "--confirm"]).output();
    let output = output.expect("the command is built");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        said(&output).contains("--confirm is about C programs"),
        "{}",
        said(&output)
    );
}
