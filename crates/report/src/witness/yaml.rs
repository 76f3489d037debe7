//! As much of YAML as a witness needs: maps and lists in block style, strings in the quotes of JSON.

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Item {
    Text(String),
    Number(u64),
    List(Vec<Item>),
    /// Keys are written as they are.
    Map(Vec<(String, Item)>),
}

pub(super) fn text(text: impl Into<String>) -> Item {
    Item::Text(text.into())
}

pub(super) fn map<const N: usize>(members: [(&str, Item); N]) -> Item {
    let members = members.map(|(key, value)| (key.to_owned(), value));
    Item::Map(members.into())
}

/// A string in quotes; those of JSON are those of YAML.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A value as a document.
pub(super) fn written(item: &Item) -> String {
    let mut out = String::new();
    write(&mut out, item, 0);
    out
}

/// Recurses as deep as a witness is nested, which is eight levels.
fn write(out: &mut String, item: &Item, indent: usize) {
    let blanks = " ".repeat(indent);
    match item {
        Item::Text(text) => *out += &(quoted(text) + "\n"),
        Item::Number(number) => *out += &(number.to_string() + "\n"),
        Item::List(items) if items.is_empty() => *out += "[]\n",
        Item::Map(members) if members.is_empty() => *out += "{}\n",
        Item::List(items) => {
            for (index, item) in items.iter().enumerate() {
                *out += if index == 0 { "" } else { &blanks };
                *out += "- ";
                write(out, item, indent + 2);
            }
        }
        Item::Map(members) => {
            for (index, (key, value)) in members.iter().enumerate() {
                *out += if index == 0 { "" } else { &blanks };
                *out += key;
                *out += ":";
                match value {
                    Item::List(items) if !items.is_empty() => {
                        out.extend(["\n", &blanks]);
                        write(out, value, indent);
                    }
                    Item::Map(members) if !members.is_empty() => {
                        out.extend(["\n", &blanks, "  "]);
                        write(out, value, indent + 2);
                    }
                    _ => {
                        *out += " ";
                        write(out, value, indent);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn lists_and_maps_are_indented_and_strings_quoted() {
        let inner = map([("a", text("say \"x\\y\": #1")), ("b", Item::List(vec![]))]);
        let item = Item::List(vec![
            map([
                ("one", inner.clone()),
                ("many", Item::List(vec![inner, Item::Number(7)])),
            ]),
            text("end"),
        ]);
        expect![[r#"
            - one:
                a: "say \"x\\y\": #1"
                b: []
              many:
              - a: "say \"x\\y\": #1"
                b: []
              - 7
            - "end"
        "#]]
        .assert_eq(&written(&item));
    }
}
