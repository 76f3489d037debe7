//! Tokens: what kinds there are and how each is called in messages.

use crate::source::Span;

/// A token: its kind and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it stands.
    pub span: Span,
}

macro_rules! token_kinds {
    (
        special { $($(#[$doc:meta])* $special:ident $words:literal,)* }
        symbols { $($symbol:ident $text:literal,)* }
        keywords { $($keyword:ident $word:literal,)* }
    ) => {
        /// What a token is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "symbols and keywords are named after their spelling")]
        pub enum TokenKind {
            $($(#[$doc])* $special,)*
            $($symbol,)*
            $($keyword,)*
        }

        /// All reserved words.
        pub(crate) const KEYWORDS: &[&str] = &[$($word,)*];

        impl TokenKind {
            /// How messages call it: `` `while` ``, `a name`.
            pub fn describe(self) -> &'static str {
                match self {
                    $(TokenKind::$special => $words,)*
                    $(TokenKind::$symbol => concat!("`", $text, "`"),)*
                    $(TokenKind::$keyword => concat!("`", $word, "`"),)*
                }
            }

            /// The keyword that a word is, if it is one.
            pub fn keyword(word: &str) -> Option<TokenKind> {
                match word {
                    $($word => Some(TokenKind::$keyword),)*
                    _ => None,
                }
            }

            /// Whether this is a reserved word.
            pub fn is_keyword(self) -> bool {
                matches!(self, $(TokenKind::$keyword)|*)
            }
        }
    };
}

token_kinds! {
    special {
        /// The end of the text.
        End "the end of the file",
        /// An identifier, or a `{…}` name.
        Name "a name",
        /// A number, decimal or hexadecimal.
        Number "a number",
    }
    symbols {
        Underscore "_",
        Prime "'",
        LeftParen "(",
        RightParen ")",
        LeftBracket "[",
        RightBracket "]",
        Comma ",",
        Semicolon ";",
        Colon ":",
        Assign ":=",
        Question "?",
        Star "*",
        Bang "!",
        Tilde "~",
        Iff "<->",
        FatArrow "=>",
        Arrow "->",
        Bar "|",
        BarBar "||",
        Caret "^",
        Ampersand "&",
        AmpersandAmpersand "&&",
        Equal "=",
        EqualEqual "==",
        NotEqual "!=",
        Less "<",
        LessEqual "<=",
        Greater ">",
        GreaterEqual ">=",
        ShiftLeft "<<",
        ShiftRight ">>",
        Plus "+",
        Minus "-",
        Slash "/",
        Percent "%",
    }
    keywords {
        Abortif "abortif",
        Assert "assert",
        Assume "assume",
        AtomicBegin "atomic_begin",
        AtomicEnd "atomic_end",
        Begin "begin",
        Bool "bool",
        Call "call",
        Choose "choose",
        Constrain "constrain",
        Dead "dead",
        Decl "decl",
        Dfs "dfs",
        Do "do",
        Else "else",
        Elsif "elsif",
        EndWord "end",
        EndThread "end_thread",
        Enforce "enforce",
        F "F",
        False "false",
        Fi "fi",
        Goto "goto",
        Havoc "havoc",
        If "if",
        Int "int",
        Od "od",
        Print "print",
        Return "return",
        Schoose "schoose",
        Signed "signed",
        Skip "skip",
        StartThread "start_thread",
        T "T",
        Then "then",
        Thread "thread",
        ThreadLocal "thread_local",
        True "true",
        Void "void",
        While "while",
    }
}
