//! Codes of words and arrays.

super::codes! {
    BAD_LENGTH = 40, Error, "bad length of an array",
        "An array has a fixed number of elements, from 1 to 4096. Every element is a variable of its own, so long arrays make \
         large programs.",
        bad: "decl int<8> a[0];\nvoid main() begin\n  skip;\nend\n",
        fixed: "decl int<8> a[4];\nvoid main() begin\n  skip;\nend\n";
    NOT_AN_ARRAY = 41, Error, "index of a variable that is not an array",
        "Only arrays have elements. An array is declared with its length, as in `decl int<8> a[10];`.",
        bad: "decl int<8> a;\nvoid main() begin\n  a[0] := 1;\nend\n",
        fixed: "decl int<8> a[1];\nvoid main() begin\n  a[0] := 1;\nend\n";
    ARRAY_WITHOUT_INDEX = 42, Error, "array without an index",
        "An array is not a value: it can be neither assigned nor compared nor passed as a whole. Name one of its elements, as in \
         `a[0]`. Only `dead a` and `havoc a` speak of all elements.",
        bad: "decl a[2], b[2];\nvoid main() begin\n  a := b;\nend\n",
        fixed: "decl a[2], b[2];\nvoid main() begin\n  a[0], a[1] := b[0], b[1];\nend\n";
    INDEX_OUT_OF_RANGE = 43, Error, "index that is out of range",
        "The elements of an array of length n are numbered from 0 to n - 1. This index is a number outside of that range. Whether \
         an index that is not a number stays in range is found out by `hardbop check`.",
        bad: "decl a[2];\nvoid main() begin\n  a[2] := 1;\nend\n",
        fixed: "decl a[2];\nvoid main() begin\n  a[1] := 1;\nend\n";
    INDEX_NOT_CONSTANT = 44, Error, "index that must be a number",
        "In `constrain` and `enforce` clauses, and where the result of a call is assigned, an index must be a number. Elsewhere it \
         may be any integer. Assign the result of a call to a variable first, and that to the element.",
        bad: "decl a[2];\ndecl int<1> i;\nbool f() begin\n  return 1;\nend\nvoid main() begin\n  a[i] := f();\nend\n",
        fixed: "decl a[2];\ndecl int<1> i;\nbool f() begin\n  return 1;\nend\nvoid main() begin\n  decl x;\n  x := f();\n  a[i] := x;\nend\n";
    SIGNED_WITHOUT_MEANING = 45, Error, "`signed` where it has no meaning",
        "`signed(e)` is not a value but a way to read one. It can be an operand of `<`, `<=`, `>`, `>=`, `/` and `%`, where the \
         other operand is signed too or a number, the left operand of `>>`, and what `int<n>(…)` converts. Everything else is the \
         same for signed and unsigned integers.",
        bad: "decl int<8> x, y;\nvoid main() begin\n  assert(signed(x) < y);\nend\n",
        fixed: "decl int<8> x, y;\nvoid main() begin\n  assert(signed(x) < signed(y));\nend\n";
}
