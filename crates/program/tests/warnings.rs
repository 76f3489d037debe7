//! Warnings: programs that are taken but may not mean what they say.
#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]

mod common;

use common::report;
use expect_test::{Expect, expect};

fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&report(text));
}

#[test]
fn equality_beside_and_shows_both_readings() {
    check(
        "decl a, b, c, d;
void main() begin
  assume(a = b & c);
  assume(a & b != c);
  assume(a = b && c == d);
  assume((a = b) & c);
  assume(a = (b & c));
  assume(a & b & c | d);
end",
        &expect![[r#"
            3:10 HB070: this means `(a = b) & c`, but other tools read `a = (b & c)`
              help: write the parentheses: `(a = b) & c` or `a = (b & c)`
            4:10 HB070: this means `a & (b != c)`, but other tools read `(a & b) != c`
              help: write the parentheses: `a & (b != c)` or `(a & b) != c`
            5:10 HB070: this means `(a = b) && (c == d)`, but other tools read `(a = (b && c)) == d`
              help: write the parentheses: `(a = b) && (c == d)` or `(a = (b && c)) == d`
        "#]],
    );
}

#[test]
fn comparisons_of_integers_have_one_reading() {
    check(
        "decl a;
decl int<3> n;
void main() begin
  assume(n = 3 & a);
  assume(a & n != 2 & 1 < n);
end",
        &expect![[""]],
    );
}

#[test]
fn exclusive_or_beside_or_shows_both_readings() {
    check(
        "decl a, b, c;
void main() begin
  assume(a | b ^ c);
  assume(a ^ b | c);
  assume(a | (b ^ c));
  assume(a ^ b & c);
end",
        &expect![[r#"
            3:10 HB071: this means `a | (b ^ c)`, but other tools read `(a | b) ^ c`
              help: write the parentheses: `a | (b ^ c)` or `(a | b) ^ c`
            4:10 HB071: this means `(a ^ b) | c`, but other tools read `a ^ (b | c)`
              help: write the parentheses: `(a ^ b) | c` or `a ^ (b | c)`
        "#]],
    );
}

#[test]
fn the_end_of_a_procedure_with_results() {
    check(
        "bool ends() begin
  if (*) then return T; fi
end
bool loops() begin
  while (T) do skip; od
end
bool both() begin
  if (*) then return T; elsif (*) then goto L; else L: return F; fi
end
bool fails() begin
  assert(0);
end
bool jumps() begin
  goto L;
  L:
end
void main() begin
  ends(); loops(); both(); fails(); jumps();
end",
        &expect![[r#"
            3:1 HB072: `ends` can end without `return`; its results are arbitrary then
              1:6 has results
            16:1 HB072: `jumps` can end without `return`; its results are arbitrary then
              13:6 has results
        "#]],
    );
}

#[test]
fn procedures_that_never_run() {
    check(
        "void self() begin self(); end
void init() begin skip; end
void used() begin skip; end
void main() begin used(); end",
        &expect![[r#"
            1:6 HB074: the procedure `self` is never called
            2:6 HB075: the procedure `init` never runs
              help: call it from `main`, or say `--dialect getafix`
        "#]],
    );
}

#[test]
fn values_that_are_all_thrown_away() {
    check(
        "decl x;
void main() begin
  _ := x;
  _, x := T, F;
end",
        &expect![[r#"
            3:3 HB076: this assignment throws all its values away
        "#]],
    );
}

#[test]
fn atomic_blocks_that_match_on_some_ways_only() {
    check(
        "decl x;
void main() begin
  if (x) then atomic_begin; fi
  atomic_end;
  atomic_end;
  start_thread enters();
  opens();
  closes();
  closes();
  start_thread goto MIDDLE;
  atomic_begin;
  MIDDLE: atomic_end;
  while (*) do
    atomic_begin;
    if (*) then end_thread; fi
    atomic_end;
  od
end
void opens() begin
  atomic_begin;
end
void closes() begin
  atomic_end;
end
void enters() begin
  opens();
end
void never() begin
  atomic_end;
  never();
end",
        &expect![[r#"
            4:3 HB077: this `atomic_end` can be reached outside of an atomic block
              help: put `atomic_begin` on every way that leads here
            5:3 HB077: no atomic block is open at this `atomic_end`
              help: put `atomic_begin` before it, or remove it
            12:11 HB077: this `atomic_end` can be reached outside of an atomic block
              help: put `atomic_begin` on every way that leads here
            15:17 HB078: a thread can end here inside of an atomic block
              3:15 a block begins here
              help: put `atomic_end` on every way that leads here
            23:3 HB077: this `atomic_end` can be reached outside of an atomic block
              help: put `atomic_begin` on every way that leads here
            27:1 HB078: a thread can end here inside of an atomic block
              help: put `atomic_end` on every way that leads here
            28:6 HB074: the procedure `never` is never called
        "#]],
    );
}

#[test]
fn atomic_blocks_that_match_across_procedures_and_loops() {
    check(
        "decl x;
void main() begin
  AGAIN: lock();
  if (*) then
    unlock();
    goto AGAIN;
  elsif (*) then
    assume(F);
  else
    recursive();
  fi
  ASYNC: unlock();
  while (T) do
    lock();
    x := !x;
    unlock();
  od
end
void lock() begin
  atomic_begin;
end
void unlock() begin
  atomic_end;
  return;
  atomic_end;
end
void recursive() begin
  if (x) then recursive(); unlock(); lock(); fi
end",
        &expect![[r#""#]],
    );
}

#[test]
fn procedures_of_threads_that_hide_others() {
    check(
        "void f() begin skip; end
thread t begin
  void main() begin f(); end
  void f() begin skip; end
end
void main() begin f(); end",
        &expect![[r#"
            4:8 HB079: `f` hides the procedure of the same name outside of the thread
              1:6 the procedure that is hidden
        "#]],
    );
}
