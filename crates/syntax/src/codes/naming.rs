//! Codes of names and types: programs whose parts do not fit together.

super::codes! {
    UNDECLARED_VARIABLE = 20, Error, "variable that is not declared",
        "Every variable is declared before use: globals with `decl` at the top level, locals with `decl` right after \
         `begin`, or as a parameter. Names are case sensitive. The variables of a thread block are known inside that \
         block only.",
        bad: "decl lock;\nvoid main() begin\n  lokc := T;\nend\n",
        fixed: "decl lock;\nvoid main() begin\n  lock := T;\nend\n";
    UNDECLARED_PROCEDURE = 21, Error, "procedure that is not defined",
        "A call names a procedure that the file does not define. There are no library procedures: a procedure whose \
         body does not matter is written with an empty body, or with one that assigns `*`.",
        bad: "void main() begin\n  acquire();\nend\n",
        fixed: "void acquire() begin\n  skip;\nend\nvoid main() begin\n  acquire();\nend\n";
    UNKNOWN_LABEL = 22, Error, "unknown label",
        "`goto L` and `start_thread goto L` need a statement with the label `L:` in the same procedure.",
        bad: "void main() begin\n  goto Done;\n  skip;\nend\n",
        fixed: "void main() begin\n  goto Done;\n  Done: skip;\nend\n";
    DUPLICATE_VARIABLE = 23, Error, "variable declared twice",
        "Two variables of one scope have the same name. Globals are one scope, the variables of a thread block are one, \
         and the parameters and locals of a procedure together are one. Rename one of them or remove the second \
         declaration.",
        bad: "void main(x) begin\n  decl x;\n  x := T;\nend\n",
        fixed: "void main(x) begin\n  decl y;\n  y := x;\nend\n";
    DUPLICATE_PROCEDURE = 24, Error, "procedure defined twice",
        "Two procedures have the same name, so a call would be ambiguous. Different thread blocks may each have a \
         procedure of one name.",
        bad: "void main() begin\n  skip;\nend\nvoid main() begin\n  skip;\nend\n",
        fixed: "void main() begin\n  skip;\nend\n";
    DUPLICATE_LABEL = 25, Warning, "label used twice",
        "A label stands at several places of a procedure, or twice before one statement, as in programs that SLAM and \
         SATABS have made. `--reach` and `at(…)` then mean every one of these places; `goto` and `start_thread goto` lead \
         to the first in the text, as in Getafix and boppo. Labels of different procedures do not disturb each other.",
        bad: "void main() begin\n  L: skip;\n  L: skip;\nend\n",
        fixed: "void main() begin\n  L: skip;\n  M: skip;\nend\n";
    DUPLICATE_TARGET = 26, Warning, "variable assigned twice at once",
        "A parallel assignment gives all its variables their values in one step, and here a variable gets two. The last one \
         counts and the others are thrown away, as in boppo. (The relations of Getafix demand both, so that its step \
         cannot be taken where they differ.) The same holds for the variables that a call assigns and for those of `dead`. \
         Use `_` for a value that is not needed.",
        bad: "decl x;\nvoid main() begin\n  x, x := T, F;\nend\n",
        fixed: "decl x;\nvoid main() begin\n  x, _ := T, F;\nend\n";
    WRONG_ARGUMENT_COUNT = 27, Error, "wrong number of arguments",
        "A call passes exactly one argument for each parameter. The message gives both counts and points to the \
         definition.",
        bad: "void f(a, b) begin\n  skip;\nend\nvoid main() begin\n  f(T);\nend\n",
        fixed: "void f(a, b) begin\n  skip;\nend\nvoid main() begin\n  f(T, F);\nend\n";
    WRONG_VALUE_COUNT = 28, Error, "wrong number of values",
        "An assignment has exactly one value for each variable on its left. All of them are assigned in one step.",
        bad: "decl x, y;\nvoid main() begin\n  x, y := T;\nend\n",
        fixed: "decl x, y;\nvoid main() begin\n  x, y := T, F;\nend\n";
    WRONG_TARGET_COUNT = 29, Error, "wrong number of variables for the results",
        "A call assigns either all results of the procedure or none: there is one variable for each result, and `_` \
         throws one away. A `void` procedure has no results to assign.",
        bad: "bool<2> f() begin\n  return T, F;\nend\nvoid main() begin\n  decl x;\n  x := f();\nend\n",
        fixed: "bool<2> f() begin\n  return T, F;\nend\nvoid main() begin\n  decl x;\n  x, _ := f();\nend\n";
    WRONG_RETURN_COUNT = 30, Error, "wrong number of returned values",
        "`return` gives exactly as many values as the type of the procedure says: none for `void` or no type, one for \
         `bool` and `int<n>`, and n for `bool<n>`.",
        bad: "bool f() begin\n  return;\nend\nvoid main() begin\n  f();\nend\n",
        fixed: "bool f() begin\n  return T;\nend\nvoid main() begin\n  f();\nend\n";
    TYPE_MISMATCH = 31, Error, "types that do not fit",
        "Booleans and integers do not mix, and neither do integers of different widths: there are no conversions. \
         Conditions and the operands of `&`, `|`, `^`, `!`, `=>` and `<->` are Booleans. To use an integer as a \
         condition compare it with a number.",
        bad: "decl int<4> n;\nvoid main() begin\n  if n then skip; fi\nend\n",
        fixed: "decl int<4> n;\nvoid main() begin\n  if n != 0 then skip; fi\nend\n";
    NUMBER_DOES_NOT_FIT = 32, Error, "number that does not fit",
        "A number takes its type from its place and must be one of its values: `int<n>` holds 0 to 2^n - 1, and a \
         Boolean is 0 or 1.",
        bad: "decl int<4> n;\nvoid main() begin\n  n := 16;\nend\n",
        fixed: "decl int<5> n;\nvoid main() begin\n  n := 16;\nend\n";
    BAD_WIDTH = 33, Error, "bad width of an integer",
        "`int<n>` is an unsigned integer of n bits, and n is a number from 1 to 64. Arithmetic is modulo 2^n.",
        bad: "decl int<65> n;\nvoid main() begin\n  n := 0;\nend\n",
        fixed: "decl int<64> n;\nvoid main() begin\n  n := 0;\nend\n";
    BAD_RESULT_COUNT = 34, Error, "bad number of results",
        "`bool<n>` before a procedure says that it has n Boolean results, from 1 to 4096. A procedure without results \
         is `void`.",
        bad: "bool<0> f() begin\n  skip;\nend\nvoid main() begin\n  f();\nend\n",
        fixed: "void f() begin\n  skip;\nend\nvoid main() begin\n  f();\nend\n";
    PRIME_OUTSIDE_CONSTRAIN = 35, Error, "primed variable outside `constrain`",
        "`'x` is the value of `x` after an assignment. It has a meaning only in the `constrain` clause of an \
         assignment, which relates the values before and after.",
        bad: "decl x;\nvoid main() begin\n  assert('x);\nend\n",
        fixed: "decl x;\nvoid main() begin\n  x := * constrain 'x;\n  assert(x);\nend\n";
    MISSING_MAIN = 36, Error, "no procedure to start with",
        "A program starts in its procedure `main`. A concurrent program may instead have `thread` blocks, or a \
         procedure `init` with procedures `thread…`.",
        bad: "void start() begin\n  skip;\nend\n",
        fixed: "void main() begin\n  skip;\nend\n";
    INITIAL_NOT_CONSTANT = 37, Error, "initial value that is not constant",
        "The initial value of a global is fixed before the program runs, so it is made of constants only. `*` alone \
         means an arbitrary value, as if there were none. The initial value of a local may be any expression.",
        bad: "decl x := T;\ndecl y := !x;\nvoid main() begin\n  skip;\nend\n",
        fixed: "decl x := T;\ndecl y := !T;\nvoid main() begin\n  skip;\nend\n";
    NEEDS_INTEGERS = 38, Error, "arithmetic on Booleans",
        "`+`, `-`, `*` between operands, `<`, `<=`, `>` and `>=` work on integers only. Declare the variables with \
         `decl int<n>`, or use the operators of Booleans.",
        bad: "decl a, b;\nvoid main() begin\n  assert(a < b);\nend\n",
        fixed: "decl int<2> a, b;\nvoid main() begin\n  assert(a < b);\nend\n";
    LABEL_ELSEWHERE = 39, Error, "label of another procedure",
        "`goto` stays inside its procedure, and `start_thread goto` starts a thread inside of it. The label belongs to \
         another procedure; to go there, call that procedure, or start a thread that runs it.",
        bad: "void f() begin\n  L: skip;\nend\nvoid main() begin\n  f();\n  goto L;\nend\n",
        fixed: "void f() begin\n  skip;\nend\nvoid main() begin\n  f();\n  goto L;\n  L: skip;\nend\n";
}
