// Branching time on a recursive program: EF and EG as fixed points over its relations, for `hardbop relations --algorithm`.
//
// p holds at the targets. The stack matters only through what holds at the return, and for an operator with `E` that is a set of
// exits: EF p holds if p is met before the running module is left, or if an exit is met after which EF p holds. So what a call
// does is told by the exits that it reaches (for EG !p, without meeting p), and the fixed points stay within one frame. A way that
// is blocked counts as a run here, and so does one that ends in a failed assertion for EF, but not for EG.

bool P(State u) Target(u.mod, u.pc);

// A module that is entered in u may get to v, any way.
mu bool Summary(State u, State v)
  u ~+ v
  ( ( Entry(u.mod, u.pc) & AtEntry(u, v) )
  | ( exists State x. Summary(u, x) & ProgramInt(x, v) )
  | ( exists State x, State y, State z.
        Summary(u, x) & IntoCall(x, y) & Summary(y, z)
      & Exit(z.mod, z.pc) & Return(x, z, v) )
  );

// The same where p holds nowhere on the way: E[!p U v].
mu bool Avoiding(State u, State v)
  u ~+ v
  ( ( Entry(u.mod, u.pc) & AtEntry(u, v) & !P(v) )
  | ( exists State x. Avoiding(u, x) & ProgramInt(x, v) & !P(v) )
  | ( exists State x, State y, State z.
        Avoiding(u, x) & IntoCall(x, y) & Avoiding(y, z)
      & Exit(z.mod, z.pc) & Return(x, z, v) & !P(v) )
  );

// EF p before the frame of u is left: the least relation.
mu bool Meets(State u)
  ( P(u)
  | ( exists State v. ProgramInt(u, v) & Meets(v) )
  | ( exists State y. IntoCall(u, y) & Meets(y) )
  | ( exists State y, State z, State w.
        IntoCall(u, y) & Summary(y, z) & Exit(z.mod, z.pc) & Return(u, z, w) & Meets(w) )
  );

// EG !p without leaving the frame of u: the greatest relation. A call that returns is one step, and one that
// does not goes on inside.
nu bool Forever(State u)
  !P(u)
  & ( ( exists State v. ProgramInt(u, v) & Forever(v) )
    | ( exists State y. IntoCall(u, y) & Forever(y) )
    | ( exists State y, State z, State w.
          IntoCall(u, y) & Avoiding(y, z) & Exit(z.mod, z.pc) & Return(u, z, w) & Forever(w) ) );

#print "EF p:";
( exists State u. Init(u) & Meets(u) );

// Of main nothing is left but to end, and there p does not hold any more than before.
#print "EG !p:";
( exists State u. Init(u) & ( Forever(u) | ( exists State v. Avoiding(u, v) & Exit(v.mod, v.pc) ) ) );
