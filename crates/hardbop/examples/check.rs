//! Checks the assertions of a program: `cargo run --example check FILE.bp`.

#![allow(clippy::print_stdout)]

use hardbop::Model;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("usage: check FILE.bp")?;
    let model = Model::parse(&file, &std::fs::read_to_string(&file)?)?;
    for answer in model.assertions().answer()?.answers {
        println!("{} {}", answer.word(), answer.asked);
        if let Some(run) = answer.verdict.evidence() {
            println!("{}", model.text_of(run)?);
        }
    }
    Ok(())
}
