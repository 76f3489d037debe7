// init runs alone, before all threads: the entry-forward algorithm (section 4.2) for it.

mu bool Before(State u, State v)
  u ~+ v
  ( // init starts
    ( Entry(u.mod, u.pc) & AtEntry(u, v) & Init(u) )

    // a step within the module
  | ( exists State x. Before(u, x) & ProgramInt(x, v) )

    // a call at y enters u
  | ( exists State x, State y. Before(x, y) & IntoCall(y, u) & AtEntry(u, v) )

    // a call at x enters y, the module called gets from y to its exit z, and the caller goes on at v
  | ( exists State x, State y, State z.
        Before(u, x) & IntoCall(x, y) & Before(y, z)
      & Exit(z.mod, z.pc) & Return(x, z, v) )
  );

// the threads may start with s: init has come to its exit, or to a step that ends it at once
bool Started(Shared s)
  ( exists State u, State v.
      Before(u, v) & SharedOf(v.CG, s)
    & ( ( Init(u) & Exit(v.mod, v.pc) ) | EndsThread(v.mod, v.pc) ) );

bool ReachedBefore(Module m, PC p)
  ( exists State u, State v. Before(u, v) & v.mod = m & v.pc = p );
