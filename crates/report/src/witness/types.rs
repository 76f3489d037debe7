//! The integer types of C as far as a witness has to know them.

use hardbop_syntax::source::DataModel;

/// The name of a data model in a witness.
pub(super) fn name(model: DataModel) -> &'static str {
    match model {
        DataModel::Ilp32 => "ILP32",
        DataModel::Lp64 => "LP64",
    }
}

/// Whether a function is one that returns any value of an integer type which the format knows.
pub(super) fn is_nondeterministic(function: &str) -> bool {
    matches!(
        function.strip_prefix("__VERIFIER_nondet_"),
        Some(
            "char"
                | "short"
                | "int"
                | "long"
                | "longlong"
                | "long_long"
                | "loff_t"
                | "bool"
                | "_Bool"
                | "uchar"
                | "unsigned_char"
                | "u8"
                | "ushort"
                | "unsigned_short"
                | "u16"
                | "uint"
                | "unsigned_int"
                | "unsigned"
                | "u32"
                | "ulong"
                | "unsigned_long"
                | "ulonglong"
                | "size_t"
        )
    )
}
