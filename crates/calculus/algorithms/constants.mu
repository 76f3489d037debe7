// Constants: v has the same value whenever p of m is reached. This is exact: what is reached is found by the entry-forward algorithm
// (section 4.2) over all variables, not estimated.

mu bool SummaryEF(State u, State v)
  u ~+ v
  ( ( Entry(u.mod, u.pc) & AtEntry(u, v) & Init(u) )
  | ( exists State x. SummaryEF(u, x) & ProgramInt(x, v) )
  | ( exists State x, State y. SummaryEF(x, y) & IntoCall(y, u) & AtEntry(u, v) )
  | ( exists State x, State y, State z.
        SummaryEF(u, x) & IntoCall(x, y) & SummaryEF(y, z)
      & Exit(z.mod, z.pc) & Return(x, z, v) )
  );

bool Reached(State v)
  ( exists State u. SummaryEF(u, v) );

// v is 0 in every state that is reached at p of m
bool AlwaysZero(Module m, PC p, Variable v)
  ( VisibleIn(m, v)
  & ( exists State s. Reached(s) & s.mod = m & s.pc = p )
  & !( exists State s. Reached(s) & s.mod = m & s.pc = p & True(s, v) ) );

// v is not 0 in any
bool NeverZero(Module m, PC p, Variable v)
  ( VisibleIn(m, v)
  & ( exists State s. Reached(s) & s.mod = m & s.pc = p )
  & !( exists State s. Reached(s) & s.mod = m & s.pc = p & !True(s, v) ) );

// the question
#list AlwaysZero;
#list NeverZero;
