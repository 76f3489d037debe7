//! Traces that `record` has written, and how a package replays one.
//!
//! A handle of the trace stands for whatever the package gave for it. A handle that comes again must
//! stand for the same function again: so every result is checked, without looking into functions.

use crate::package::{Answer, Package};
use crate::workloads::{LARGE_CACHE, Run, combine};
use std::time::{Duration, Instant};

/// Handles are as hardbop has them: the lowest bit is the negation, 0 is true.
type Handle = u32;

enum Line {
    Variable(u32),
    And(Handle, Handle),
    Xor(Handle, Handle),
    Ite(Handle, Handle, Handle),
    /// The number of the plan; then the operands.
    Image(usize, Handle, Handle),
    Low(Handle),
    High(Handle),
    /// The quantified variables, and the renamed ones with what they become.
    Plan(Vec<u32>, Vec<(u32, u32)>),
    /// What is still needed.
    Collect(Vec<Handle>),
}

/// What a manager was asked, with the handles it gave.
pub struct Trace {
    lines: Vec<(Line, Handle)>,
    variables: u32,
    handles: usize,
}

impl Trace {
    /// Reads a trace; the error is the line that is not one.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut trace = Self {
            lines: Vec::new(),
            variables: 0,
            handles: 1,
        };
        for line in text.lines() {
            let parsed = parse(line).ok_or_else(|| line.to_owned())?;
            match &parsed.0 {
                Line::Variable(variable) => trace.variables = trace.variables.max(variable + 1),
                Line::Plan(quantified, renamed) => {
                    let targets = renamed.iter().flat_map(|&(from, to)| [from, to]);
                    let largest = targets.chain(quantified.iter().copied()).max();
                    trace.variables = trace.variables.max(largest.map_or(0, |v| v + 1));
                }
                _ => {}
            }
            trace.handles = trace.handles.max(parsed.1 as usize / 2 + 1);
            trace.lines.push(parsed);
        }
        Ok(trace)
    }

    /// How many operations there are.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Does all of it. `cache` is for packages whose computed table does not grow.
    pub fn replay<P: Package>(&self, cache: usize) -> Answer<Run> {
        let room = if cache == LARGE_CACHE {
            1 << 24
        } else {
            1 << 23
        };
        let mut package = P::new(self.variables, room, cache);
        let mut functions = vec![None; self.handles];
        functions[0] = Some(package.truth());
        let start = processor_time();
        let steps = self.all_lines(&mut package, &mut functions)?;
        let time = processor_time() - start;
        let mut digest = 0;
        for function in functions.iter().flatten() {
            digest = combine(digest, package.size(function) as u64);
        }
        drop(steps);
        Ok(Run {
            time,
            digest,
            note: package.nodes().to_string(),
        })
    }

    /// The measured part. Not inlined, so that a profiler can be told to look at nothing else.
    #[inline(never)]
    fn all_lines<P: Package>(
        &self,
        package: &mut P,
        functions: &mut [Option<P::Function>],
    ) -> Answer<Vec<P::Step>> {
        let mut steps = Vec::new();
        for (line, handle) in &self.lines {
            let result = match line {
                Line::Variable(variable) => package.variable(*variable)?,
                Line::And(f, g) => {
                    let (f, g) = (get(package, functions, *f)?, get(package, functions, *g)?);
                    package.and(&f, &g)?
                }
                Line::Xor(f, g) => {
                    let (f, g) = (get(package, functions, *f)?, get(package, functions, *g)?);
                    let equal = package.iff(&f, &g)?;
                    package.not(&equal)?
                }
                Line::Ite(c, f, g) => {
                    let (f, g) = (get(package, functions, *f)?, get(package, functions, *g)?);
                    let c = get(package, functions, *c)?;
                    package.ite(&c, &f, &g)?
                }
                Line::Image(plan, f, g) => {
                    let (f, g) = (get(package, functions, *f)?, get(package, functions, *g)?);
                    package.image(&f, &g, &steps[*plan])?
                }
                Line::Low(f) | Line::High(f) => {
                    let f = get(package, functions, *f)?;
                    let (low, high) = package.cofactors(&f);
                    if matches!(line, Line::Low(_)) {
                        low
                    } else {
                        high
                    }
                }
                Line::Plan(quantified, renamed) => {
                    steps.push(package.step(quantified, renamed)?);
                    continue;
                }
                Line::Collect(roots) => {
                    let roots: Vec<usize> = roots.iter().map(|&root| root as usize / 2).collect();
                    let mut kept = vec![None; functions.len()];
                    for &root in roots.iter().chain(&[0]) {
                        kept[root] = functions[root].take();
                    }
                    functions.clone_from_slice(&kept);
                    let kept: Vec<_> = kept.into_iter().flatten().collect();
                    package.collect(&kept);
                    continue;
                }
            };
            let result = if handle & 1 == 1 {
                package.not(&result)?
            } else {
                result
            };
            match &functions[*handle as usize / 2] {
                Some(known) => assert!(*known == result, "{} differs on {handle}", P::NAME),
                None => functions[*handle as usize / 2] = Some(result),
            }
        }
        Ok(steps)
    }
}

fn get<P: Package>(
    package: &mut P,
    functions: &[Option<P::Function>],
    handle: Handle,
) -> Answer<P::Function> {
    let function = functions[handle as usize / 2].as_ref();
    let function = function.expect("a trace has a line for each handle");
    if handle & 1 == 1 {
        package.not(function)
    } else {
        Ok(function.clone())
    }
}

fn parse(line: &str) -> Option<(Line, Handle)> {
    let (letter, numbers) = line.split_once(' ')?;
    let mut words = numbers.split(' ');
    let mut next = || words.next()?.parse::<u32>().ok();
    let parsed = match letter {
        "v" => Line::Variable(next()?),
        "a" => Line::And(next()?, next()?),
        "x" => Line::Xor(next()?, next()?),
        "i" => Line::Ite(next()?, next()?, next()?),
        "e" => Line::Image(next()? as usize, next()?, next()?),
        "l" => Line::Low(next()?),
        "h" => Line::High(next()?),
        "p" => {
            let (mut quantified, mut renamed) = (Vec::new(), Vec::new());
            for pair in words.skip(2).collect::<Vec<_>>().chunks(2) {
                let [from, to] = pair else { return None };
                let from = from.parse().ok()?;
                match *to {
                    "-1" => quantified.push(from),
                    to => renamed.push((from, to.parse().ok()?)),
                }
            }
            return Some((Line::Plan(quantified, renamed), 0));
        }
        "g" => {
            let roots = words.skip(1).map(|word| word.parse().ok());
            return Some((Line::Collect(roots.collect::<Option<_>>()?), 0));
        }
        _ => return None,
    };
    Some((parsed, next()?))
}

/// The time that this thread has had a processor for, to a few milliseconds; where the system does
/// not say, the time of the clock.
pub fn processor_time() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let told = told.and_then(|text| text.split(' ').next()?.parse().ok());
    match told {
        Some(nanoseconds) => Duration::from_nanos(nanoseconds),
        None => START.get_or_init(Instant::now).elapsed(),
    }
}
