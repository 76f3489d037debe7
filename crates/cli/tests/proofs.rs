//! `hardbop validate --proofs` against a checker that is not ours: it accepts every proof, and
//! rejects what is changed.
//!
//! The checker is `rate` (`cargo install rate`), found by `HARDBOP_DRAT_CHECKER` or on the path.
//! Where it is missing, its part is skipped with a message; that the files are there, and say what
//! they should, is tested everywhere.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Says so on the terminal itself: the harness swallows what passing tests print.
fn skipped(why: &str) {
    let line = format!("skipped: {why}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// The checker of proofs.
struct Checker(PathBuf);

impl Checker {
    fn find() -> Option<Self> {
        let named = std::env::var_os("HARDBOP_DRAT_CHECKER").map(PathBuf::from);
        let path = named.unwrap_or_else(|| PathBuf::from("rate"));
        let works = Command::new(&path).arg("--version").output();
        if works.is_ok_and(|output| output.status.success()) {
            return Some(Self(path));
        }
        skipped("there is no DRAT checker (cargo install rate)");
        None
    }

    /// Whether it accepts a proof.
    fn accepts(&self, clauses: &Path, proof: &Path) -> bool {
        let output = Command::new(&self.0).args([clauses, proof]).output();
        let output = output.expect("it was found");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let verified = said.lines().any(|line| line == "s VERIFIED");
        assert_eq!(output.status.success(), verified, "{said}");
        verified
    }
}

struct Stage(PathBuf);

impl Stage {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a directory for the test");
        Self(folder)
    }

    fn run(&self, words: &str) -> Output {
        let command = Command::new(env!("CARGO_BIN_EXE_hardbop"))
            .args(words.split_ascii_whitespace())
            .current_dir(&self.0)
            .output();
        command.expect("the command is built")
    }

    /// Checks a program and writes the proofs of its certificates; gives their numbers.
    fn proofs(&self, program: &str, text: &str, options: &str) -> Vec<String> {
        std::fs::write(self.0.join(program), text).expect("there is room");
        let check = format!("check {program} --certificate proof.json {options}");
        let checked = self.run(&check);
        assert_eq!(checked.status.code(), Some(0), "{checked:?}");
        let _ = std::fs::remove_dir_all(self.0.join("proofs"));
        let validated = self.run(&format!("validate {program} proof.json --proofs proofs"));
        assert_eq!(validated.status.code(), Some(0), "{validated:?}");
        let said = String::from_utf8_lossy(&validated.stderr).into_owned();
        let index = self.read("index.txt");
        let numbers = index.lines().filter_map(|line| line.split(' ').next());
        let numbers: Vec<String> = numbers.map(str::to_owned).collect();
        // As many as there are conditions, each with its two files.
        assert!(
            said.contains(&format!("{} conditions,", numbers.len())),
            "{said}"
        );
        for number in &numbers {
            assert!(self.read(&format!("{number}.cnf")).contains("\np cnf "));
            assert!(self.read(&format!("{number}.drat")).ends_with("0\n"));
        }
        numbers
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join("proofs").join(name)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.file(name)).expect("it was written")
    }
}

/// A lock with a summary, integers that are added, and threads that exclude each other.
const PROGRAMS: [(&str, &str, &str); 4] = [
    (
        "lock.bp",
        "decl held := 0;
void main() begin
  decl x;
  x := *;
  take();
  if (x) then give(); take(); fi
  give();
end
void take() begin assert(!held); held := 1; end
void give() begin assert(held); held := 0; end
",
        "",
    ),
    (
        "lock.bp",
        "decl held := 0;
void main() begin
  decl x;
  x := *;
  take();
  if (x) then give(); take(); fi
end
void take() begin assert(!held); held := 1; end
void give() begin held := 0; end
",
        "--engine sat",
    ),
    ("sum.c", SUM, ""),
    (
        "threads.bp",
        "decl turn := 0;
decl inside := 0;
thread a begin
  void main() begin
    while (*) do assume(!turn); inside := 1; assert(inside); inside := 0; turn := 1; od
  end
end
thread b begin
  void main() begin
    while (*) do assume(turn); assert(!inside); turn := 0; od
  end
end
",
        "",
    ),
];

const SUM: &str = "extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assert(int);
int main(void) {
  unsigned char a = __VERIFIER_nondet_uchar();
  unsigned char b = __VERIFIER_nondet_uchar();
  unsigned char s = a ^ b;
  unsigned char c = a & b;
  __VERIFIER_assert((unsigned char)(a + b) == (unsigned char)(s + 2 * c));
  return 0;
}
";

#[test]
fn every_condition_has_a_proof_that_another_checker_accepts() {
    let stage = Stage::new("proofs-accepted");
    let checker = Checker::find();
    let (mut steps, mut count) = (0, 0);
    for (name, text, options) in PROGRAMS {
        for number in stage.proofs(name, text, options) {
            let files = [format!("{number}.cnf"), format!("{number}.drat")];
            steps += stage.read(&files[1]).lines().count();
            count += 1;
            let [clauses, proof] = files.map(|file| stage.file(&file));
            let is_accepted = checker.as_ref().map(|c| c.accepts(&clauses, &proof));
            assert_ne!(is_accepted, Some(false), "{name}: {}", clauses.display());
        }
    }
    // Some of them need more than propagation.
    assert!(steps > count, "{steps} steps for {count} conditions");
}

#[test]
fn a_proof_that_is_changed_is_rejected() {
    let Some(checker) = Checker::find() else {
        return;
    };
    let stage = Stage::new("proofs-rejected");
    let (mut rejected, mut tried) = (0, 0);
    for number in stage.proofs("sum.c", SUM, "") {
        let [clauses, proof] = ["cnf", "drat"].map(|end| stage.file(&format!("{number}.{end}")));
        let changed = stage.file("changed");
        let text = stage.read(&format!("{number}.drat"));
        let steps: Vec<&str> = text.lines().collect();
        if steps.len() > 1 {
            // The empty clause does not follow at once.
            std::fs::write(&changed, "0\n").expect("there is room");
            assert!(!checker.accepts(&clauses, &changed), "{number}");
            // A weakened step no longer justifies the steps after it.
            for (at, step) in steps[..steps.len() - 1].iter().enumerate().take(20) {
                let (_, shorter) = step.split_once(' ').expect("a step has a literal");
                let mut other = steps.clone();
                other[at] = shorter;
                std::fs::write(&changed, other.join("\n") + "\n").expect("there is room");
                tried += 1;
                rejected += u32::from(!checker.accepts(&clauses, &changed));
            }
        }
        // Clauses without the negated conclusion have a model.
        let text = stage.read(&format!("{number}.cnf"));
        let given: Vec<&str> = text.lines().collect();
        let (_, rest) = given.split_last().expect("clauses");
        let fewer = rest.join("\n") + "\n";
        let (head, _) = text.split_once("\np cnf ").expect("a head");
        let body = &fewer[head.len() + 1..];
        let mut words = body.split_ascii_whitespace().skip(2);
        let variables = words.next().expect("variables");
        let count: usize = words.next().and_then(|n| n.parse().ok()).expect("clauses");
        let clauses_only = body.split_once('\n').expect("clauses").1;
        let fewer = format!("p cnf {variables} {}\n{clauses_only}", count - 1);
        std::fs::write(&changed, fewer).expect("there is room");
        tried += 1;
        rejected += u32::from(!checker.accepts(&changed, &proof));
    }
    assert!(rejected * 2 > tried, "{rejected} of {tried} were rejected");
}

#[test]
fn a_folder_that_has_files_is_refused_and_a_rejected_certificate_has_no_index() {
    let stage = Stage::new("proofs-refused");
    let (name, text, options) = PROGRAMS[0];
    stage.proofs(name, text, options);
    let again = stage.run("validate lock.bp proof.json --proofs proofs");
    assert_eq!(again.status.code(), Some(2), "{again:?}");
    let said = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(said.contains("the folder is not empty"), "{said}");
    let proof = std::fs::read_to_string(stage.0.join("proof.json")).expect("it is there");
    let wrong = proof.replace("{\"not\":", "{\"constant\":true},{\"not\":");
    std::fs::write(stage.0.join("wrong.json"), wrong).expect("there is room");
    let rejected = stage.run("validate lock.bp wrong.json --proofs other");
    assert_ne!(rejected.status.code(), Some(0), "{rejected:?}");
    assert!(!stage.0.join("other/index.txt").exists());
}
