//! Affine hulls of words modulo 2^w: from points to the equations that all of them satisfy.
//!
//! A [`Hull`] holds generators of the module that the points `(1, x1, …, xk)` span. An equation
//! `c + a1 x1 + … + ak xk = 0` holds of all affine combinations of the points if and only if the
//! vector `(c, a1, …, ak)` is orthogonal to all generators (M. Müller-Olm, H. Seidl, *Analysis of
//! modular arithmetic*, TOPLAS 2007). The integers modulo 2^w are no field, but every number is a
//! unit times a power of two, so elimination with a pivot of smallest power always succeeds, and
//! column operations bring the generators to diagonal form, from which the kernel is read.
//!
//! Every insertion of a point outside the hull makes the module strictly larger, so there are at
//! most `(k + 1) w` of them.

/// The affine hull of some points.
#[derive(Clone, Debug)]
pub(crate) struct Hull {
    mask: u64,
    width: u32,
    /// How many words a point has.
    dimension: usize,
    /// Generators, at most one per column.
    rows: Vec<Vec<u64>>,
}

/// `constant + Σ coefficients[i] · x[i] = 0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Equation {
    pub constant: u64,
    pub coefficients: Vec<u64>,
}

impl Hull {
    /// The hull of no points.
    pub fn empty(width: u32, dimension: usize) -> Self {
        Self {
            mask: u64::MAX >> (64 - width),
            width,
            dimension,
            rows: Vec::new(),
        }
    }

    /// Whether no point was added.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds a point.
    pub fn insert(&mut self, point: &[u64]) {
        let mut row = Vec::with_capacity(self.dimension + 1);
        row.push(1);
        row.extend(point.iter().map(|value| value & self.mask));
        self.rows.push(row);
        self.eliminate();
    }

    /// Triangular form: in the column of each pivot, all later rows are zero.
    fn eliminate(&mut self) {
        let mut done = 0;
        while let Some((row, column)) = self.pivot(&self.rows[done..]) {
            self.rows.swap(done, done + row);
            let pivot = self.rows[done].clone();
            let (inverse, shift) = unit_inverse(pivot[column]);
            for other in &mut self.rows[done + 1..] {
                let factor = (other[column] >> shift).wrapping_mul(inverse) & self.mask;
                subtract(other, factor, &pivot, self.mask);
            }
            done += 1;
        }
        self.rows.truncate(done);
    }

    /// The entry divisible by the smallest power of two, unless all are zero.
    fn pivot(&self, rows: &[Vec<u64>]) -> Option<(usize, usize)> {
        let mut best: Option<(u32, usize, usize)> = None;
        for (row, values) in rows.iter().enumerate() {
            for (column, &value) in values.iter().enumerate() {
                if value != 0 {
                    let key = (value.trailing_zeros(), row, column);
                    best = Some(best.map_or(key, |best| best.min(key)));
                }
            }
        }
        debug_assert!(best.is_none_or(|(power, ..)| power < self.width));
        best.map(|(_, row, column)| (row, column))
    }

    /// Equations that generate all equations of the hull.
    pub fn equations(&self) -> Vec<Equation> {
        let columns = self.dimension + 1;
        let mut rows = self.rows.clone();
        // Columns of the accumulated column operations, so that `rows = original · changes`.
        let mut changes: Vec<Vec<u64>> = (0..columns)
            .map(|i| (0..columns).map(|j| u64::from(i == j)).collect())
            .collect();
        let mut power_of: Vec<Option<u32>> = vec![None; columns];
        let mut done = 0;
        while let Some((row, column)) = self.pivot(&rows[done..]) {
            rows.swap(done, done + row);
            let pivot = rows[done].clone();
            let (inverse, shift) = unit_inverse(pivot[column]);
            for other in &mut rows[done + 1..] {
                let factor = (other[column] >> shift).wrapping_mul(inverse) & self.mask;
                subtract(other, factor, &pivot, self.mask);
            }
            // The column is zero below; clear the rest of the row with it.
            let source = changes[column].clone();
            for (index, change) in changes.iter_mut().enumerate() {
                if index != column && pivot[index] != 0 {
                    let factor = (pivot[index] >> shift).wrapping_mul(inverse) & self.mask;
                    subtract(change, factor, &source, self.mask);
                }
            }
            for (index, value) in rows[done].iter_mut().enumerate() {
                if index != column {
                    *value = 0;
                }
            }
            // The later rows are zero in this column, so they keep their other entries.
            power_of[column] = Some(shift);
            done += 1;
        }
        let mut equations = Vec::new();
        for (column, power) in power_of.iter().enumerate() {
            let factor = match power {
                None => 1,
                Some(0) => continue,
                Some(power) => 1 << (self.width - power),
            };
            let vector = changes[column].iter();
            let vector: Vec<u64> = vector.map(|v| v.wrapping_mul(factor) & self.mask).collect();
            if vector.iter().any(|&value| value != 0) {
                equations.push(Equation {
                    constant: vector[0],
                    coefficients: vector[1..].to_vec(),
                });
            }
        }
        equations
    }
}

/// `row -= factor · other`.
fn subtract(row: &mut [u64], factor: u64, other: &[u64], mask: u64) {
    if factor != 0 {
        for (value, &other) in row.iter_mut().zip(other) {
            *value = value.wrapping_sub(factor.wrapping_mul(other)) & mask;
        }
    }
}

/// A number other than zero is an odd number times a power of two: the inverse of the odd number,
/// and the exponent.
fn unit_inverse(value: u64) -> (u64, u32) {
    let shift = value.trailing_zeros();
    let odd = value >> shift;
    // Newton's iteration doubles the number of right bits; `odd` itself is right modulo 8.
    let mut inverse = odd;
    for _ in 0..5 {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    (inverse, shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(equation: &Equation, point: &[u64], mask: u64) -> bool {
        let terms = equation.coefficients.iter().zip(point);
        let sum = terms.fold(equation.constant, |sum, (a, x)| {
            sum.wrapping_add(a.wrapping_mul(*x))
        });
        sum & mask == 0
    }

    /// All sums of multiples of the points, with the sum of the factors 1: the definition.
    fn closure(points: &[[u64; 2]], modulus: u64) -> Vec<[u64; 2]> {
        let mut hull = vec![points[0]];
        let mut next = 0;
        while next < hull.len() {
            let at = hull[next];
            next += 1;
            for point in &points[1..] {
                let step = [0, 1].map(|i| (at[i] + point[i] + modulus - points[0][i]) % modulus);
                if !hull.contains(&step) {
                    hull.push(step);
                }
            }
        }
        hull
    }

    #[test]
    fn the_equations_describe_exactly_the_hull() {
        let mut seed = 0x2545_F491_4F6C_DD1D_u64;
        let mut below = |bound: u64| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed % bound
        };
        for round in 0..300 {
            let width = 2 + round % 3;
            let modulus = 1 << width;
            let count = 1 + below(4);
            let points: Vec<[u64; 2]> = (0..count)
                .map(|_| [below(modulus), below(modulus)])
                .collect();
            let mut hull = Hull::empty(width, 2);
            for point in &points {
                hull.insert(point);
            }
            let equations = hull.equations();
            let inside = closure(&points, modulus);
            for x in 0..modulus {
                for y in 0..modulus {
                    let all = equations.iter().all(|e| holds(e, &[x, y], modulus - 1));
                    assert_eq!(all, inside.contains(&[x, y]), "{points:?} {equations:?}");
                }
            }
        }
    }

    #[test]
    fn lockstep_and_parity_are_found_at_64_bits() {
        let mut hull = Hull::empty(64, 2);
        for i in 0..5_u64 {
            hull.insert(&[2 * i, 1_u64.wrapping_sub(6 * i)]);
        }
        let equations = hull.equations();
        let fits = |x: u64, y: u64| equations.iter().all(|e| holds(e, &[x, y], u64::MAX));
        assert!(fits(10, 1_u64.wrapping_sub(30)));
        assert!(!fits(10, 5) && !fits(1, 1_u64.wrapping_sub(3)));
    }
}
