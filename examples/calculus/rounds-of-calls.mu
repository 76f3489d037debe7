// An algorithm of one's own for `hardbop check --engine calculus`: entry-forward with two relations instead of one.
//
//   hardbop check examples/calculus/flip.bp --reach DONE --engine calculus --algorithm examples/calculus/rounds-of-calls.mu
//
// Entered holds the entries that the program gets to, Path what is reached from them. That an entry is stored once,
// and not as a pair with itself, is a matter of taste; that it is easy to try is the point.

mu bool Path(State u, State v);

mu bool Entered(State u)
  ( // the program starts
    Init(u)

    // a call at y enters u
  | ( exists State x, State y. Path(x, y) & IntoCall(y, u) )
  );

mu bool Path(State u, State v)
  u ~+ v
  ( // an entry reaches itself
    ( Entered(u) & u = v )

    // a step within the module
  | ( exists State x. Path(u, x) & ProgramInt(x, v) )

    // a call at x enters y, the module called gets from y to its exit z, and the caller goes on at v
  | ( exists State x, State y, State z.
        Path(u, x) & IntoCall(x, y) & Path(y, z) & Exit(z.mod, z.pc) & Return(x, z, v) )
  );

( exists State u, State v. Target(v.mod, v.pc) & Path(u, v) );
