//! Times, memory and ratios as people read them: three significant digits and a unit.

use std::time::Duration;

/// What a cell shows when there is nothing to show.
pub const NOTHING: &str = "-";

/// A time such as `4.56ms`.
pub fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds >= 1.0 {
        format!("{}s", digits(seconds))
    } else if seconds >= 1e-3 {
        format!("{}ms", digits(seconds * 1e3))
    } else {
        format!("{}us", digits(seconds * 1e6))
    }
}

/// A time that the system counts in steps of 10 ms.
pub(crate) fn cpu_time(cpu: Duration) -> String {
    if cpu.is_zero() {
        "<10ms".to_owned()
    } else {
        time(cpu)
    }
}

/// Memory, given in KiB, such as `12.3MB`.
pub fn memory(kib: f64) -> String {
    let megabytes = kib / 1024.0;
    if megabytes >= 1024.0 {
        format!("{}GB", digits(megabytes / 1024.0))
    } else {
        format!("{}MB", digits(megabytes))
    }
}

/// A large count such as `12.3M`.
pub(crate) fn count(count: f64) -> String {
    match count {
        count if count >= 0.9995e9 => format!("{}G", digits(count / 1e9)),
        count if count >= 0.9995e6 => format!("{}M", digits(count / 1e6)),
        count if count >= 0.9995e3 => format!("{}k", digits(count / 1e3)),
        count => format!("{count:.0}"),
    }
}

/// A counter for a calculation with few digits; exact below 2^53.
#[allow(clippy::cast_precision_loss, reason = "figures for a few digits")]
pub(crate) fn float(count: u64) -> f64 {
    count as f64
}

/// A ratio such as `3.21x`.
pub fn ratio(ratio: f64) -> String {
    format!("{}x", digits(ratio))
}

/// An exponent of growth such as `1.02`.
pub fn exponent(exponent: f64) -> String {
    let text = format!("{exponent:.2}");
    if text == "-0.00" {
        "0.00".to_owned()
    } else {
        text
    }
}

/// A value or a dash.
pub fn or_nothing<T>(value: Option<T>, show: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| NOTHING.to_owned(), show)
}

fn digits(value: f64) -> String {
    // The limits are where rounding would give a fourth digit.
    if value < 9.995 {
        format!("{value:.2}")
    } else if value < 99.95 {
        format!("{value:.1}")
    } else {
        format!("{value:.0}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_have_three_digits_and_a_unit() {
        for (micros, text) in [
            (7, "7.00us"),
            (999, "999us"),
            (1_234, "1.23ms"),
            (9_996, "10.0ms"),
            (456_000, "456ms"),
            (61_200_000, "61.2s"),
        ] {
            assert_eq!(time(Duration::from_micros(micros)), text);
        }
        assert_eq!(cpu_time(Duration::ZERO), "<10ms");
        assert_eq!(memory(1536.0), "1.50MB");
        assert_eq!(memory(3072.0 * 1024.0), "3.00GB");
        assert_eq!(count(999.0), "999");
        assert_eq!(count(999_960.0), "1.00M");
        assert_eq!(count(2.5e9), "2.50G");
        assert_eq!(ratio(1234.0), "1234x");
        assert_eq!(or_nothing(None, exponent), "-");
    }
}
