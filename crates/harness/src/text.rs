//! The text of a harness: a head, the program with its hooks, and what the program lacks.

use crate::hooks::Hooks;
use crate::inputs::{Input, local_key};
use hardbop_c::{CheckMeaning, Site, SiteKind};
use hardbop_machine::Machine;
use std::collections::BTreeMap;
use std::fmt::Write;

const RUNTIME: &str = include_str!("runtime.c");

/// Writes a harness; without inputs they are random.
pub(crate) fn harness(
    machine: &Machine,
    sites: &[Site],
    hooks: &Hooks,
    inputs: Option<&[Input]>,
) -> String {
    let name = machine.source.name();
    let mut text = head(name, inputs.is_none());
    let _ = writeln!(text, "#line 1 \"{}\"", name.replace(['\\', '"'], "_"));
    text += &hooked(machine.source.text(), hooks);
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text += "#undef main\n#line 1 \"harness\"\n";
    tape(&mut text, inputs);
    text += RUNTIME;
    functions(&mut text, sites, &hooks.defined);
    foreign(&mut text, machine, sites);
    main(&mut text, machine);
    text
}

fn head(name: &str, is_random: bool) -> String {
    let what = if is_random {
        "with inputs from a seed, its argument"
    } else {
        "with the inputs of an execution that hardbop has found"
    };
    format!(
        "/* {name} {what}.\n   cc -g -fwrapv -fsigned-char -fno-builtin -w FILE && ./a.out\n   \
         Prints where an assertion fails. */\n\
         static int hb_line, hb_check;\n\
         static long long hb_take(const char *, int);\n\
         static void hb_end(const char *, int);\n\
         #define main hb_main\n"
    )
}

fn hooked(source: &str, hooks: &Hooks) -> String {
    let mut text = String::new();
    let mut done = 0;
    for (offset, hook) in &hooks.insertions {
        let offset = *offset as usize;
        text += source.get(done..offset).unwrap_or_default();
        text += hook;
        done = offset.max(done);
    }
    text + source.get(done..).unwrap_or_default()
}

fn tape(text: &mut String, inputs: Option<&[Input]>) {
    let is_random = u8::from(inputs.is_none());
    let inputs = inputs.unwrap_or_default();
    let _ = writeln!(
        text,
        "static const struct {{ const char *what; int line; long long value; }} hb_inputs[] = {{"
    );
    for Input { what, line, value } in inputs {
        let value = value.cast_signed();
        let value = match value {
            i64::MIN => "-9223372036854775807ll - 1".to_owned(),
            value => format!("{value}ll"),
        };
        let _ = writeln!(text, "  {{\"{what}\", {line}, {value}}},");
    }
    let count = inputs.len();
    let _ = writeln!(text, "  {{\"\", 0, 0}}\n}};");
    let _ = writeln!(text, "static char hb_is_used[{}];", count + 1);
    let _ = writeln!(
        text,
        "static const int hb_count = {count}, hb_is_random = {is_random};"
    );
    text.push_str(
        "static unsigned long long hb_state;\n\
         #define HB_TEXT(x) #x\n#define HB_PREFIX(x) HB_TEXT(x)\n\
         #define HB_NAMED(name) __asm__(HB_PREFIX(__USER_LABEL_PREFIX__) name)\n\
         void hb_exit(int) HB_NAMED(\"_exit\");\n\
         long hb_write(int, const void *, unsigned long) HB_NAMED(\"write\");\n",
    );
}

/// The functions that the program calls and does not have. Each is defined under another name, so
/// that its types need not be those of its declaration.
fn functions(text: &mut String, sites: &[Site], defined: &[String]) {
    let mut bodies: BTreeMap<&str, String> = BTreeMap::new();
    for site in sites {
        let (function, body) = match &site.kind {
            SiteKind::Choice { function } => {
                let body = "long long (void) { int line = hb_line; hb_line = 0; return hb_take(NAME, line); }";
                (function, body)
            }
            SiteKind::Outside { function } => {
                (function, "long long (void) { return hb_take(NAME, 0); }")
            }
            SiteKind::Check {
                function,
                meaning,
                has_body: false,
            } => {
                let body = match meaning {
                    CheckMeaning::Error => "void (void) { hb_end(\"fails\", hb_check); }",
                    CheckMeaning::Assertion => {
                        "void (int c) { if (!c) hb_end(\"fails\", hb_check); }"
                    }
                    CheckMeaning::Assumption => {
                        "void (int c) { if (!c) hb_end(\"an assumption is false\", hb_check); }"
                    }
                    CheckMeaning::Unreachable => continue,
                };
                (function, body)
            }
            _ => continue,
        };
        if function != "write" && !function.starts_with("__builtin") {
            bodies.insert(function, body.replace("NAME", &format!("\"{function}\"")));
        }
    }
    for name in ["reach_error", "__assert_fail"] {
        let has_body = sites.iter().any(|site| {
            matches!(&site.kind, SiteKind::Check { function, has_body: true, .. } if function == name)
        });
        if !has_body && !defined.iter().any(|other| other == name) {
            let body = "void (void) { hb_end(\"fails\", hb_check); }";
            bodies.entry(name).or_insert_with(|| body.to_owned());
        }
    }
    for (number, (function, body)) in bodies.iter().enumerate() {
        let (result, rest) = body.split_once('(').unwrap_or_default();
        let (parameters, _) = rest.split_once(')').unwrap_or_default();
        let result = result.trim_end();
        let _ = writeln!(
            text,
            "{result} hb_function{number}({parameters}) HB_NAMED(\"{function}\");\n\
             {result} hb_function{number}({rest}"
        );
    }
}

/// Variables that the program declares and does not define.
fn foreign(text: &mut String, machine: &Machine, sites: &[Site]) {
    for site in sites {
        if let SiteKind::Foreign { name } = &site.kind {
            let _ = writeln!(text, "__typeof__({name}) {name};");
        }
    }
    let is_foreign = |variable: &str| {
        sites.iter().any(|site| match &site.kind {
            SiteKind::Foreign { name } => variable
                .strip_prefix(name.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '['])),
            _ => false,
        })
    };
    text.push_str("static void hb_start(void) {\n");
    for global in machine
        .globals
        .iter()
        .filter(|global| is_foreign(&global.name))
    {
        let name = &global.name;
        let _ = writeln!(text, "  {name} = hb_take(\"{name}\", 0);");
    }
    text.push_str("}\n");
}

fn main(text: &mut String, machine: &Machine) {
    let parameters = parameters_of_main(machine.source.text());
    let arguments = parameters.into_iter();
    let arguments =
        arguments.map(|name| format!("(int)hb_take(\"{}\", 0)", local_key("main", name)));
    let arguments: Vec<String> = arguments.collect();
    let _ = writeln!(
        text,
        "int main(int count, char **words) {{\n  \
           for (const char *c = count > 1 ? words[1] : \"\"; *c; c++)\n    \
             hb_state = hb_state * 31 + *c;\n  \
           hb_next_random();\n  hb_start();\n  \
           return ((int (*)())hb_main)({}), 0;\n}}",
        arguments.join(", ")
    );
}

/// The names of the integer parameters of `main`. The program may declare them in several ways, and
/// the machine has them among the other locals.
fn parameters_of_main(source: &str) -> Vec<&str> {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mains = source.match_indices("main");
    let lists = mains.filter_map(|(at, word)| {
        let is_whole = !source[..at].ends_with(is_letter);
        let rest = source[at + word.len()..].trim_start().strip_prefix('(')?;
        let (list, behind) = rest.split_once(')')?;
        (is_whole && behind.trim_start().starts_with('{')).then_some(list)
    });
    let names = lists
        .last()
        .unwrap_or_default()
        .split(',')
        .map(|parameter| {
            let start = parameter.trim_end().trim_end_matches(is_letter).len();
            parameter[start..].trim_end()
        });
    names
        .filter(|name| !name.is_empty() && *name != "void")
        .collect()
}
