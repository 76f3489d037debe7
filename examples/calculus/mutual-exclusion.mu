// Two processes share a resource. The one whose turn it is goes first if both want it. Two questions of temporal logic:
// are they never inside together, and does one that waits get in? The second needs fairness.

enum Phase { idle, waiting, inside };
enum Process { left, right };

class State {
  Phase a;          // of the left process
  Phase b;          // of the right process
  Process turn;
  Process moved;    // who made the last step
} a ~+ b;

bool Start(State s) s.a = idle & s.b = idle & s.turn = left & s.moved = left;

bool MoveLeft(State s, State t)
  t.moved = left & t.b = s.b &
  case
    s.a = idle    : (t.a = idle | t.a = waiting) & t.turn = s.turn;
    s.a = waiting : t.turn = s.turn &
                    (if (s.b = idle | s.b = waiting & s.turn = left) t.a = inside else t.a = waiting);
    s.a = inside  : t.a = idle & t.turn = right;
  esac;

bool MoveRight(State s, State t)
  t.moved = right & t.a = s.a &
  case
    s.b = idle    : (t.b = idle | t.b = waiting) & t.turn = s.turn;
    s.b = waiting : t.turn = s.turn &
                    (if (s.a = idle | s.a = waiting & s.turn = right) t.b = inside else t.b = waiting);
    s.b = inside  : t.b = idle & t.turn = left;
  esac;

bool Step(State s, State t) s ~+ t
  (MoveLeft(s, t) | MoveRight(s, t));

mu bool Reached(State s)
  Start(s) | (exists State t. Reached(t) & Step(t, s));

#print "States that are reached:";
#ons Reached;

#print "AG !(both inside):";
forall State s. Reached(s) -> !(s.a = inside & s.b = inside);

// EG waiting: a run on which the left process waits for ever.
nu bool Waits(State s)
  s.a = waiting & (exists State t. Step(s, t) & Waits(t));

#print "AG (waiting -> AF inside), whatever the scheduler does:";
forall State s. Reached(s) & s.a = waiting -> !Waits(s);
#cex forall State s. Reached(s) & s.a = waiting -> !Waits(s);

// The same on fair runs, on which both processes move again and again (Emerson and Lei):
//   EG_fair q = nu Z. q & EX E[q U (Z & moved = left)] & EX E[q U (Z & moved = right)]
nu bool FairlyWaits(State s);

mu bool UntilLeftMoved(State s)
  s.a = waiting &
  (FairlyWaits(s) & s.moved = left | (exists State t. Step(s, t) & UntilLeftMoved(t)));

mu bool UntilRightMoved(State s)
  s.a = waiting &
  (FairlyWaits(s) & s.moved = right | (exists State t. Step(s, t) & UntilRightMoved(t)));

nu bool FairlyWaits(State s)
  s.a = waiting
  & (exists State t. Step(s, t) & UntilLeftMoved(t))
  & (exists State t. Step(s, t) & UntilRightMoved(t));

#print "AG (waiting -> AF inside) on fair runs:";
forall State s. Reached(s) & s.a = waiting -> !FairlyWaits(s);
