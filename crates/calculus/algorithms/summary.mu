// Section 4.1: a simple summary-based algorithm.
//
// Summary(u, v): u is an entry of a module, and v is a state of the same module that can be reached from u. All entries are
// explored, whether the program can get to them or not.

mu bool Summary(State u, State v)
  u ~+ v
  ( // an entry reaches itself
    ( Entry(u.mod, u.pc) & AtEntry(u, v) )

    // a step within the module
  | ( exists State x. Summary(u, x) & ProgramInt(x, v) )

    // a call at x enters y, the module called gets from y to its exit z, and the caller goes on at v
  | ( exists State x, State y, State z.
        Summary(u, x) & IntoCall(x, y) & Summary(y, z)
      & Exit(z.mod, z.pc) & Return(x, z, v) )
  );

// The paper has its goal in main. For one in any module: the entries that the program gets to.
mu bool ReachedEntry(State u)
  ( // main is entered at the start
    Init(u)

    // a module that is entered reaches a call at y, which enters u
  | ( exists State x, State y. ReachedEntry(x) & Summary(x, y) & IntoCall(y, u) )
  );

// the question
( exists State u, State v. Target(v.mod, v.pc) & ReachedEntry(u) & Summary(u, v) );
