//! Codes of the `.mu` language: formulas that cannot be read, and systems of relations whose parts
//! do not fit together.

super::codes! {
    UNEXPECTED_CHARACTER = 100, Error, "unexpected character in a formula",
        "The text has a character that no token of the language starts with. Names begin with a letter or `_` and go on with \
         letters, digits, `_`, `$` and primes. The character is skipped and reading goes on.",
        bad: "bool P(bool a) a @ 1;\n",
        fixed: "bool P(bool a) a & 1;\n";
    UNTERMINATED = 101, Error, "comment or text that does not end",
        "A comment that starts with `/*` goes on to the next `*/`, a text that starts with `\"` to the next `\"`. Here the file \
         ends before there is one.",
        bad: "bool P(bool a) a;\n/* the end",
        fixed: "bool P(bool a) a;\n/* the end */";
    NUMBER_TOO_LARGE = 102, Error, "number too large",
        "Numbers have at most 64 bits, so none is larger than 18446744073709551615.",
        bad: "enum N {0..99999999999999999999};\n",
        fixed: "enum N {0..99};\n";
    EXPECTED = 103, Error, "something else was expected",
        "The parser knows what can stand at this place, and the text has something else. The message names both. Often the mistake \
         is just before the marked place: a missing `;`, `&` or closing parenthesis.",
        bad: "bool P(bool a, bool b) a b;\n",
        fixed: "bool P(bool a, bool b) a & b;\n";
    TOO_MANY_ERRORS = 104, Error, "too many errors",
        "After many errors the rest is not reported: the file is probably not written in this language. Mend the first \
         errors and try again.",
        bad: "@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;@;",
        fixed: "bool P(bool a) a;\n";
    CHAINED_OPERATORS = 105, Error, "operators that do not chain",
        "`=` and `!=` stand between two operands, and so do `->`, `<-`, `<->` and `<+>`: `a -> b -> c` could mean two things. \
         Write parentheses. Only `&` and `|` take any number of operands.",
        bad: "bool P(bool a, bool b, bool c) a -> b -> c;\n",
        fixed: "bool P(bool a, bool b, bool c) a -> (b -> c);\n";
    MISSING_FILE = 106, Error, "file that cannot be loaded",
        "`load name;` reads `name.mu` from the folder of the file that says so; `load \"name.txt\";` reads exactly that file. The \
         message tells what went wrong.",
        bad: "load nowhere;\n",
        fixed: "bool P(bool a) a;\n";
    LOAD_CYCLE = 107, Error, "file that loads itself",
        "While a file is being read it is loaded again, by itself or by a file that it loads. Put what both need into a third file. \
         Loading a file twice, one after the other, is fine: the second time nothing happens.",
        bad: "load example;\n",
        fixed: "bool P(bool a) a;\n";
    UNKNOWN_TYPE = 110, Error, "unknown type",
        "Types are `bool` and those that the files declare with `enum`, `class` or `struct`. Names are case sensitive.",
        bad: "enum Colour { red, green };\nbool P(Color c) c = red;\n",
        fixed: "enum Colour { red, green };\nbool P(Colour c) c = red;\n";
    CYCLIC_TYPE = 111, Error, "structure that contains itself",
        "A structure has all its fields inside, so one that contains itself, directly or by way of others, would have \
         no end. There are no pointers: name the parts with an enumeration and relate them by a predicate.",
        bad: "class List { bool head; List tail; };\n",
        fixed: "enum Cell {0..7};\nclass List { bool head; Cell tail; };\n";
    BAD_TYPE = 112, Error, "type without values, or with too many",
        "A range goes up: `{0..3}`. An enumeration has at least one value and an array at least one element. A variable has at most \
         65536 bits.",
        bad: "enum N {3..0};\n",
        fixed: "enum N {0..3};\n";
    DUPLICATE_NAME = 113, Error, "name given twice",
        "Two values of an enumeration, two fields of a structure, two parameters of a relation or two variables of a quantifier \
         have the same name. Different enumerations may share names of values: what is meant follows from the type.",
        bad: "bool P(bool a, bool a) a;\n",
        fixed: "bool P(bool a, bool b) a & b;\n";
    REDEFINED = 114, Error, "second definition",
        "A type or a relation is defined once. Before its definition a relation may be announced by a prototype, which \
         has no body: `mu bool Reach(State s);`.",
        bad: "bool P(bool a) a;\nbool P(bool a) !a;\n",
        fixed: "bool P(bool a) a;\nbool Q(bool a) !a;\n";
    PROTOTYPE_MISMATCH = 115, Error, "prototype that does not fit the definition",
        "The prototype of a relation and its definition agree in `mu`, `nu` or neither, and in the types of all parameters. The names \
         of the parameters may differ.",
        bad: "mu bool P(bool a);\nbool P(bool a) a;\n",
        fixed: "mu bool P(bool a);\nmu bool P(bool a) a | P(a);\n";
    NEVER_DEFINED = 116, Error, "relation without a definition",
        "The relation is announced by a prototype and used, but no file defines it.",
        bad: "mu bool Reach(bool a);\nexists bool a. Reach(a);\n",
        fixed: "mu bool Reach(bool a);\nmu bool Reach(bool a) a | Reach(a);\nexists bool a. Reach(a);\n";
    CIRCULAR_DEFINITION = 117, Error, "definition in terms of itself",
        "A relation without `mu` or `nu` abbreviates its body. If the body leads back to the relation, and only by relations \
         that are abbreviations too, it says nothing. Say `mu` for the least relation that satisfies the equation, `nu` for \
         the greatest.",
        bad: "bool P(bool a) a | P(a);\n",
        fixed: "mu bool P(bool a) a | P(a);\n";
    RESULT_TYPE = 118, Error, "relation that is not Boolean",
        "A relation is true or false of its arguments, so its definition starts with `bool`, `mu bool` or `nu bool`. A function is \
         written as a relation between its arguments and its result.",
        bad: "enum N {0..3};\nN successor(N n) n = 1;\n",
        fixed: "enum N {0..3};\nbool successor(N n, N m) n = 0 & m = 1;\n";
    GLOBAL_VARIABLE = 119, Error, "variable outside of a formula",
        "Variables are parameters of relations or belong to `exists` and `forall`. A variable of the whole file has no value.",
        bad: "bool a;\nbool P(bool b) b;\n",
        fixed: "bool P(bool b) b;\n";
    UNKNOWN_RELATION = 120, Error, "unknown relation",
        "No file defines a relation of this name. Names are case sensitive; the order of definitions does not matter.",
        bad: "bool Start(bool a) a;\nexists bool a. Strat(a);\n",
        fixed: "bool Start(bool a) a;\nexists bool a. Start(a);\n";
    UNKNOWN_VARIABLE = 121, Error, "unknown variable",
        "Variables are the parameters of the relation and those of the quantifiers around the place. The name of a value of an \
         enumeration has a meaning only beside something of that type: in a comparison or as an argument.",
        bad: "bool P(bool lock) lokc;\n",
        fixed: "bool P(bool lock) lock;\n";
    UNKNOWN_FIELD = 122, Error, "unknown field",
        "The structure has no field of this name, or what stands before the `.` is no structure.",
        bad: "class S { bool lock; };\nbool P(S s) s.lokc;\n",
        fixed: "class S { bool lock; };\nbool P(S s) s.lock;\n";
    WRONG_ARGUMENT_COUNT = 123, Error, "wrong number of arguments",
        "A relation is applied to exactly one argument for each of its parameters. The message gives both numbers and points to the \
         definition.",
        bad: "bool P(bool a, bool b) a & b;\nexists bool a. P(a);\n",
        fixed: "bool P(bool a, bool b) a & b;\nexists bool a. P(a, a);\n";
    TYPE_MISMATCH = 124, Error, "types that do not fit",
        "The two sides of `=` and `!=` have the same type, an argument has the type of its parameter, and everything else that a formula \
         is made of is Boolean. Types are the same if they have the same name: there are no conversions.",
        bad: "enum N {0..3};\nenum M {0..3};\nbool P(N n, M m) n = m;\n",
        fixed: "enum N {0..3};\nbool P(N n, N m) n = m;\n";
    OUT_OF_RANGE = 125, Error, "value out of range",
        "The number is not among the values of the type, or the index is not among those of the array: an array of 3 elements has \
         the indices 0, 1 and 2.",
        bad: "enum N {0..3};\nbool P(N n) n = 4;\n",
        fixed: "enum N {0..3};\nbool P(N n) n = 3;\n";
    NOT_AN_ARRAY = 126, Error, "array and index do not fit",
        "Only arrays have an index, and an array as a whole can be compared and passed on but has no fields.",
        bad: "bool P(bool a) a[0];\n",
        fixed: "bool P(bool a[2]) a[0];\n";
    UNKNOWN_COMMAND = 127, Error, "unknown command, or one that makes no sense",
        "Commands are `#size`, `#ons`, `#wit`, `#cex`, `#print`, `#load`, `#timer` and `#quit`; those that only concern the inside of \
         another solver are ignored with a warning. `#size` and `#ons` want the name of a relation.",
        bad: "bool P(bool a) a;\n#sise P;\n",
        fixed: "bool P(bool a) a;\n#size P;\n";
    UNMET_NEED = 128, Error, "something that a file needs is not there",
        "A file about a program may say which names of it it uses: `needs global lock, count[3];`, `needs local main.seen;`, `needs label \
         DONE;`, `needs procedure acquire;`, `needs relation Switch;`. A number in brackets gives the bits of an integer; without one it \
         is a Boolean. The program that the file is run on lacks what is marked, or there is no program at all: `hardbop solve FILE \
         --program PROGRAM` gives one.",
        bad: "needs label DONE;\nbool P(bool a) a;\n",
        fixed: "bool P(bool a) a;\n";
    COMMAND_IGNORED = 140, Warning, "commands that are ignored",
        "Some commands and attributes concern the inside of another solver, Mucke: how it iterates, what it keeps, what it draws. They \
         change no answer, and here they do nothing.",
        bad: "bool P(bool a) a;\n#frontier on;\nexists bool a. P(a);\n",
        fixed: "bool P(bool a) a;\nexists bool a. P(a);\n";
    HINT_IGNORED = 141, Warning, "order hint that is ignored",
        "An order hint names two variables or fields that stand at the same place: two parameters of the relation, or two fields of the \
         structure. A hint changes no answer, only the way it is found.",
        bad: "bool P(bool a, bool b) a ~+ c (a & b);\n",
        fixed: "bool P(bool a, bool b) a ~+ b (a & b);\n";
    ANNOUNCED_ONLY = 142, Warning, "prototype without use",
        "The relation is announced but neither defined nor used. Perhaps its definition has another name.",
        bad: "mu bool Reach(bool a);\nbool P(bool a) a;\n",
        fixed: "bool P(bool a) a;\n";
}
