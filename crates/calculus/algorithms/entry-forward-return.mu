// Section 4.2 with the return clause rewritten by ReturnA and ReturnB, as the paper prints it.
//
// In the clause for returns of entry-forward two summaries are conjoined. Here each is first cut down to what the other needs to
// know: ReturnA is the caller's part of the return, ReturnB the callee's. (entry-forward-split is the appendix's version of the same,
// over pairs of states with one module.)

mu bool SummaryEF(State u, State v)
  u ~+ v
  ( // early termination: a target is reached, nothing else matters
    ( exists State x, State y. SummaryEF(x, y) & Target(y.mod, y.pc) )

    // the program starts
  | ( Entry(u.mod, u.pc) & AtEntry(u, v) & Init(u) )

    // a step within the module
  | ( exists State x. SummaryEF(u, x) & ProgramInt(x, v) )

    // a call at y enters u
  | ( exists State x, State y. SummaryEF(x, y) & IntoCall(y, u) & AtEntry(u, v) )

    // from a call to the matching return
  | ( exists PC xpc, Module zmod, PC zpc, Local yLocal, Global yGlobal.
        // (A) x is a call of zmod, with these locals and globals, that goes on at v
        ( exists State x.
            SummaryEF(u, x) & ReturnA(x, zmod, zpc, v)
          & IntoCall1(x, zmod, yLocal, yGlobal) & xpc = x.pc )
        // (B) y is such an entry, and zmod gets from there to its exit z
      & ( exists State y, State z.
            SummaryEF(y, z) & y.CL = yLocal & y.CG = yGlobal
          & z.mod = zmod & z.pc = zpc & Exit(z.mod, z.pc)
          & ReturnB(y, z, xpc, v) ) )
  );

// the places that are reached
bool Reachable(Module m, PC p)
  ( exists State u, State v. SummaryEF(u, v) & v.mod = m & v.pc = p );

// the question
( exists State u, State v. Target(v.mod, v.pc) & SummaryEF(u, v) );
