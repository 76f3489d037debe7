//! Scouts: forward searches that see only a few variables and take all others as arbitrary.
//!
//! What a scout does not reach, nothing reaches: its relations are a certificate for those targets,
//! and a small one. Targets that are left go to the next scout, which sees more, until one has to
//! give up. What the best scout reaches, it reaches by runs that may or may not be runs of the
//! program; [`crate::follower`] tries. Abstraction refinement with levels instead of refutations:
//! in most programs the first levels settle most assertions, and a level costs little more than a
//! walk over the program.

use crate::certify::forward_certificate;
use crate::contest::Contest;
use crate::follower::Follower;
use crate::forward::Forward;
use crate::layers::layers;
use crate::runs::{NoRun, Reader};
use crate::tally;
use crate::transfer::Compiler;
use hardbop_bdd::Exhausted;
use hardbop_machine::{NodeId, ProcId, Variable};
use hardbop_outcome::Ledger;
use hardbop_transform::hide::{Levels, Visible};

/// A follower gets longer turns than a scout: it has little of the program before it, but all
/// variables.
const FOLLOWER_SHARE: u64 = 3;

/// The scouts of a contest and who follows them.
#[derive(Default)]
pub(crate) struct Scouts<'c> {
    /// What was open when scouts had gone everywhere: to send them again is in vain until less is.
    left_open: Vec<NodeId>,
    follower: Option<Box<Follower<'c>>>,
}

impl<'c> Scouts<'c> {
    /// Sends scouts if that may decide something, and lets the follower go on. Running out of work
    /// or nodes is no news to anybody else.
    pub fn turn(
        &mut self,
        contest: &Contest<'c>,
        ledger: &mut Ledger<'_>,
        allowance: u64,
        shortest: bool,
    ) -> Result<(), Exhausted> {
        if self.left_open != ledger.open_nodes() {
            match contest.scout_turn(ledger, allowance) {
                Ok(follower) => {
                    self.left_open = ledger.open_nodes();
                    self.follower = follower;
                }
                Err(Exhausted::Work | Exhausted::Nodes) => {}
                Err(why) => return Err(why),
            }
        }
        if let Some(follower) = &mut self.follower
            && !ledger.is_decided()
        {
            let allowance = allowance.saturating_mul(FOLLOWER_SHARE);
            match follower.turn(ledger, allowance, shortest) {
                Err(Exhausted::Work) => {}
                Ok(()) | Err(Exhausted::Nodes) => self.follower = None,
                Err(why) => return Err(why),
            }
        }
        Ok(())
    }

    /// The follower's search, for statistics.
    pub fn follower(&self) -> Option<&Forward<'c, 'c>> {
        self.follower.as_ref().map(|follower| follower.search())
    }
}

/// What became of a scout.
enum Scouted<'c> {
    /// It has gone everywhere it can go; whoever follows it may find runs to what it has left open.
    Done(Option<Box<Follower<'c>>>),
    /// It ran out before.
    TooHard,
}

impl<'c> Contest<'c> {
    /// Sends scouts, each seeing more than the last, until all targets are decided or a scout has
    /// to give up. Gives a search that follows the best one to what is left.
    fn scout_turn(
        &self,
        ledger: &mut Ledger<'_>,
        allowance: u64,
    ) -> Result<Option<Box<Follower<'c>>>, Exhausted> {
        let interfaces = self.compiler.interfaces;
        let machine = self.compiler.machine;
        let mut levels = Levels::new(machine, &interfaces.calls, &interfaces.effects);
        let Some(seen) = levels.next(&ledger.open_nodes()) else {
            return Ok(None);
        };
        match self.scout(&mut levels, &seen, ledger, allowance)? {
            Scouted::Done(follower) => Ok(follower),
            Scouted::TooHard => Err(Exhausted::Work),
        }
    }

    /// Sends a scout, then one that sees more; what both leave open can be followed.
    fn scout(
        &self,
        levels: &mut Levels<'_>,
        seen: &Visible,
        ledger: &mut Ledger<'_>,
        allowance: u64,
    ) -> Result<Scouted<'c>, Exhausted> {
        let visible = |procedure: ProcId, variable: Variable| {
            seen.contains(procedure, variable) && (self.compiler.visible)(procedure, variable)
        };
        let (machine, space) = (self.compiler.machine, self.compiler.space);
        let interfaces = self
            .compiler
            .interfaces
            .seen_through(machine, space, &visible);
        let compiler = Compiler {
            interfaces: &interfaces,
            visible: &visible,
            ..self.compiler
        };
        let mut scout = Forward::new(compiler, self.manager());
        scout.manager.set_work_limit(allowance);
        let searched = scout.begin_and_run(&[]);
        tally::forward(ledger, "scout", &scout);
        match searched {
            Ok(_) => {}
            Err(Exhausted::Work | Exhausted::Nodes) => return Ok(Scouted::TooHard),
            Err(why) => return Err(why),
        }
        let unreached = ledger.open_targets().into_iter();
        let unreached: Vec<_> = unreached.filter(|t| !scout.is_reached(t.node)).collect();
        if !unreached.is_empty() {
            ledger.exclude(forward_certificate(&scout, unreached));
        }
        let open = ledger.open_nodes();
        if !open.is_empty()
            && let Some(more) = levels.next(&open)
        {
            match self.scout(levels, &more, ledger, allowance) {
                // It could not find its way about; this one could.
                Ok(Scouted::TooHard) => {}
                result => return result,
            }
        }
        let open = ledger.open_nodes();
        if open.is_empty() {
            return Ok(Scouted::Done(None));
        }
        let limit = scout.manager.work().saturating_add(allowance);
        scout.manager.set_work_limit(limit);
        let guides = layers(&mut scout, &open).map_err(NoRun::from);
        let guides = guides.and_then(|layers| {
            // Reading needs no limit: it is linear in what is read.
            scout.manager.set_work_limit(u64::MAX);
            Reader::new(&mut scout, Some(&layers.rings)).runs_to(&open)
        });
        match guides {
            Ok(guides) => {
                let follower = Follower::new(self.forward(), &open, &guides);
                Ok(Scouted::Done(Some(Box::new(follower))))
            }
            Err(NoRun::Exhausted(Exhausted::Work | Exhausted::Nodes)) => Ok(Scouted::Done(None)),
            Err(NoRun::Exhausted(why)) => Err(why),
            Err(NoRun::Broken) => unreachable!("rings lead back to the start"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interface::Interfaces;
    use crate::space::Space;
    use hardbop_machine::Machine;
    use hardbop_outcome::{Evidence, Limit, NeverInterrupted, Outcome, Question, Verdict};

    /// `lock` decides the first assertion, `own` besides it the second one, the third one fails,
    /// but only where `noise` was set before.
    const PROGRAM: &str = "decl lock, own, noise, other;
        void main() begin
          lock := 0;
          if (noise) then other := 1; else other := 0; fi
          assert(!lock);
          take();
          if (own) then free(); fi
          if (own) then assert(!lock); fi
          if (noise) then assert(!other); fi
        end
        void take() begin lock := 1; end
        void free() begin lock := 0; end";

    fn scouted(machine: &Machine, follows: bool) -> Outcome {
        let visible = |_: ProcId, _: Variable| true;
        let space = Space::new(machine);
        let interfaces = Interfaces::new(machine, &space, &visible);
        let compiler = Compiler {
            machine,
            space: &space,
            interfaces: &interfaces,
            visible: &visible,
        };
        let contest = Contest {
            compiler,
            node_limit: 1 << 20,
            interrupt: &|| false,
        };
        let mut ledger = Ledger::new(machine, &Question::assertions(machine));
        let follower = contest.scout_turn(&mut ledger, 1 << 20).unwrap();
        if follows {
            let mut follower = follower.unwrap();
            follower.turn(&mut ledger, 1 << 20, true).unwrap();
        }
        ledger.outcome("scout", &Limit::States)
    }

    #[test]
    fn each_scout_settles_what_it_can_with_a_certificate_of_its_own() {
        let machine = hardbop_machine::from_text("t.bp", PROGRAM).unwrap();
        let outcome = scouted(&machine, false);
        let verdicts: Vec<&Verdict> = outcome.answers.iter().map(|a| &a.verdict).collect();
        let why = Limit::States;
        let open = Verdict::Unknown(why);
        assert_eq!(verdicts, [&Verdict::Excluded, &Verdict::Excluded, &open]);
        assert_eq!(outcome.certificates.len(), 2);
        assert_eq!(outcome.uncertified(), None);
        for certificate in &outcome.certificates {
            assert_eq!(certificate.targets.len(), 1);
            hardbop_checker::validate(&machine, certificate, &NeverInterrupted).unwrap();
        }
    }

    #[test]
    fn a_follower_finds_the_run_that_a_scout_has_in_mind() {
        let machine = hardbop_machine::from_text("t.bp", PROGRAM).unwrap();
        let outcome = scouted(&machine, true);
        let Verdict::Found(Evidence::Run(trace)) = &outcome.answers[2].verdict else {
            panic!("{:?}", outcome.answers[2].verdict);
        };
        hardbop_interpreter::replay(&machine, trace).unwrap();
    }
}
