// Two players take one, two or three stones from a heap in turn. Who cannot take any has lost.

enum Heap {0..15};
enum Player { me, you };

bool OneLess(Heap n, Heap m)
  n = 1  & m = 0  | n = 2  & m = 1  | n = 3  & m = 2  | n = 4  & m = 3  | n = 5  & m = 4  |
  n = 6  & m = 5  | n = 7  & m = 6  | n = 8  & m = 7  | n = 9  & m = 8  | n = 10 & m = 9  |
  n = 11 & m = 10 | n = 12 & m = 11 | n = 13 & m = 12 | n = 14 & m = 13 | n = 15 & m = 14;

bool Take(Heap n, Heap m)
  OneLess(n, m)
  | (exists Heap a. OneLess(n, a) & OneLess(a, m))
  | (exists Heap a, Heap b. OneLess(n, a) & OneLess(a, b) & OneLess(b, m));

// A position: whose turn it is, and what is left.
class Position { Player turn; Heap heap; };

bool Move(Position s, Position t) s ~+ t
  (s.turn != t.turn & Take(s.heap, t.heap));

// I win where it is your turn and you cannot move; where I have a move to such a position;
// and where all your moves lead to one. The least relation: a game that never ends is not won.
mu bool Win(Position s)
  case
    s.turn = me  : exists Position t. Move(s, t) & Win(t);
    s.turn = you : forall Position t. Move(s, t) -> Win(t);
  esac;

bool MyTurn(Position s, Heap n) s.turn = me & s.heap = n;

#print "With 15 stones and my turn: do I win?";
exists Position s. MyTurn(s, 15) & Win(s);

#print "And with 12?";
exists Position s. MyTurn(s, 12) & Win(s);

#print "From how many heaps does the one whose turn it is win?";
bool Winning(Heap n) exists Position s. MyTurn(s, n) & Win(s);
#ons Winning;

#print "The heaps from which one loses are the multiples of four:";
bool MultipleOfFour(Heap n) n = 0 | n = 4 | n = 8 | n = 12;
forall Heap n. MultipleOfFour(n) <-> !Winning(n);

#print "A good move with 15 stones:";
#wit exists Position t. (exists Position s. MyTurn(s, 15) & Move(s, t)) & Win(t);
