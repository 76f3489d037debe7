//! Codes of properties: formulas, monitors and automata that cannot be read, or that do not fit
//! their program.
//!
//! The examples here are properties of one small program, [`EXAMPLE_PROGRAM`]. What begins with
//! `monitor` is a monitor, what begins with `HOA:` an automaton in that format, anything else a
//! formula.

/// The program that the examples of this group are about.
pub const EXAMPLE_PROGRAM: &str = "decl lock;\ndecl int<4> n;\nvoid main() begin\n  decl x;\n  AGAIN: work(*);\n  goto AGAIN;\nend\nvoid work(x) begin\n  lock := x;\n  n := n + 1;\nend\n";

super::codes! {
    PROPERTY_SYNTAX = 150, Error, "text that is not a property",
        "The parser of formulas, conditions and monitors knows what can stand at this place, and the text has something else. \
         The message names both. Temporal operators are single capital letters of their own: `G F lock`, not `GFlock`.",
        bad: "G (lock -> F)",
        fixed: "G (lock -> F !lock)";
    PROPERTY_NAME = 151, Error, "name that the program does not have",
        "A property speaks of a variable, a label or a procedure that the program does not have. Globals go by their name, locals by \
         `procedure:name`, labels by `at(label)` or `at(procedure:label)`.",
        bad: "G !at(AGIAN)",
        fixed: "G !at(AGAIN)";
    PROPERTY_AMBIGUOUS = 152, Error, "name that could be several variables",
        "Several procedures have a local variable of this name, and there is no global. Say which is meant: `procedure:name`.",
        bad: "F x",
        fixed: "F work:x";
    PROPERTY_TYPE = 153, Error, "condition that does not fit together",
        "Boolean operators and temporal ones need Booleans; `+`, `-`, `*`, `<`, `<=`, `>` and `>=` need integers; both sides of a \
         comparison have one type, and a number must be one of its values. A comparison of integers may speak of the locals of one \
         procedure only, for those of two are never in scope together.",
        bad: "G n < 16",
        fixed: "G n < 15";
    PROPERTY_READINGS = 154, Error, "`->` beside `<->` without parentheses",
        "Boolean programs read `a -> b <-> c` as `(a -> b) <-> c`, most tools for temporal logic as `a -> (b <-> c)`. Write the parentheses.",
        bad: "G (lock -> n = 0 <-> n = 1)",
        fixed: "G (lock -> (n = 0 <-> n = 1))";
    PROPERTY_TEMPORAL = 155, Error, "temporal operator in a condition",
        "The guards of a monitor and the propositions of an automaton are about one state of the program, so they have no temporal \
         operators: when something happens is said by the states of the monitor.",
        bad: "monitor m begin\n  state start initial;\n  state bad target;\n  from start: on X lock goto bad;\nend\n",
        fixed: "monitor m begin\n  state start initial;\n  state bad target;\n  from start: on lock goto bad;\nend\n";
    PROPERTY_TOO_LARGE = 156, Error, "property that is too large",
        "A property may have 64 different propositions and temporal operators nested 200 deep, and there are limits to the size \
         of its automaton and of each of its guards. Split it: a conjunction can be checked one part at a time.",
        bad: "G n = 0 | G n = 1 | G n = 2 | G n = 3 | G n = 4 | G n = 5 | G n = 6 | G n = 7 | G n = 8 | G n = 9 | G n = 10 | G n = 11 | G n = 12 | G n = 13 | G n = 14 | G n = 15",
        fixed: "G n = 0 | G n = 1";
    MONITOR_STATE = 157, Error, "state of a monitor that is not declared, or declared twice",
        "Every state of a monitor is declared once with `state`, and `from` and `goto` name declared states. All transitions of \
         a state stand behind one `from`.",
        bad: "monitor m begin\n  state start initial;\n  state bad target;\n  from start: on lock goto bda;\nend\n",
        fixed: "monitor m begin\n  state start initial;\n  state bad target;\n  from start: on lock goto bad;\nend\n";
    MONITOR_ROLES = 158, Error, "monitor without a beginning or an aim",
        "A monitor needs at least one `initial` state, and what it looks for: `target` states, which must not be reached, or \
         `accepting` ones, which must not be visited for ever. It cannot look for both at once.",
        bad: "monitor m begin\n  state start initial;\n  from start: on lock stay;\nend\n",
        fixed: "monitor m begin\n  state start initial accepting;\n  from start: on lock stay; else stop;\nend\n";
    HOA_SYNTAX = 159, Error, "text that is not an automaton in the HOA format",
        "An automaton in the Hanoi Omega-Automata format has a header, `HOA: v1` and lines such as `States: 2`, then `--BODY--`, its \
         states with their edges, and `--END--`. The message says what is missing or out of place.",
        bad: "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"lock\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0 {0}\n[0] 1\n--END--\n",
        fixed: "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"lock\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0 {0}\n[0] 0\n--END--\n";
    HOA_UNSUPPORTED = 160, Error, "automaton that is more than a Büchi automaton",
        "Automata in the HOA format are taken if their acceptance is Büchi or generalised Büchi (`Inf(0)`, `Inf(0)&Inf(1)`, …, or `t`), and if \
         they do not alternate. Spot converts others: `autfilt -B`.",
        bad: "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"lock\"\nAcceptance: 1 Fin(0)\n--BODY--\nState: 0 {0}\n[0] 0\n--END--\n",
        fixed: "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"lock\"\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0 {0}\n[0] 0\n--END--\n";
}
