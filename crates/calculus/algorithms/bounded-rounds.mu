// Round-robin schedules, which section 5 only mentions: in each of R rounds every thread has one turn, in order. A turn may be empty.
//
// Reach(h, u, v, er, r, a, b): in its turn of round r thread h can come to v, in a module that it entered in u in round er; a_0 … a_r are
// the shared globals at the beginning of its turns, b_0 … b_(r-1) those at their ends. Runs of different threads meet only in
// a and b: 2R copies of the shared globals and two of all globals, however many threads there are. What a and b say of
// later turns is open.

mu bool Reach(Thread h, State u, State v, Round er, Round r, Shares a, Shares b);

// r is s or a round before
mu bool AtMost(Round r, Round s)
  r ~+ s
  ( r = s | ( exists Round q. AtMost(r, q) & Next(q, s) ) );

// the turns of thread h up to the one in round r may begin with a and end with b
mu bool Turns(Thread h, Round r, Shares a, Shares b);

// threads 0 to h, one after the other, lead from a to b in each round up to r
mu bool UpTo(Thread h, Round r, Shares a, Shares b)
  a ~+ b
  ( ( h = 0 & Turns(h, r, a, b) )
  | ( exists Thread f, Shares m. NextThread(f, h) & UpTo(f, r, a, m) & Turns(h, r, m, b) ) );

// if the turns of thread h up to the one in round q end with b, the rounds after them begin with a
mu bool After(Thread h, Round q, Shares b, Shares a)
  a ~+ b
  ( ( LastThread(h) & Follows(q, b, a) )
  | ( exists Thread f, Shares m. NextThread(h, f) & Turns(f, q, b, m) & After(f, q, m, a) ) );

// if the turns of thread h before round r end with b, its turns up to round r may begin with a
mu bool Begins(Thread h, Round r, Shares a, Shares b)
  a ~+ b
  ( ( h = 0 & r = 0 & ( exists Shared s. Started(s) & SharedIn(r, s, a) ) )
  | ( h = 0 & ( exists Round q. Next(q, r) & After(h, q, b, a) ) & ( exists Shared s. Started(s) & a.g0 = s ) )
  | ( exists Thread f, Shares m.
        NextThread(f, h) & UpTo(f, r, m, a)
      & ( r = 0 | ( exists Round q. Next(q, r) & After(h, q, b, m) ) ) ) );

mu bool Turns(Thread h, Round r, Shares a, Shares b)
  a ~+ b
  ( // the thread is left in v
    ( exists State u, State v, Round er.
        Reach(h, u, v, er, r, a, b) & MayBeLeft(v.CG) & ( exists Shared s. SharedOf(v.CG, s) & SharedIn(r, s, b) ) )

    // the thread has not started yet
  | ( Begins(h, r, a, b) & Empty(r, a, b) & ( exists Shared s. SharedIn(r, s, a) & SharedIn(r, s, b) ) )
  );

mu bool Reach(Thread h, State u, State v, Round er, Round r, Shares a, Shares b)
  h < r, r < er, er < u, u ~+ v, a ~+ b
  ( // init: a thread starts; its turns before were empty
    ( er = r & AtEntry(u, v) & ThreadStart(h, u.mod, u.CG) & Begins(h, r, a, b) & Empty(r, a, b)
    & ( exists Shared s. SharedOf(u.CG, s) & SharedIn(r, s, a) ) )

    // int: a step within the module
  | ( exists State x. Reach(h, u, x, er, r, a, b) & ProgramInt(x, v) )

    // call: a call at y enters u
  | ( er = r & AtEntry(u, v)
    & ( exists State x, State y, Round e. Reach(h, x, y, e, r, a, b) & IntoCall(y, u) ) )

    // ret: a call at x, in round q, enters y; the module called gets to its exit z, now; and the caller goes on at v
  | ( exists State x, State y, State z, Round q.
        Reach(h, u, x, er, q, a, b) & IntoCall(x, y) & Reach(h, y, z, q, r, a, b)
      & Exit(z.mod, z.pc) & Return(x, z, v) & AtMost(q, r) )

    // next turn: the thread was left in w, in the round before
  | ( Begins(h, r, a, b) & ( exists Shared s. SharedOf(v.CG, s) & SharedIn(r, s, a) )
    & ( exists State w, Round q.
          Reach(h, u, w, er, q, a, b) & Next(q, r) & MayBeLeft(w.CG)
        & ( exists Shared s. SharedOf(w.CG, s) & SharedIn(q, s, b) )
        & w.mod = v.mod & w.pc = v.pc & w.CL = v.CL & OwnAs(w.CG, v.CG) ) )
  );

bool Reachable(Module m, PC p)
  ( ReachedBefore(m, p)
  | ( exists Thread h, State u, State v, Round er, Round r, Shares a, Shares b.
        Reach(h, u, v, er, r, a, b) & v.mod = m & v.pc = p ) );

// the question
( ( exists Module m, PC p. Target(m, p) & ReachedBefore(m, p) )
| ( exists Thread h, State u, State v, Round er, Round r, Shares a, Shares b.
      Reach(h, u, v, er, r, a, b) & Target(v.mod, v.pc) ) );
