// From the entries or from the exits, whichever are fewer (Alur, Chaudhuri, Etessami and Madhusudan; Alur, Etessami and Yannakakis).
//
// A summary relates the ways into a module to the ways out of it. It can be found forward, from each entry, or backward, from
// each exit, and every module may choose: ByExit(m) holds if fewer bits go out of m than come in. Where it holds, states need not
// remember how the module was entered: they remember themselves. So what costs is, module by module, the smaller of the two.

// the program gets to v, in a module that it entered in u; in one that is explored from its exits u is v
mu bool Forward(State u, State v);

// w is an exit of a module that is explored from its exits; v leads to it
mu bool Backward(State v, State w);

// the program gets to v
mu bool Arrives(State v)
  ( exists State u. Forward(u, v) );

// entered in y, a module can end in z
mu bool Through(State y, State z)
  y ~+ z
  ( ( !ByExit(y.mod) & Forward(y, z) & Exit(z.mod, z.pc) ) | Backward(y, z) );

mu bool Backward(State v, State w)
  v ~+ w
  ( // an exit leads to itself
    ( ByExit(w.mod) & Exit(w.mod, w.pc) & v = w )

    // a step within the module
  | ( exists State x. ProgramInt(v, x) & Backward(x, w) )

    // a call at v enters y, the module called ends in z, and the caller goes on at x
  | ( exists State x, State y, State z.
        IntoCall(v, y) & Through(y, z) & Return(v, z, x) & Backward(x, w) )
  );

mu bool Forward(State u, State v)
  u ~+ v
  ( // early termination: a target is reached
    ( exists State y. Arrives(y) & Target(y.mod, y.pc) )

    // the program starts
  | ( !ByExit(u.mod) & Entry(u.mod, u.pc) & AtEntry(u, v) & Init(u) )
  | ( ByExit(u.mod) & u = v & Init(u) )

    // a step within the module
  | ( !ByExit(u.mod) & ( exists State x. Forward(u, x) & ProgramInt(x, v) ) )
  | ( ByExit(u.mod) & u = v & ( exists State x. Arrives(x) & ProgramInt(x, v) ) )

    // a call at y, in a module of either kind, enters u
  | ( !ByExit(u.mod) & ( exists State y. Arrives(y) & IntoCall(y, u) & AtEntry(u, v) ) )
  | ( ByExit(u.mod) & u = v & ( exists State y. Arrives(y) & IntoCall(y, u) ) )

    // a call at x enters y, the module called ends in z, and the caller goes on at v
  | ( !ByExit(u.mod) & ( exists State x, State y, State z.
        Forward(u, x) & IntoCall(x, y) & Through(y, z) & Return(x, z, v) ) )
  | ( ByExit(u.mod) & u = v & ( exists State x, State y, State z.
        Arrives(x) & IntoCall(x, y) & Through(y, z) & Return(x, z, v) ) )
  );

// the question
( exists State v. Target(v.mod, v.pc) & Arrives(v) );
