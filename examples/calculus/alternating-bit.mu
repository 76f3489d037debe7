// The alternating-bit protocol over channels that lose messages: queues of 3 messages and of 3 acknowledgements.
//
// The sender sends its datum with a tag until an acknowledgement with that tag comes back; then it takes the next datum and turns the
// tag. The receiver acknowledges every message, and accepts those with the tag that it expects. Textbook answers: every datum is
// accepted once and unchanged, whatever is lost; it is accepted for certain if both channels let something through again and again,
// and not for certain otherwise.

class Message { bool full; bool tag; bool datum; };
class Answer { bool full; bool tag; };
enum Action { send, lose, receive, answer, mislay, accept };
class State {
  bool tag; bool datum;      // of the sender
  bool expected;             // by the receiver
  bool reply;                // the tag of its next acknowledgement
  bool arrived;              // the present datum has been accepted
  bool wrong;                // something was accepted that should not have been
  Action last;
  Message forth[3];          // the first to arrive is at 0
  Answer back[3];
};

// A queue of three: something is added at its end, or its first leaves.
bool MessageAdded(Message m, Message a, Message b, Message c, Message d, Message e, Message f)
  if (!a.full) (d = m & e = b & f = c)
  else if (!b.full) (d = a & e = m & f = c)
  else (!c.full & d = a & e = b & f = m);
bool MessageLeft(Message a, Message b, Message c, Message d, Message e, Message f)
  a.full & d = b & e = c & !f.full & !f.tag & !f.datum;

// A queue of three: something is added at its end, or its first leaves.
bool AnswerAdded(Answer m, Answer a, Answer b, Answer c, Answer d, Answer e, Answer f)
  if (!a.full) (d = m & e = b & f = c)
  else if (!b.full) (d = a & e = m & f = c)
  else (!c.full & d = a & e = b & f = m);
bool AnswerLeft(Answer a, Answer b, Answer c, Answer d, Answer e, Answer f)
  a.full & d = b & e = c & !f.full & !f.tag;

bool SenderSame(State s, State t)    s ~+ t  (t.tag = s.tag & t.datum = s.datum);
bool ReceiverSame(State s, State t)  s ~+ t  (t.expected = s.expected & t.reply = s.reply & t.arrived = s.arrived & t.wrong = s.wrong);
bool ForthSame(State s, State t)     s ~+ t  (t.forth[0] = s.forth[0] & t.forth[1] = s.forth[1] & t.forth[2] = s.forth[2]);
bool BackSame(State s, State t)      s ~+ t  (t.back[0] = s.back[0] & t.back[1] = s.back[1] & t.back[2] = s.back[2]);

bool Sends(State s, State t)  s ~+ t
  t.last = send & SenderSame(s, t) & ReceiverSame(s, t) & BackSame(s, t) &
  (exists Message m. m.full & m.tag = s.tag & m.datum = s.datum &
    MessageAdded(m, s.forth[0], s.forth[1], s.forth[2], t.forth[0], t.forth[1], t.forth[2]));

bool Loses(State s, State t)  s ~+ t
  t.last = lose & SenderSame(s, t) & ReceiverSame(s, t) & BackSame(s, t) & MessageLeft(s.forth[0], s.forth[1], s.forth[2], t.forth[0], t.forth[1], t.forth[2]);

// A message with the expected tag is accepted: the present datum, for the first time, or something is wrong.
bool Receives(State s, State t)  s ~+ t
  t.last = receive & SenderSame(s, t) & BackSame(s, t) & MessageLeft(s.forth[0], s.forth[1], s.forth[2], t.forth[0], t.forth[1], t.forth[2]) &
  t.reply = s.forth[0].tag &
  (if (s.forth[0].tag = s.expected)
    ( t.expected != s.expected & t.arrived
    & (t.wrong <-> s.wrong | s.arrived | s.forth[0].datum != s.datum) )
   else (t.expected = s.expected & t.arrived = s.arrived & t.wrong = s.wrong));

bool Answers(State s, State t)  s ~+ t
  t.last = answer & SenderSame(s, t) & ReceiverSame(s, t) & ForthSame(s, t) &
  (exists Answer m. m.full & m.tag = s.reply & AnswerAdded(m, s.back[0], s.back[1], s.back[2], t.back[0], t.back[1], t.back[2]));

bool Mislays(State s, State t)  s ~+ t
  t.last = mislay & SenderSame(s, t) & ReceiverSame(s, t) & ForthSame(s, t) & AnswerLeft(s.back[0], s.back[1], s.back[2], t.back[0], t.back[1], t.back[2]);

// An acknowledgement of the present tag: the next datum, whatever it is. It must not come before the present one has arrived.
bool Accepts(State s, State t)  s ~+ t
  t.last = accept & ForthSame(s, t) & AnswerLeft(s.back[0], s.back[1], s.back[2], t.back[0], t.back[1], t.back[2]) & t.expected = s.expected & t.reply = s.reply &
  (if (s.back[0].tag = s.tag)
    (t.tag != s.tag & !t.arrived & (t.wrong <-> s.wrong | !s.arrived))
   else (SenderSame(s, t) & t.arrived = s.arrived & t.wrong = s.wrong));

bool Next(State s, State t)  s ~+ t
  Sends(s, t) | Loses(s, t) | Receives(s, t) | Answers(s, t) | Mislays(s, t) | Accepts(s, t);

// The receiver expects tag 0 and has acknowledged a message with tag 1 that never was.
bool Start(State s)
  !s.tag & !s.expected & s.reply & !s.arrived & !s.wrong & s.last = send
  & !s.forth[0].full & !s.forth[0].tag & !s.forth[0].datum & !s.back[0].full & !s.back[0].tag
  & !s.forth[1].full & !s.forth[1].tag & !s.forth[1].datum & !s.back[1].full & !s.back[1].tag
  & !s.forth[2].full & !s.forth[2].tag & !s.forth[2].datum & !s.back[2].full & !s.back[2].tag
;

mu bool Reach(State s)  Start(s) | (exists State r. Reach(r) & Next(r, s));

#print "states";
#ons Reach;

#print "nothing wrong is ever accepted";
forall State s. Reach(s) -> !s.wrong;

// EG not arrived, on any run: the present datum never arrives.
nu bool Lost(State s)  !s.arrived & (exists State t. Next(s, t) & Lost(t));

#print "every datum arrives, whatever the channels do";
forall State s. Reach(s) -> !Lost(s);

// The same on runs on which both channels let something through again and again.
nu bool FairlyLost(State s);

mu bool UntilReceived(State s)
  !s.arrived & (s.last = receive & FairlyLost(s) | (exists State t. Next(s, t) & UntilReceived(t)));

mu bool UntilAccepted(State s)
  !s.arrived & (s.last = accept & FairlyLost(s) | (exists State t. Next(s, t) & UntilAccepted(t)));

nu bool FairlyLost(State s)
  !s.arrived & (exists State t. Next(s, t) & UntilReceived(t)) & (exists State t. Next(s, t) & UntilAccepted(t));

#print "every datum arrives if both channels let something through again and again";
forall State s. Reach(s) -> !FairlyLost(s);

#print "there is always something to do";
forall State s. Reach(s) -> (exists State t. Next(s, t));
