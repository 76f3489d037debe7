//! Options of the SAT engine.

use hardbop_outcome::Engine;
use hardbop_satcheck::{BoundedEngine, SatEngine, Split, Tracking};

/// What the SAT engine can be told.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
#[command(next_help_heading = "SAT engine")]
pub struct SatArguments {
    /// Which arguments of function terms the SAT engine makes explicit: `never` more than it must, `always`, `auto`, or those with
    /// more BDD nodes than a number
    #[arg(long, value_name = "WHEN", value_parser = split)]
    split: Option<Split>,
    /// How deep recursive calls may nest for the SAT engine
    #[arg(long, value_name = "CALLS")]
    inline_depth: Option<u32>,
    /// Which variables the SAT engine's function terms speak of
    #[arg(long, value_enum, default_value_t)]
    track: TrackName,
    /// Searches only for runs of at most so many steps, by unrolling: for finding bugs
    #[arg(long, value_name = "STEPS")]
    bmc: Option<u32>,
}

#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum TrackName {
    /// Few at first, then those that turn out to be needed
    #[default]
    Needed,
    /// All that can have to do with the targets
    All,
}

fn split(text: &str) -> Result<Split, String> {
    match text {
        "never" => Ok(Split::Never),
        "always" => Ok(Split::Always),
        "auto" => Ok(Split::Auto),
        _ => match text.parse() {
            Ok(nodes) => Ok(Split::Nodes(nodes)),
            Err(_) => Err("expected `never`, `always`, `auto` or a number of BDD nodes".to_owned()),
        },
    }
}

impl SatArguments {
    /// An engine that follows the options.
    pub fn engine(self) -> Box<dyn Engine> {
        if let Some(depth) = self.bmc {
            return Box::new(BoundedEngine { depth });
        }
        let default = SatEngine::default();
        Box::new(SatEngine {
            split: self.split.unwrap_or(default.split),
            inline_depth: self.inline_depth.unwrap_or(default.inline_depth),
            tracking: match self.track {
                TrackName::Needed => Tracking::Needed,
                TrackName::All => Tracking::All,
            },
            ..default
        })
    }

    /// Whether the question is bounded.
    pub fn has_bound(self) -> bool {
        self.bmc.is_some()
    }
}
