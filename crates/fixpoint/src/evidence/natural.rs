//! Natural numbers of any size, for counting tuples: sums and powers of two are all that takes.

use std::fmt::Write;

/// A natural number.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Natural {
    /// The least significant first, none of them zero at the end.
    limbs: Vec<u32>,
}

impl Natural {
    /// One.
    pub fn one() -> Self {
        Self { limbs: vec![1] }
    }

    /// The sum.
    #[must_use]
    pub(crate) fn plus(&self, other: &Natural) -> Natural {
        let mut limbs = Vec::with_capacity(self.limbs.len().max(other.limbs.len()) + 1);
        let mut carry = 0u64;
        for at in 0..self.limbs.len().max(other.limbs.len()) {
            let limb = |number: &Natural| u64::from(number.limbs.get(at).copied().unwrap_or(0));
            let sum = limb(self) + limb(other) + carry;
            limbs.push(sum as u32);
            carry = sum >> 32;
        }
        if carry > 0 {
            limbs.push(carry as u32);
        }
        Natural { limbs }
    }

    /// Times two to the power of `exponent`.
    #[must_use]
    pub(crate) fn shifted(&self, exponent: u32) -> Natural {
        if self.limbs.is_empty() {
            return Natural::default();
        }
        let mut limbs = vec![0; exponent as usize / 32];
        let bits = exponent % 32;
        let mut carry = 0u64;
        for &limb in &self.limbs {
            let wide = (u64::from(limb) << bits) | carry;
            limbs.push(wide as u32);
            carry = wide >> 32;
        }
        if carry > 0 {
            limbs.push(carry as u32);
        }
        Natural { limbs }
    }
}

impl std::fmt::Display for Natural {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const BASE: u64 = 1_000_000_000;
        let mut limbs = self.limbs.clone();
        let mut digits = Vec::new();
        while !limbs.is_empty() {
            let mut remainder = 0u64;
            for limb in limbs.iter_mut().rev() {
                let wide = (remainder << 32) | u64::from(*limb);
                *limb = (wide / BASE) as u32;
                remainder = wide % BASE;
            }
            while limbs.last() == Some(&0) {
                limbs.pop();
            }
            digits.push(remainder);
        }
        let mut text = digits.pop().unwrap_or(0).to_string();
        for group in digits.into_iter().rev() {
            write!(text, "{group:09}")?;
        }
        f.pad_integral(true, "", &text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_powers_of_two_are_exact() {
        let power = Natural::one().shifted(100);
        assert_eq!(power.to_string(), (1u128 << 100).to_string());
        assert_eq!(power.plus(&power), Natural::one().shifted(101));
        assert_eq!(
            Natural::one().shifted(130).to_string(),
            "1361129467683753853853498429727072845824"
        );
        assert_eq!(Natural::default().to_string(), "0");
    }

    #[test]
    fn carries_reach_new_limbs() {
        let all_ones = (0..64).fold(Natural::default(), |sum, bit| {
            sum.plus(&Natural::one().shifted(bit))
        });
        assert_eq!(all_ones.to_string(), u64::MAX.to_string());
        assert_eq!(
            all_ones.plus(&Natural::one()).to_string(),
            (1u128 << 64).to_string()
        );
    }
}
