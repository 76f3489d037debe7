// Reaching definitions: the value that v has at p of m may have been written at d of k.
//
// A definition is a step that writes: an assignment, a return, a call that gets results. Ways are those of the control flow from the
// start of the program, all branches taken for possible, that return to where they were called from.

// some way leads from the entry of m to p, and all calls on it have returned
mu bool Through(Module m, PC p)
  ( p = 0
  | ( exists PC o. Through(m, o) & Flow(m, o, p) )
  | ( exists PC o, Module n, PC x.
        Through(m, o) & Calls(m, o, n) & SkipCall(m, o, p) & Exit(n, x) & Through(n, x) ) );

bool Returns(Module n)
  ( exists PC x. Exit(n, x) & Through(n, x) );

// the program comes to p of m
mu bool Walked(Module m, PC p)
  ( Through(m, p)
  & ( Main(m, 0) | ( exists Module c, PC o. Walked(c, o) & Calls(c, o, m) ) ) );

// some way from the entry of m to p does not write the global v
mu bool Kept(Module m, PC p, Variable v)
  ( IsGlobal(v)
  & ( p = 0
    | ( exists PC o. Kept(m, o, v) & Flow(m, o, p) & !WritesOn(m, o, p, v) )
    | ( exists PC o, Module n, PC x.
          Kept(m, o, v) & Calls(m, o, n) & SkipCall(m, o, p) & !WritesOn(m, o, p, v) & Exit(n, x) & Kept(n, x, v) ) ) );

// since m was entered v has been written at d of k, and not again on the way to p
mu bool Made(Module m, PC p, Variable v, Module k, PC d)
  m ~+ k, p ~+ d
  ( // a step that writes it, or a call that gets it as a result
    ( k = m & WritesOn(m, d, p, v) & Walked(m, d) & Flow(m, d, p) )
  | ( k = m & WritesOn(m, d, p, v) & Walked(m, d) & ( exists Module n. Calls(m, d, n) & SkipCall(m, d, p) & Returns(n) ) )

    // a step that does not write it
  | ( exists PC o. Made(m, o, v, k, d) & Flow(m, o, p) & !WritesOn(m, o, p, v) )

    // a call that leaves it alone: it cannot see locals, and may pass a global unwritten
  | ( exists PC o, Module n, PC x.
        Made(m, o, v, k, d) & Calls(m, o, n) & SkipCall(m, o, p) & !WritesOn(m, o, p, v)
      & Exit(n, x) & ( ( LocalOf(m, v) & Returns(n) ) | Kept(n, x, v) ) )

    // a call that writes it
  | ( exists PC o, Module n, PC x.
        Walked(m, o) & Calls(m, o, n) & SkipCall(m, o, p) & !WritesOn(m, o, p, v)
      & IsGlobal(v) & Exit(n, x) & Made(n, x, v, k, d) )
  );

// what was written in this call of m, or before it
mu bool Reaching(Module m, PC p, Variable v, Module k, PC d)
  m ~+ k, p ~+ d
  ( Made(m, p, v, k, d)
  | ( Kept(m, p, v) & ( exists Module c, PC o. Walked(c, o) & Calls(c, o, m) & Reaching(c, o, v, k, d) ) ) );

// the question
#list Reaching;
