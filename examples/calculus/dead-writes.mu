// Values that are written and never read: no way from there reads the variable before it is written again.
//
//   hardbop solve examples/calculus/dead-writes.mu --program examples/calculus/lock.bp

load "live-variables";

bool DeadWrite(Module m, PC p, Variable v)
  ( exists PC q. WritesOn(m, p, q, v) & !Live(m, q, v) );

#list DeadWrite;
