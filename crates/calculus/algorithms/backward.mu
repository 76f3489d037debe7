// The other way round: from the exits and the targets back to the start.
//
// Nothing but the direction of the clauses changes. Forward search asks what a module does with each way it is entered;
// backward search asks how each of its exits, and each target, can come about. Where many states can be reached but few of
// them lead to a target, that is less.

mu bool ToExit(State u, State w)
  u ~+ w
  ( // an exit leads to itself
    ( Exit(u.mod, u.pc) & u = w )

    // a step within the module
  | ( exists State x. ProgramInt(u, x) & ToExit(x, w) )

    // a call that enters y, gets to its exit z and goes on at x
  | ( exists State x, State y, State z.
        IntoCall(u, y) & ToExit(y, z) & Return(u, z, x) & ToExit(x, w) )
  );

mu bool ToTarget(State u)
  ( // early termination: the start leads to a target
    ( exists State x. Init(x) & ToTarget(x) )

    // a target
  | Target(u.mod, u.pc)

    // a step within the module
  | ( exists State x. ProgramInt(u, x) & ToTarget(x) )

    // a call whose module leads to a target
  | ( exists State y. IntoCall(u, y) & ToTarget(y) )

    // a call that returns and leads to a target afterwards
  | ( exists State x, State y, State z.
        IntoCall(u, y) & ToExit(y, z) & Return(u, z, x) & ToTarget(x) )
  );

// the question
( exists State u. Init(u) & ToTarget(u) );
