// Which globals may be written, and by which procedures, once the lock has been released?
needs global lock;

// The program gets from u, where a module was entered, to v in that module; a and b say whether the lock had been released before u, v.
mu bool Reached(State u, bool a, State v, bool b)
  u ~+ v
  ( ( Init(u) & AtEntry(u, v) & !a & !b )
  | ( exists State x, bool c. Reached(u, a, x, c) & ProgramInt(x, v) & ( b <-> c | x.lock & !v.lock ) )
  | ( exists State x, State y, bool c. Reached(x, c, y, a) & IntoCall(y, u) & AtEntry(u, v) & b = a )
  | ( exists State x, State y, State z, bool c.
        Reached(u, a, x, c) & IntoCall(x, y) & Reached(y, c, z, b) & Exit(z.mod, z.pc) & Return(x, z, v) ) );

bool WrittenAfterRelease(Module m, Variable w)
  ( IsGlobal(w) & ( exists State u, bool a, State v. Reached(u, a, v, 1) & In(v, m) & Writes(v.mod, v.pc, w) ) );

#list WrittenAfterRelease;
