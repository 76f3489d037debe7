// Live variables: v is live at p of m if some way from there reads v before it is written.
//
// Ways are those that return to where they were called from. Two summaries make that exact: what is used before the module ends, and
// which globals pass through it unwritten. What is live after some call of a module is live at its exit.

// some way from p to the end of m does not write the global v
mu bool Passes(Module m, PC p, Variable v)
  ( IsGlobal(v)
  & ( Exit(m, p)
    | ( exists PC q. Flow(m, p, q) & !WritesOn(m, p, q, v) & Passes(m, q, v) )
    | ( exists PC q, Module n.
          Calls(m, p, n) & SkipCall(m, p, q) & !WritesOn(m, p, q, v) & Passes(n, 0, v) & Passes(m, q, v) ) ) );

// some way from p reads v before it is written and before m ends
mu bool Used(Module m, PC p, Variable v)
  ( Reads(m, p, v)

    // what a module returns is read by whoever has called it
  | ( Exit(m, p) & ResultOf(m, v) )

    // a step that does not write it
  | ( exists PC q. Flow(m, p, q) & !WritesOn(m, p, q, v) & Used(m, q, v) )

    // the module called reads it …
  | ( exists Module n. Calls(m, p, n) & IsGlobal(v) & Used(n, 0, v) )

    // … or leaves it alone: it cannot see locals, and may pass a global unwritten
  | ( exists PC q, Module n.
        Calls(m, p, n) & SkipCall(m, p, q) & !WritesOn(m, p, q, v)
      & ( LocalOf(m, v) | Passes(n, 0, v) ) & Used(m, q, v) )
  );

mu bool Live(Module m, PC p, Variable v);

// v is live after some call of n
mu bool LiveAfter(Module n, Variable v)
  ( IsGlobal(v)
  & ( exists Module m, PC p, PC q.
        Calls(m, p, n) & SkipCall(m, p, q) & !WritesOn(m, p, q, v) & Live(m, q, v) ) );

mu bool Live(Module m, PC p, Variable v)
  ( Used(m, p, v) | ( Passes(m, p, v) & LiveAfter(m, v) ) );

// the question
#list Live;
