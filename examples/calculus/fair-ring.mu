// A ring of 12 processes shares a critical section: who holds the token may enter, and hands it on when it leaves or does not want to.
//
// Processes may also do nothing for ever, so nothing is certain without fairness: on a fair run every process moves again and again
// (`last` says who did). Fairness is an alternating fixed point (Emerson and Lei): EG_fair q is a greatest one, around a least
// one for each process that has to move. Textbook answers: mutual exclusion holds; whoever waits may wait for ever if others never
// move, but not on a fair run; and fair runs can go on from everywhere.

enum Place {0..11};
enum Phase { idle, waiting, critical };
class State { Place token; Place last; Phase phase[12]; };

// Process i moves; this is what happens to the process at k.
bool Change(Place i, Place k, Place token, Phase x, Phase y)  x ~+ y
  if (i != k) x = y
  else ( x = idle     & (y = idle | y = waiting)
       | x = waiting  & (if (token = k) y = critical else y = waiting)
       | x = critical & y = idle );

// Where the token is after that: process i hands it on to the one at k1 when it leaves, or when it stays idle.
bool Token(Place i, Place k, Place k1, Phase x, Phase y, Place token, Place after)
  i = k -> (if (token = k & (x = critical & y = idle | x = idle & y = idle)) after = k1 else after = token);

bool Moves(Place i, State s, State t)  s ~+ t
(
    t.last = i
  & Change(i, 0, s.token, s.phase[0], t.phase[0]) & Token(i, 0, 1, s.phase[0], t.phase[0], s.token, t.token)
  & Change(i, 1, s.token, s.phase[1], t.phase[1]) & Token(i, 1, 2, s.phase[1], t.phase[1], s.token, t.token)
  & Change(i, 2, s.token, s.phase[2], t.phase[2]) & Token(i, 2, 3, s.phase[2], t.phase[2], s.token, t.token)
  & Change(i, 3, s.token, s.phase[3], t.phase[3]) & Token(i, 3, 4, s.phase[3], t.phase[3], s.token, t.token)
  & Change(i, 4, s.token, s.phase[4], t.phase[4]) & Token(i, 4, 5, s.phase[4], t.phase[4], s.token, t.token)
  & Change(i, 5, s.token, s.phase[5], t.phase[5]) & Token(i, 5, 6, s.phase[5], t.phase[5], s.token, t.token)
  & Change(i, 6, s.token, s.phase[6], t.phase[6]) & Token(i, 6, 7, s.phase[6], t.phase[6], s.token, t.token)
  & Change(i, 7, s.token, s.phase[7], t.phase[7]) & Token(i, 7, 8, s.phase[7], t.phase[7], s.token, t.token)
  & Change(i, 8, s.token, s.phase[8], t.phase[8]) & Token(i, 8, 9, s.phase[8], t.phase[8], s.token, t.token)
  & Change(i, 9, s.token, s.phase[9], t.phase[9]) & Token(i, 9, 10, s.phase[9], t.phase[9], s.token, t.token)
  & Change(i, 10, s.token, s.phase[10], t.phase[10]) & Token(i, 10, 11, s.phase[10], t.phase[10], s.token, t.token)
  & Change(i, 11, s.token, s.phase[11], t.phase[11]) & Token(i, 11, 0, s.phase[11], t.phase[11], s.token, t.token)
);

bool Next(State s, State t)  s ~+ t  exists Place i. Moves(i, s, t);

bool Start(State s)
  s.token = 0 & s.last = 0
  & s.phase[0] = idle & s.phase[1] = idle & s.phase[2] = idle & s.phase[3] = idle
  & s.phase[4] = idle & s.phase[5] = idle & s.phase[6] = idle & s.phase[7] = idle
  & s.phase[8] = idle & s.phase[9] = idle & s.phase[10] = idle & s.phase[11] = idle;

mu bool Reach(State s)  Start(s) | (exists State r. Reach(r) & Next(r, s));

bool Critical(Place k, State s)
  case
    k = 0 : s.phase[0] = critical;
    k = 1 : s.phase[1] = critical;
    k = 2 : s.phase[2] = critical;
    k = 3 : s.phase[3] = critical;
    k = 4 : s.phase[4] = critical;
    k = 5 : s.phase[5] = critical;
    k = 6 : s.phase[6] = critical;
    k = 7 : s.phase[7] = critical;
    k = 8 : s.phase[8] = critical;
    k = 9 : s.phase[9] = critical;
    k = 10 : s.phase[10] = critical;
    k = 11 : s.phase[11] = critical;
  esac;

#print "states";
#ons Reach;

#print "mutual exclusion";
forall State s. Reach(s) -> !(exists Place i, Place j. i != j & Critical(i, s) & Critical(j, s));

// EG waiting(0), on any run.
nu bool Waits(State s)
  s.phase[0] = waiting & (exists State t. Next(s, t) & Waits(t));

#print "who waits gets in, on every run";
forall State s. Reach(s) -> !Waits(s);

// EG_fair waiting(0) = nu Z. waiting(0) & for all k: EX E[waiting(0) U (Z & last = k)].
nu bool FairlyWaits(State s);

mu bool Until(Place k, State s)
  s.phase[0] = waiting &
  (s.last = k & FairlyWaits(s) | (exists State t. Next(s, t) & Until(k, t)));

nu bool FairlyWaits(State s)
  s.phase[0] = waiting & (forall Place k. exists State t. Next(s, t) & Until(k, t));

#print "who waits gets in, on every fair run";
forall State s. Reach(s) -> !FairlyWaits(s);

// The same with nothing to hold on to: EG_fair true, the states from which fair runs start.
nu bool Fair(State s);

mu bool Moved(Place k, State s)
  s.last = k & Fair(s) | (exists State t. Next(s, t) & Moved(k, t));

nu bool Fair(State s)  forall Place k. exists State t. Next(s, t) & Moved(k, t);

#print "there are fair runs from everywhere";
forall State s. Reach(s) -> Fair(s);
