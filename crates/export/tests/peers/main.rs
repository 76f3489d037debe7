//! Other tools answer what hardbop answers, about what is exported for them.

mod c;
mod certificates;
mod chc;
mod moped;
mod programs;
mod support;
