//! Bebop's template T(N): Ball, Rajamani, SPIN 2000, section 4 and Figure 4.
//!
//! One global, N levels with three locals each; a level either counts to seven or calls the next
//! level twice, then negates `g`. Four variables are in scope everywhere, so the cost should grow
//! linearly in N (in Bebop itself it grew quadratically).
//!
//! **Lemma.** Every call of `level<i>` that returns negates `g`, and one that returns exists from
//! either value. By induction from N down: with `g = 1` the counter ends and `g` is negated; with
//! `g = 0` two calls of the next level (or two skips) restore `g`, which is then negated.
//!
//! So `main`'s two calls restore `g`. `tn` asks for `!g` as the paper does: reachable from `g = 0`.
//! `tn-safe` remembers `g` before the calls and asks for a difference: unreachable, and only a
//! proof of the lemma on both values of `g` at every level shows it, which is the work of `tn` in
//! full.

use crate::source_text::SourceText;

/// The label in question.
pub(crate) const LABEL: &str = "reach";

/// T(N) as printed in the paper.
pub(crate) fn write_reachable(text: &mut SourceText, levels: u32, _seed: u64) {
    text.line("decl g;");
    text.procedure(format_args!("void main()"));
    text.line("level1();");
    text.line("level1();");
    write_question(text, "!g");
    text.close("end");
    write_levels(text, levels);
}

/// T(N) with a label that contradicts the lemma.
pub(crate) fn write_unreachable(text: &mut SourceText, levels: u32, _seed: u64) {
    text.line("decl g;");
    text.procedure(format_args!("void main()"));
    text.line("decl before;");
    text.line("before := g;");
    text.line("level1();");
    text.line("level1();");
    write_question(text, "g != before");
    text.close("end");
    write_levels(text, levels);
}

fn write_question(text: &mut SourceText, condition: &str) {
    text.open(format_args!("if ({condition}) then"));
    text.fmt(format_args!("{LABEL}: skip;"));
    text.between(format_args!("else"));
    text.line("skip;");
    text.close("fi");
}

fn write_levels(text: &mut SourceText, levels: u32) {
    for level in 1..=levels {
        text.procedure(format_args!("void level{level}()"));
        text.line("decl a, b, c;");
        text.open(format_args!("if (g) then"));
        text.line("a, b, c := 0, 0, 0;");
        text.open(format_args!("while (!a | !b | !c) do"));
        text.open(format_args!("if (!a) then"));
        text.line("a := 1;");
        text.between(format_args!("elsif (!b) then"));
        text.line("a, b := 0, 1;");
        text.between(format_args!("elsif (!c) then"));
        text.line("a, b, c := 0, 0, 1;");
        text.close("fi");
        text.close("od");
        text.between(format_args!("else"));
        for _ in 0..2 {
            if level < levels {
                text.fmt(format_args!("level{}();", level + 1));
            } else {
                text.line("skip;");
            }
        }
        text.close("fi");
        text.line("g := !g;");
        text.close("end");
    }
}

#[cfg(test)]
mod tests {
    use crate::find;
    use expect_test::expect;

    #[test]
    fn t3_is_the_paper_s_template() {
        let t3 = find("tn").expect("in the table").generate(3, 0).text;
        // level2 repeats level1 with another callee.
        let level2 = t3.find("void level2").expect("there are three levels");
        let level3 = t3.find("void level3").expect("there are three levels");
        assert_eq!(
            t3[level2..level3].replace("level3", "next"),
            t3[t3.find("void level1").expect("there are three levels")..level2]
                .replace("level2", "next")
                .replace("level1", "level2")
        );
        let shown = format!("{}{}", &t3[..level2], &t3[level3..]);
        expect![[r"
            // Family tn, size 3, seed 0.
            // Bebop's template T(N), SPIN 2000, Figure 4; size is N.
            // Question: can label reach be reached? Answer: yes.
            decl g;

            void main()
            begin
              level1();
              level1();
              if (!g) then
                reach: skip;
              else
                skip;
              fi
            end

            void level1()
            begin
              decl a, b, c;
              if (g) then
                a, b, c := 0, 0, 0;
                while (!a | !b | !c) do
                  if (!a) then
                    a := 1;
                  elsif (!b) then
                    a, b := 0, 1;
                  elsif (!c) then
                    a, b, c := 0, 0, 1;
                  fi
                od
              else
                level2();
                level2();
              fi
              g := !g;
            end

            void level3()
            begin
              decl a, b, c;
              if (g) then
                a, b, c := 0, 0, 0;
                while (!a | !b | !c) do
                  if (!a) then
                    a := 1;
                  elsif (!b) then
                    a, b := 0, 1;
                  elsif (!c) then
                    a, b, c := 0, 0, 1;
                  fi
                od
              else
                skip;
                skip;
              fi
              g := !g;
            end
        "]]
        .assert_eq(&shown);
    }

    #[test]
    fn a_hundred_thousand_levels_have_two_million_lines() {
        let text = find("tn").expect("in the table").generate(100_000, 0).text;
        assert_eq!(text.lines().count(), 15 + 21 * 100_000);
    }
}
