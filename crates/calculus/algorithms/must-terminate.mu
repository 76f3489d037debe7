// Must the program end? No run goes on for ever. (A run that waits in vain for an `assume` has stopped.)
//
// A run for ever takes infinitely many steps in one module, or calls without end. Calls that return are stepped over by summaries,
// which are finite runs; so for ever is a greatest fixed point over steps, calls that are entered and calls that are stepped over.

mu bool ToExit(State u, State w)
  u ~+ w
  ( ( Exit(u.mod, u.pc) & u = w )
  | ( exists State x. ProgramInt(u, x) & ToExit(x, w) )
  | ( exists State x, State y, State z.
        IntoCall(u, y) & ToExit(y, z) & Return(u, z, x) & ToExit(x, w) )
  );

nu bool GoesOn(State u)
  ( // a step within the module
    ( exists State x. ProgramInt(u, x) & GoesOn(x) )

    // a call that never comes back
  | ( exists State y. IntoCall(u, y) & GoesOn(y) )

    // a call that comes back
  | ( exists State x, State y, State z.
        IntoCall(u, y) & ToExit(y, z) & Return(u, z, x) & GoesOn(x) )
  );

// the question
#print "From every initial state:";
( forall State u. Init(u) -> !GoesOn(u) );
#cex ( forall State u. Init(u) -> !GoesOn(u) );
