//! Programs with the shape of SLAM's driver abstractions: hundreds of procedures of about a hundred
//! lines, 19 variables in scope, a call graph that is mostly a DAG with some recursion.
//!
//! Each routine has a contract: it is entered and left with the lock free, or entered and left with
//! it held. Its body is a sequence of idioms, each of which starts and ends in the contract's
//! state.
//!
//! **`driver-safe`:** inside an idiom the lock operations alternate, correlated by a local (`own`,
//! `more`) that nothing else in the idiom writes; a callee with the other contract is called
//! between two lock operations; a request is completed or marked pending only right after a test of
//! its state, with no call in between. By induction over the run no assertion fails.
//!
//! **`driver`:** one path through the last routine returns with the lock in the other state. It can
//! be reached: the chain of first calls leads there, every call and every loop exit is a free
//! choice, and diamonds never block. After the leak the run can go on to the next lock operation or
//! to the assertion at the end of `main`'s loop, and the first of them fails. The sister undoes the
//! step before it returns.

use crate::driver_protocol::{self as protocol, COMPLETED, DEVICE_STATE, LOCK_HELD, Lock, PENDING};
use crate::random_expr::{comma_list, conjunction, literal, update, write_updates};
use crate::rng::Rng;
use crate::source_text::SourceText;

/// Lines of a routine, head to `end`, that the generator aims at.
const ROUTINE_LINES: usize = 100;

/// Names give the reader something to hold on to; the number makes them unique.
const STEMS: [&str; 8] = [
    "Dispatch", "Pnp", "Power", "Read", "Write", "Ioctl", "Cancel", "Cleanup",
];

/// The driver with a leaked lock.
pub(crate) fn write_leaking(text: &mut SourceText, routines: u32, seed: u64) {
    Generator::new(routines, seed, true).write_program(text);
}

/// The driver that keeps its protocol.
pub(crate) fn write_clean(text: &mut SourceText, routines: u32, seed: u64) {
    Generator::new(routines, seed, false).write_program(text);
}

struct Generator {
    rng: Rng,
    leaks: bool,
    /// Contract of each routine; the entry, routine 0, starts with a free lock.
    contracts: Vec<Lock>,
    /// Variables that no property depends on.
    noise: Vec<String>,
    /// What conditions and right-hand sides speak of.
    readable: Vec<String>,
    /// Labels used so far, all different for the reader's sake.
    labels: u32,
}

fn routine_name(routine: u32) -> String {
    format!("{}{routine}", STEMS[routine as usize % STEMS.len()])
}

impl Generator {
    fn new(routines: u32, seed: u64, leaks: bool) -> Self {
        let mut rng = Rng::new(seed);
        let contracts = (0..routines)
            .map(|routine| {
                if routine > 0 && rng.chance(30) {
                    Lock::Held
                } else {
                    Lock::Free
                }
            })
            .collect();
        let noise: Vec<String> = DEVICE_STATE
            .into_iter()
            .chain([
                "{irp!=NULL}",
                "{flags==0}",
                "p0",
                "p1",
                "p2",
                "p3",
                "p4",
                "p5",
            ])
            .map(str::to_owned)
            .collect();
        let mut readable = noise.clone();
        readable.extend([LOCK_HELD, COMPLETED, PENDING].map(str::to_owned));
        Self {
            rng,
            leaks,
            contracts,
            noise,
            readable,
            labels: 0,
        }
    }

    fn routines(&self) -> u32 {
        self.contracts.len() as u32
    }

    fn write_program(mut self, text: &mut SourceText) {
        protocol::write(text, &routine_name(0));
        for routine in 0..self.routines() {
            self.write_routine(text, routine);
        }
    }

    fn write_routine(&mut self, text: &mut SourceText, routine: u32) {
        let contract = self.contracts[routine as usize];
        let is_last = routine + 1 == self.routines();
        let first_line = text.lines();
        text.procedure(format_args!(
            "bool<2> {}({{irp!=NULL}}, {{flags==0}})",
            routine_name(routine)
        ));
        text.line("decl own, more, mine;");
        text.line("decl p0, p1, p2, p3, p4, p5;");
        let mut past_middle = false;
        while text.lines() < first_line + ROUTINE_LINES - 5 {
            if !past_middle && text.lines() > first_line + ROUTINE_LINES / 2 {
                past_middle = true;
                if is_last {
                    self.write_leak(text, contract);
                } else {
                    self.write_call(text, contract, routine + 1);
                }
            }
            self.write_idiom(text, contract, routine);
        }
        self.write_return(text);
        text.close("end");
    }

    fn write_idiom(&mut self, text: &mut SourceText, contract: Lock, routine: u32) {
        match self.rng.below(9) {
            0 => self.write_conditional_section(text, contract),
            1 => self.write_loop(text, contract),
            2 => {
                // Mostly to later routines, which keeps the graph a DAG but for some recursion.
                let callee = if self.rng.chance(80) {
                    (routine + 1 + self.rng.below(8)).min(self.routines() - 1)
                } else {
                    self.rng.below(routine + 1)
                };
                self.write_call(text, contract, callee);
            }
            3 => self.write_completion(text),
            4 => {
                text.open(format_args!("if (!{COMPLETED}) then"));
                text.line("MarkPending();");
                text.close("fi");
            }
            5 => self.write_status_chain(text),
            6 => self.write_retry(text),
            7 => self.write_diamond(text),
            _ => {
                self.write_noise(text, 3);
                text.line(&contract.assertion());
            }
        }
    }

    fn write_noise(&mut self, text: &mut SourceText, width: usize) {
        write_updates(text, &mut self.rng, &self.noise, &self.readable, width);
    }

    /// A critical section that is entered or not, and left accordingly.
    fn write_conditional_section(&mut self, text: &mut SourceText, contract: Lock) {
        let condition = update(&mut self.rng, &self.readable);
        text.fmt(format_args!("own := {condition};"));
        text.open(format_args!("if (own) then"));
        text.line(contract.leave());
        text.close("fi");
        self.write_noise(text, 3);
        self.write_noise(text, 2);
        text.open(format_args!("if (own) then"));
        text.line(contract.come_back());
        text.close("fi");
    }

    /// SLAM's running example: the loop is left with the lock in the other state.
    fn write_loop(&mut self, text: &mut SourceText, contract: Lock) {
        text.line("more := 1;");
        text.open(format_args!("while (more) do"));
        text.line(contract.leave());
        self.write_noise(text, 3);
        // `schoose` with a false first part can always be false: the loop can end.
        let stop = conjunction(&mut self.rng, &self.readable);
        text.fmt(format_args!("more := schoose[F, {stop}];"));
        text.open(format_args!("if (more) then"));
        text.line(contract.come_back());
        text.close("fi");
        text.close("od");
        text.line(contract.come_back());
    }

    fn write_call(&mut self, text: &mut SourceText, contract: Lock, callee: u32) {
        let switches = self.contracts[callee as usize] != contract;
        let results = comma_list(&self.rng.sample(&self.noise, 2));
        let first = literal(&mut self.rng, &self.readable);
        let second = literal(&mut self.rng, &self.readable);
        text.open(format_args!("if (*) then"));
        if switches {
            text.line(contract.leave());
        }
        text.fmt(format_args!(
            "{results} := {}({first}, {second});",
            routine_name(callee)
        ));
        if switches {
            text.line(contract.come_back());
        }
        text.close("fi");
    }

    fn write_completion(&mut self, text: &mut SourceText) {
        text.fmt(format_args!("mine := !{COMPLETED};"));
        self.write_noise(text, 3);
        text.open(format_args!("if (mine) then"));
        text.line("CompleteRequest();");
        text.close("fi");
    }

    fn write_status_chain(&mut self, text: &mut SourceText) {
        let first = conjunction(&mut self.rng, &self.readable);
        let second = conjunction(&mut self.rng, &self.readable);
        text.open(format_args!("if ({first}) then"));
        self.write_noise(text, 2);
        text.between(format_args!("elsif ({second}) then"));
        self.write_noise(text, 2);
        text.line("dead p4, p5;");
        text.between(format_args!("else"));
        self.write_noise(text, 1);
        text.close("fi");
    }

    fn write_retry(&mut self, text: &mut SourceText) {
        self.labels += 1;
        let label = self.labels;
        text.fmt(format_args!("Retry{label}: skip;"));
        self.write_noise(text, 3);
        text.open(format_args!("if (*) then"));
        text.fmt(format_args!("goto Retry{label};"));
        text.close("fi");
    }

    fn write_diamond(&mut self, text: &mut SourceText) {
        self.labels += 1;
        let label = self.labels;
        let condition = conjunction(&mut self.rng, &self.readable);
        text.fmt(format_args!("goto Then{label}, Else{label};"));
        text.fmt(format_args!("Then{label}: assume({condition});"));
        self.write_noise(text, 2);
        text.fmt(format_args!("goto Join{label};"));
        text.fmt(format_args!("Else{label}: assume(!({condition}));"));
        self.write_noise(text, 1);
        text.fmt(format_args!("Join{label}: skip;"));
    }

    /// The path that decides the verdict.
    fn write_leak(&mut self, text: &mut SourceText, contract: Lock) {
        text.line("p0, p1, p2 := *, *, *;");
        text.open(format_args!("if (p0 & !p1 & p2) then"));
        text.line(contract.leave());
        self.write_noise(text, 2);
        text.line(if self.leaks {
            "skip;"
        } else {
            contract.come_back()
        });
        self.write_return(text);
        text.close("fi");
    }

    fn write_return(&mut self, text: &mut SourceText) {
        let first = literal(&mut self.rng, &self.noise);
        let second = literal(&mut self.rng, &self.noise);
        text.fmt(format_args!("return {first}, {second};"));
    }
}

#[cfg(test)]
mod tests {
    use crate::find;

    fn text(family: &str, size: u32) -> String {
        find(family).expect("in the table").generate(size, 4).text
    }

    #[test]
    fn a_routine_has_about_a_hundred_lines() {
        let fixed = text("driver", 1)
            .lines()
            .take_while(|line| !line.starts_with("bool<2>"))
            .count();
        for size in [1, 20, 100] {
            let lines = text("driver", size).lines().count() - fixed;
            let routines = size as usize;
            assert!(
                (95 * routines..=110 * routines).contains(&lines),
                "{size}: {lines}"
            );
        }
    }

    #[test]
    fn sisters_differ_in_one_statement() {
        let (leaking, clean) = (text("driver", 7), text("driver-safe", 7));
        let differing: Vec<(&str, &str)> = leaking
            .lines()
            .zip(clean.lines())
            .skip(3)
            .filter(|(left, right)| left != right)
            .map(|(left, right)| (left.trim(), right.trim()))
            .collect();
        assert_eq!(differing.len(), 1);
        assert_eq!(differing[0].0, "skip;");
        assert!(["AcquireLock();", "ReleaseLock();"].contains(&differing[0].1));
    }

    #[test]
    fn every_routine_is_called_from_the_one_before_it() {
        let text = text("driver", 16);
        for routine in 1..16 {
            let previous = super::routine_name(routine - 1);
            let name = super::routine_name(routine);
            let body = text
                .split(&format!("bool<2> {previous}("))
                .nth(1)
                .and_then(|rest| rest.split("\nend\n").next())
                .expect("every routine is defined");
            assert!(
                body.contains(&format!(":= {name}(")),
                "{previous} does not call {name}"
            );
        }
    }
}
