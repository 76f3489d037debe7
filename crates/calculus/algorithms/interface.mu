// The program as section 4 of the Getafix paper sees it: relations between whole states.
// They are put together from the relations between parts of states above, which the appendix uses.

class State { Module mod; PC pc; Local CL; Global CG; } mod < pc, pc < CL, pc < CG;

// a step from u to v within a module that is neither a call nor a return
bool ProgramInt(State u, State v)
  u ~+ v
  ( u.mod = v.mod & programInt(u.mod, u.pc, v.pc, u.CL, v.CL, u.CG, v.CG) );

// from a call u to the entry v of the module that is called
bool IntoCall(State u, State v)
  u ~+ v
  ( v.pc = 0 & CopyGlobals(v.mod, u.CG, v.CG) & programCall(u.mod, v.mod, u.pc, u.CL, v.CL, u.CG) );

// every module is entered at 0
bool Entry(Module m, PC p)
  ( p = 0 );

// a module has just been entered in u, and v is that state: what came in is the same, locals that are no parameters are arbitrary
bool AtEntry(State u, State v)
  u ~+ v
  ( u.mod = v.mod & u.pc = 0 & v.pc = 0
  & CopyLocals(u.mod, u.CL, v.CL) & CopyGlobals(u.mod, u.CG, v.CG) );

// the program may start in u
bool Init(State u)
  initial(u.mod, u.pc, u.CL, u.CG);

// w stands where the call at u goes on after its return
bool Across(State u, State w)
  u ~+ w
  ( u.mod = w.mod & SkipCall(u.mod, u.pc, w.pc) );

// u calls a module that ends in v, and goes on in w
bool Return(State u, State v, State w)
  u ~+ v, u ~+ w
  ( Across(u, w)
  & SetReturn1(u.mod, v.mod, u.pc, v.pc, u.CL, w.CL, u.CG, w.CG)
  & SetReturn2(u.mod, v.mod, u.pc, v.pc, v.CL, w.CL, v.CG, w.CG) );

// Return in two halves: what the caller x keeps …
bool ReturnA(State x, Module zmod, PC zpc, State v)
  x ~+ v
  ( Across(x, v) & SetReturn1(x.mod, zmod, x.pc, zpc, x.CL, v.CL, x.CG, v.CG) );

// … and what the module that was entered in y and ends in z gives
bool ReturnB(State y, State z, PC xpc, State v)
  y ~+ z, y ~+ v
  ( y.mod = z.mod & SetReturn2(v.mod, z.mod, xpc, z.pc, z.CL, v.CL, z.CG, v.CG) );

// IntoCall without a program counter: x calls ymod with these locals and globals
bool IntoCall1(State x, Module ymod, Local yLocal, Global yGlobal)
  ( CopyGlobals(ymod, x.CG, yGlobal) & programCall(x.mod, ymod, x.pc, x.CL, yLocal, x.CG) );
