// The program as its author sees it: labels, lines, procedures, variables. What stands in capitals without a state is a fact about
// the text; names of the program may stand for values: At(u, DONE), AtLine(u, 12), In(u, main), Reads(m, p, lock).

// u is at a statement with this label
bool At(State u, Label a)
  LabelOf(u.mod, u.pc, a);

// the statement at u starts at line i
bool AtLine(State u, Line i)
  LineOf(u.mod, u.pc, i);

// u is in procedure m
bool In(State u, Module m)
  ( u.mod = m );

// some step from p of m reads v
bool Reads(Module m, PC p, Variable v)
  ( exists PC q. ReadsOn(m, p, q, v) );

// some step from p of m writes v
bool Writes(Module m, PC p, Variable v)
  ( exists PC q. WritesOn(m, p, q, v) );

// v is a global
bool IsGlobal(Variable v)
  !( exists Module m. LocalOf(m, v) );

// a statement of m may speak of v
bool VisibleIn(Module m, Variable v)
  ( LocalOf(m, v) | IsGlobal(v) );

// v is a global with an initial value
bool Initialised(Variable v)
  ( exists Module m. InitialisedIn(m, v) );

// v is not 0 in u
bool True(State u, Variable v)
  valueOf(u.mod, v, u.CL, u.CG);
