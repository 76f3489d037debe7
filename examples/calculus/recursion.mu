// A recursive program, as relations: summaries of a procedure that calls itself (section 4 of the Getafix paper, in small).
//
//     decl g;
//     main: 0: g := F;  1: call flip;  2: (done)
//     flip: 3: if (*) goto 6;  4: g := !g;  5: call flip;  6: (return)
//
// A summary relates the state at the entry of a procedure to one inside it that a run reaches with all its calls returned.

enum Pc {0..6};
class Conf { Pc pc; bool g; };

bool Init(Conf s) s.pc = 0;

bool Inside(Conf s, Conf t) s ~+ t          // steps within a procedure
  case
    s.pc = 0 : t.pc = 1 & t.g = 0;
    s.pc = 3 : (t.pc = 4 | t.pc = 6) & t.g = s.g;
    s.pc = 4 : t.pc = 5 & t.g != s.g;
  esac;

bool Call(Conf s, Conf t) s ~+ t            // from a call to the entry of the procedure
  ((s.pc = 1 | s.pc = 5) & t.pc = 3 & t.g = s.g);

bool Return(Conf call, Conf exit, Conf t)   // from an exit, knowing the call, to the place after it
  exit.pc = 6 & t.g = exit.g &
  (call.pc = 1 & t.pc = 2 | call.pc = 5 & t.pc = 6);

mu bool Summary(Conf entry, Conf s) entry ~+ s
(
  // the start
    Init(entry) & s = entry
  // a step inside the procedure
  | (exists Conf t. Summary(entry, t) & Inside(t, s))
  // a call makes an entry
  | (s = entry & (exists Conf e, Conf t. Summary(e, t) & Call(t, entry)))
  // a call with its summary makes a step
  | (exists Conf call, Conf inner, Conf exit.
       Summary(entry, call) & Call(call, inner) & Summary(inner, exit) & Return(call, exit, s))
);

bool Reached(Conf s) exists Conf entry. Summary(entry, s);

#print "Can main end? With g, and without?";
exists Conf s. Reached(s) & s.pc = 2;
exists Conf s. Reached(s) & s.pc = 2 & s.g;
exists Conf s. Reached(s) & s.pc = 2 & !s.g;

#print "How does flip return?";
bool Effect(bool before, bool after)
  exists Conf entry, Conf s. Summary(entry, s) & entry.pc = 3 & s.pc = 6 & before = entry.g & after = s.g;
#ons Effect;
