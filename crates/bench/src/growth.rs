//! How a quantity grows with the size of the input.
//!
//! From one size to the next: the ratio, and the exponent `e` of `quantity ~ size^e`, that is
//! `log(q2/q1) / log(n2/n1)`. 1 is linear and 2 quadratic, whatever the steps between the sizes; so
//! figures of different series and different machines can be compared, which seconds cannot.

/// Growth from one size to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Growth {
    /// The later quantity over the earlier one.
    pub ratio: f64,
    /// The exponent of the power law through the two points.
    pub exponent: f64,
}

impl Growth {
    /// Growth between two points `(size, quantity)`. There is none between equal sizes, nor from or
    /// to nothing at all.
    pub(crate) fn between(earlier: (f64, f64), later: (f64, f64)) -> Option<Self> {
        let is_positive = [earlier.0, earlier.1, later.0, later.1]
            .iter()
            .all(|value| *value > 0.0 && value.is_finite());
        let steps = (later.0 / earlier.0).ln();
        if !is_positive || steps == 0.0 {
            return None;
        }
        let ratio = later.1 / earlier.1;
        Some(Self {
            ratio,
            exponent: ratio.ln() / steps,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exponent(earlier: (f64, f64), later: (f64, f64)) -> Option<f64> {
        let rounded = |growth: Growth| (growth.exponent * 1e6).round() / 1e6;
        Growth::between(earlier, later).map(rounded)
    }

    #[test]
    fn power_laws_are_recognised_whatever_the_step() {
        assert_eq!(exponent((100.0, 3.0), (200.0, 6.0)), Some(1.0));
        assert_eq!(exponent((100.0, 3.0), (1000.0, 300.0)), Some(2.0));
        assert_eq!(exponent((10.0, 5.0), (70.0, 5.0)), Some(0.0));
        assert_eq!(exponent((200.0, 6.0), (100.0, 3.0)), Some(1.0));
    }

    #[test]
    fn there_is_no_growth_between_equal_sizes_or_from_nothing() {
        assert_eq!(Growth::between((100.0, 1.0), (100.0, 2.0)), None);
        assert_eq!(Growth::between((100.0, 0.0), (200.0, 2.0)), None);
        assert_eq!(Growth::between((0.0, 1.0), (200.0, 2.0)), None);
    }
}
