// Delay bounding, after Emmi, Qadeer and Rakamarić: threads take turns in a fixed order, and each runs until it cannot go on. Only so many
// times may the scheduler be made to leave a thread that could. Few delays find most errors, and there are far fewer schedules
// than with the same number of context switches.
//
//   hardbop solve examples/calculus/delay-bounded.mu --program examples/bluetooth-2-1.bp --contexts 4
//
// Every switch counts for --contexts, whether it is a delay or not. The marks m tell the two apart: a switch is marked if the thread
// that is left can go no further.

// how many delays there may be
bool MostDelays(Switch d)
  ( d = 1 );

// in context c it is the turn of thread h
mu bool Turn(Switch c, Thread h)
  ( ( c = 0 & h = 0 )
  | ( exists Switch b, Thread f.
        Next(b, c) & Turn(b, f) & ( NextThread(f, h) | ( LastThread(f) & h = 0 ) ) ) );

mu bool Less(Switch r, Switch s)
  r ~+ s
  ( Next(r, s) | ( exists Switch q. Less(r, q) & Next(q, s) ) );

bool AtMost(Switch r, Switch s)
  r ~+ s
  ( r = s | Less(r, s) );

bool SameThread(Switch r, Switch s)
  r ~+ s
  ( exists Thread h. Turn(r, h) & Turn(s, h) );

// the thread of context s has not run before
bool First(Switch s)
  !( exists Switch r. Less(r, s) & SameThread(r, s) );

// r is the last context before s in which the thread of s ran
bool Consecutive(Switch r, Switch s)
  r ~+ s
  ( Less(r, s) & SameThread(r, s)
  & !( exists Switch i. Less(r, i) & Less(i, s) & SameThread(i, s) ) );

// up to context c there have been d delays: switches without a mark
mu bool Delays(Switch c, Switch d, Marks m)
  ( ( c = 0 & d = 0 )
  | ( exists Switch b, Switch e.
        Next(b, c) & Delays(b, e, m) & ( ( MarkedAt(c, m) & d = e ) | ( !MarkedAt(c, m) & Next(e, d) ) ) ) );

// the thread can go no further in v; the exit of a module that was called (f = 0) is left by a return
bool Idle(bool f, State v)
  ( !( exists State w. ProgramInt(v, w) ) & !( exists State w. IntoCall(v, w) )
  & ( f = 1 | !Exit(v.mod, v.pc) ) );

// a thread that is left in v at switch r has the shared globals g_r there, and the mark says whether it could go on
bool LeftIn(bool f, State v, Switch r, Globals g, Marks m)
  ( MayBeLeft(v.CG)
  & ( exists Shared s. SharedOf(v.CG, s) & SwitchedAt(r, s, g) )
  & ( MarkedAt(r, m) <-> Idle(f, v) ) );

mu bool Reach(bool f, State u, State v, Switch ecs, Switch cs, Globals g, Marks m);

// the thread of the context before cs can be left, and the delays suffice
mu bool Left(Switch cs, Globals g, Marks m)
  ( ( exists bool f, State x, State y, Switch e, Switch c.
        Next(c, cs) & Reach(f, x, y, e, c, g, m) & LeftIn(f, y, cs, g, m) )
  & ( exists Switch d, Switch most. Delays(cs, d, m) & MostDelays(most) & AtMost(d, most) ) );

// In context cs the thread whose turn it is can come to v, in a module that it entered in u in context ecs; f = 1 if it started there.
mu bool Reach(bool f, State u, State v, Switch ecs, Switch cs, Globals g, Marks m)
  u ~+ v, ecs ~+ cs
  ( // init: the first thread starts
    ( f = 1 & cs = 0 & ecs = 0 & AtEntry(u, v)
    & ( exists Thread h. Turn(cs, h) & ThreadStart(h, u.mod, u.CG) )
    & ( exists Shared s. Started(s) & SharedOf(u.CG, s) ) )

    // int: a step within the module
  | ( exists State x. Reach(f, u, x, ecs, cs, g, m) & ProgramInt(x, v) )

    // call: a call at y enters u
  | ( f = 0 & ecs = cs & AtEntry(u, v)
    & ( exists bool b, State x, State y, Switch e. Reach(b, x, y, e, cs, g, m) & IntoCall(y, u) ) )

    // ret: a call at x, in context c, enters y; the module called gets to its exit z, now; and the caller goes on at v
  | ( exists State x, State y, State z, Switch c.
        Reach(f, u, x, ecs, c, g, m) & IntoCall(x, y) & Reach(0, y, z, c, cs, g, m)
      & Exit(z.mod, z.pc) & Return(x, z, v) & AtMost(c, cs) )

    // 1st-switch: a thread that has not run before starts where the one before is left
  | ( f = 1 & ecs = cs & AtEntry(u, v) & First(cs) & Left(cs, g, m)
    & ( exists Thread h. Turn(cs, h) & ThreadStart(h, u.mod, u.CG) )
    & ( exists Shared s. SharedOf(u.CG, s) & SwitchedAt(cs, s, g) ) )

    // switch: a thread that was left in w goes on with the shared globals of the one before
  | ( Left(cs, g, m) & ( exists Shared s. SharedOf(v.CG, s) & SwitchedAt(cs, s, g) )
    & ( exists State w, Switch c, Switch d.
          Reach(f, u, w, ecs, c, g, m) & Consecutive(c, cs) & Next(c, d) & LeftIn(f, w, d, g, m)
        & w.mod = v.mod & w.pc = v.pc & w.CL = v.CL & OwnAs(w.CG, v.CG) ) )
  );

bool Reachable(Module m, PC p)
  ( ReachedBefore(m, p)
  | ( exists bool f, State u, State v, Switch ecs, Switch cs, Globals g, Marks k.
        Reach(f, u, v, ecs, cs, g, k) & v.mod = m & v.pc = p ) );

( exists Module m, PC p. Target(m, p) & Reachable(m, p) );
