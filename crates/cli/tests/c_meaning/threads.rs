//! Litmus programs: two threads `A` and `B`, and which final states they can reach.
//!
//! The outcomes are enumerated by hand from the interleavings of single accesses. A state that can
//! be reached violates the assertion that denies it; one that cannot does not. A step that is too
//! long loses outcomes, one that is too short invents some.

use super::{expect, run, said};

/// Declarations as in the headers, where the types are unions.
const HEAD: &str = "typedef unsigned long pthread_t;
typedef union { char s[40]; long a; } pthread_mutex_t;
typedef union { char s[48]; long a; } pthread_cond_t;
typedef union { char s[32]; long a; } sem_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
void pthread_exit(void *);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_trylock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);
int pthread_cond_signal(pthread_cond_t *);
int sem_wait(sem_t *);
int sem_post(sem_t *);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
";

/// Globals, the bodies of `A` and `B`, and conditions with whether they can hold at the end.
type Row = (
    &'static str,
    &'static str,
    &'static str,
    &'static [(&'static str, bool)],
);

fn litmus(test: &str, rows: &[Row]) {
    for (globals, a, b, outcomes) in rows {
        for (outcome, is_reachable) in *outcomes {
            let text = format!(
                "{HEAD}{globals}\nvoid *A(void *v) {{ {a} return 0; }}\nvoid *B(void *w) {{ {b} \
                 return 0; }}\nint main(void) {{ pthread_t a, b; pthread_create(&a, 0, A, 0); \
                 pthread_create(&b, 0, B, 0); pthread_join(a, 0); pthread_join(b, 0); \
                 __VERIFIER_assert(!({outcome})); return 0; }}\n"
            );
            expect(test, &text, &["--quiet"], i32::from(*is_reachable));
        }
    }
}

/// Whole programs after the declarations, and whether every assertion holds.
fn programs(test: &str, rows: &[(&str, bool)]) {
    for (text, holds) in rows {
        let text = format!("{HEAD}{text}\n");
        expect(test, &text, &["--quiet"], i32::from(!holds));
    }
}

#[test]
fn each_access_is_a_step() {
    litmus(
        "threads-steps",
        &[
            (
                "int x;",
                "x++;",
                "x++;",
                &[("x==1", true), ("x==2", true), ("x==0", false)],
            ),
            (
                "int x;",
                "x = x + 1;",
                "x += 2;",
                &[
                    ("x==1", true),
                    ("x==2", true),
                    ("x==3", true),
                    ("x==0", false),
                ],
            ),
            (
                "int x, r;",
                "x = 1;",
                "r = x - x;",
                &[("r==-1", true), ("r==1", false)],
            ),
            (
                "int x, r;",
                "x = 1; x = 2;",
                "if (x == 1 && x == 2) r = 1;",
                &[("r==1", true)],
            ),
            (
                "int x, r;",
                "x = 1;",
                "if (x == 1 && x == 0) r = 1;",
                &[("r==1", false)],
            ),
            (
                "int x, r;",
                "x = 1;",
                "while (x + x == 1) { r = 1; break; }",
                &[("r==1", true)],
            ),
            (
                "int x, r;",
                "x = 1;",
                "switch (x) { case 0: r = 1; break; case 1: r = 2; break; default: r = 3; }",
                &[("r==1", true), ("r==2", true), ("r==3", false)],
            ),
            (
                "int x, r; int f(int v) { return v; }",
                "x = 1;",
                "r = f(x) + f(x);",
                &[("r==1", true), ("r==2", true), ("r==3", false)],
            ),
            (
                "int x, y, r; int f(void) { return y; }",
                "x = f();",
                "x = 7; y = 1; r = x;",
                &[("r==7&&x==0", true), ("r==0&&x==7", false)],
            ),
            (
                "int x, y, r; void __VERIFIER_atomic_set(int v) { y = v; }",
                "__VERIFIER_atomic_set(x);",
                "y = 7; x = 1; r = y;",
                &[("r==7&&y==0", true), ("r==1&&y==7", false)],
            ),
            (
                "int a[2], i, r;",
                "i = 1;",
                "a[1] = 3; r = a[i];",
                &[("r==3", true), ("r==1", false)],
            ),
        ],
    );
}

#[test]
fn the_value_of_an_assignment_is_not_read_again() {
    litmus(
        "threads-values",
        &[
            (
                "int x, r;",
                "x = 5;",
                "int l = (x = 1); if (l != 1) r = 1;",
                &[("r==1", false)],
            ),
            (
                "int x, r;",
                "x = 5;",
                "int l = ++x; if (l != 1 && l != 6) r = 1;",
                &[("r==1", false)],
            ),
            (
                "int x, r;",
                "x = 5;",
                "int l = x++; if (x != l + 1) r = 1;",
                &[("r==1", true)],
            ),
            (
                "int x = 1, r;",
                "x = 2; x = 0;",
                "int l = x; if (l) r = 4 / l;",
                &[("r==3", false)],
            ),
        ],
    );
}

#[test]
fn memory_is_sequentially_consistent() {
    litmus(
        "threads-memory",
        &[
            (
                "int x, y, r, s;",
                "x = 1; r = y;",
                "y = 1; s = x;",
                &[
                    ("r==0&&s==0", false),
                    ("r==0&&s==1", true),
                    ("r==1&&s==0", true),
                    ("r==1&&s==1", true),
                ],
            ),
            (
                "int x, y, r, s;",
                "r = x; y = 1;",
                "s = y; x = 1;",
                &[
                    ("r==1&&s==1", false),
                    ("r==0&&s==0", true),
                    ("r==1&&s==0", true),
                ],
            ),
            (
                "volatile int x, f; int r, s;",
                "x = 1; f = 1;",
                "r = f; s = x;",
                &[
                    ("r==1&&s==0", false),
                    ("r==0&&s==1", true),
                    ("r==0&&s==0", true),
                    ("r==1&&s==1", true),
                    ("s==2", false),
                ],
            ),
        ],
    );
}

#[test]
fn locks_exclude_and_conditions_hand_over() {
    let add = "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);";
    let attempt = "if (!pthread_mutex_trylock(&m)) { x++; pthread_mutex_unlock(&m); }";
    let give = "pthread_mutex_lock(&m); x = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);";
    litmus(
        "threads-locks",
        &[
            (
                "int x; pthread_mutex_t m;",
                add,
                add,
                &[("x==1", false), ("x==2", true)],
            ),
            (
                "int x; pthread_mutex_t m;",
                attempt,
                attempt,
                &[("x==0", false), ("x==1", true), ("x==2", true)],
            ),
            (
                "int x, r; pthread_mutex_t m; pthread_cond_t c;",
                give,
                "pthread_mutex_lock(&m); while (x == 0) pthread_cond_wait(&c, &m); r = 1 + x; \
                 pthread_mutex_unlock(&m);",
                &[("r==1", false), ("r==2", true)],
            ),
            // Without a loop, a wakeup without a signal is seen.
            (
                "int x, r; pthread_mutex_t m; pthread_cond_t c;",
                give,
                "pthread_mutex_lock(&m); if (x == 0) pthread_cond_wait(&c, &m); r = 1 + x; \
                 pthread_mutex_unlock(&m);",
                &[("r==1", true), ("r==2", true)],
            ),
            (
                "int x, r; sem_t s;",
                "x = 1; sem_post(&s);",
                "sem_wait(&s); r = x + 1;",
                &[("r==1", false), ("r==2", true)],
            ),
        ],
    );
}

#[test]
fn atomic_sections_are_not_interrupted() {
    let section = "__VERIFIER_atomic_begin(); x = x + 1; __VERIFIER_atomic_end();";
    let add = "int x; void __VERIFIER_atomic_add(void) { x = x + 1; }";
    let call = "__VERIFIER_atomic_add();";
    litmus(
        "threads-atomic",
        &[
            (
                "int x;",
                section,
                section,
                &[("x==1", false), ("x==2", true)],
            ),
            (add, call, call, &[("x==1", false), ("x==2", true)]),
        ],
    );
    // What an atomic function did before it stopped cannot be seen.
    let stops = |value: u32| {
        format!(
            "int x, y; void __VERIFIER_atomic_f(void) {{ x = 1; __VERIFIER_assume(y == {value}); }} \
             void *A(void *v) {{ __VERIFIER_atomic_f(); return 0; }} int main(void) {{ pthread_t a; \
             pthread_create(&a, 0, A, 0); __VERIFIER_assert(x == 0); return 0; }}"
        )
    };
    programs(
        "threads-stops",
        &[(stops(1).as_str(), true), (stops(0).as_str(), false)],
    );
}

#[test]
fn locals_are_private_and_arguments_arrive() {
    litmus(
        "threads-locals",
        &[
            (
                "int x; void add(int *q) { *q = *q + 1; }",
                "int l = 0; add(&l); x = l;",
                "int l = 5; add(&l);",
                &[("x==1", true), ("x==6", false)],
            ),
            // Both run the function whose local has an address.
            (
                "int x; void set(_Bool *q) { _Bool k = 0; _Bool *w = &k; *w = !*w; *q = k; }",
                "_Bool l = 0; set(&l); if (!l) x = 1;",
                "_Bool l = 0; set(&l); if (!l) x = 1;",
                &[("x==1", false)],
            ),
            (
                "int x, y, r; int *p = &x;",
                "p = &y; y = 5;",
                "r = *p;",
                &[("r==5", true), ("r==1", false)],
            ),
            (
                "__thread int x = 3; int r;",
                "x = 5; r = x;",
                "x++; r = x;",
                &[
                    ("r==5", true),
                    ("r==4", true),
                    ("r==6", false),
                    ("x==3", true),
                    ("x!=3", false),
                ],
            ),
        ],
    );
    programs(
        "threads-arguments",
        &[
            (
                "void *A(void *v) { int *q = v; *q = 4; return 0; } int main(void) { int l = 0; \
                 pthread_t t; pthread_create(&t, 0, A, &l); pthread_join(t, 0); \
                 __VERIFIER_assert(l == 4); return 0; }",
                true,
            ),
            (
                "struct pair { int a, b; }; void *A(void *v) { struct pair *q = (struct pair *)v; \
                 q->b = q->a + 1; return 0; } int main(void) { struct pair l = {1, 0}; pthread_t t; \
                 pthread_create(&t, 0, A, (void *)&l); __VERIFIER_assert(l.b == 0); return 0; }",
                false,
            ),
            // The type has to be the right one.
            (
                "void *A(void *v) { char *q = v; *q = 4; return 0; } int main(void) { int l = 0; \
                 pthread_t t; pthread_create(&t, 0, A, &l); return 0; }",
                false,
            ),
        ],
    );
}

#[test]
fn threads_end_and_are_waited_for() {
    litmus(
        "threads-ends",
        &[(
            "int x;",
            "x = 1; pthread_exit(0); x = 2;",
            "",
            &[("x==1", true), ("x==2", false)],
        )],
    );
    let looped = |claim: &str| {
        format!(
            "int x; void *A(void *v) {{ x++; return 0; }} int main(void) {{ pthread_t t[2]; int i; \
             for (i = 0; i < 2; i++) pthread_create(&t[i], 0, A, 0); for (i = 0; i < 2; i++) \
             pthread_join(t[i], 0); __VERIFIER_assert({claim}); return 0; }}"
        )
    };
    let called = |claim: &str| {
        format!(
            "int x; void *A(void *v) {{ x++; return 0; }} int main(void) {{ pthread_t t; \
             pthread_create(&t, 0, A, 0); A(0); pthread_join(t, 0); __VERIFIER_assert({claim}); \
             return 0; }}"
        )
    };
    programs(
        "threads-joins",
        &[
            (looped("x != 0").as_str(), true),
            (looped("x != 1").as_str(), false),
            (called("x == 1 || x == 2").as_str(), true),
            (called("x != 1").as_str(), false),
        ],
    );
}

#[test]
fn what_is_not_modelled_is_refused_by_its_name() {
    for (statements, message) in [
        (
            "pthread_barrier_wait(0);",
            "`pthread_barrier_wait` is not supported",
        ),
        ("void *r; pthread_join(t, &r);", "without the result"),
        (
            "pthread_mutex_t m; pthread_mutex_lock(&t);",
            "needs the address of a mutex",
        ),
    ] {
        let text = format!(
            "{HEAD}int *p; void *A(void *v) {{ return 0; }} int main(void) {{ pthread_t t; \
             pthread_create(&t, 0, A, 0); {statements} return 0; }}\n"
        );
        let output = run("threads-refused", &text, &["--quiet"]);
        let said = said(&output);
        assert_eq!(output.status.code(), Some(2), "{text}\n{said}");
        assert!(said.contains(message), "{text}\n{said}");
    }
    // The address of a local that each thread has for itself must not reach the others.
    let text = format!(
        "{HEAD}int *p; void *A(void *v) {{ int l = 0; p = &l; *p = 1; return 0; }} int main(void) {{ \
         pthread_t t; pthread_create(&t, 0, A, 0); pthread_create(&t, 0, A, 0); return 0; }}\n"
    );
    let output = run("threads-escape", &text, &["--quiet"]);
    let said = said(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("of which each thread"), "{said}");
}
