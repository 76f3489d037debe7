//! How three words become a place in a table.

/// A number whose upper bits depend on all bits of the operands.
#[inline]
pub(crate) fn spread(pair: u64, third: u32) -> u64 {
    let mixed = pair ^ u64::from(third).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
