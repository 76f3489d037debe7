//! The integer types of C as far as a witness has to know them: which numbers a call returned.

use hardbop_syntax::source::DataModel;

/// The name of a data model in a witness.
pub(super) fn name(model: DataModel) -> &'static str {
    match model {
        DataModel::Ilp32 => "ILP32",
        DataModel::Lp64 => "LP64",
    }
}

/// A value of the type that `__VERIFIER_nondet_…` names, as C writes it; nothing if the function is
/// another one.
pub(super) fn returned(model: DataModel, function: &str, value: u64) -> Option<String> {
    let long = match model {
        DataModel::Ilp32 => 32,
        DataModel::Lp64 => 64,
    };
    let signed_bits = match function.strip_prefix("__VERIFIER_nondet_")? {
        "char" => 8,
        "short" => 16,
        "int" => 32,
        "long" => long,
        "longlong" | "long_long" | "loff_t" => 64,
        "bool" | "_Bool" | "uchar" | "unsigned_char" | "u8" | "ushort" | "unsigned_short"
        | "u16" | "uint" | "unsigned_int" | "unsigned" | "u32" | "ulong" | "unsigned_long"
        | "ulonglong" | "size_t" => return Some(value.to_string()),
        _ => return None,
    };
    let shift = 64 - signed_bits;
    let value = (value << shift).cast_signed() >> shift;
    Some(value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_sign_of_their_type() {
        let returned = |function: &str, value| super::returned(DataModel::Ilp32, function, value);
        let minus_one = Some("-1".to_owned());
        assert_eq!(returned("__VERIFIER_nondet_int", 0xffff_ffff), minus_one);
        assert_eq!(returned("__VERIFIER_nondet_char", 0xff), minus_one);
        assert_eq!(returned("__VERIFIER_nondet_long", 0xffff_ffff), minus_one);
        let unsigned = returned("__VERIFIER_nondet_uint", 0xffff_ffff);
        assert_eq!(unsigned, Some("4294967295".to_owned()));
        let wide = super::returned(DataModel::Lp64, "__VERIFIER_nondet_long", 0xffff_ffff);
        assert_eq!(wide, unsigned);
        assert_eq!(returned("read_port", 1), None);
    }
}
