//! The peers that need no description, only a program to be found.
//!
//! What they print was read off the tools themselves: Z3 5.4, clingo 5.4, Moped 1.0, CBMC 6.3 and
//! Mucke 0.5.

use crate::peer::{BadPeer, Peer};

/// A peer whose command line and output are known.
#[derive(Clone, Copy, Debug)]
pub struct KnownPeer {
    /// What tables and `--peer` call it.
    pub name: &'static str,
    /// The program to look for.
    pub program: &'static str,
    /// The environment variable that has the program, with leading arguments if need be.
    pub variable: &'static str,
    /// What it is and what it reads, for those who have not heard of it.
    pub about: &'static str,
    /// What follows the program.
    description: &'static str,
    /// The exit codes of runs that have not failed.
    exit_codes: &'static [i32],
}

/// All of them.
pub const KNOWN: [KnownPeer; 5] = [
    KnownPeer {
        name: "z3",
        program: "z3",
        variable: "HARDBOP_Z3",
        about: "Spacer, on Horn clauses",
        description: "fp.engine=spacer {chc} => unsat => sat",
        exit_codes: &[0],
    },
    // Its solver clasp, on the clauses of Leino's equations.
    KnownPeer {
        name: "clingo",
        program: "clingo",
        variable: "HARDBOP_CLINGO",
        about: "its solver clasp, on the clauses of the engine `sat`",
        description: "--mode=clasp --quiet=2 {dimacs} => s SATISFIABLE => s UNSATISFIABLE",
        exit_codes: &[0, 10, 20],
    },
    KnownPeer {
        name: "moped",
        program: "moped",
        variable: "HARDBOP_MOPED",
        about: "symbolic pushdown systems, on Boolean programs",
        description: "-b -r {moped} {label} => YES. => NO.",
        exit_codes: &[0],
    },
    // Too few unwindings fail an assertion of their own. Nothing is then known but what has been
    // reached, so `VERIFICATION FAILED` is not an answer, and neither is the success of the target's
    // assertion alone.
    KnownPeer {
        name: "cbmc",
        program: "cbmc",
        variable: "HARDBOP_CBMC",
        about: "bounded model checking, on C with more and more unwindings",
        description: "{c} --unwind {bound} --unwinding-assertions --verbosity 4 \
                      => is reached\": FAILURE => VERIFICATION SUCCESSFUL",
        exit_codes: &[0, 10],
    },
    KnownPeer {
        name: "mucke",
        program: "mucke",
        variable: "HARDBOP_MUCKE",
        about: "a mu-calculus solver, on the formulas of the engine `calculus`",
        description: "{mu} => :   true => :   false",
        exit_codes: &[0],
    },
];

impl KnownPeer {
    /// The peer, run by these words.
    pub fn run_by(&self, words: &str) -> Result<Peer, BadPeer> {
        let mut peer: Peer = format!("{}={words} {}", self.name, self.description).parse()?;
        peer.exit_codes = Some(self.exit_codes);
        Ok(peer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Verdict;

    fn known(name: &str) -> Peer {
        let known = KNOWN.iter().find(|known| known.name == name);
        let peer = known.expect("it is known").run_by(name);
        peer.expect("its description is well-formed")
    }

    /// The verdict in what a tool has printed; nothing if it has failed.
    fn verdict(name: &str, output: &str, exit_code: i32) -> Option<Verdict> {
        let peer = known(name);
        if peer.has_failed(exit_code) {
            return None;
        }
        peer.verdict(output, exit_code)
    }

    #[test]
    fn each_is_run_by_the_words_given_and_reads_one_format() {
        for known in KNOWN {
            let peer = known.run_by("/a/program --first").expect(known.name);
            assert_eq!(peer.name, known.name);
            let command = peer.command(|_| Some("x".to_owned()));
            assert_eq!(command[..2], ["/a/program", "--first"]);
            assert_eq!(peer.formats().count(), 1, "{}", known.name);
        }
    }

    #[test]
    fn z3_calls_reachable_unsat_and_its_answer_to_a_file_with_errors_does_not_count() {
        assert_eq!(verdict("z3", "unsat\n", 0), Some(Verdict::Reachable));
        assert_eq!(verdict("z3", "sat\n", 0), Some(Verdict::Unreachable));
        assert_eq!(verdict("z3", "unknown\n", 0), Some(Verdict::Unknown));
        let error = "(error \"line 3 column 15: unknown constant Q (Bool) \")\nsat\n";
        assert_eq!(verdict("z3", error, 1), None);
    }

    #[test]
    fn the_other_solvers_are_read_and_their_errors_are_failures() {
        use Verdict::{Reachable, Unknown, Unreachable};
        let found =
            "c clingo version 5.4.1\nc Solving...\ns SATISFIABLE\nc \nc Models         : 1+\n";
        assert_eq!(verdict("clingo", found, 10), Some(Reachable));
        assert_eq!(
            verdict("clingo", "s UNSATISFIABLE\n", 20),
            Some(Unreachable)
        );
        assert_eq!(verdict("clingo", "s UNKNOWN\n", 0), Some(Unknown));
        let error = "*** ERROR: (clingo): parse error in line 1:1: 'j': unrecognized input format";
        assert_eq!(verdict("clingo", error, 128), None);
        let head = "Initial ordering is by dependencies.\n\n  - Time   : 0.00 seconds\n";
        let moped = |tail: &str, code| verdict("moped", &format!("{head}{tail}\n"), code);
        assert_eq!(moped("YES.", 0), Some(Reachable));
        assert_eq!(moped("NO.", 0), Some(Unreachable));
        assert_eq!(
            moped("Line 159714: syntax error.\nerror: parse errors", 1),
            None
        );
        let head = ": value of\n:   exists State u, State v. Target(v.mod, v.pc) & SummaryEF(u, v)\n: is\n";
        let mucke = |tail: &str| verdict("mucke", &format!("{head}{tail}"), 0);
        assert_eq!(mucke(":   true\n====\n"), Some(Reachable));
        assert_eq!(mucke(":   false\n====\n"), Some(Unreachable));
        assert_eq!(mucke("could not open `true' for reading\n"), Some(Unknown));
    }

    const UNWOUND: &str = "[main_2.unwind.0] line 54 unwinding assertion loop 0";
    const RECURSION: &str = "[f.recursion] line 45 recursion unwinding assertion";
    const TARGET: &str = "[reach_error.assertion.1] line 13 assertion 0 && \"a target is reached\"";

    fn cbmc(results: &[(&str, &str)], closing: &str, exit_code: i32) -> Option<Verdict> {
        let lines = results
            .iter()
            .map(|(what, result)| format!("{what}: {result}\n"));
        let output = format!(
            "\n** Results:\nprogram.c function main_2\n{}{closing}\n",
            lines.collect::<String>()
        );
        verdict("cbmc", &output, exit_code)
    }

    #[test]
    fn cbmc_reaches_a_target_within_any_bound() {
        let all = [(UNWOUND, "FAILURE"), (TARGET, "FAILURE")];
        let failed = "VERIFICATION FAILED";
        assert_eq!(cbmc(&all, failed, 10), Some(Verdict::Reachable));
        assert_eq!(cbmc(&all[1..], failed, 10), Some(Verdict::Reachable));
    }

    #[test]
    fn cbmc_proves_nothing_with_a_bound_that_does_not_suffice() {
        let failed = "VERIFICATION FAILED";
        for bound in [UNWOUND, RECURSION] {
            let results = [(bound, "FAILURE"), (TARGET, "SUCCESS")];
            assert_eq!(cbmc(&results, failed, 10), Some(Verdict::Unknown));
        }
        let results = [(UNWOUND, "SUCCESS"), (TARGET, "SUCCESS")];
        let proven = cbmc(&results, "VERIFICATION SUCCESSFUL", 0);
        assert_eq!(proven, Some(Verdict::Unreachable));
        assert!(known("cbmc").bounds().len() > 1);
    }

    #[test]
    fn cbmc_fails_on_a_file_that_it_cannot_read() {
        let output = "file bad.c line 1 function main: failed to find symbol 'x'\nCONVERSION ERROR";
        assert_eq!(verdict("cbmc", output, 6), None);
    }
}
