//! The machine in words: what a reader needs to judge the figures.

use std::fs;

/// The processor, its cores, the memory and the system.
pub fn describe() -> String {
    let processor = field("/proc/cpuinfo", "model name");
    let processor = processor.unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let plural = if cores == 1 { "core" } else { "cores" };
    let memory = field("/proc/meminfo", "MemTotal").and_then(|text| {
        let kib: u64 = text.split_whitespace().next()?.parse().ok()?;
        Some(format!(", {} GB of memory", kib.div_ceil(1024 * 1024)))
    });
    let system = std::env::consts::OS;
    let memory = memory.unwrap_or_default();
    let load = load().unwrap_or_default();
    format!("{processor} with {cores} {plural}{memory}, {system}{load}")
}

/// How many processes were running or waiting for a core during the last minute.
fn load() -> Option<String> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    let average = text.split_whitespace().next()?;
    Some(format!(", load {average} at the start"))
}

/// The text after a name and a colon.
fn field(file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
