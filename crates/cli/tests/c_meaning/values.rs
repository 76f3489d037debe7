//! Conversions, shifts, choices, addresses and the order of reads and writes.

use super::{expect, table};

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
