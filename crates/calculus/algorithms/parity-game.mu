// A parity game on the configurations of a recursive program (Walukiewicz, "Pushdown processes: games and model checking").
//
// Eve and Adam walk through the program. Whoever owns a place chooses the step from there, with all its values; who cannot move has
// lost. Every place has a priority, and a walk that goes on for ever is Eve's if the largest priority that comes again and again is
// even. A program that has ended stays where it is; an assertion that fails is lost for Eve.
//
// The positions of this game are whole stacks. Here they are single frames: at a call Eve claims from which exits it may return, and
// with which largest priority on the way. Adam either takes her at her word and chooses one of these returns, or goes into the call;
// there she has won at an exit if she has claimed it.

// the larger of a and b is k
bool Larger(Priority a, Priority b, Priority k)
  case
    a = 3 | b = 3 : k = 3;
    a = 2 | b = 2 : k = 2;
    a = 1 | b = 1 : k = 1;
    1             : k = 0;
  esac;

// a claim: sets of exits, one for each largest priority on the way. In the first frame nothing returns: the program ends there.
class Claim { bool first; ExitSet by0; ExitSet by1; ExitSet by2; ExitSet by3; }
  by0 ~+ by1, by1 ~+ by2, by2 ~+ by3;

bool Claimed(Claim c, State z, Priority k)
  case
    k = 0 : IsAmong(z, c.by0);
    k = 1 : IsAmong(z, c.by1);
    k = 2 : IsAmong(z, c.by2);
    1     : IsAmong(z, c.by3);
  esac;

// Eve wins in u if c is claimed about the frame and r is the largest priority since its entry. The nesting is the parity condition:
// 3 again and again is lost, 2 without it is won, 1 without both is lost, 0 alone is won.
mu bool Wins3(State u, Claim c, Priority r)  Wins2(u, c, r);
nu bool Wins2(State u, Claim c, Priority r)  Wins1(u, c, r);
mu bool Wins1(State u, Claim c, Priority r)  Wins0(u, c, r);

// the walk comes to u with largest priority k since it was somewhere else: the relation of k has to hold
bool GoesOn(State u, Claim c, Priority r, Priority k)
  case
    k = 0 : Wins0(u, c, r);
    k = 1 : Wins1(u, c, r);
    k = 2 : Wins2(u, c, r);
    1     : Wins3(u, c, r);
  esac;

// a step within the frame leads to v, over priority m
bool Steps(State v, Claim c, Priority r, Priority m)
  ( exists Priority j, Priority k, Priority s.
      HasPriority(v, j) & Larger(m, j, k) & Larger(r, k, s) & GoesOn(v, c, s, k) );

// a call at u enters y: with some claim d Eve wins inside, and after each return that she claims
bool Calling(State u, State y, Claim c, Priority r)
  u ~+ y
  ( exists Claim d.
      !d.first
    & ( exists Priority k. HasPriority(y, k) & GoesOn(y, d, k, k) )
    & ( forall State z, State v, Priority m.
          Claimed(d, z, m) & z.mod = y.mod & Exit(z.mod, z.pc) & Return(u, z, v) -> Steps(v, c, r, m) ) );

nu bool Wins0(State u, Claim c, Priority r)
  case
    FailsAt(u.mod, u.pc)       : 0;
    EndsAt(u.mod, u.pc)        : Even(u);
    Exit(u.mod, u.pc) & c.first: Even(u);
    Exit(u.mod, u.pc)          : Claimed(c, u, r);
    IsEves(u) :
      ( exists State v. ProgramInt(u, v) & Steps(v, c, r, 0) )
    | ( exists State y. IntoCall(u, y) & Calling(u, y, c, r) );
    1 :
      ( forall State v. ProgramInt(u, v) -> Steps(v, c, r, 0) )
    & ( forall State y. IntoCall(u, y) -> Calling(u, y, c, r) );
  esac;

bool Even(State u)
  ( HasPriority(u, 0) | HasPriority(u, 2) );

// Eve wins from u, where the program starts. What is asked for first is the outermost fixed point: that of the largest priority.
bool EveWins(State u)
  ( exists Claim c, Priority k. c.first & HasPriority(u, k) & Wins3(u, c, k) );

// the question
// Eve owns the places with a label that begins with EVE; the others are Adam's.
bool IsEves(State u)
  EveAt(u.mod, u.pc);

// A label PRIORITY_2, or one that begins with PRIORITY_2_, gives a place priority 2; without one it has 0.
bool HasPriority(State u, Priority k)
  PriorityAt(u.mod, u.pc, k);

#print "Eve wins from some initial state:";
( exists State u. Init(u) & EveWins(u) );
#print "Eve wins from every initial state:";
( forall State u. Init(u) -> EveWins(u) );
#cex ( forall State u. Init(u) -> EveWins(u) );
