// A parity game on a pushdown graph, by Walukiewicz's claims.
//
// Two players, Eve and Adam, walk through a recursive program. Each place has an owner, who chooses the next one, and a priority; a
// walk that goes on for ever is Eve's if the largest priority that comes again and again is even. The positions of this game are
// whole stacks. The game below has finitely many: at a call Eve claims from which exits the call may return, and with which
// largest priority on the way. Adam either believes her and chooses one of the returns that she claims, or goes into the call; there
// she has won at an exit if she has claimed it, with the largest priority since the entry.

enum Priority {0..2};

// A server: the loop of main calls `serve`, which Adam may let call itself. Before a return someone chooses whether it is good.
enum Place { loop, thanks, entry, call, again, leave, good, bad };
enum Player { eve, adam };

// What is varied: the priority of an entry, and who chooses at `leave`.
class Rules { Priority deep; Player chooser; };

bool Owner(Rules r, Place p, Player x)
  if (p = leave) x = r.chooser else x = adam;

bool Rank(Rules r, Place p, Priority k)
  case
    p = loop   : k = 1;
    p = thanks : k = 2;
    p = entry  : k = r.deep;
    1          : k = 0;
  esac;

bool Step(Place p, Place q)
  p = thanks & q = loop | p = entry & (q = call | q = leave) | p = again & q = leave | p = leave & (q = good | q = bad);

bool Call(Place p) p = loop | p = call;
bool Exit(Place p) p = good | p = bad;

// Where a call at p goes on after it has returned from x.
bool Back(Place p, Place x, Place q)
  p = loop & (x = good & q = thanks | x = bad & q = loop) | p = call & q = again;

// A claim: a bit for each exit and each largest priority.
class Claim { bool good0; bool good1; bool good2; bool bad0; bool bad1; bool bad2; };

bool Claimed(Claim c, Place x, Priority k)
  x = good & (k = 0 & c.good0 | k = 1 & c.good1 | k = 2 & c.good2)
| x = bad  & (k = 0 & c.bad0  | k = 1 & c.bad1  | k = 2 & c.bad2);

bool Larger(Priority a, Priority b, Priority c)
  c = 2 & (a = 2 | b = 2) | c = 1 & (a = 1 & b != 2 | b = 1 & a != 2) | c = 0 & a = 0 & b = 0;

// A position: a place, what has been claimed about its frame, and the largest priority since the entry.
class Position { Place at; Claim claim; Priority seen; };

// One move with priority k, from a place that is neither a call nor an exit.
bool Move(Rules r, Position s, Position t, Priority k)  s ~+ t
  ( Step(s.at, t.at) & t.claim = s.claim & Rank(r, t.at, k) & Larger(s.seen, k, t.seen) );

// Over the call at s, which returns from x with largest priority m: the priority of the move is the larger of m and that of the place.
bool Over(Rules r, Position s, Position t, Place x, Priority m, Priority k)  s ~+ t
  ( Back(s.at, x, t.at) & t.claim = s.claim
  & ( exists Priority j. Rank(r, t.at, j) & Larger(m, j, k) ) & Larger(s.seen, k, t.seen) );

// Into the call, with a claim c.
bool Into(Rules r, Position t, Claim c)
  t.at = entry & t.claim = c & Rank(r, entry, t.seen);

// The nesting is the parity condition: 2 again and again is won, 1 without it is lost, 0 alone is won. Where the walk goes on with
// priority k, the relation of k has to hold.
bool Next(Rules r, Position t, Priority k)
  k = 0 & W0(r, t) | k = 1 & W1(r, t) | k = 2 & W2(r, t);

nu bool W2(Rules r, Position s) W1(r, s);
mu bool W1(Rules r, Position s) W0(r, s);
nu bool W0(Rules r, Position s)
  case
    Exit(s.at) : Claimed(s.claim, s.at, s.seen);
    Call(s.at) :
      exists Claim c.
        ( exists Position t, Priority k. Into(r, t, c) & t.seen = k & Next(r, t, k) )
      & ( forall Place x, Priority m, Position t, Priority k. Claimed(c, x, m) & Over(r, s, t, x, m, k) -> Next(r, t, k) );
    Owner(r, s.at, eve) : exists Position t, Priority k. Move(r, s, t, k) & Next(r, t, k);
    1          : forall Position t, Priority k. Move(r, s, t, k) -> Next(r, t, k);
  esac;

bool Start(Position s) s.at = loop & s.seen = 0 & !(exists Place x, Priority k. Claimed(s.claim, x, k));

bool EveWins(Priority deep, Player chooser)
  exists Rules r, Position s. r.deep = deep & r.chooser = chooser & Start(s) & W2(r, s);

#print "Eve chooses, and going deeper costs nothing:";
EveWins(0, eve);
#print "Adam chooses: the loop goes round with 1 for ever";
EveWins(0, adam);
#print "Eve chooses, but Adam may go deeper for ever, with 1 each time:";
EveWins(1, eve);
#print "Adam chooses, and every call is worth 2:";
EveWins(2, adam);
