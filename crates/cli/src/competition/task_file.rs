//! `.yml` files of tasks. They use little of YAML: keys with a scalar, a list in lines or in
//! brackets, and lists of maps. Only that is read; what is not understood is an error.

use super::read;
use crate::exit::Failure;
use hardbop_syntax::source::DataModel;

/// A task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskFile {
    /// The programs, relative to the folder of the task.
    pub input_files: Vec<String>,
    /// What is asked about them.
    pub properties: Vec<TaskProperty>,
    /// How wide integers are, if the task says it.
    pub data_model: Option<DataModel>,
}

/// A property of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskProperty {
    /// The property file, relative to the folder of the task.
    pub file: String,
    /// Whether the property holds.
    pub expected: Option<bool>,
}

impl TaskFile {
    /// Reads a task file.
    pub fn read(file: &str) -> Result<Self, Failure> {
        let text = read(file)?;
        Self::parse(&text).map_err(|why| Failure::BadInput(format!("{file}: {why}")))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut task = Self::default();
        // The unindented key that a line belongs to.
        let mut section = String::new();
        for (number, line) in (1..).zip(text.lines()) {
            let wrong = |why: &str| format!("line {number}: {why}");
            let content = without_comment(line).trim_end();
            let is_nested = content.starts_with([' ', '-']);
            let content = content.trim_start();
            if content.is_empty() || content == "---" {
                continue;
            }
            let (is_item, content) = match content.strip_prefix("- ") {
                Some(rest) => (true, rest.trim_start()),
                None => (false, content),
            };
            let pair = content
                .split_once(':')
                .filter(|(_, rest)| rest.is_empty() || rest.starts_with(' '));
            if !is_nested {
                let (key, value) = pair.ok_or_else(|| wrong("a key is expected"))?;
                key.clone_into(&mut section);
                if key == "input_files" {
                    task.input_files = scalars(value);
                }
                continue;
            }
            match (section.as_str(), pair) {
                ("input_files", None) if is_item => task.input_files.extend(scalars(content)),
                ("properties", Some((key, value))) => {
                    if is_item {
                        task.properties.push(TaskProperty::default());
                    }
                    let property = task.properties.last_mut();
                    let property = property.ok_or_else(|| wrong("a list is expected"))?;
                    match key {
                        "property_file" => scalar(value).clone_into(&mut property.file),
                        "expected_verdict" => {
                            let value = scalar(value);
                            property.expected = Some(value.parse().map_err(|_| {
                                wrong(&format!("`{value}` is neither true nor false"))
                            })?);
                        }
                        _ => {}
                    }
                }
                ("options", Some(("language", value))) if scalar(value) != "C" => {
                    return Err(wrong("only tasks in C are supported"));
                }
                ("options", Some(("data_model", value))) => {
                    task.data_model = Some(match scalar(value) {
                        "ILP32" => DataModel::Ilp32,
                        "LP64" => DataModel::Lp64,
                        other => return Err(wrong(&format!("unknown data model `{other}`"))),
                    });
                }
                _ => {}
            }
        }
        if task.input_files.is_empty() {
            return Err("the task names no `input_files`".to_owned());
        }
        task.properties.retain(|property| !property.file.is_empty());
        Ok(task)
    }
}

fn without_comment(line: &str) -> &str {
    if line.starts_with('#') {
        return "";
    }
    line.split_once(" #").map_or(line, |(content, _)| content)
}

/// A scalar without its quotes.
fn scalar(text: &str) -> &str {
    let text = text.trim();
    let quoted = ['\'', '"'].into_iter().find_map(|quote| {
        let inner = text.strip_prefix(quote)?;
        inner.strip_suffix(quote)
    });
    quoted.unwrap_or(text)
}

/// One scalar, or several in brackets.
fn scalars(text: &str) -> Vec<String> {
    let text = text.trim();
    let list = text
        .strip_prefix('[')
        .and_then(|list| list.strip_suffix(']'));
    let items: Vec<&str> = match list {
        Some(list) => list.split(',').collect(),
        None => vec![text],
    };
    let items = items.into_iter().map(|item| scalar(item).to_owned());
    items.filter(|item| !item.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_names_program_properties_and_data_model() {
        let text = "format_version: '2.0'
# a comment
input_files: 'sum01-1.i'  # the program
properties:
  - property_file: ../properties/termination.prp
    expected_verdict: true
  - property_file: ../properties/unreach-call.prp
    expected_verdict: false
    subproperty: valid-deref
options:
  language: C
  data_model: ILP32
";
        let task = TaskFile::parse(text).expect("it is a task");
        assert_eq!(task.input_files, ["sum01-1.i"]);
        assert_eq!(task.data_model, Some(DataModel::Ilp32));
        let properties = task.properties.iter();
        let properties: Vec<_> = properties.map(|p| (p.file.as_str(), p.expected)).collect();
        let expected = [
            ("../properties/termination.prp", Some(true)),
            ("../properties/unreach-call.prp", Some(false)),
        ];
        assert_eq!(properties, expected);
    }

    #[test]
    fn lists_of_files_are_read_in_both_forms() {
        let lines = "input_files:\n  - \"a.c\"\n  - b.c\n";
        let brackets = "input_files: [a.c, 'b.c']\n";
        for text in [lines, brackets] {
            let task = TaskFile::parse(text).expect("it is a task");
            assert_eq!(task.input_files, ["a.c", "b.c"]);
        }
    }

    #[test]
    fn what_is_not_a_task_is_refused() {
        let cases = [
            ("", "the task names no `input_files`"),
            ("input_files: a.c\nnonsense\n", "line 2: a key is expected"),
            (
                "input_files: A.java\noptions:\n  language: Java\n",
                "line 3: only tasks in C",
            ),
            (
                "input_files: a.c\nproperties:\n  - property_file: p\n    expected_verdict: x\n",
                "line 4: `x` is neither",
            ),
        ];
        for (text, start) in cases {
            let why = TaskFile::parse(text).expect_err("it is not a task");
            assert!(why.starts_with(start), "{why}");
        }
    }
}
