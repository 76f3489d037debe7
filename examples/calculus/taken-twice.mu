// A lock that is taken by somebody who has it: `lock` is 1 where `acquire` is entered. For programs with these names.
//
//   hardbop solve examples/calculus/taken-twice.mu --program examples/calculus/lock.bp

load "entry-forward";

bool Again(State v)
  ( In(v, acquire) & Entry(v.mod, v.pc) & v.lock & ( exists State u. SummaryEF(u, v) ) );

( exists State v. Again(v) );
#wit exists State v. Again(v);

// from where: calls in states in which the lock is held
bool Calling(Module m, PC p)
  ( exists State u, State c, State v. SummaryEF(u, c) & IntoCall(c, v) & Again(v) & c.mod = m & c.pc = p );

#list Calling;
