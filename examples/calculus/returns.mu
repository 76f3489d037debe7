// Procedures that need not come back: entered in some run, they go on for ever, or no way leads from there to their exit.
//
//   hardbop solve examples/calculus/returns.mu --program examples/calculus/lock.bp

load "entry-forward", "must-terminate";

bool Entered(State u)
  ( exists State v. SummaryEF(u, v) );

bool MayGoOn(Module m)
  ( exists State u. Entered(u) & GoesOn(u) & u.mod = m );

bool MayGetStuck(Module m)
  ( exists State u. Entered(u) & !( exists State w. ToExit(u, w) ) & u.mod = m );

#list MayGoOn;
#list MayGetStuck;
