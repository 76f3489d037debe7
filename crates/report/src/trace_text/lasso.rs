//! A lasso for people: the stem, the loop apart from it, and what happens to the stack.

use super::rows::{Row, View, align};
use super::{TraceLevel, TraceOptions, text_with_loop};
use hardbop_interpreter::{
    Ending, LassoError, ReplayError, ReplayedLasso, Walk, replay_lasso, replay_thread_lasso,
};
use hardbop_machine::Machine;
use hardbop_outcome::{Lasso, ThreadLasso};
use std::fmt::Write as _;

/// With a longer stem no calls are written out: the way to the loop would have to be walked step by
/// step.
const MAX_EXPANDED_STEM: u128 = 1_000_000;

/// A lasso as text; every line ends with a newline. The lasso is replayed first, so what is shown
/// is a run of the program. Stem and loop have [`TraceOptions::max_lines`] each.
pub fn lasso_text(
    machine: &Machine,
    lasso: &Lasso,
    options: &TraceOptions,
) -> Result<String, LassoError> {
    let replayed = replay_lasso(machine, lasso)?;
    let trace = lasso.unrolled(1);
    let expand = options.expand && replayed.stem_steps <= MAX_EXPANDED_STEM;
    let walk = if expand {
        Walk::expanded(machine, &trace)
    } else {
        Walk::new(machine, &trace)
    };
    let mut walk = walk.map_err(frame_error)?;
    let view = View::new(machine, false, options.level);
    let mut rows = vec![Row::Text(view.start(walk.configuration()))];
    // Small steps taken, and lines shown in the part at hand.
    let mut taken: u128 = 0;
    let mut shown = 0;
    let mut in_loop = false;
    let mut hidden = false;
    loop {
        if !in_loop && replayed.ending.is_none() && taken == replayed.stem_steps {
            in_loop = true;
            shown = 0;
            hidden = false;
            let line = machine.line_of(replayed.head);
            rows.push(Row::Text(format!("loop, from line {line}:")));
        }
        let Some(step) = walk.next().transpose().map_err(frame_error)? else {
            break;
        };
        taken = taken.saturating_add(step.flat_steps);
        if options.level == TraceLevel::None || !view.is_shown(&step) {
            continue;
        }
        if shown < options.max_lines {
            shown += 1;
            rows.push(view.row(&step, walk.configuration()));
        } else if !hidden {
            hidden = true;
            rows.push(Row::Text(format!("... ({shown} steps shown)")));
            if expand && in_loop {
                // What follows is as long as the calls are, and nothing of it is shown.
                break;
            }
        }
    }
    let mut text = align(&rows);
    writeln!(text, "{}", summary(&replayed)).expect("writing to a string cannot fail");
    Ok(text)
}

/// The same for a lasso of several threads.
pub fn thread_lasso_text(
    machine: &Machine,
    lasso: &ThreadLasso,
    options: &TraceOptions,
) -> Result<String, LassoError> {
    let replayed = replay_thread_lasso(machine, lasso)?;
    let loop_start = replayed.ending.is_none().then_some(lasso.stem);
    let text = text_with_loop(machine, &lasso.run, options, loop_start);
    let mut text = text.map_err(frame_error)?;
    let summary = match replayed.ending {
        Some(Ending::Terminated) => {
            let stem = replayed.stem_steps;
            format!("the run ends after {stem} steps: all threads have ended")
        }
        _ => summary(&replayed),
    };
    writeln!(text, "{summary}").expect("writing to a string cannot fail");
    Ok(text)
}

fn frame_error(error: ReplayError) -> LassoError {
    LassoError::Step {
        part: hardbop_interpreter::Part::Frame,
        error,
    }
}

fn summary(replayed: &ReplayedLasso) -> String {
    let steps = |count: u128| match count {
        1 => "1 step".to_owned(),
        u128::MAX => format!("at least {count} steps"),
        _ => format!("{count} steps"),
    };
    let stem = steps(replayed.stem_steps);
    let round = steps(replayed.loop_steps);
    match (replayed.ending, replayed.growth) {
        (Some(Ending::Terminated), _) => format!("the run ends after {stem}: main has returned"),
        (Some(Ending::Failed), _) => format!("the run ends after {stem}: an assertion has failed"),
        (None, 0) => format!("after a stem of {stem}, the loop of {round} is repeated for ever"),
        (None, 1) => format!(
            "after a stem of {stem}, the loop of {round} is repeated for ever; the stack grows by 1 frame each time"
        ),
        (None, growth) => format!(
            "after a stem of {stem}, the loop of {round} is repeated for ever; the stack grows by {growth} frames each time"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use hardbop_interpreter::{RandomChooser, simulate};

    fn shown(text: &str, steps: u64, head: usize) -> String {
        let machine = hardbop_machine::from_text("test.bp", text).expect("the program is valid");
        let trace = simulate(&machine, &mut RandomChooser::new(0), steps, None).trace;
        let lasso = Lasso::from_trace(&trace, head);
        match lasso_text(&machine, &lasso, &TraceOptions::default()) {
            Ok(text) => text,
            Err(error) => format!("{error}\n"),
        }
    }

    #[test]
    fn stem_and_loop_stand_apart() {
        let text = "decl g := 0;
void main() begin
  g := 1;
  AGAIN: g := !g;
  g := !g;
  goto AGAIN;
end
";
        expect![[r#"
            start: g=0
            3: g := 1   g=1
            loop, from line 4:
            4: g := !g  g=0
            5: g := !g  g=1
            6: goto AGAIN
            after a stem of 1 step, the loop of 3 steps is repeated for ever
        "#]]
        .assert_eq(&shown(text, 4, 1));
    }

    #[test]
    fn a_growing_stack_is_said() {
        let text = "decl g := 0;
void main() begin
  down();
end
void down() begin
  g := !g;
  g := !g;
  down();
end
";
        expect![[r#"
            start: g=0
            3: down()     enter down
            loop, from line 6:
            6:   g := !g  g=1
            7:   g := !g  g=0
            8:   down()   enter down
            after a stem of 1 step, the loop of 3 steps is repeated for ever; the stack grows by 1 frame each time
        "#]].assert_eq(&shown(text, 4, 1));
    }

    #[test]
    fn a_finite_run_says_how_it_ends() {
        let text = "decl g := 0;
void main() begin
  g := 1;
end
";
        expect![[r#"
            start: g=0
            3: g := 1  g=1
            4: return from main
            the run ends after 2 steps: main has returned
        "#]]
        .assert_eq(&shown(text, 10, 10));
    }
}
