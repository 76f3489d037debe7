// Variables that could go: never mentioned, or written and never read. Results are read by whoever has called.

bool Read(Variable v)
  ( exists Module m, PC p. Reads(m, p, v) | ResultOf(m, v) );

bool Written(Variable v)
  ( exists Module m, PC p. Writes(m, p, v) );

bool Unused(Variable v)
  ( !Read(v) & !Written(v) & ( exists Module m. VisibleIn(m, v) ) );

bool OnlyWritten(Variable v)
  ( !Read(v) & Written(v) );

// the question
#list Unused;
#list OnlyWritten;
