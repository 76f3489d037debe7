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
}
