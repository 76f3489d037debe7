// May the program end? Some run comes to the end of the module in which the program starts.

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

bool MayTerminate(State u)
  ( exists State w. ToExit(u, w) );

// the question
#print "From some initial state:";
( exists State u. Init(u) & MayTerminate(u) );
#print "From every initial state:";
( forall State u. Init(u) -> MayTerminate(u) );
#cex ( forall State u. Init(u) -> MayTerminate(u) );
