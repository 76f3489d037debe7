// Milner's scheduler: 32 cells in a ring start the tasks that they look after, one after the other, for ever; tasks end when they like.
//
// A cell that is ready starts its task (if the last one has ended) and is then about to pass the turn on; passing makes the next
// cell ready. Textbook answers: the turn is in one place; nothing ever blocks; every cell has its turn again and again, on every run;
// and since the tasks run or not independently of each other and the turn is in one of 2 N forms, there are N * 2^(N+1) states.

enum Place {0..31};
enum Action { start, pass, finish };
class Cell { bool ready; bool passing; bool busy; };
class State { Cell cell[32]; };


// What an action of cell i does to the cell at k, which comes after the one at k1.
bool Change(Action a, Place i, Place k, Place k1, Cell x, Cell y)  x ~+ y
(
    (y.ready   <-> (x.ready   & !(a = start  & i = k)) | (a = pass  & i = k1))
  & (y.passing <-> (x.passing & !(a = pass   & i = k)) | (a = start & i = k))
  & (y.busy    <-> (x.busy    & !(a = finish & i = k)) | (a = start & i = k))
);

// The cell at k may do it if it is its action.
bool Enabled(Action a, Place i, Place k, Cell x)
  i = k -> (a = start & x.ready & !x.busy) | (a = pass & x.passing) | (a = finish & x.busy);

bool Does(Action a, Place i, State s, State t)  s ~+ t
(
    Enabled(a, i, 0, s.cell[0]) & Change(a, i, 0, 31, s.cell[0], t.cell[0])
  & Enabled(a, i, 1, s.cell[1]) & Change(a, i, 1, 0, s.cell[1], t.cell[1])
  & Enabled(a, i, 2, s.cell[2]) & Change(a, i, 2, 1, s.cell[2], t.cell[2])
  & Enabled(a, i, 3, s.cell[3]) & Change(a, i, 3, 2, s.cell[3], t.cell[3])
  & Enabled(a, i, 4, s.cell[4]) & Change(a, i, 4, 3, s.cell[4], t.cell[4])
  & Enabled(a, i, 5, s.cell[5]) & Change(a, i, 5, 4, s.cell[5], t.cell[5])
  & Enabled(a, i, 6, s.cell[6]) & Change(a, i, 6, 5, s.cell[6], t.cell[6])
  & Enabled(a, i, 7, s.cell[7]) & Change(a, i, 7, 6, s.cell[7], t.cell[7])
  & Enabled(a, i, 8, s.cell[8]) & Change(a, i, 8, 7, s.cell[8], t.cell[8])
  & Enabled(a, i, 9, s.cell[9]) & Change(a, i, 9, 8, s.cell[9], t.cell[9])
  & Enabled(a, i, 10, s.cell[10]) & Change(a, i, 10, 9, s.cell[10], t.cell[10])
  & Enabled(a, i, 11, s.cell[11]) & Change(a, i, 11, 10, s.cell[11], t.cell[11])
  & Enabled(a, i, 12, s.cell[12]) & Change(a, i, 12, 11, s.cell[12], t.cell[12])
  & Enabled(a, i, 13, s.cell[13]) & Change(a, i, 13, 12, s.cell[13], t.cell[13])
  & Enabled(a, i, 14, s.cell[14]) & Change(a, i, 14, 13, s.cell[14], t.cell[14])
  & Enabled(a, i, 15, s.cell[15]) & Change(a, i, 15, 14, s.cell[15], t.cell[15])
  & Enabled(a, i, 16, s.cell[16]) & Change(a, i, 16, 15, s.cell[16], t.cell[16])
  & Enabled(a, i, 17, s.cell[17]) & Change(a, i, 17, 16, s.cell[17], t.cell[17])
  & Enabled(a, i, 18, s.cell[18]) & Change(a, i, 18, 17, s.cell[18], t.cell[18])
  & Enabled(a, i, 19, s.cell[19]) & Change(a, i, 19, 18, s.cell[19], t.cell[19])
  & Enabled(a, i, 20, s.cell[20]) & Change(a, i, 20, 19, s.cell[20], t.cell[20])
  & Enabled(a, i, 21, s.cell[21]) & Change(a, i, 21, 20, s.cell[21], t.cell[21])
  & Enabled(a, i, 22, s.cell[22]) & Change(a, i, 22, 21, s.cell[22], t.cell[22])
  & Enabled(a, i, 23, s.cell[23]) & Change(a, i, 23, 22, s.cell[23], t.cell[23])
  & Enabled(a, i, 24, s.cell[24]) & Change(a, i, 24, 23, s.cell[24], t.cell[24])
  & Enabled(a, i, 25, s.cell[25]) & Change(a, i, 25, 24, s.cell[25], t.cell[25])
  & Enabled(a, i, 26, s.cell[26]) & Change(a, i, 26, 25, s.cell[26], t.cell[26])
  & Enabled(a, i, 27, s.cell[27]) & Change(a, i, 27, 26, s.cell[27], t.cell[27])
  & Enabled(a, i, 28, s.cell[28]) & Change(a, i, 28, 27, s.cell[28], t.cell[28])
  & Enabled(a, i, 29, s.cell[29]) & Change(a, i, 29, 28, s.cell[29], t.cell[29])
  & Enabled(a, i, 30, s.cell[30]) & Change(a, i, 30, 29, s.cell[30], t.cell[30])
  & Enabled(a, i, 31, s.cell[31]) & Change(a, i, 31, 30, s.cell[31], t.cell[31])
);

bool Next(State s, State t)  s ~+ t  exists Action a, Place i. Does(a, i, s, t);

bool Start(State s)
(
  s.cell[0].ready & !s.cell[0].passing & !s.cell[0].busy
  & !s.cell[1].ready & !s.cell[1].passing & !s.cell[1].busy
  & !s.cell[2].ready & !s.cell[2].passing & !s.cell[2].busy
  & !s.cell[3].ready & !s.cell[3].passing & !s.cell[3].busy
  & !s.cell[4].ready & !s.cell[4].passing & !s.cell[4].busy
  & !s.cell[5].ready & !s.cell[5].passing & !s.cell[5].busy
  & !s.cell[6].ready & !s.cell[6].passing & !s.cell[6].busy
  & !s.cell[7].ready & !s.cell[7].passing & !s.cell[7].busy
  & !s.cell[8].ready & !s.cell[8].passing & !s.cell[8].busy
  & !s.cell[9].ready & !s.cell[9].passing & !s.cell[9].busy
  & !s.cell[10].ready & !s.cell[10].passing & !s.cell[10].busy
  & !s.cell[11].ready & !s.cell[11].passing & !s.cell[11].busy
  & !s.cell[12].ready & !s.cell[12].passing & !s.cell[12].busy
  & !s.cell[13].ready & !s.cell[13].passing & !s.cell[13].busy
  & !s.cell[14].ready & !s.cell[14].passing & !s.cell[14].busy
  & !s.cell[15].ready & !s.cell[15].passing & !s.cell[15].busy
  & !s.cell[16].ready & !s.cell[16].passing & !s.cell[16].busy
  & !s.cell[17].ready & !s.cell[17].passing & !s.cell[17].busy
  & !s.cell[18].ready & !s.cell[18].passing & !s.cell[18].busy
  & !s.cell[19].ready & !s.cell[19].passing & !s.cell[19].busy
  & !s.cell[20].ready & !s.cell[20].passing & !s.cell[20].busy
  & !s.cell[21].ready & !s.cell[21].passing & !s.cell[21].busy
  & !s.cell[22].ready & !s.cell[22].passing & !s.cell[22].busy
  & !s.cell[23].ready & !s.cell[23].passing & !s.cell[23].busy
  & !s.cell[24].ready & !s.cell[24].passing & !s.cell[24].busy
  & !s.cell[25].ready & !s.cell[25].passing & !s.cell[25].busy
  & !s.cell[26].ready & !s.cell[26].passing & !s.cell[26].busy
  & !s.cell[27].ready & !s.cell[27].passing & !s.cell[27].busy
  & !s.cell[28].ready & !s.cell[28].passing & !s.cell[28].busy
  & !s.cell[29].ready & !s.cell[29].passing & !s.cell[29].busy
  & !s.cell[30].ready & !s.cell[30].passing & !s.cell[30].busy
  & !s.cell[31].ready & !s.cell[31].passing & !s.cell[31].busy
);

mu bool Reach(State s)  Start(s) | (exists State r. Reach(r) & Next(r, s));

// The turn is at cell 0.
bool Turn(State s)  s.cell[0].ready | s.cell[0].passing;

// On every run it is there again: AF Turn, for reachable states.
mu bool Comes(State s)
  Turn(s) | ((exists State t. Next(s, t)) & (forall State t. Next(s, t) -> Comes(t)));

#print "states";
#ons Reach;

#print "nothing blocks";
forall State s. Reach(s) -> (exists State t. Next(s, t));

#print "cells 0 and 1 never have the turn at once";
forall State s. Reach(s) -> !((s.cell[0].ready | s.cell[0].passing) & (s.cell[1].ready | s.cell[1].passing));

#print "all tasks can run at once";
exists State s. Reach(s)
  & s.cell[0].busy & s.cell[1].busy & s.cell[2].busy & s.cell[3].busy & s.cell[4].busy & s.cell[5].busy & s.cell[6].busy & s.cell[7].busy
  & s.cell[8].busy & s.cell[9].busy & s.cell[10].busy & s.cell[11].busy & s.cell[12].busy & s.cell[13].busy & s.cell[14].busy & s.cell[15].busy
  & s.cell[16].busy & s.cell[17].busy & s.cell[18].busy & s.cell[19].busy & s.cell[20].busy & s.cell[21].busy & s.cell[22].busy & s.cell[23].busy
  & s.cell[24].busy & s.cell[25].busy & s.cell[26].busy & s.cell[27].busy & s.cell[28].busy & s.cell[29].busy & s.cell[30].busy & s.cell[31].busy;

#print "cell 0 has its turn again and again";
forall State s. Reach(s) -> Comes(s);
