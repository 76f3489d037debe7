//! Codes of threads: programs whose concurrency does not fit together.

super::codes! {
    BAD_INSTANCE_COUNT = 50, Error, "bad number of thread instances",
        "`thread name(n)` runs n instances of the thread, from 1 to 1024. Without a number there is one.",
        bad: "thread worker(0) begin\n  void main() begin\n    skip;\n  end\nend\n",
        fixed: "thread worker(2) begin\n  void main() begin\n    skip;\n  end\nend\n";
    THREAD_WITHOUT_MAIN = 51, Error, "thread without `main`",
        "The instances of a thread start in the procedure `main` of its block. A `main` outside of the block is a thread of its own.",
        bad: "thread worker begin\n  void work() begin\n    skip;\n  end\nend\n",
        fixed: "thread worker begin\n  void main() begin\n    skip;\n  end\nend\n";
    DUPLICATE_THREAD = 52, Error, "two threads of one name",
        "Traces and reports tell threads apart by their names. To run the same code several times give a number of \
         instances, as in `thread worker(2)`. A procedure `main` outside of all blocks is a thread called `main`.",
        bad: "thread t begin\n  void main() begin\n    skip;\n  end\nend\nthread t begin\n  void main() begin\n    skip;\n  end\nend\n",
        fixed: "thread t(2) begin\n  void main() begin\n    skip;\n  end\nend\n";
    CALL_INTO_THREAD = 53, Error, "call of a procedure of another thread",
        "The procedures inside a `thread` block belong to it and use its variables, so nobody else can call them. A \
         procedure that several threads need stands at the top level.",
        bad: "thread a begin\n  void main() begin\n    work();\n  end\nend\nthread b begin\n  void main() begin\n    work();\n  end\n  void work() begin\n    skip;\n  end\nend\n",
        fixed: "void work() begin\n  skip;\nend\nthread a begin\n  void main() begin\n    work();\n  end\nend\nthread b begin\n  void main() begin\n    work();\n  end\nend\n";
    ASYNC_WITHOUT_CALL = 54, Error, "label `ASYNC_…` on a statement that is not a call",
        "In boppo's dialect a call under a label that begins with `ASYNC_` starts a thread. On another statement such a \
         label is probably a mistake.",
        bad: "decl x;\nvoid f() begin\n  skip;\nend\nvoid main() begin\n  ASYNC_1: f();\n  ASYNC_2: x := T;\nend\n",
        fixed: "decl x;\nvoid f() begin\n  skip;\nend\nvoid main() begin\n  ASYNC_1: f();\n  x := T;\nend\n";
    ASYNC_WITH_TARGETS = 55, Error, "results of a thread",
        "A call under a label `ASYNC_…` starts a thread and goes on at once, so there are no results to assign. Pass \
         values through global variables.",
        bad: "bool f() begin\n  return T;\nend\nvoid main() begin\n  decl x;\n  ASYNC_1: x := f();\nend\n",
        fixed: "bool f() begin\n  return T;\nend\nvoid main() begin\n  ASYNC_1: f();\nend\n";
    UNMATCHED_ATOMIC = 56, Error, "`atomic_begin` and `atomic_end` do not match",
        "The program has one of the two words but nowhere the other, so an atomic block would never end or never begin. \
         Where both are there but do not match on some way, there is a warning: HB077 or HB078.",
        bad: "decl x;\nvoid main() begin\n  atomic_begin;\n  x := T;\nend\n",
        fixed: "decl x;\nvoid main() begin\n  atomic_begin;\n  x := T;\n  atomic_end;\nend\n";
    TOO_MANY_THREADS = 57, Error, "too many threads",
        "All instances of all threads count: together at most 4096 may run from the start. Threads that a running \
         program starts are not counted here.",
        bad: "thread a(1024) begin\n  void main() begin\n    skip;\n  end\nend\nthread b(1024) begin\n  void main() begin\n    skip;\n  end\nend\nthread c(1024) begin\n  void main() begin\n    skip;\n  end\nend\nthread d(1024) begin\n  void main() begin\n    skip;\n  end\nend\nthread e(1024) begin\n  void main() begin\n    skip;\n  end\nend\n",
        fixed: "thread a(1024) begin\n  void main() begin\n    skip;\n  end\nend\nthread b(1024) begin\n  void main() begin\n    skip;\n  end\nend\nthread c(1024) begin\n  void main() begin\n    skip;\n  end\nend\nthread d(1024) begin\n  void main() begin\n    skip;\n  end\nend\n";
}
