use super::*;
use std::panic::AssertUnwindSafe;
use std::path::Path;

const ROOMY: Limits = Limits {
    time: Duration::from_secs(20),
    memory: 1 << 30,
    output: 1 << 20,
    has_small_address_space: false,
};

fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    command
}

fn attempt(script: &str, limits: &Limits) -> Result<Captured, Failed> {
    run(shell(script), b"input\n".to_vec(), limits, || None)
}

/// A script whose grandchild writes its number to a file and then sleeps.
fn with_grandchild(name: &str) -> (String, std::path::PathBuf) {
    let file = std::env::temp_dir().join(format!("hardbop-{name}-{}", std::process::id()));
    let script = format!(
        "sh -c 'echo $$ > {}; exec sleep 1000' & wait",
        file.display()
    );
    (script, file)
}

fn is_running(file: &Path) -> bool {
    let number = std::fs::read_to_string(file).expect("the grandchild has written its number");
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", number.trim()));
    // A zombie has ended; only its exit status has not been read.
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}

fn ends(file: &Path) -> bool {
    let start = Instant::now();
    while is_running(file) && start.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let has_ended = !is_running(file);
    let _ = std::fs::remove_file(file);
    has_ended
}

#[test]
fn input_and_output_go_through() {
    let ran = attempt("cat; echo said >&2; exit 3", &ROOMY).expect("it runs");
    assert_eq!(ran.status.code(), Some(3));
    assert_eq!(ran.stdout, b"input\n");
    assert_eq!(ran.stderr, b"said\n");
}

#[test]
fn a_program_that_does_not_exist_is_told_apart() {
    let ran = run(Command::new("no-such-program"), vec![], &ROOMY, || None);
    assert!(matches!(ran, Err(Failed::NotFound)), "{ran:?}");
}

#[test]
fn time_ends_the_whole_group() {
    let (script, file) = with_grandchild("time");
    let limits = Limits {
        time: Duration::from_secs(1),
        ..ROOMY
    };
    let ran = attempt(&script, &limits);
    assert!(matches!(ran, Err(Failed::Time(_))), "{ran:?}");
    assert!(ends(&file));
}

#[test]
fn a_group_ends_with_its_first_process() {
    let (script, file) = with_grandchild("first");
    let waits_for_file = format!(
        "{} & while [ ! -s {} ]; do sleep 0.01; done",
        script.trim_end_matches("& wait"),
        file.display()
    );
    attempt(&waits_for_file, &ROOMY).expect("it runs");
    assert!(ends(&file));
}

#[test]
fn hardbops_own_limits_end_the_group() {
    let (script, file) = with_grandchild("own");
    let exceeded = || {
        let has_started = std::fs::read_to_string(&file).is_ok_and(|text| !text.is_empty());
        has_started.then_some(Limit::Memory)
    };
    let ran = run(shell(&script), vec![], &ROOMY, exceeded);
    let expected = matches!(ran, Err(Failed::Interrupted(Limit::Memory)));
    assert!(expected, "{ran:?}");
    assert!(ends(&file));
}

#[test]
fn a_panic_ends_the_group() {
    let (script, file) = with_grandchild("panic");
    let exceeded = || -> Option<Limit> {
        let has_started = std::fs::read_to_string(&file).is_ok_and(|text| !text.is_empty());
        assert!(!has_started, "panics on purpose");
        None
    };
    let ran = std::panic::catch_unwind(AssertUnwindSafe(|| {
        run(shell(&script), vec![], &ROOMY, exceeded)
    }));
    assert!(ran.is_err());
    assert!(ends(&file));
}

#[test]
fn output_and_memory_are_limited() {
    let ran = attempt("cat /dev/zero", &ROOMY);
    assert!(matches!(ran, Err(Failed::Output(_))), "{ran:?}");
    let limits = Limits {
        memory: 64 << 20,
        ..ROOMY
    };
    let ran = attempt("head -c 1G /dev/zero | tail", &limits);
    assert!(matches!(ran, Err(Failed::Memory(_))), "{ran:?}");
}

#[test]
fn the_system_limits_what_hardbop_no_longer_watches() {
    let limits = Limits {
        time: Duration::from_secs(7),
        has_small_address_space: true,
        ..ROOMY
    };
    let ran = attempt("sleep 0.1; ulimit -t; ulimit -v", &limits).expect("it runs");
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    let numbers: Vec<u64> = said.lines().filter_map(|line| line.parse().ok()).collect();
    assert_eq!(numbers.first(), Some(&8), "{said}");
    assert!(numbers.get(1).is_some_and(|&kib| kib <= 5 << 20), "{said}");
}
