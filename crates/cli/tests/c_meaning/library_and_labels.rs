//! What is not an expression: labels, volatile objects, enumerations, known functions, missing ones
//! and warnings.

use super::{expect, run, said, table};

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
