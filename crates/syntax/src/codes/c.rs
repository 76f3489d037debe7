//! Codes of C programs.

super::codes! {
    C_SYNTAX = 90, Error, "text that is not C",
        "The text does not follow the grammar of C11 with the usual extensions of GNU C. The place is where the parser could not \
         go on; what is wrong may stand a little before.",
        bad: "int main(void) {\n  int x\n  x = 1;\n}\n",
        fixed: "int main(void) {\n  int x;\n  x = 1;\n}\n";
    C_UNSUPPORTED = 91, Error, "C that is not supported",
        "This is C, but hardbop cannot check it exactly, and it does not guess. Not supported are floating-point numbers, unions, \
         bit-fields, allocated memory, pointers to functions, casts between pointers, arrays of variable length, functions with a \
         variable number of arguments and a body, and assembler. All such places that `main` can come to are reported at once.",
        bad: "int main(void) {\n  double x;\n  x = 1.5;\n  return 0;\n}\n",
        fixed: "int main(void) {\n  int x;\n  x = 15;\n  return 0;\n}\n";
    C_MEANING = 92, Error, "C that has no meaning",
        "The text follows the grammar of C and yet is not a C program: a name is not declared, a value has the wrong type, a \
         function is called with the wrong number of arguments, or there is no `main`.",
        bad: "int main(void) {\n  x = 1;\n  return 0;\n}\n",
        fixed: "int x;\nint main(void) {\n  x = 1;\n  return 0;\n}\n";
    C_PREPROCESSOR = 93, Error, "C before the preprocessor",
        "The text has directives such as `#include` or `#define`. `hardbop check` runs `cc -E` for such a file if there is a C \
         compiler. Where there is none, give it the output of `cc -E`. Line markers and `#pragma` do no harm.",
        bad: "#define ONE 1\nint main(void) {\n  return ONE;\n}\n",
        fixed: "enum { ONE = 1 };\nint main(void) {\n  return ONE;\n}\n";
    C_NESTING = 94, Error, "C that is nested too deeply",
        "At most 256 brackets may be open at once, as in other compilers, and expressions and statements may go on for some \
         thousand words. Only texts that a program has written come near these limits.",
        bad: "int main(void) {\n  return ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((0))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))));\n}\n",
        fixed: "int main(void) {\n  return ((((0))));\n}\n";
    C_MISSING = 95, Warning, "functions without a body",
        "The program calls functions that have no body in this file. A call of such a function returns any value of its type and \
         changes no variable. If the real function does more, verdicts may differ from what the whole program does. Functions \
         that hardbop knows, such as `__VERIFIER_nondet_int`, `abort` and `printf`, are not listed.",
        bad: "int read_sensor(void);\nint main(void) {\n  return read_sensor();\n}\n",
        fixed: "int read_sensor(void) {\n  return 1;\n}\nint main(void) {\n  return read_sensor();\n}\n";
    C_LABEL = 96, Warning, "label `ERROR` that is not checked",
        "The label `ERROR` is an error to reach only in programs that neither assert anything nor call an error such as \
         `reach_error`. This program does, so the label is an ordinary one. Pass `--reach ERROR` to ask whether it can be \
         reached, or call `reach_error()` there.",
        bad: "void __VERIFIER_assert(int c);\nint main(void) {\n  int x = 1;\n  __VERIFIER_assert(x);\n  if (!x)\n    goto ERROR;\n  return 0;\nERROR:\n  return 1;\n}\n",
        fixed: "void __VERIFIER_assert(int c);\nvoid reach_error(void);\nint main(void) {\n  int x = 1;\n  __VERIFIER_assert(x);\n  if (!x)\n    goto ERROR;\n  return 0;\nERROR:\n  reach_error();\n  return 1;\n}\n";
    C_ORDER = 97, Warning, "result that depends on the order of evaluation",
        "One operand reads or writes a variable that another one writes, and C does not say which of them is evaluated first. \
         Here operands and arguments are evaluated from left to right; a compiler may choose another order, so the verdict may \
         not be that of the compiled program. Compute the operands in separate statements.",
        bad: "int main(void) {\n  int i = 0, x;\n  x = i + i++;\n  return x;\n}\n",
        fixed: "int main(void) {\n  int i = 0, x;\n  x = i + i;\n  i++;\n  return x;\n}\n";
}
