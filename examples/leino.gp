// Program (0), the running example of Leino, "A SAT characterization of Boolean-program correctness" (SPIN 2003).
//
//   hardbop check examples/leino.gp
//
// Answer: VIOLATED, if and only if y is false at the start: then x is false when B is entered a second time.

var x, y;

A: x := true; goto B;
B: assert x; x := x & y; goto B or C;
C:
