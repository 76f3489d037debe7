//! Programs with integers of 32 bits that were C once (`../shared/bench/words`): the default decides
//! most of them in seconds, and nothing wrongly.

use hardbop_machine::from_text;
use hardbop_outcome::{Budget, Interrupt, Limit, Question, Silent, Verdict};
use hardbop_portfolio::Portfolio;
use hardbop_testkit::{shared, shared_programs};
use std::time::{Duration, Instant};

/// For each program.
const TIME: Duration = Duration::from_secs(6);

/// On a machine that is not busy it is 30 of 35.
const DECIDED: usize = 26;

struct Until(Instant);

impl Interrupt for Until {
    fn check(&self) -> Option<Limit> {
        (Instant::now() > self.0).then_some(Limit::Time)
    }
}

#[test]
fn most_programs_of_words_are_decided_and_none_wrongly() {
    let Some(verdicts) = shared("bench/words/verdicts.tsv") else {
        return;
    };
    let verdicts = std::fs::read_to_string(verdicts).expect("a file can be read");
    let mut decided = 0;
    let programs = shared_programs("bench/words");
    for path in &programs {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let text = std::fs::read_to_string(path).expect("a file can be read");
        let machine = from_text(&name, &text).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        let until = Until(Instant::now() + TIME);
        let budget = Budget {
            interrupt: &until,
            memory: Some(2 << 30),
            ..Budget::unlimited()
        };
        let question = Question::assertions(&machine);
        let outcome = Portfolio::default().check(&machine, &question, &budget, &mut Silent);
        let outcome = outcome.unwrap_or_else(|refused| panic!("{name}: {refused}"));
        let verdicts_of = || outcome.answers.iter().map(|answer| &answer.verdict);
        let said = if verdicts_of().any(Verdict::is_yes) {
            "unsafe"
        } else if verdicts_of().all(Verdict::is_no) {
            "safe"
        } else {
            continue;
        };
        let expected = verdicts.lines().find_map(|line| line.strip_prefix(&*name));
        assert_eq!(expected.map(str::trim), Some(said), "{name}");
        decided += 1;
    }
    assert!(decided >= DECIDED, "{decided} of {}", programs.len());
}
