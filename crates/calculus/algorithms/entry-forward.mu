// Section 4.2: the entry-forward algorithm. Only what the program can reach is explored.
//
// SummaryEF(u, v): u is an entry that the program gets to, and v a state of the same module that can be reached from u.

mu bool SummaryEF(State u, State v)
  u ~+ v
  ( // early termination: a target is reached, nothing else matters
    ( exists State x, State y. SummaryEF(x, y) & Target(y.mod, y.pc) )

    // the program starts
  | ( Entry(u.mod, u.pc) & AtEntry(u, v) & Init(u) )

    // a step within the module
  | ( exists State x. SummaryEF(u, x) & ProgramInt(x, v) )

    // a call at y enters u
  | ( exists State x, State y. SummaryEF(x, y) & IntoCall(y, u) & AtEntry(u, v) )

    // a call at x enters y, the module called gets from y to its exit z, and the caller goes on at v
  | ( exists State x, State y, State z.
        SummaryEF(u, x) & IntoCall(x, y) & SummaryEF(y, z)
      & Exit(z.mod, z.pc) & Return(x, z, v) )
  );

// the places that are reached
bool Reachable(Module m, PC p)
  ( exists State u, State v. SummaryEF(u, v) & v.mod = m & v.pc = p );

// the question
( exists State u, State v. Target(v.mod, v.pc) & SummaryEF(u, v) );
