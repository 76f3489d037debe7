//! Every fact that is claimed is true of all reachable states: compared with an enumeration of all
//! path edges of small programs, recursive ones included.

use hardbop_facts::Lemmas;
use hardbop_machine::expr::Leaf;
use hardbop_machine::{Machine, from_text};
use hardbop_outcome::Budget;
use hardbop_testkit::{Knobs, Tabulation, generate};

/// How many facts were compared, in how many states.
#[derive(Default)]
struct Compared {
    facts: usize,
    states: usize,
    excluded: usize,
}

fn compare(machine: &Machine, text: &str, compared: &mut Compared) {
    let Ok(tabulation) = Tabulation::new(machine, 20_000) else {
        return;
    };
    let edges = tabulation.path_edges();
    let lemmas = Lemmas::new(machine, &Budget::unlimited()).expect("no limit");
    for (node, pairs) in edges.iter() {
        assert!(!lemmas.is_excluded(node), "node {node:?} of\n{text}");
        compared.facts += lemmas.at(node).len();
        compared.states += pairs.len();
        for &fact in lemmas.at(node) {
            for (entry, now) in pairs {
                let holds = lemmas.exprs().eval(fact, &mut |leaf| match leaf {
                    Leaf::Var(variable) => now.read(variable),
                    Leaf::Next(variable) => entry.read(variable),
                    Leaf::Input(_) => unreachable!("facts have no choices"),
                });
                let fact = lemmas.text(machine, node, fact);
                assert_eq!(holds, 1, "{fact} at {node:?} in {now:?} of\n{text}");
            }
        }
    }
    let reached: Vec<_> = edges.iter().map(|(node, _)| node).collect();
    let excluded = machine.node_ids().filter(|&node| lemmas.is_excluded(node));
    compared.excluded += excluded.filter(|node| !reached.contains(node)).count();
}

#[test]
fn facts_about_generated_programs_are_true_of_all_reachable_states() {
    let mut compared = Compared::default();
    let narrow = Knobs::integers();
    let wide = Knobs {
        int_width: 4,
        ..Knobs::words()
    };
    let recursive = Knobs {
        int_width: 3,
        globals: 2,
        ..Knobs::recursive()
    };
    for knobs in [narrow, wide, recursive] {
        for seed in 0..40 {
            let text = generate(seed, &knobs);
            let machine = from_text("generated.bp", &text).expect("generated programs are right");
            if machine.is_sequential() {
                compare(&machine, &text, &mut compared);
            }
        }
    }
    assert!(compared.facts > 5_000 && compared.states > 5_000);
    assert!(compared.excluded > 20);
}

#[test]
fn relations_through_recursion_are_found() {
    let text = "decl int<4> n; decl int<4> sum;
        void main() begin
          sum := 0; f(n); assert(sum = n * 3);
        end
        void f(int<4> k) begin
          if k > 0 then
            sum := sum + 3; f(k - 1);
          fi
        end";
    let machine = from_text("recursive.bp", text);
    let machine = machine.expect("the program is right");
    compare(&machine, text, &mut Compared::default());
    let lemmas = Lemmas::essential(&machine, &Budget::unlimited()).expect("no limit");
    let exit = machine.procedures[1].exit;
    let facts: Vec<String> = lemmas
        .at(exit)
        .iter()
        .map(|&fact| lemmas.text(&machine, exit, fact))
        .collect();
    // Together they say that `sum = old(sum) + old(k) * 3`: eleven times three is one.
    for fact in ["sum = n * 3", "old(k) = n + old(sum) * 5"] {
        assert!(facts.contains(&fact.to_owned()), "{facts:?}");
    }
}
