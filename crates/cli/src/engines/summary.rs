//! Options of the summary engine.

use hardbop_summary::{Direction, Order, SummaryEngine};

/// What the summary engine can be told.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
#[command(next_help_heading = "Summary engine")]
pub struct SummaryArguments {
    /// Where the summary engine starts to search
    #[arg(long, value_enum, default_value_t)]
    direction: DirectionName,
    /// How the summary engine orders its BDD variables
    #[arg(long, value_enum, default_value_t)]
    order: OrderName,
    /// Be content with the first run that is found instead of a shortest one
    #[arg(long)]
    any_run: bool,
    /// Insist on shortest runs, whatever it takes
    #[arg(long, conflicts_with = "any_run")]
    shortest: bool,
}

#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum DirectionName {
    /// From the start of the program
    Forward,
    /// From the targets
    Backward,
    /// Both, in turns
    #[default]
    Auto,
}

#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum OrderName {
    /// As declared
    Declaration,
    /// As met when reading the program
    FirstUse,
    /// Variables of one statement near each other
    #[default]
    Force,
}

impl SummaryArguments {
    /// Whether any run will do.
    pub fn is_content_with_any_run(self) -> bool {
        self.any_run
    }

    /// Whether runs must be shortest, whatever it takes.
    pub fn insists_on_shortest(self) -> bool {
        self.shortest
    }

    /// An engine that follows the options.
    pub fn engine(self) -> SummaryEngine {
        SummaryEngine {
            direction: match self.direction {
                DirectionName::Forward => Direction::Forward,
                DirectionName::Backward => Direction::Backward,
                DirectionName::Auto => Direction::Auto,
            },
            order: match self.order {
                OrderName::Declaration => Order::Declaration,
                OrderName::FirstUse => Order::FirstUse,
                OrderName::Force => Order::Force,
            },
            shortest: !self.any_run,
            insist_on_shortest: self.shortest,
            first_turn: None,
        }
    }
}
