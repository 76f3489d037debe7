//! Explains why a verdict is unknown, in terms of the options, and what to try next.

use hardbop_outcome::{Bound, Budget, Limit};

/// The limit that was hit, and what could be tried. `seconds` is the time limit, if there is one.
pub fn explain(limit: &Limit, budget: &Budget<'_>, seconds: Option<f64>) -> String {
    match limit {
        Limit::Time => match seconds {
            Some(seconds) => {
                let more = seconds * 4.0;
                format!("--time {seconds} was reached; try --time {more}, --jobs 2 or another --engine")
            }
            None => "time ran out".to_owned(),
        },
        Limit::Memory => match budget.memory {
            Some(bytes) => {
                let megabytes = bytes >> 20;
                let more = megabytes.saturating_mul(4);
                format!("--memory {megabytes} was reached; try --memory {more} or another --engine")
            }
            None => "memory ran out, or a table reached its maximum size; try another --engine"
                .to_owned(),
        },
        Limit::Nodes => numbered("--nodes", budget.nodes),
        Limit::States => numbered("--states", budget.states),
        Limit::StackDepth => match budget.stack {
            Some(stack) => {
                let more = stack.saturating_mul(2);
                format!("--stack {stack} was reached; try --stack {more}")
            }
            None => "calls nest too deep for this search; try --stack, --inline-depth or another --engine"
                .to_owned(),
        },
        Limit::Threads => {
            let threads = budget.threads();
            let more = threads.saturating_mul(2);
            format!("--threads {threads} was reached; try --threads {more}")
        }
        Limit::Beyond { bound } => {
            let option = match bound {
                Bound::ContextSwitches(switches) => format!("--contexts {}", switches * 2),
                Bound::Rounds(rounds) => format!("--rounds {}", rounds * 2),
                Bound::Steps(steps) => format!("--bmc {}", steps * 2),
            };
            format!("no counterexample up to {bound}; try {option}")
        }
        Limit::Interrupted => "interrupted".to_owned(),
        Limit::Declined { what } => format!("the engine does not support {what}"),
        Limit::Contradiction { what } => what.clone(),
    }
}

fn numbered(option: &str, limit: Option<u64>) -> String {
    match limit {
        Some(limit) => {
            let more = limit.saturating_mul(4);
            format!("{option} {limit} was reached; try {option} {more} or another --engine")
        }
        None => format!("the engine's own limit was reached; try {option} or another --engine"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_named_by_its_option_with_what_to_try() {
        let budget = Budget {
            states: Some(100),
            ..Budget::unlimited()
        };
        let shown = |limit| explain(&limit, &budget, Some(2.0));
        assert_eq!(
            shown(Limit::Threads),
            "--threads 4 was reached; try --threads 8"
        );
        assert_eq!(
            shown(Limit::States),
            "--states 100 was reached; try --states 400 or another --engine"
        );
        assert!(shown(Limit::Time).starts_with("--time 2 was reached; try --time 8"));
        assert!(shown(Limit::Nodes).contains("--nodes"));
    }
}
