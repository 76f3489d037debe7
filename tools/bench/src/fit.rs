//! How a quantity grows with the size of the input: the power law `factor * size^exponent` that
//! fits best.
//!
//! The fit is by least squares on the logarithms, so a point that is twice too high counts as much
//! as one that is twice too low, at every size. 1 is linear and 2 quadratic, whatever the steps
//! between the sizes; so figures of different series and different machines can be compared, which
//! seconds cannot.

/// A power law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fit {
    /// The exponent: the slope in a plot with two logarithmic axes.
    pub exponent: f64,
    /// The logarithm of the quantity at size 1.
    offset: f64,
}

impl Fit {
    /// The best fit to points `(size, quantity)`. Nothing without two different sizes, or with a
    /// point that has no logarithm.
    pub(crate) fn through(points: &[(f64, f64)]) -> Option<Self> {
        let is_positive = |value: f64| value > 0.0 && value.is_finite();
        if !points
            .iter()
            .all(|&(x, y)| is_positive(x) && is_positive(y))
        {
            return None;
        }
        let logarithms: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
        #[allow(clippy::cast_precision_loss, reason = "a series has few points")]
        let count = logarithms.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| logarithms.iter().map(of).sum::<f64>() / count;
        let (x, y) = (mean(|point| point.0), mean(|point| point.1));
        let spread: f64 = logarithms.iter().map(|point| (point.0 - x).powi(2)).sum();
        let common = logarithms.iter().map(|point| (point.0 - x) * (point.1 - y));
        let exponent = common.sum::<f64>() / spread;
        // Without two sizes there is no spread.
        (points.len() > 1 && spread > 0.0).then_some(Self {
            exponent,
            offset: y - exponent * x,
        })
    }

    /// The quantity at a size.
    pub(crate) fn at(&self, size: f64) -> f64 {
        (self.offset + self.exponent * size.ln()).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exponent(points: &[(f64, f64)]) -> Option<f64> {
        Fit::through(points).map(|fit| (fit.exponent * 1e6).round() / 1e6)
    }

    #[test]
    fn power_laws_are_recognised_whatever_the_step() {
        assert_eq!(exponent(&[(100.0, 3.0), (200.0, 6.0)]), Some(1.0));
        assert_eq!(
            exponent(&[(100.0, 3.0), (1000.0, 300.0), (200.0, 12.0)]),
            Some(2.0)
        );
        assert_eq!(exponent(&[(10.0, 5.0), (70.0, 5.0)]), Some(0.0));
    }

    #[test]
    fn errors_in_either_direction_cancel_out() {
        // Twice too high at both ends and twice too low in the middle.
        let fit = Fit::through(&[(1.0, 2.0), (4.0, 2.0), (16.0, 32.0)]).expect("three sizes");
        assert!((fit.exponent - 1.0).abs() < 1e-9);
        assert!((fit.at(4.0) - 2.0 * 4.0_f64.cbrt()).abs() < 2.0);
        let exact = Fit::through(&[(2.0, 12.0), (5.0, 75.0)]).expect("two sizes");
        assert!((exact.at(10.0) - 300.0).abs() < 1e-6);
    }

    #[test]
    fn there_is_no_fit_to_one_size_or_to_nothing() {
        assert_eq!(exponent(&[(100.0, 1.0), (100.0, 2.0)]), None);
        assert_eq!(exponent(&[(100.0, 1.0)]), None);
        assert_eq!(exponent(&[]), None);
        assert_eq!(exponent(&[(100.0, 0.0), (200.0, 2.0)]), None);
        assert_eq!(exponent(&[(0.0, 1.0), (200.0, 2.0)]), None);
    }
}
