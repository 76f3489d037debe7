//! What the workloads ask of a BDD package, so that both packages run the same sequence of
//! operations.

use std::collections::HashMap;
use std::hash::Hash;

/// The package has no room for another node.
#[derive(Clone, Copy, Debug)]
pub struct Full;

/// An answer, unless the package was full.
pub type Answer<T> = Result<T, Full>;

/// What a function tests first.
pub enum Branch<F> {
    /// Nothing: it is a constant.
    Constant(bool),
    /// A variable; then the cofactors, low first.
    Variable(u32, F, F),
}

/// A BDD package with variables that are ordered by number.
pub trait Package: Sized {
    /// A function; cloning it keeps it alive where the package counts references.
    type Function: Clone + Eq + Hash;
    /// A quantification and a renaming, made once and used often.
    type Step;
    /// How tables call it.
    const NAME: &'static str;

    /// A package with this many variables and room for this many nodes. `cache` is for packages
    /// whose computed table does not grow.
    fn new(variables: u32, nodes: usize, cache: usize) -> Self;

    /// The constant true.
    fn truth(&mut self) -> Self::Function;
    /// A variable.
    fn variable(&mut self, variable: u32) -> Answer<Self::Function>;
    /// Negation.
    fn not(&mut self, f: &Self::Function) -> Answer<Self::Function>;
    /// Conjunction.
    fn and(&mut self, f: &Self::Function, g: &Self::Function) -> Answer<Self::Function>;
    /// Disjunction.
    fn or(&mut self, f: &Self::Function, g: &Self::Function) -> Answer<Self::Function>;
    /// Equivalence.
    fn iff(&mut self, f: &Self::Function, g: &Self::Function) -> Answer<Self::Function>;

    /// `if c then f else g`.
    fn ite(
        &mut self,
        c: &Self::Function,
        f: &Self::Function,
        g: &Self::Function,
    ) -> Answer<Self::Function>;

    /// Prepares [`Package::image`]: what is quantified, and what is then renamed, with its new
    /// names.
    fn step(&mut self, quantified: &[u32], renamed: &[(u32, u32)]) -> Answer<Self::Step>;
    /// Conjunction, quantification, renaming.
    fn image(
        &mut self,
        states: &Self::Function,
        relation: &Self::Function,
        step: &Self::Step,
    ) -> Answer<Self::Function>;

    /// Frees what the roots do not need; where references are counted, what nobody holds.
    fn collect(&mut self, roots: &[Self::Function]);
    /// Nodes in use, garbage included.
    fn nodes(&self) -> usize;
    /// Inner nodes of one function.
    fn size(&self, f: &Self::Function) -> usize;
    /// The cofactors of a function that is not constant, low first.
    fn cofactors(&self, f: &Self::Function) -> (Self::Function, Self::Function) {
        match self.branch(f) {
            Branch::Constant(_) => unreachable!("the function is not constant"),
            Branch::Variable(_, low, high) => (low, high),
        }
    }
    /// What a function tests first.
    fn branch(&self, f: &Self::Function) -> Branch<Self::Function>;
}

/// The modulus of fingerprints.
const PRIME: u64 = (1 << 61) - 1;

fn multiply(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b) % u128::from(PRIME);
    u64::try_from(product).expect("a remainder is less than the modulus")
}

/// The value of a function's arithmetic polynomial at a fixed scattered point of a prime field.
/// Equal functions have equal fingerprints, different ones almost never: this compares functions
/// across packages.
pub fn fingerprint<P: Package>(package: &P, f: &P::Function) -> u64 {
    fingerprint_with(package, f, &mut HashMap::new())
}

fn fingerprint_with<P: Package>(
    package: &P,
    f: &P::Function,
    known: &mut HashMap<P::Function, u64>,
) -> u64 {
    let (variable, low, high) = match package.branch(f) {
        Branch::Constant(value) => return u64::from(value),
        Branch::Variable(variable, low, high) => (variable, low, high),
    };
    if let Some(&value) = known.get(f) {
        return value;
    }
    let point = multiply(u64::from(variable) + 3, 0x1e37_79b9_7f4a_7c15);
    let point = multiply(point, point);
    let low = fingerprint_with(package, &low, known);
    let high = fingerprint_with(package, &high, known);
    let value = (multiply(point, high) + multiply(PRIME + 1 - point, low)) % PRIME;
    known.insert(f.clone(), value);
    value
}
