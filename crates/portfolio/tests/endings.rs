//! A run that has ended stays where it is, and properties see that.

use hardbop_automata::{Property, PropertyText};
use hardbop_machine::from_text;
use hardbop_outcome::{Budget, Question, Silent};
use hardbop_portfolio::{Choice, Portfolio};

#[test]
fn a_monitor_sees_the_end_of_a_run_more_than_once() {
    let monitor = "monitor M begin state a initial; state b; state c; state d target;
        from a: on terminated goto b; from b: on terminated goto c; from c: on terminated goto d;
        end";
    for program in [
        "void main() begin skip; end",
        "void init() begin end thread t begin void main() begin skip; end end",
    ] {
        let machine = from_text("ends.bp", program).expect("the program is valid");
        let text = PropertyText::Monitor {
            file: "thrice.mon".to_owned(),
            text: monitor.to_owned(),
        };
        let property = Property::read(&machine, text).expect("the monitor is valid");
        let question = Question::property(property);
        for choice in [Choice::Auto, Choice::CrossCheck] {
            let portfolio = Portfolio {
                choice,
                ..Portfolio::default()
            };
            let outcome = portfolio.check(&machine, &question, &Budget::unlimited(), &mut Silent);
            let outcome = outcome.unwrap_or_else(|refused| panic!("{program}: {refused}"));
            assert!(outcome.answers[0].verdict.is_yes(), "{program}");
        }
    }
}
