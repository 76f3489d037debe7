//! Codes of the lexer and the parser: text that is not a program.

super::codes! {
    UNEXPECTED_CHARACTER = 1, Error, "unexpected character",
        "The text has a character that no token of the language starts with. Names may have letters, digits, `_` and `$`; \
         a name with any other character is written in braces, as in `{*p==0}`. The character is skipped and reading goes on.",
        bad: "void main() begin\n  skip; @\nend\n",
        fixed: "void main() begin\n  skip;\nend\n";
    UNTERMINATED_COMMENT = 2, Error, "unterminated comment",
        "A comment that starts with `/*` goes on to the next `*/`, and the file ends before there is one. Comments do not nest: \
         the first `*/` ends the comment.",
        bad: "void main() begin\n  skip;\nend\n/* the end",
        fixed: "void main() begin\n  skip;\nend\n/* the end */";
    UNTERMINATED_NAME = 3, Error, "unterminated name in braces",
        "A name may be any text between `{` and `}` on one line, as in `{x==0}`. Here the closing `}` is missing.",
        bad: "decl {x==0;\nvoid main() begin\n  skip;\nend\n",
        fixed: "decl {x==0};\nvoid main() begin\n  skip;\nend\n";
    NUMBER_TOO_LARGE = 4, Error, "number too large",
        "Integers have at most 64 bits, so no number is larger than 18446744073709551615.",
        bad: "decl int<8> n;\nvoid main() begin\n  n := 99999999999999999999;\nend\n",
        fixed: "decl int<8> n;\nvoid main() begin\n  n := 99;\nend\n";
    EXPECTED = 5, Error, "something else was expected",
        "The parser knows what can stand at this place, and the text has something else. The message names both. Often \
         the mistake is just before the marked place: a missing `;`, `then`, `do` or closing parenthesis.",
        bad: "void main() begin\n  if * skip; fi\nend\n",
        fixed: "void main() begin\n  if * then skip; fi\nend\n";
    KEYWORD_AS_NAME = 6, Error, "keyword used as a name",
        "Words such as `skip`, `while` or `assert` are part of the language and cannot name variables, procedures or labels. \
         Choose another name, or write it in braces: `{skip}` is an ordinary name.",
        bad: "decl while;\nvoid main() begin\n  skip;\nend\n",
        fixed: "decl {while};\nvoid main() begin\n  skip;\nend\n";
    UNCLOSED_BLOCK = 7, Error, "block that is not closed",
        "Every `begin` needs its `end`, every `if` its `fi` and every `while` its `od`. The message points to the word that \
         opened the block and to the place where its end was missed.",
        bad: "void main() begin\n  if * then\n    skip;\nend\n",
        fixed: "void main() begin\n  if * then\n    skip;\n  fi\nend\n";
    CALL_IN_EXPRESSION = 8, Error, "call inside an expression",
        "A call is a statement of its own: `x := f(a);`, `f(a);` or `call f(a);`. It cannot be an operand, an argument or a \
         condition. Assign its result to a variable first and use that.",
        bad: "bool f() begin\n  return T;\nend\nvoid main() begin\n  decl x;\n  x := !f();\nend\n",
        fixed: "bool f() begin\n  return T;\nend\nvoid main() begin\n  decl x;\n  x := f();\n  x := !x;\nend\n";
    BOOM_ONLY = 9, Error, "construct of BOOM",
        "Passive variables (`x$`) and `sync` belong to the model checker BOOM, where a thread may change the variables of all \
         others. They have no counterpart here.",
        bad: "decl x;\nvoid main() begin\n  sync;\nend\n",
        fixed: "decl x;\nvoid main() begin\n  skip;\nend\n";
    EMPTY_FILE = 10, Error, "empty file",
        "The file has no declarations and no procedures: there is nothing to check. A program has at least a procedure `main`.",
        bad: "// nothing yet\n",
        fixed: "void main() begin\n  skip;\nend\n";
    TOO_MANY_ERRORS = 11, Error, "too many errors",
        "After many syntax errors the rest of the file is not reported: it is probably not a Boolean program. Mend the first \
         errors and try again.",
        bad: "@ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ ",
        fixed: "void main() begin\n  skip;\nend\n";
    UNEXPECTED_END = 12, Error, "unexpected end of the file",
        "The file ends in the middle of a construct. Perhaps it was cut off, or an `end` is missing.",
        bad: "void main() begin\n  skip;\n",
        fixed: "void main() begin\n  skip;\nend\n";
    PRIME_WITHOUT_NAME = 13, Error, "prime without a name",
        "A prime `'` stands directly before the name of a variable, as in `'x`, and means the value of the variable after the \
         assignment.",
        bad: "decl x;\nvoid main() begin\n  x := * constrain (' & x);\nend\n",
        fixed: "decl x;\nvoid main() begin\n  x := * constrain ('x & x);\nend\n";
    MISPLACED_DECLARATION = 14, Error, "declaration after the first statement",
        "The local variables of a procedure are declared right after `begin`, before `enforce` and before the first statement.",
        bad: "void main() begin\n  skip;\n  decl x;\n  x := T;\nend\n",
        fixed: "void main() begin\n  decl x;\n  skip;\n  x := T;\nend\n";
    MISPLACED_ENFORCE = 15, Error, "misplaced `enforce`",
        "`enforce e;` is a clause of a whole procedure. It stands at most once, after the local declarations and before the first \
         statement. To cut paths at one place use `assume(e);`.",
        bad: "decl x;\nvoid main() begin\n  skip;\n  enforce x;\n  skip;\nend\n",
        fixed: "decl x;\nvoid main() begin\n  enforce x;\n  skip;\n  skip;\nend\n";
    STRAY_TEXT = 16, Error, "word that closes nothing",
        "`else`, `elsif` and `fi` belong to an `if`, and `od` belongs to a `while`. Here such a word stands where no block of its \
         kind is open, or after the `else` that should have been the last part of its `if`.",
        bad: "void main() begin\n  skip;\n  fi\nend\n",
        fixed: "void main() begin\n  if * then skip;\n  fi\nend\n";
}
