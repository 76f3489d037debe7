//! Codes of warnings: programs that are taken, but probably do not mean what their authors think.

super::codes! {
    MIXED_EQUALITY = 70, Warning, "`=` beside `&` without parentheses",
        "Here `=` and `!=` bind tighter than `&`, as in C: `a = b & c` means `(a = b) & c`. In boppo it means `a = (b & \
         c)`. The program is read as here; write the parentheses so that the order does not matter.",
        bad: "decl a, b, c;\nvoid main() begin\n  assume(a = b & c);\nend\n",
        fixed: "decl a, b, c;\nvoid main() begin\n  assume((a = b) & c);\nend\n";
    MIXED_XOR = 71, Warning, "`^` beside `|` without parentheses",
        "Here `^` binds tighter than `|`, as in C: `a | b ^ c` means `a | (b ^ c)`. Other tools read `(a | b) ^ c`. \
         Write the parentheses so that the order does not matter.",
        bad: "decl a, b, c;\nvoid main() begin\n  assume(a | b ^ c);\nend\n",
        fixed: "decl a, b, c;\nvoid main() begin\n  assume(a | (b ^ c));\nend\n";
    FALLS_OFF_END = 72, Warning, "end of a procedure with results",
        "The procedure has results, and its `end` can be reached without a `return`. The results are arbitrary then. If \
         that is meant, say so with `return *;`.",
        bad: "bool f() begin\n  skip;\nend\nvoid main() begin\n  decl x;\n  x := f();\nend\n",
        fixed: "bool f() begin\n  return *;\nend\nvoid main() begin\n  decl x;\n  x := f();\nend\n";
    SHADOWED_VARIABLE = 73, Warning, "variable that hides a global",
        "A parameter, a local or a variable of a thread block has the name of a global. Inside, the name means the \
         inner variable and the global is out of reach. That is allowed but easily overlooked.",
        bad: "decl x;\nvoid main() begin\n  decl x;\n  x := T;\nend\n",
        fixed: "decl x;\nvoid main() begin\n  decl y;\n  y := T;\nend\n";
    NEVER_CALLED = 74, Warning, "procedure that is never called",
        "No other procedure calls this one and no thread starts in it, so none of its statements can run and none of \
         its assertions can fail.",
        bad: "void f() begin\n  skip;\nend\nvoid main() begin\n  skip;\nend\n",
        fixed: "void f() begin\n  skip;\nend\nvoid main() begin\n  f();\nend\n";
    INIT_NOT_RUN = 75, Warning, "`init` that does not run",
        "A procedure `init` runs first only in a program with `thread` blocks or with procedures `thread…`. In this \
         program nothing calls it, so it never runs.",
        bad: "decl x;\nvoid init() begin\n  x := F;\nend\nvoid main() begin\n  skip;\nend\n",
        fixed: "decl x;\nvoid init() begin\n  x := F;\nend\nvoid main() begin\n  init();\nend\n";
    NOTHING_ASSIGNED = 76, Warning, "assignment without an effect",
        "All variables on the left are `_`, so the values are thrown away and the assignment does nothing.",
        bad: "void main() begin\n  _ := T;\nend\n",
        fixed: "void main() begin\n  skip;\nend\n";
    ATOMIC_END_OUTSIDE = 77, Warning, "`atomic_end` outside of an atomic block",
        "On some way through the program a thread gets here without an open atomic block, so the word does nothing. \
         Atomic blocks do not nest: the first `atomic_end` ends all that have begun. Conditions are not looked at, so the \
         way may be one that no run takes.",
        bad: "decl x;\nvoid main() begin\n  if (x) then\n    atomic_begin;\n  fi\n  x := !x;\n  atomic_end;\nend\n",
        fixed: "decl x;\nvoid main() begin\n  atomic_begin;\n  x := !x;\n  atomic_end;\nend\n";
    ENDS_INSIDE_ATOMIC = 78, Warning, "end of a thread inside of an atomic block",
        "On some way through the program a thread ends without having left its atomic block. The block ends with it, but an \
         `atomic_end` is probably missing. Conditions are not looked at, so the way may be one that no run takes.",
        bad: "decl x;\nvoid main() begin\n  atomic_begin;\n  x := !x;\n  if (x) then\n    atomic_end;\n  fi\nend\n",
        fixed: "decl x;\nvoid main() begin\n  atomic_begin;\n  x := !x;\n  atomic_end;\nend\n";
    SHADOWED_PROCEDURE = 79, Warning, "procedure of a thread that hides another",
        "A procedure of a thread block has the name of one outside of it. Calls inside of the block mean the inner one. That is \
         allowed but easily overlooked. Only `main` is expected to stand in every block.",
        bad: "void f() begin\n  skip;\nend\nthread t begin\n  void main() begin\n    f();\n  end\n  void f() begin\n    skip;\n  end\nend\nvoid main() begin\n  f();\nend\n",
        fixed: "void f() begin\n  skip;\nend\nthread t begin\n  void main() begin\n    g();\n  end\n  void g() begin\n    skip;\n  end\nend\nvoid main() begin\n  f();\nend\n";
}
