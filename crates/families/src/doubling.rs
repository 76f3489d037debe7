//! A chain of N procedures that each call the next one twice, so that every run is longer than 2^N
//! steps.
//!
//! Programs of this shape are tiny for summaries and hopeless for anything that walks runs step by
//! step; a shortest trace exists but can only be shown hierarchically, with calls left closed.
//!
//! **Lemma.** A call of `step<i>` with `i < N` flips `bit` an even number of times (two calls of
//! the same procedure, both deterministic), `step<N>` flips it once; `main` calls `step1` twice,
//! which makes 2^N flips. So `bit` has its old value after the calls: `doubling` asks for that,
//! `doubling-safe` for the opposite.

use crate::source_text::SourceText;

/// The label in question.
pub(crate) const LABEL: &str = "reach";

/// The chain with a label that every run reaches, after more than 2^N steps.
pub(crate) fn write_reachable(text: &mut SourceText, depth: u32, _seed: u64) {
    write_chain(text, depth, "bit = before");
}

/// The chain with a label that contradicts the lemma.
pub(crate) fn write_unreachable(text: &mut SourceText, depth: u32, _seed: u64) {
    write_chain(text, depth, "bit != before");
}

fn write_chain(text: &mut SourceText, depth: u32, condition: &str) {
    text.line("decl bit;");
    text.procedure(format_args!("void main()"));
    text.line("decl before;");
    text.line("before := bit;");
    text.line("step1();");
    text.line("step1();");
    text.open(format_args!("if ({condition}) then"));
    text.fmt(format_args!("{LABEL}: skip;"));
    text.close("fi");
    text.close("end");
    for step in 1..=depth {
        text.procedure(format_args!("void step{step}()"));
        if step < depth {
            text.fmt(format_args!("step{}();", step + 1));
            text.fmt(format_args!("step{}();", step + 1));
        } else {
            text.line("bit := !bit;");
        }
        text.close("end");
    }
}

#[cfg(test)]
mod tests {
    use crate::find;
    use expect_test::expect;

    #[test]
    fn the_chain_of_two_reads_well() {
        expect![[r"
            // Family doubling-safe, size 2, seed 0.
            // The doubling chain with a label that asks for an odd number of flips; size is N.
            // Question: can label reach be reached? Answer: no.
            decl bit;

            void main()
            begin
              decl before;
              before := bit;
              step1();
              step1();
              if (bit != before) then
                reach: skip;
              fi
            end

            void step1()
            begin
              step2();
              step2();
            end

            void step2()
            begin
              bit := !bit;
            end
        "]]
        .assert_eq(
            &find("doubling-safe")
                .expect("in the table")
                .generate(2, 0)
                .text,
        );
    }
}
