//! Dialects: what runs, what it may call, and what is wrong with it.
#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]

mod common;

use common::{checked, report};
use expect_test::{Expect, expect};
use hardbop_program::{Dialect, check as check_program};
use hardbop_syntax::{Source, parse};
use std::fmt::Write;

fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&report(text));
}

/// Dialect, threads with instances, `init` and the atomicity flag.
fn what_runs(text: &str, dialect: Option<Dialect>) -> String {
    let source = Source::new("test.bp", text);
    let checked = check_program(parse(&source).ast, &source, dialect);
    let program = checked
        .program
        .unwrap_or_else(|| panic!("{:#?}", checked.diagnostics));
    let mut shown = program.dialect.name().to_owned();
    for thread in &program.threads {
        let entry = program.procedure_name(thread.entry);
        write!(shown, " {entry}*{}", thread.instances).unwrap();
    }
    if let Some(init) = program.init {
        write!(shown, " after {}", program.procedure_name(init)).unwrap();
    }
    if program.atomic_flag.is_some() {
        shown.push_str(" with flag");
    }
    shown
}

const GETAFIX: &str = "decl atomic, x;
void init() begin x := F; end
void thread1() begin x := T; end
void threadB() begin skip; end
void thread3(p) begin skip; end
void main() begin skip; end";

#[test]
fn the_dialect_is_detected() {
    let main = "void main() begin skip; end";
    assert_eq!(what_runs(main, None), "sequential main*1");
    assert_eq!(
        what_runs(GETAFIX, None),
        "getafix thread1*1 threadB*1 main*1 after init with flag"
    );
    let boppo = "void t() begin skip; end void main() begin ASYNC_1: t(); end";
    assert_eq!(what_runs(boppo, None), "boppo main*1");
    let satabs = "void main() begin start_thread goto L; L: end_thread; end";
    assert_eq!(what_runs(satabs, None), "satabs main*1");
    let local = "thread_local decl x; void main() begin skip; end";
    assert_eq!(what_runs(local, None), "satabs main*1");
    let native = "thread a(3) begin void main() begin skip; end end
thread b begin decl m; void main() begin help(); end end
void help() begin skip; end
void init() begin skip; end";
    assert_eq!(
        what_runs(native, None),
        "threads a.main*3 b.main*1 after init"
    );
}

#[test]
fn the_dialect_can_be_given() {
    let dialect = Some(Dialect::Sequential);
    assert_eq!(what_runs(GETAFIX, dialect), "sequential main*1");
    let only_threads = "decl atomic; void thread1() begin skip; end";
    assert_eq!(
        what_runs(only_threads, Some(Dialect::Getafix)),
        "getafix thread1*1 with flag"
    );
}

#[test]
fn an_init_that_is_called_is_an_ordinary_procedure() {
    let text = "void init() begin skip; end
thread a begin void main() begin init(); end end";
    assert_eq!(what_runs(text, None), "threads a.main*1");
}

#[test]
fn thread_variables_and_procedures_stay_inside() {
    check(
        "decl g;
thread a begin
  decl mine;
  void main() begin mine := g; work(); end
  void work() begin skip; end
end
thread b begin
  void main() begin mine := g; work(); end
end
void top() begin main(); top2(); end
void top2() begin top(); end",
        &expect![[r#"
            8:21 HB020: the variable `mine` is not declared
            8:32 HB053: `work` is a procedure of the thread `a` and cannot be called from here
              5:8 defined inside the thread
              help: move it out of the `thread` block to share it
            10:18 HB053: `main` is a procedure of the thread `a` and cannot be called from here
              4:8 defined inside the thread
              help: move it out of the `thread` block to share it
        "#]],
    );
}

#[test]
fn mistakes_of_thread_blocks() {
    check(
        "thread a(0) begin void main() begin skip; end end
thread a(1025) begin void main() begin skip; end end
thread c begin void work() begin skip; end end",
        &expect![[r#"
            1:10 HB050: the thread `a` cannot have 0 instances
            2:8 HB052: two threads are called `a`
              1:8 the first
            2:10 HB050: the thread `a` cannot have 1025 instances
            3:8 HB051: the thread `c` has no procedure `main`
        "#]],
    );
}

#[test]
fn mistakes_of_started_threads() {
    check(
        "bool t(x) begin return x; end
void main() begin
  decl r;
  ASYNC_1: r := t(T);
  ASYNC_2: r := T;
  start_thread t();
  start_thread goto Nowhere;
  atomic_end;
end",
        &expect![[r#"
            4:12 HB055: a thread gives no results back, but there are variables to assign them to
              4:3 this label makes the call start a thread
            5:3 HB054: the label `ASYNC_2` stands on a statement that is not a call
              5:12 no call
            6:16 HB027: `t` has 1 parameter but is called with 0 arguments
              1:6 1 parameter here
            7:21 HB022: there is no label `Nowhere` in `main`
            8:3 HB056: `atomic_end` without any `atomic_begin` in the program
        "#]],
    );
}

#[test]
fn a_sequential_program_may_use_any_label() {
    let (checked, _) = checked("void main() begin ASYNC_x: skip; end");
    assert!(checked.diagnostics.is_empty());
}

#[test]
fn threads_start_in_their_own_procedure() {
    check(
        "void main() begin
  start_thread goto L;
  f();
end
void f() begin
  L: skip;
end",
        &expect![[r#"
            2:21 HB039: a thread cannot start outside of `main`: the label `L` is in `f`
              6:3 this one is in `f`
              help: write `start_thread f(…)` for a thread that runs `f`
        "#]],
    );
}

#[test]
fn a_thread_block_cannot_be_called_like_the_main_beside_it() {
    check(
        "thread main begin
  void main() begin skip; end
end
void main() begin skip; end",
        &expect![[r#"
            4:6 HB052: two threads are called `main`
              1:8 the first
        "#]],
    );
}
