// Section 4.2 with the return clause rewritten, as the appendix has it.
//
// The two summaries that meet at a return are first cut down to what the other needs to know, and then put together: the conjunction
// of two large relations is the bottleneck. A Conf is a pair of states of one module, the current one and the one in which the
// module was entered (whose program counter is 0).

class Conf {
  Module mod; PC pc; Local CL; Global CG; Local ENTRY_CL; Global ENTRY_CG;
} mod < pc, pc < CL, pc < CG, CL ~+ ENTRY_CL, CG ~+ ENTRY_CG;

// what a call at p of module m has to do with the caller alone: n is called, with locals k and globals g2, and the caller goes on at q with
// l2 and h, as far as the call leaves them alone. It is one relation, so that what is new meets it in one step.
bool Caller(Module m, Module n, PC p, PC x, PC q, Local l, Local k, Local l2, Global g, Global g2, Global h)
  m ~+ n, m < p, p ~+ x, p ~+ q, p < l, p < g, l ~+ k, l ~+ l2, g ~+ g2, g ~+ h
  ( SkipCall(m, p, q) & programCall(m, n, p, l, k, g) & CopyGlobals(n, g, g2)
  & SetReturn1(m, n, p, x, l, l2, g, h) );

mu bool Reach(Conf s)
  ( // early termination
    ( exists Conf t. Target(t.mod, t.pc) & Reach(t) )

    // initial configurations: the entry state is the current one
  | ( initial(s.mod, s.pc, s.CL, s.CG) & CopyGlobals(s.mod, s.ENTRY_CG, s.CG) & CopyLocals(s.mod, s.ENTRY_CL, s.CL) )

    // an internal transition from t-current to s-current; the entry state does not change
  | ( exists Conf t.
        Reach(t) & t.mod = s.mod & t.ENTRY_CG = s.ENTRY_CG & t.ENTRY_CL = s.ENTRY_CL
      & programInt(s.mod, t.pc, s.pc, t.CL, s.CL, t.CG, s.CG) )

    // t-current is a call and s-current the entry that it leads to
  | ( s.pc = 0 & CopyGlobals(s.mod, s.ENTRY_CG, s.CG) & CopyLocals(s.mod, s.ENTRY_CL, s.CL)
    & ( exists Conf t.
          Reach(t) & CopyGlobals(s.mod, t.CG, s.CG)
        & programCall(t.mod, s.mod, t.pc, t.CL, s.CL, t.CG) ) )

    // from a call to the matching return
  | ( exists PC t_pc, Global t_CG, Module u_mod, PC u_pc, Local u_ECL.
        // (1) t-current is a call of u_mod with parameters u_ECL and globals t_CG, in the same invocation as s;
        //     what the call leaves alone is as in t
        ( exists Conf t.
            Reach(t) & t.pc = t_pc & t.ENTRY_CL = s.ENTRY_CL & t.ENTRY_CG = s.ENTRY_CG
          & Caller(t.mod, u_mod, t.pc, u_pc, s.pc, t.CL, u_ECL, s.CL, t.CG, t_CG, s.CG)
          & t.mod = s.mod )
        // (2) u-current is an exit of u_mod, entered with these parameters and globals;
        //     return values and the globals that u_mod may touch are those of u
      & ( exists Conf u.
            Reach(u) & u.mod = u_mod & u.pc = u_pc
          & u.ENTRY_CL = u_ECL & u.ENTRY_CG = t_CG
          & Exit(u_mod, u_pc)
          & SetReturn2(s.mod, u_mod, t_pc, u_pc, u.CL, s.CL, u.CG, s.CG) ) )
  );

// the places that are reached
bool Reachable(Module m, PC p)
  ( exists Conf s. Reach(s) & s.mod = m & s.pc = p );

// the question
( exists Conf s. Target(s.mod, s.pc) & Reach(s) );
