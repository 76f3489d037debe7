// Bounded context switches (section 5.1 of the Getafix paper), but only schedules in which the first thread, once it has been left,
// never runs again. The schedule is an argument of `Reach`, so the clauses stay as they are and the question leaves schedules out.
//
//   hardbop solve one-stretch.mu --program ask-answer.bp --contexts 2 --reach ERROR
needs relation SwitchedAt;
load "bounded-context";

// up to context cs the first thread has at most one; behind cs the schedule is open, and nothing may be said of it
bool InOneStretch(Switch cs, Schedule t)
  !( exists Switch r, Switch s. Less(r, s) & AtMost(s, cs) & Active(0, r, t) & Active(0, s, t) );

( exists State u, State v, Switch ecs, Switch cs, Earlier g, Schedule t.
    Reach(u, v, ecs, cs, g, t) & InOneStretch(cs, t) & Target(v.mod, v.pc) );
