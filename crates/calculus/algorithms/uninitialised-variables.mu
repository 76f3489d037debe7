// Variables that are read although they may not have been given a value: locals that are no parameters, and globals without an
// initial value.

// some way from p to the end of m does not write the global v
mu bool Passes(Module m, PC p, Variable v)
  ( IsGlobal(v)
  & ( Exit(m, p)
    | ( exists PC q. Flow(m, p, q) & !WritesOn(m, p, q, v) & Passes(m, q, v) )
    | ( exists PC q, Module n.
          Calls(m, p, n) & SkipCall(m, p, q) & !WritesOn(m, p, q, v) & Passes(n, 0, v) & Passes(m, q, v) ) ) );

// v may be without a value at p of m
mu bool Open(Module m, PC p, Variable v)
  ( // a local at the entry of its module
    ( p = 0 & LocalOf(m, v) & !ParameterOf(m, v) & !ResultOf(m, v) )

    // a global at the start of the program, and at the entry of a module that is called
  | ( Main(m, p) & IsGlobal(v) & !Initialised(v) )
  | ( p = 0 & IsGlobal(v) & ( exists Module c, PC o. Calls(c, o, m) & Open(c, o, v) ) )

    // a step that does not write it
  | ( exists PC o. Open(m, o, v) & Flow(m, o, p) & !WritesOn(m, o, p, v) )

    // a call that does not write it
  | ( exists PC o, Module n.
        Open(m, o, v) & Calls(m, o, n) & SkipCall(m, o, p) & !WritesOn(m, o, p, v)
      & ( LocalOf(m, v) | Passes(n, 0, v) ) )
  );

bool Uninitialised(Module m, PC p, Variable v)
  ( Open(m, p, v) & Reads(m, p, v) );

// the question
#list Uninitialised;
