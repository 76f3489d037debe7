use super::{MAX_NODES, TooLarge, escaped, svg};
use hardbop_machine::Machine;

fn machine(text: &str) -> Machine {
    hardbop_machine::from_text("test.bp", text).expect("a valid program")
}

fn picture_of(machine: &Machine) -> Result<String, TooLarge> {
    svg(machine, &machine.procedure_ids().collect::<Vec<_>>())
}

const LOOP: &str = "decl {a<b};\n\
    void main() begin\n  decl x;\n  while ({a<b}) do\n    x := f(x);\n  od\n  assert(x);\n  END: skip;\nend\n\
    bool f(a) begin\n  return !a;\nend\n";

#[test]
fn text_is_escaped_and_control_characters_are_replaced() {
    let text = escaped("a<b & \"c\"\u{1}");
    assert_eq!(text, "a&lt;b &amp; &quot;c&quot;\u{fffd}");
}

#[test]
fn every_node_is_a_box_and_every_step_an_arrow() {
    let machine = machine(LOOP);
    let picture = picture_of(&machine).expect("small enough");
    let frames = machine.procedures.len();
    // The page and each procedure have a rectangle of their own; the arrow head is one more path.
    assert_eq!(
        picture.matches("<rect ").count(),
        machine.nodes.len() + frames + 1
    );
    assert_eq!(picture.matches("<path ").count(), machine.edges.len() + 1);
    assert!(picture.contains("class=\"failure\"") && picture.contains("class=\"labelled\""));
    assert!(picture.contains("{a&lt;b}") && !picture.contains("{a<b}"));
    assert_eq!(picture, picture_of(&machine).expect("small enough"));
}

#[test]
fn elements_are_closed_in_the_order_they_are_opened() {
    let picture = picture_of(&machine(LOOP)).expect("small enough");
    let mut open = Vec::new();
    for tag in picture.split('<').skip(2) {
        let tag = &tag[..tag.find('>').expect("tags end")];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().unwrap_or(tag));
        }
    }
    assert!(open.is_empty());
}

#[test]
fn a_machine_that_no_viewer_could_show_is_refused() {
    let text = format!("void main() begin\n{}end\n", "  skip;\n".repeat(MAX_NODES));
    let machine = machine(&text);
    let nodes = machine.nodes.len();
    assert_eq!(picture_of(&machine), Err(TooLarge { nodes }));
}
