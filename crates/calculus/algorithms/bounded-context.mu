// Section 5.1: what n threads reach with at most k context switches.
//
// Reach(u, v, ecs, cs, g, t): with cs context switches the thread t_cs can come to v, in a module that it entered in u when there had been
// ecs switches; the i-th switch happened when the shared globals were g_i, and t_i is the thread of the i-th context. What
// g and t say of later contexts is open. Of the globals there are k + 1 copies: those of u and v, and g_1 to g_(k-1). What they
// were at the last switch is not kept: it would tell where a thread that was left there may go on, and none does.
//
// cs stands above all else, so what is new is propagated context by context: a run with few switches is found before longer ones are looked for.

// r comes before s
mu bool Less(Switch r, Switch s)
  r ~+ s
  ( Next(r, s) | ( exists Switch q. Less(r, q) & Next(q, s) ) );

bool AtMost(Switch r, Switch s)
  r ~+ s
  ( r = s | Less(r, s) );

// contexts r and s are of the same thread
bool SameThread(Switch r, Switch s, Schedule t)
  r ~+ s
  ( exists Thread h. Active(h, r, t) & Active(h, s, t) );

// the thread of context s has not run before
bool First(Switch s, Schedule t)
  !( exists Switch r. Less(r, s) & SameThread(r, s, t) );

// r is the last context before s in which the thread of s ran; others ran in between (a thread that took over from itself would only
// waste a switch)
bool Consecutive(Switch r, Switch s, Schedule t)
  r ~+ s
  ( Less(r, s) & !Next(r, s) & SameThread(r, s, t)
  & !( exists Switch i. Less(r, i) & Less(i, s) & SameThread(i, s, t) ) );

mu bool Reach(State u, State v, Switch ecs, Switch cs, Earlier g, Schedule t)
  cs < ecs, ecs < u, u ~+ v, u < t
  ( // init: the first thread starts
    ( cs = 0 & ecs = 0 & AtEntry(u, v)
    & ( exists Thread h. Active(h, cs, t) & ThreadStart(h, u.mod, u.CG) )
    & ( exists Shared s. Started(s) & SharedOf(u.CG, s) ) )

    // int: a step within the module
  | ( exists State x. Reach(u, x, ecs, cs, g, t) & ProgramInt(x, v) )

    // call: a call at y enters u
  | ( ecs = cs & AtEntry(u, v)
    & ( exists State x, State y, Switch e. Reach(x, y, e, cs, g, t) & IntoCall(y, u) ) )

    // ret: a call at x, after c switches, enters y; the module called gets to its exit z, now; and the caller goes on at v
  | ( exists State x, State y, State z, Switch c.
        Reach(u, x, ecs, c, g, t) & IntoCall(x, y) & Reach(y, z, c, cs, g, t)
      & Exit(z.mod, z.pc) & Return(x, z, v) & AtMost(c, cs) )

    // 1st-switch: a thread that has not run before starts where the thread of the context before is left
  | ( ecs = cs & AtEntry(u, v) & First(cs, t)
    & ( exists Thread h. Active(h, cs, t) & ThreadStart(h, u.mod, u.CG) )
    & ( exists Shared s.
          SharedOf(u.CG, s) & EarlierAt(cs, s, g)
        & ( exists State x, State y, Switch e, Switch c.
              Reach(x, y, e, c, g, t) & Next(c, cs) & MayBeLeft(y.CG) & SharedOf(y.CG, s) ) ) )

    // switch: a thread that was left in w goes on; what is shared comes from the thread of the context before. (That w is where
    // the switch after context c happened, with the globals of that switch, goes without saying in the paper.)
  | ( ( exists Shared s.
          SharedOf(v.CG, s) & EarlierAt(cs, s, g)
        & ( exists State x, State y, Switch e, Switch c.
              Reach(x, y, e, c, g, t) & Next(c, cs) & MayBeLeft(y.CG) & SharedOf(y.CG, s) ) )
    & ( exists State w, Switch c.
          Reach(u, w, ecs, c, g, t) & Consecutive(c, cs, t) & MayBeLeft(w.CG)
        & ( exists Switch d, Shared s. Next(c, d) & EarlierAt(d, s, g) & SharedOf(w.CG, s) )
        & w.mod = v.mod & w.pc = v.pc & w.CL = v.CL & OwnAs(w.CG, v.CG) ) )
  );

bool Reachable(Module m, PC p)
  ( ReachedBefore(m, p)
  | ( exists State u, State v, Switch ecs, Switch cs, Earlier g, Schedule t.
        Reach(u, v, ecs, cs, g, t) & v.mod = m & v.pc = p ) );

// the question
( ( exists Module m, PC p. Target(m, p) & ReachedBefore(m, p) )
| ( exists State u, State v, Switch ecs, Switch cs, Earlier g, Schedule t.
      Reach(u, v, ecs, cs, g, t) & Target(v.mod, v.pc) ) );
