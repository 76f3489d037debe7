// Can the program come to a place outside of `acquire` at which the lock is held and from which no run ever gives it back? Runs that
// end, block, fail or go on for ever with the lock do not give it back.
//
// What happens later depends on the stack, since a caller may release. So a promise goes with every frame: a set of exits after
// which the callers keep the lock. `Keeps` is a greatest fixed point under such a promise, `Reached` carries it into calls.
//
//   hardbop solve stale-lock.mu --program lock.bp
needs global lock;
needs procedure acquire;

// the frame of v never gives the lock back, nor does what comes after it, if it is left by an exit in c
nu bool Keeps(State v, ExitSet c)
  ( True(v, lock)
  & ( Exit(v.mod, v.pc) -> IsAmong(v, c) )
  & ( forall State w. ProgramInt(v, w) -> Keeps(w, c) )
  & ( forall State y. IntoCall(v, y) ->
        ( exists ExitSet d.
            Keeps(y, d)
          & ( forall State z, State w.
                z.mod = y.mod & Exit(z.mod, z.pc) & IsAmong(z, d) & Return(v, z, w) -> Keeps(w, c) ) ) ) );

// the program comes to v in a frame that was entered in u, whose callers keep the lock after exits in c
mu bool Reached(State u, ExitSet c, State v)
  u ~+ v
  ( // the start; behind the end of the program anything may be promised
    ( Init(u) & AtEntry(u, v) & ( forall State z. Exit(z.mod, z.pc) -> IsAmong(z, c) ) )
    // a step
  | ( exists State x. Reached(u, c, x) & ProgramInt(x, v) )
    // into a call, with a promise that the caller can keep under its own
  | ( AtEntry(u, v)
    & ( exists State x, State y, ExitSet d.
          Reached(x, d, y) & IntoCall(y, u)
        & ( forall State z, State w.
              z.mod = u.mod & Exit(z.mod, z.pc) & IsAmong(z, c) & Return(y, z, w) -> Keeps(w, d) ) ) )
    // over a call
  | ( exists State x, State y, State z, ExitSet d.
        Reached(u, c, x) & IntoCall(x, y) & Reached(y, d, z) & Exit(z.mod, z.pc) & Return(x, z, v) ) );

bool StaleAt(Module m, PC p)
  ( exists State v, State u, ExitSet c.
      Reached(u, c, v) & Keeps(v, c) & !In(v, acquire) & v.mod = m & v.pc = p );

( exists Module m, PC p. StaleAt(m, p) );
#list StaleAt;
