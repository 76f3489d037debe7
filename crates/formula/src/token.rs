//! Tokens of the `.mu` language and how each is called in messages.

use hardbop_syntax::Span;

/// A token: its kind and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub kind: TokenKind,
    pub span: Span,
}

macro_rules! token_kinds {
    (
        special { $($(#[$doc:meta])* $special:ident $words:literal,)* }
        symbols { $($symbol:ident $text:literal,)* }
        words { $($word:ident $spelling:literal $(| $other:literal)*,)* }
    ) => {
        /// What a token is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum TokenKind {
            $($(#[$doc])* $special,)*
            $($symbol,)*
            $($word,)*
        }

        impl TokenKind {
            /// How messages call it: `` `exists` ``, `a name`.
            pub(crate) fn describe(self) -> &'static str {
                match self {
                    $(TokenKind::$special => $words,)*
                    $(TokenKind::$symbol => concat!("`", $text, "`"),)*
                    $(TokenKind::$word => concat!("`", $spelling, "`"),)*
                }
            }

            /// The reserved word that a text is, if it is one. `enum` and the like; `bool` is an
            /// ordinary name.
            pub(crate) fn word(text: &str) -> Option<TokenKind> {
                match text {
                    $($spelling $(| $other)* => Some(TokenKind::$word),)*
                    _ => None,
                }
            }
        }
    };
}

token_kinds! {
    special {
        /// The end of the text.
        End "the end of the file",
        Name "a name",
        Number "a number",
        /// `"…"`, perhaps over several lines.
        Text "a text in quotes",
        /// `#name`.
        Command "a command",
    }
    symbols {
        LeftParen "(",
        RightParen ")",
        LeftBrace "{",
        RightBrace "}",
        LeftBracket "[",
        RightBracket "]",
        Comma ",",
        Semicolon ";",
        Dot ".",
        Colon ":",
        Bang "!",
        And "&",
        Or "|",
        Equal "=",
        NotEqual "!=",
        Implies "->",
        ImpliedBy "<-",
        Iff "<->",
        Xor "<+>",
        Less "<",
        Greater ">",
        Interleaved "~+",
        Backwards "~-",
    }
    words {
        Exists "exists" | "Exists" | "EXISTS",
        Forall "forall" | "Forall" | "FORALL",
        If "if",
        Then "then",
        Else "else",
        Fi "fi",
        Case "case",
        Esac "esac",
        Class "class" | "struct",
        Enum "enum",
        Mu "mu",
        Nu "nu",
        True "true",
        False "false",
        Assume "assume",
        Cofactor "cofactor",
    }
}
