// Dijkstra's self-stabilising token ring (1974): 6 machines with 6 values each.
//
// From whatever state they are in, the machines come to pass exactly one privilege round, without anybody knowing the whole ring.
// Textbook answers: there is always a privilege; a single one stays single; every run comes to that, since there are at least as many
// values as machines less one. In a legitimate state the values change at one place of the ring or nowhere: K + (n - 1) K (K - 1) states.

enum Value {0..5};
class State { Value x[6]; };

bool Up(Value a, Value b)  a ~+ b  case a = 0 : b = 1; a = 1 : b = 2; a = 2 : b = 3; a = 3 : b = 4; a = 4 : b = 5; a = 5 : b = 0; esac;

// The machines that have a privilege: the first if it agrees with the last, the others if they do not agree with the one before.
bool Privileged0(State s)  s.x[0] = s.x[5];
bool Privileged1(State s)  s.x[1] != s.x[0];
bool Privileged2(State s)  s.x[2] != s.x[1];
bool Privileged3(State s)  s.x[3] != s.x[2];
bool Privileged4(State s)  s.x[4] != s.x[3];
bool Privileged5(State s)  s.x[5] != s.x[4];

// One machine with a privilege moves: the first counts on, the others copy.
bool Next(State s, State t)  s ~+ t
(
    Privileged0(s) & Up(s.x[0], t.x[0]) & t.x[1] = s.x[1] & t.x[2] = s.x[2] & t.x[3] = s.x[3] & t.x[4] = s.x[4] & t.x[5] = s.x[5]
  | Privileged1(s) & t.x[1] = s.x[0] & t.x[0] = s.x[0] & t.x[2] = s.x[2] & t.x[3] = s.x[3] & t.x[4] = s.x[4] & t.x[5] = s.x[5]
  | Privileged2(s) & t.x[2] = s.x[1] & t.x[0] = s.x[0] & t.x[1] = s.x[1] & t.x[3] = s.x[3] & t.x[4] = s.x[4] & t.x[5] = s.x[5]
  | Privileged3(s) & t.x[3] = s.x[2] & t.x[0] = s.x[0] & t.x[1] = s.x[1] & t.x[2] = s.x[2] & t.x[4] = s.x[4] & t.x[5] = s.x[5]
  | Privileged4(s) & t.x[4] = s.x[3] & t.x[0] = s.x[0] & t.x[1] = s.x[1] & t.x[2] = s.x[2] & t.x[3] = s.x[3] & t.x[5] = s.x[5]
  | Privileged5(s) & t.x[5] = s.x[4] & t.x[0] = s.x[0] & t.x[1] = s.x[1] & t.x[2] = s.x[2] & t.x[3] = s.x[3] & t.x[4] = s.x[4]
);

// Exactly one machine has a privilege.
bool Legitimate(State s)
(
    Privileged0(s) & !Privileged1(s) & !Privileged2(s) & !Privileged3(s) & !Privileged4(s) & !Privileged5(s)
  | !Privileged0(s) & Privileged1(s) & !Privileged2(s) & !Privileged3(s) & !Privileged4(s) & !Privileged5(s)
  | !Privileged0(s) & !Privileged1(s) & Privileged2(s) & !Privileged3(s) & !Privileged4(s) & !Privileged5(s)
  | !Privileged0(s) & !Privileged1(s) & !Privileged2(s) & Privileged3(s) & !Privileged4(s) & !Privileged5(s)
  | !Privileged0(s) & !Privileged1(s) & !Privileged2(s) & !Privileged3(s) & Privileged4(s) & !Privileged5(s)
  | !Privileged0(s) & !Privileged1(s) & !Privileged2(s) & !Privileged3(s) & !Privileged4(s) & Privileged5(s)
);

// AF Legitimate: every run comes to a legitimate state, whoever is chosen to move.
mu bool Stabilises(State s)
  Legitimate(s) | (forall State t. Next(s, t) -> Stabilises(t));

#print "somebody always has a privilege";
forall State s. exists State t. Next(s, t);

#print "what is legitimate stays so";
forall State s. Legitimate(s) -> (forall State t. Next(s, t) -> Legitimate(t));

#print "legitimate states";
#ons Legitimate;

#print "every run becomes legitimate";
forall State s. Stabilises(s);
