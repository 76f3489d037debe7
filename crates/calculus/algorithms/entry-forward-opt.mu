// Section 4.3: the optimized entry-forward algorithm.
//
// Steps within a module are cheap and many, calls and returns are dear and few. So a round takes all internal steps there are and
// only one step over a call or into it, and it starts only from program counters at which something was new in the round before.
// The bit fr tells new from old: SummaryEFopt(1, u, v) holds for all pairs found so far, SummaryEFopt(0, u, v) for
// those found before the last round. Relevant uses the latter negatively, so this is no monotone system: what it means is what
// the evaluation of section 3 computes, with SummaryEFopt outermost.

mu bool New1(State u, State v);
mu bool New2(State u, State v);
mu bool Relevant(Module m, PC p);

mu bool SummaryEFopt(bool fr, State u, State v)
  fr < u, u ~+ v
  ( // early termination
    ( exists State x, State y. SummaryEFopt(1, x, y) & Target(y.mod, y.pc) )

    // [1] the program starts
  | ( fr = 1 & Entry(u.mod, u.pc) & AtEntry(u, v) & Init(u) )

    // [2] what has been found stays; with fr = 0 it is no longer new
  | SummaryEFopt(1, u, v)

    // [3] what this round finds
  | ( fr = 1 & ( New1(u, v) | New2(u, v) ) )
  );

// [4] program counters at which something was found in the last round
mu bool Relevant(Module m, PC p)
  ( exists State u, State v.
      SummaryEFopt(1, u, v) & !SummaryEFopt(0, u, v) & v.mod = m & v.pc = p );

mu bool New1(State u, State v)
  u ~+ v
  ( // [5] from the relevant program counters …
    ( SummaryEFopt(1, u, v) & Relevant(v.mod, v.pc) )

    // [6] … any number of steps within the module
  | ( exists State x. New1(u, x) & ProgramInt(x, v) )
  );

mu bool New2(State u, State v)
  u ~+ v
  ( // [7] a call at a relevant y enters u
    ( exists State x, State y.
        Relevant(y.mod, y.pc) & SummaryEFopt(1, x, y) & IntoCall(y, u) & AtEntry(u, v) )

    // [8-11] a call at x is stepped over by a summary from y to z; the call or the exit is relevant
  | ( exists State x, State y, State z.
        SummaryEFopt(1, u, x) & IntoCall(x, y) & SummaryEFopt(1, y, z)
      & Exit(z.mod, z.pc) & Return(x, z, v)
      & ( Relevant(x.mod, x.pc) | Relevant(z.mod, z.pc) ) )
  );

// the places that are reached
bool Reachable(Module m, PC p)
  ( exists State u, State v. SummaryEFopt(1, u, v) & v.mod = m & v.pc = p );

// the question
( exists State u, State v. Target(v.mod, v.pc) & SummaryEFopt(1, u, v) );
