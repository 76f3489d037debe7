//! FORCE (Aloul, Markov and Sakallah, 2003): a static order in which things that occur together
//! stand together.
//!
//! Every variable moves to the middle of the formulas it occurs in, again and again; the best order
//! met on the way counts. It is linear in the formulas, and a relation is small when variables that
//! constrain each other are close.

/// Rounds; more changed nothing.
const ROUNDS: usize = 30;

/// An order of `0..count` in which the edges, each a list of what occurs together, span little.
pub fn force(count: usize, edges: &[Vec<usize>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut place: Vec<f64> = (0..count as u32).map(f64::from).collect();
    let mut best = order.clone();
    let mut best_span = f64::INFINITY;
    for _ in 0..ROUNDS {
        let mut sum = vec![0.0; count];
        let mut uses = vec![0.0; count];
        let mut span = 0.0;
        for edge in edges {
            let places = edge.iter().map(|&pin| place[pin]);
            let (low, high, total) = places.fold((f64::MAX, f64::MIN, 0.0), |(l, h, t), p| {
                (p.min(l), p.max(h), t + p)
            });
            span += high - low;
            let middle = total / f64::from(edge.len() as u32);
            for &pin in edge {
                sum[pin] += middle;
                uses[pin] += 1.0;
            }
        }
        if span < best_span {
            best_span = span;
            best.clone_from(&order);
        }
        let pull = |at: usize| {
            if uses[at] > 0.0 {
                sum[at] / uses[at]
            } else {
                place[at]
            }
        };
        order.sort_by(|&a, &b| pull(a).total_cmp(&pull(b)));
        for (index, &thing) in order.iter().enumerate() {
            place[thing] = f64::from(index as u32);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_one_edge_stand_together() {
        let edges = [vec![0, 3], vec![3, 0], vec![1, 4], vec![2, 5]];
        let order = force(6, &edges);
        let place = |thing| order.iter().position(|&at| at == thing);
        for (a, b) in [(0, 3), (1, 4), (2, 5)] {
            let (a, b) = (
                place(a).expect("all are there"),
                place(b).expect("all are there"),
            );
            assert_eq!(a.abs_diff(b), 1, "{order:?}");
        }
    }

    #[test]
    fn what_occurs_nowhere_keeps_its_place() {
        assert_eq!(force(3, &[]), [0, 1, 2]);
    }
}
