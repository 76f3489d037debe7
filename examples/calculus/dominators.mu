// Which labels come before which others on every way? Ways are those of the control flow that return to where they were called from.

// some way from the entry of m to p passes no statement with label a
mu bool Avoids(Label a, Module m, PC p)
  ( !LabelOf(m, p, a)
  & ( Entry(m, p)
    | ( exists PC o. Avoids(a, m, o) & Flow(m, o, p) )
    | ( exists PC o, Module n, PC x.
          Avoids(a, m, o) & Calls(m, o, n) & SkipCall(m, o, p) & Exit(n, x) & Avoids(a, n, x) ) ) );

// the program comes to m without passing a
mu bool Comes(Label a, Module m)
  ( ( exists PC p. Main(m, p) )
  | ( exists Module c, PC o. Comes(a, c) & Avoids(a, c, o) & Calls(c, o, m) ) );

bool IsLabel(Label a)
  ( exists Module m, PC p. LabelOf(m, p, a) );

bool Dominates(Label a, Label b)
  ( a != b & IsLabel(a) & IsLabel(b)
  & !( exists Module m, PC p. LabelOf(m, p, b) & Comes(a, m) & Avoids(a, m, p) ) );

#list Dominates;
