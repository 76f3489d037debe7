// At which places do two variables always have the same value?
load "entry-forward";

bool Reached(State v)
  ( exists State u. SummaryEF(u, v) );

bool AlwaysEqual(Module m, PC p, Variable x, Variable y)
  ( VisibleIn(m, x) & VisibleIn(m, y) & DeclaredBefore(x, y)
  & ( exists State v. Reached(v) & v.mod = m & v.pc = p )
  & ( forall State v. Reached(v) & v.mod = m & v.pc = p -> ( True(v, x) <-> True(v, y) ) ) );

#list AlwaysEqual;
