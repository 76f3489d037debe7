//! Small C programs with the verdicts that the meaning of C gives them.
//!
//! Each test is a table: the statements of `main`, and whether every assertion holds. Wrong
//! conversions are invisible to replays and certificates, since these judge the translated program.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Declarations that every program may use.
const HEAD: &str = "_Bool __VERIFIER_nondet_bool(void);
int __VERIFIER_nondet_int(void);
unsigned __VERIFIER_nondet_uint(void);
unsigned char __VERIFIER_nondet_uchar(void);
void __VERIFIER_assume(int);
";

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a directory for the test");
    folder
}

fn run(test: &str, text: &str, options: &[&str]) -> Output {
    let file = folder("c-meaning").join(format!("{test}.c"));
    std::fs::write(&file, text).expect("a file in the folder of the test");
    let command = Command::new(env!("CARGO_BIN_EXE_hardbop"))
        .arg("check")
        .arg(&file)
        .args(["--trace", "none", "--time", "60"])
        .args(options)
        .output();
    command.expect("the command is built")
}

fn said(output: &Output) -> String {
    let texts = [&output.stdout, &output.stderr];
    texts.map(|text| String::from_utf8_lossy(text)).concat()
}

/// Asserts the exit code of `check`: 0 if everything holds, 1 if something is violated, 2 for an
/// error in the program.
fn expect(test: &str, text: &str, options: &[&str], code: i32) {
    let output = run(test, text, options);
    let said = said(&output);
    assert_eq!(output.status.code(), Some(code), "{text}\n{said}");
}

/// Programs before `main`, the statements of `main`, and whether all assertions hold.
fn table(test: &str, rows: &[(&str, &str, bool)]) {
    for (outside, statements, holds) in rows {
        let text = format!("{HEAD}{outside}\nint main(void) {{ {statements} return 0; }}\n");
        let text = text.replace("CHECK(", "__VERIFIER_assert(");
        expect(test, &text, &["--quiet"], i32::from(!holds));
    }
}

#[test]
fn a_conditional_with_a_constant_condition_converts_both_operands() {
    table(
        "conditional",
        &[
            (
                "",
                "int x = -1; unsigned o = 0; long d = 1 ? x : o; CHECK(d == -1);",
                false,
            ),
            (
                "",
                "int x = -1; unsigned o = 0; long d = 1 ? x : o; CHECK(d == 4294967295);",
                true,
            ),
            (
                "",
                "int x = -1; unsigned o = 0; long d = 0 ? o : x; CHECK(d == 4294967295);",
                true,
            ),
            (
                "",
                "int len = __VERIFIER_nondet_int(); \
                 if (len < ((8) > (sizeof(int)) ? (8) : (sizeof(int)))) return 0; CHECK(len >= 0);",
                false,
            ),
            ("", "CHECK((1 ? -1 : 0u) > 0);", true),
            ("", "char c = -1; CHECK(sizeof(1 ? c : c) == 4);", true),
            ("long g = 1 ? -1 : 0u;", "CHECK(g == 4294967295);", true),
            ("int a[1 ? 3 : 4u];", "CHECK(sizeof a == 12);", true),
            (
                "int f(void) { return -1; }",
                "long d = 1 ? f() : 0u; CHECK(d == 4294967295);",
                true,
            ),
            (
                "int x;",
                "int *p = 1 ? &x : 0; *p = 2; CHECK(x == 2);",
                true,
            ),
            (
                "void f(void) {}",
                "int i = 0; 1 ? f() : (void)i++; CHECK(i == 0);",
                true,
            ),
            (
                "",
                "CHECK((1 ? __VERIFIER_nondet_uint() : 0ll) >= 0);",
                true,
            ),
            // Undeclared: the type is in the name.
            (
                "",
                "int i = 0; long d = i ? i++ : -1 + 0 * __VERIFIER_nondet_ulong(); CHECK(d == -1);",
                true,
            ),
        ],
    );
}

#[test]
fn a_negative_constant_is_shifted_with_its_sign() {
    table(
        "shift",
        &[
            ("", "int z = 1; CHECK((-2 >> z) > 0);", false),
            ("", "int z = 1; CHECK((-2 >> z) == -1);", true),
            ("", "int z = 1; CHECK((-2l >> z) == -1);", true),
            ("", "int z = 31; CHECK((-2147483647 - 1 >> z) == -1);", true),
            (
                "",
                "int z = 1; CHECK((0xfffffffeu >> z) == 0x7fffffff);",
                true,
            ),
            (
                "",
                "unsigned z = __VERIFIER_nondet_uint() % 32; CHECK((-1 >> z) == -1);",
                true,
            ),
            ("", "int z = 4; CHECK((signed char)-128 >> z == -8);", true),
            ("", "int z = 2; CHECK(-7 / z == -3 && -7 % z == -1);", true),
            ("", "int z = -2; CHECK(7 / z == -3 && 7 % z == 1);", true),
            (
                "",
                "int z = 2; CHECK((-7 < z) && (z > -7) && !(-7 > z));",
                true,
            ),
        ],
    );
}

#[test]
fn a_boolean_choice_is_zero_or_one_as_a_number() {
    let is_bit = |value: &str| format!("int b = {value}; CHECK(b == 0 || b == 1);");
    let values = [
        "__VERIFIER_nondet_bool()",
        "!!__VERIFIER_nondet_int()",
        "(_Bool)__VERIFIER_nondet_int()",
        "__VERIFIER_nondet_int() ? __VERIFIER_nondet_bool() : __VERIFIER_nondet_bool()",
        "(_Bool)(__VERIFIER_nondet_int() ? __VERIFIER_nondet_int() : __VERIFIER_nondet_int())",
        "(char)__VERIFIER_nondet_bool()",
        "__VERIFIER_nondet_bool() + 0",
        "(__VERIFIER_nondet_bool(), __VERIFIER_nondet_bool())",
    ];
    for value in values {
        table("bits", &[("", &is_bit(value), true)]);
    }
    table(
        "bits",
        &[
            (
                "",
                "int b = __VERIFIER_nondet_bool(); CHECK(b == 0);",
                false,
            ),
            (
                "",
                "int b = __VERIFIER_nondet_bool(); CHECK(b == 1);",
                false,
            ),
            (
                "int a[2];",
                "a[__VERIFIER_nondet_bool()] = 1; CHECK(a[0] + a[1] == 1);",
                true,
            ),
            (
                "int a[3];",
                "a[2] = 1; CHECK(a[__VERIFIER_nondet_bool()] == 0);",
                true,
            ),
            (
                "",
                "switch (__VERIFIER_nondet_bool()) { case 0: case 1: break; default: CHECK(0); }",
                true,
            ),
            (
                "",
                "int x = 1 << __VERIFIER_nondet_bool(); CHECK(x == 1 || x == 2);",
                true,
            ),
            (
                "",
                "int x = 8 >> __VERIFIER_nondet_bool(); CHECK(x == 8 || x == 4);",
                true,
            ),
            (
                "",
                "int x = -__VERIFIER_nondet_bool(); CHECK(x == 0 || x == -1);",
                true,
            ),
            (
                "int f(int x) { return x; }",
                "int x = f(__VERIFIER_nondet_bool()); CHECK(x == 0 || x == 1);",
                true,
            ),
            (
                "int f(void) { return __VERIFIER_nondet_bool(); }",
                "int x = f(); CHECK(x == 0 || x == 1);",
                true,
            ),
            (
                "struct s { int x; };",
                "struct s s = { __VERIFIER_nondet_bool() }; CHECK(s.x == 0 || s.x == 1);",
                true,
            ),
            (
                "",
                "int x = 3; x += __VERIFIER_nondet_bool(); CHECK(x == 3 || x == 4);",
                true,
            ),
            (
                "",
                "int x = 0; x |= __VERIFIER_nondet_bool(); CHECK(x == 0 || x == 1);",
                true,
            ),
        ],
    );
}

#[test]
fn addresses_one_past_the_end_are_legal() {
    table(
        "past-the-end",
        &[
            ("int a[3];", "int *e = &a[3]; CHECK(e - 0 == a + 3);", true),
            (
                "int a[3];",
                "int n = 0; for (int *p = a; p != &a[3]; p++) n++; CHECK(n == 3);",
                true,
            ),
            ("int a[3];", "int *e = &a[4]; CHECK(e != 0);", false),
            (
                "int a[3];",
                "int i = 3; int *e = &a[i]; CHECK(e != 0);",
                true,
            ),
            (
                "int a[3];",
                "int i = 4; int *e = &a[i]; CHECK(e != 0);",
                false,
            ),
            ("int a[3];", "int *e = &a[3]; CHECK(*e == 0);", false),
            ("int a[3];", "int x = a[3]; CHECK(x == 0);", false),
            ("int a[3];", "a[3] = 1; CHECK(1);", false),
            (
                "int a[3];",
                "int *p = a; int *e = &p[3]; CHECK(e == a + 3);",
                true,
            ),
            ("int a[3];", "int *p = &a[3]; CHECK(&*p == a + 3);", true),
            (
                "int a[2][3];",
                "int *e = &a[1][3]; CHECK(e == &a[0][0] + 6);",
                true,
            ),
            ("int a[2][3];", "int x = a[1][3]; CHECK(1);", false),
        ],
    );
}

#[test]
fn an_index_is_checked_even_if_the_value_is_not_used() {
    let text = "int a[3];
extern int __VERIFIER_nondet_int(void);
int main(void) { return a[__VERIFIER_nondet_int()]; }
";
    expect("unused-index", text, &[], 1);
    let statement = text.replace("return a", "a");
    expect("unused-element", &statement, &[], 1);
}

#[test]
fn a_shorter_array_of_the_same_type_does_no_harm() {
    table(
        "shorter",
        &[
            (
                "int a[5], b[2]; int *q;",
                "q = b; (*(a + 3))++; CHECK(a[3] == 1);",
                true,
            ),
            (
                "int a[5], b[2]; int *q;",
                "q = b; *(a + 3) = 7; CHECK(*(a + 3) == 7 && *q == 0);",
                true,
            ),
            (
                "int a[5], b[2];",
                "int *q = __VERIFIER_nondet_bool() ? a + 3 : b; *q = 7; \
              CHECK(a[3] + b[0] == 7);",
                true,
            ),
            (
                "int a[5], b[2];",
                "int *q = __VERIFIER_nondet_bool() ? a + 3 : b; CHECK(*q == 0);",
                true,
            ),
            (
                "int a[5], x;",
                "int *q = &x; *(a + 4) = 1; *q = 2; CHECK(a[4] == 1 && x == 2);",
                true,
            ),
        ],
    );
}

#[test]
fn the_argument_of_an_assertion_is_converted_to_its_parameter() {
    let own =
        "void reach_error(void); void __VERIFIER_assert(char c) { if (!c) { reach_error(); } }";
    table(
        "argument",
        &[
            (own, "int x = 256; CHECK(x);", false),
            (own, "int x = 255; CHECK(x);", true),
            (
                "void __VERIFIER_assert(int);",
                "CHECK(0x100000000ll);",
                false,
            ),
            ("", "int x = 1; __VERIFIER_assume(x == 1); CHECK(x);", true),
        ],
    );
    let text = "void __VERIFIER_assume(char); void __VERIFIER_assert(int);\n\
                int main(void) { int x = 256; __VERIFIER_assume(x); __VERIFIER_assert(0); }";
    expect("argument", text, &["--quiet"], 0);
}

#[test]
fn values_are_read_before_they_are_overwritten() {
    table(
        "order",
        &[
            // A value that reads its own variable is still stored.
            (
                "",
                "int x = 1; x = __builtin_expect(x + 1, 1); CHECK(x == 2);",
                true,
            ),
            // A loop that runs once still evaluates its condition.
            ("", "int x = 0; do { } while (x++, 0); CHECK(x == 1);", true),
            // The pointer is overwritten in the middle of the copy.
            (
                "struct node { int v; struct node *next; int w; } a, b, c;",
                "a.next = &b; b.v = 1; b.w = 2; b.next = &c; c.w = 9; a = *a.next; \
                 CHECK(a.v == 1 && a.w == 2);",
                true,
            ),
            // Stores through members and elements that are pointers.
            (
                "struct s { int *p; } s; int x;",
                "s.p = &x; int y = x + (s.p[0] = 5); CHECK(y == 5);",
                true,
            ),
            (
                "int *ap[1]; int x;",
                "ap[0] = &x; int y = x + (ap[0][0] = 5); CHECK(y == 5);",
                true,
            ),
            // The condition of the loop moves a pointer each time.
            (
                "int a[3];",
                "int *p = a, *q = 0; while (p + 2 != q) p++; CHECK(1);",
                false,
            ),
        ],
    );
}

#[test]
fn the_label_error_is_asked_about_only_where_nothing_else_is() {
    let assertions = "void __VERIFIER_assert(int);\nint main(void) {\n  int x = 1;\n  if (x) goto ERROR;\n  \
                      return 0;\nERROR:\n  __VERIFIER_assert(x == 1);\n  return 1;\n}\n";
    expect("label", assertions, &[], 0);
    expect("label", assertions, &["--reach", "ERROR"], 1);
    let text = said(&run("label", assertions, &[]));
    assert!(!text.contains("vacuous"), "{text}");
    assert!(text.contains("--reach ERROR"), "{text}");

    let call = "void __VERIFIER_error(void);\nint main(void) {\nERROR:\n  __VERIFIER_error();\n}\n";
    let text = said(&run("label", call, &[]));
    assert!(
        text.contains("VIOLATED") && !text.contains("HOLDS"),
        "{text}"
    );

    let alone = "int main(void) {\n  int x = 1;\n  if (x) goto ERROR;\n  return 0;\nERROR:\n  return 1;\n}\n";
    expect("label", alone, &[], 1);
    // Implicit assertions are not assertions of the file.
    let divided = "int main(void) {\n  int x = 1;\n  if (1 / x) goto ERROR;\n  return 0;\nERROR:\n  return 1;\n}\n";
    expect("label", divided, &[], 1);
    // An assertion that the program defines itself, by the label.
    let own = "void assert(int c) { if (!c) { ERROR: goto ERROR; } }\nint main(void) { int x = 1; assert(x != 1); }\n";
    expect("label", own, &[], 1);
    // Functions that `main` cannot reach do not count.
    let left_out = "void reach_error(void);\nvoid f(void) { reach_error(); }\nint main(void) { ERROR: return 0; }\n";
    expect("label", left_out, &[], 1);
}

#[test]
fn every_read_of_a_volatile_object_is_arbitrary() {
    table(
        "volatile",
        &[
            ("volatile int v;", "CHECK(v == 0);", false),
            (
                "volatile int v;",
                "v = 5; int a = v, b = v; CHECK(a == b);",
                false,
            ),
            ("int volatile v;", "int a = v; CHECK(a == a);", true),
            (
                "volatile _Bool v;",
                "int a = v; CHECK(a == 0 || a == 1);",
                true,
            ),
            ("volatile unsigned char v;", "CHECK(v < 256);", true),
            ("volatile int v;", "int y = (v = 5); CHECK(y == 5);", true),
            (
                "volatile int v;",
                "int n = 0; while (v && n < 3) n++; CHECK(n != 2);",
                false,
            ),
            (
                "volatile int v;",
                "int n = 0; while (v && n < 3) n++; CHECK(n <= 3);",
                true,
            ),
            (
                "struct s { volatile int r; int x; } s;",
                "s.x = 1; CHECK(s.x == 1);",
                true,
            ),
            (
                "struct s { volatile int r; int x; } s;",
                "s.r = 1; CHECK(s.r == 1);",
                false,
            ),
            (
                "volatile int r;",
                "volatile int *p = &r; *p = 1; CHECK(*p == 1);",
                false,
            ),
            ("int r;", "volatile int *p = &r; CHECK(*p == 0);", false),
            (
                "int r;",
                "volatile int *p = &r; *p = 3; CHECK(r == 3);",
                true,
            ),
            (
                "typedef volatile int vint; vint v;",
                "CHECK(v == 0);",
                false,
            ),
            ("volatile int a[2];", "a[0] = 1; CHECK(a[0] == 1);", false),
            ("", "volatile int v = 1; v++; v += 2; CHECK(v == 4);", false),
            ("volatile int v;", "switch (v) { case 1: CHECK(0); }", false),
            ("const int v = 3;", "CHECK(v == 3);", true),
        ],
    );
    let pointer = "int x; int main(void) { int *volatile p = &x; *p = 1; return *p; }";
    expect("volatile", pointer, &[], 2);
    let structure = "struct s { int x; }; volatile struct s s; int main(void) { return s.x; }";
    expect("volatile", structure, &[], 2);
}

#[test]
fn objects_of_an_enumeration_are_unsigned_unless_it_has_negative_values() {
    let plain = "enum e { A, B };";
    table(
        "enumeration",
        &[
            (plain, "CHECK(A - 1 < 0);", true),
            (plain, "enum e x = A; CHECK(x - 1 > 0);", true),
            (plain, "enum e x = A; CHECK(x >= 0);", true),
            (plain, "enum e x = -1; CHECK(x > 0);", true),
            (plain, "CHECK((enum e)-1 > 0);", true),
            (plain, "enum e x = B; CHECK(sizeof x == 4 && x == 1);", true),
            (
                "typedef enum { A, B } e;",
                "e x = A; CHECK(x - 1 > 0);",
                true,
            ),
            ("enum n { M = -1, N };", "enum n x = M; CHECK(x < 0);", true),
            ("enum n { M = -1, N };", "CHECK(N - 1 < 0);", true),
            (
                "enum e { A, B }; struct s { enum e x; } s;",
                "CHECK(s.x - 1 > 0);",
                true,
            ),
            (
                "enum e { A, B }; enum e f(void) { return A; }",
                "CHECK(f() - 1 > 0);",
                true,
            ),
            (
                "enum w { W = 0xffffffff };",
                "CHECK(W > 0 && sizeof(enum w) == 4);",
                true,
            ),
            (
                "enum w { W = 0x100000000 };",
                "CHECK(W > 0 && sizeof(enum w) == 8);",
                true,
            ),
            (
                "enum w { V, W = 0x100000000 };",
                "CHECK(sizeof V == 4 && sizeof W == 8);",
                true,
            ),
            (
                "enum w { W = -0x100000000 };",
                "enum w x = W; CHECK(x < 0);",
                true,
            ),
            (
                "enum e { A, B };",
                "{ enum e { C = -1 }; enum e x = C; CHECK(x < 0); } enum e y = A; CHECK(y - 1 > 0);",
                true,
            ),
        ],
    );
}

#[test]
fn functions_of_the_library_and_the_compiler_do_what_they_say() {
    table(
        "library",
        &[
            (
                "int abs(int);",
                "int x = -5; CHECK(abs(x) == 5 && abs(7) == 7);",
                true,
            ),
            (
                "",
                "int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > -100 && x < 100); \
              x = abs(x); CHECK(x >= 0 && x < 100);",
                true,
            ),
            (
                "long labs(long);",
                "long x = -5000000000; CHECK(labs(x) == 5000000000);",
                true,
            ),
            ("", "CHECK(llabs(-5) == 5 && sizeof llabs(1) == 8);", true),
            (
                "",
                "unsigned x = 0xf0f0; CHECK(__builtin_popcount(x) == 8);",
                true,
            ),
            (
                "",
                "CHECK(__builtin_popcountll(-1ll) == 64 && __builtin_popcountl(5l) == 2);",
                true,
            ),
            (
                "",
                "unsigned x = 1; CHECK(__builtin_clz(x) == 31 && __builtin_clz(~0u) == 0);",
                true,
            ),
            (
                "",
                "CHECK(__builtin_clzll(1) == 63 && __builtin_ctzll(1ull << 40) == 40);",
                true,
            ),
            ("", "unsigned x = 8; CHECK(__builtin_ctz(x) == 3);", true),
            ("", "unsigned x = 0; CHECK(__builtin_ctz(x) == 3);", false),
            (
                "",
                "unsigned x = 0; int y = __builtin_clz(x); CHECK(1);",
                false,
            ),
            (
                "",
                "int x = 0; CHECK(__builtin_ffs(x) == 0 && __builtin_ffs(-2) == 2);",
                true,
            ),
            (
                "",
                "unsigned x = 7; CHECK(__builtin_parity(x) == 1 && __builtin_parity(3) == 0);",
                true,
            ),
            (
                "",
                "CHECK(__builtin_clrsb(0) == 31 && __builtin_clrsb(-1) == 31 && __builtin_clrsb(1) == 30);",
                true,
            ),
            (
                "",
                "unsigned x = 0x12345678; CHECK(__builtin_bswap32(x) == 0x78563412);",
                true,
            ),
            (
                "",
                "unsigned short x = 0x1234; CHECK(__builtin_bswap16(x) == 0x3412);",
                true,
            ),
            (
                "",
                "CHECK(__builtin_bswap64(0x0102030405060708) == 0x0807060504030201);",
                true,
            ),
            (
                "",
                "unsigned x = 0; CHECK(sizeof __builtin_expect(x, 0) == 8 && __builtin_expect(x, 0) - 1 < 0);",
                true,
            ),
            (
                "",
                "CHECK(__builtin_constant_p(3)); int x = 3; CHECK(x == 3 || __builtin_constant_p(x));",
                true,
            ),
            (
                "",
                "int x = 0; if (x) __builtin_unreachable(); CHECK(x == 0);",
                true,
            ),
            (
                "",
                "int x = 1; if (x) __builtin_unreachable(); CHECK(1);",
                false,
            ),
            ("", "int x = 1; if (x) __builtin_trap(); CHECK(0);", true),
            ("", "int x = 1; if (x) __builtin_abort(); CHECK(0);", true),
            ("void quick_exit(int);", "quick_exit(1); CHECK(0);", true),
            ("_Noreturn void stop(int);", "stop(1); CHECK(0);", true),
            (
                "void stop(int) __attribute__((noreturn));",
                "stop(1); CHECK(0);",
                true,
            ),
            (
                "__attribute__((__noreturn__)) void stop(int);",
                "stop(1); CHECK(0);",
                true,
            ),
            (
                "extern void stop(int) __attribute__((__nothrow__, __noreturn__));",
                "stop(1); CHECK(0);",
                true,
            ),
            ("void go(int);", "go(1); CHECK(0);", false),
            // A body does what it does.
            ("int abs(int x) { return 3; }", "CHECK(abs(-5) == 3);", true),
        ],
    );
    let least = "int abs(int); int main(void) { int x = -2147483647 - 1; return abs(x) == x; }";
    expect("library", least, &["--overflow-checks", "--quiet"], 1);
}

#[test]
fn assertions_and_assumptions_of_other_tools_mean_what_they_say() {
    let rows = [
        ("__CPROVER_assert(x == 1, \"x\");", 1),
        (
            "__CPROVER_assume(x == 1); __CPROVER_assert(x == 1, \"x\");",
            0,
        ),
        ("__ESBMC_assert(x == 1, \"x\");", 1),
        ("__ESBMC_assume(x == 1); __ESBMC_assert(x == 1, \"x\");", 0),
        ("klee_assume(x == 1); klee_assert(x == 1);", 0),
        ("klee_assert(x == 1);", 1),
        ("__VERIFIER_assume(x == 1); assert(x == 1);", 0),
        ("assert(x == 1);", 1),
        ("x = nondet_uint(); assert(x < 5);", 1),
    ];
    for (statements, code) in rows {
        let text = format!("int main(void) {{ int x = __VERIFIER_nondet_int(); {statements} }}\n");
        expect("tools", &text, &["--quiet"], code);
    }
    let typed = "int main(void) { assert(nondet_uchar() < 256); }\n";
    expect("tools", typed, &["--quiet"], 0);
}

#[test]
fn a_call_that_is_probably_a_typing_error_is_an_error() {
    let program = |statement: &str| {
        format!(
            "void acquire_lock(void) {{ }}\nint main(void) {{ int x = 1; acquire_lock(); {statement} \
             __VERIFIER_assert(x); }}\n"
        )
    };
    let wrong = [
        ("asert(x != 5);", "did you mean `assert`?"),
        (
            "__VERIFIER_asume(x > 0);",
            "did you mean `__VERIFIER_assume`?",
        ),
        ("__VERIFIER_eror();", "did you mean `__VERIFIER_error`?"),
        (
            "x = __VERIFIER_nondet_itn();",
            "did you mean `__VERIFIER_nondet_int`?",
        ),
        ("aquire_lock();", "did you mean `acquire_lock`?"),
        ("reach_eror();", "did you mean `reach_error`?"),
    ];
    for (statement, help) in wrong {
        let output = run("typing", &program(statement), &[]);
        let text = said(&output);
        assert_eq!(output.status.code(), Some(2), "{statement}\n{text}");
        assert!(text.contains(help), "{statement}\n{text}");
    }
}

#[test]
fn functions_that_are_not_there_are_listed_in_one_warning() {
    let text = "int read_sensor(void);\nint printf(const char *, ...);\n\
                int main(void) {\n  int x = read_sensor();\n  start_motor(x);\n  printf(\"%d\", x);\n  \
                stop_motor_now();\n  read_sensor();\n  __VERIFIER_assert(x == x);\n}\n";
    let output = run("listed", text, &[]);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert_eq!(text.matches("warning[").count(), 1, "{text}");
    for name in ["`read_sensor`", "`start_motor`", "`stop_motor_now`"] {
        assert!(text.contains(name), "{name}: {text}");
    }
    assert!(!text.contains("`printf`"), "{text}");
}

#[test]
fn results_that_depend_on_the_order_of_evaluation_get_a_warning() {
    let head = "int g, h; int set(void) { g = 1; return 2; } int get(void) { return g; } \
                int pure(void) { int g = 3; g++; return g; } int via(void) { return set(); } void two(int a, int b) { h = a + b; }";
    let rows = [
        ("int x = g + set();", true),
        ("int x = set() + g;", true),
        ("int x = set() + get();", true),
        ("int x = via() + get();", true),
        ("two(set(), get());", true),
        ("int i = 0; two(i, i++);", true),
        ("int i = 0; i = i++;", true),
        ("int i = 0, a[3]; a[i] = i++;", true),
        ("g += set();", true),
        ("int i = 0, x; x = i++ + i++;", true),
        ("int x = g + pure();", false),
        ("int x = h + set();", false),
        ("g = set();", false),
        ("int x = get() + get();", false),
        ("int i = 0; i = i + 1;", false),
        ("int i = 0, x; x = i++ + h;", false),
        ("int i = 0, a[3]; a[i++] = g;", false),
        ("int x = set() && g;", false),
        ("int x = (set(), g);", false),
        ("int x = set() ? g : h;", false),
        (
            "int x = __VERIFIER_nondet_int() - __VERIFIER_nondet_int();",
            false,
        ),
    ];
    for (statement, is_warned) in rows {
        let text = format!("{head}\nint main(void) {{ {statement} __VERIFIER_assert(1); }}\n");
        let output = run("unsequenced", &text, &[]);
        let text = said(&output);
        assert_eq!(output.status.code(), Some(0), "{statement}\n{text}");
        assert_eq!(text.contains("order"), is_warned, "{statement}\n{text}");
    }
}
