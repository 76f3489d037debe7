//! Program relations as `.mu` text that the original Mucke reads too: only enumerations, classes of
//! Booleans, predicates and quantifiers.

use crate::encoding::formula_text::FormulaText;
use crate::encoding::layout::{Class, Layout};
use crate::encoding::relations::{AFTER, BEFORE, Clause, ProgramRelation, Signature};
use crate::encoding::source_names::{SourceNames, statement_text};
use crate::encoding::steps::Part;
use hardbop_machine::bits::BitGraph;
use hardbop_machine::{Machine, ProcId, Variable};
use std::fmt::Write;

/// Writing to a string does not fail.
const INFALLIBLE: &str = "a string takes all text";

/// The types of a program: `Module`, `PC`, `Local`, `Global`.
pub(crate) fn types(machine: &Machine, layout: &Layout) -> String {
    let mut text = String::new();
    let last = |count: usize| count.max(2) - 1;
    let modules = last(machine.procedures.len());
    let pcs = last(layout.pc_count as usize);
    writeln!(text, "enum Module {{0..{modules}}};").expect(INFALLIBLE);
    for procedure in layout.procedures() {
        let name = comment(&machine.procedure(procedure).name);
        let code = layout.module(procedure);
        write!(text, "// {code} {name}").expect(INFALLIBLE);
        let bits = layout.local_bits(procedure);
        for (field, &(variable, bit)) in layout.local_fields.iter().zip(bits) {
            let name = comment(machine.name_of(procedure, variable));
            if &name == field {
                write!(text, " {field}").expect(INFALLIBLE);
            } else if machine.type_of(procedure, variable).width() == 1 {
                write!(text, " {field}={name}").expect(INFALLIBLE);
            } else {
                write!(text, " {field}={name}[{bit}]").expect(INFALLIBLE);
            }
        }
        text.push('\n');
    }
    writeln!(text, "enum PC {{0..{pcs}}};").expect(INFALLIBLE);
    for (class, fields) in [
        ("Local", &layout.local_fields),
        ("Global", &layout.global_fields),
    ] {
        write!(text, "class {class} {{").expect(INFALLIBLE);
        for field in fields {
            write!(text, " bool {field};").expect(INFALLIBLE);
        }
        if fields.is_empty() {
            text.push_str(" bool none;");
        }
        text.push_str(" };\n");
    }
    text
}

/// The types of what has a name in the program: `Label`, `Line`, `Variable`.
pub(crate) fn name_types(names: &SourceNames) -> String {
    let mut text = String::new();
    let mut enumeration = |name: &str, last: usize, values: &[String]| {
        writeln!(text, "enum {name} {{0..{}}};", last.max(1)).expect(INFALLIBLE);
        for (code, value) in values.iter().enumerate() {
            writeln!(text, "// {code} {}", comment(value)).expect(INFALLIBLE);
        }
    };
    let last = |values: &[String]| values.len().saturating_sub(1);
    enumeration("Label", last(&names.labels), &names.labels);
    enumeration(
        "Variable",
        last(&names.variable_names),
        &names.variable_names,
    );
    let line = names.lines.last().copied().unwrap_or_default();
    enumeration("Line", line as usize, &[]);
    text
}

/// The order of the variables in the program, so that a pair need not be listed both ways.
pub(crate) fn order_of_variables(names: &SourceNames) -> String {
    let next = (1..names.variables.len()).map(|code| format!("v={} & w={code}", code - 1));
    let next: Vec<String> = next.collect();
    let next = match next.len() {
        0 => "0".to_owned(),
        _ => next.join("\n  | "),
    };
    format!(
        "\n// w is declared right after v\nbool DeclaredNext(Variable v, Variable w)\n  ( {next} );\n\n\
         // v is declared before w\nmu bool DeclaredBefore(Variable v, Variable w)\n  \
         ( DeclaredNext(v, w) | ( exists Variable x. DeclaredBefore(v, x) & DeclaredNext(x, w) ) );\n"
    )
}

/// Text that stands in a comment of one line.
fn comment(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// The head of a relation, up to its body.
pub(crate) fn head(signature: &Signature) -> String {
    let parameters = signature.parameters().map(|name| {
        let ty = match name {
            'm' | 'n' => "Module",
            'l' | 'k' => "Local",
            'g' | 'h' => "Global",
            'v' => "Variable",
            'i' => "Line",
            'a' => "Label",
            _ => "PC",
        };
        format!("{ty} {name}")
    });
    let parameters: Vec<String> = parameters.collect();
    let mut text = format!("bool {}({})\n", signature.name, parameters.join(", "));
    if !signature.hints.is_empty() {
        writeln!(text, "  {}", signature.hints).expect(INFALLIBLE);
    }
    text
}

/// A relation with its body.
pub(crate) fn relation(
    machine: &Machine,
    layout: &Layout,
    graph: &BitGraph,
    relation: &ProgramRelation,
) -> String {
    let signature = &relation.signature;
    let mut text = format!("// {}\n{}", signature.about, head(signature));
    let mut separator = "(";
    for (procedure, clauses) in &relation.modules {
        let name = comment(&machine.procedure(*procedure).name);
        let code = layout.module(*procedure);
        writeln!(text, "{separator} m={code} & ( // {name}").expect(INFALLIBLE);
        separator = "|";
        for (index, clause) in clauses.iter().enumerate() {
            let start = if index == 0 { "   " } else { "  |" };
            let writer = ClauseText {
                layout,
                graph,
                signature,
                clause,
            };
            let words = step_words(machine, layout, signature, *procedure, clause);
            writeln!(text, "{start} {}{words}", writer.conjunction()).expect(INFALLIBLE);
        }
        text.push_str("  )\n");
    }
    text.push_str(if relation.modules.is_empty() {
        "  0;\n"
    } else {
        ");\n"
    });
    text
}

/// The relations whose clauses are steps of the program.
const STEPS: [&str; 2] = ["programInt", "programCall"];

/// The longest statement that stands in a comment in full.
const MOST_CHARACTERS: usize = 60;

/// The line, labels and statement of a step, as a comment behind its clause.
fn step_words(
    machine: &Machine,
    layout: &Layout,
    signature: &Signature,
    procedure: ProcId,
    clause: &Clause,
) -> String {
    let place = signature.parameters().position(|name| name == 'p');
    let code = clause.codes.iter().find(|(at, _)| Some(*at) == place);
    let node = code.and_then(|&(_, code)| layout.node(procedure, u64::from(code)));
    let Some(node) = node.filter(|_| STEPS.contains(&signature.name)) else {
        return String::new();
    };
    let words = comment(&statement_text(machine, node));
    let mut shown: String = words.chars().take(MOST_CHARACTERS).collect();
    if shown.len() < words.len() {
        shown.push('…');
    }
    format!(" // {}: {shown}", machine.line_of(node))
}

/// Writes one clause.
struct ClauseText<'c> {
    layout: &'c Layout,
    graph: &'c BitGraph,
    signature: &'c Signature,
    clause: &'c Clause,
}

impl ClauseText<'_> {
    fn conjunction(&self) -> String {
        let parameters: Vec<char> = self.signature.parameters().collect();
        let codes = self.clause.codes.iter();
        let codes = codes.map(|&(parameter, code)| format!("{}={code}", parameters[parameter]));
        let parts = self.clause.parts.iter().map(|part| self.part(part));
        let all: Vec<String> = codes.chain(parts).collect();
        if all.is_empty() {
            return "1".to_owned();
        }
        all.join(" & ")
    }

    fn list(&self, parts: &[Part]) -> String {
        if parts.is_empty() {
            return "1".to_owned();
        }
        let parts: Vec<String> = parts.iter().map(|part| self.part(part)).collect();
        parts.join(" & ")
    }

    fn part(&self, part: &Part) -> String {
        match part {
            Part::Holds(root) => self.formulas().formula(*root),
            Part::Becomes(variable, bit, value) => {
                let target = self.after(*variable, *bit);
                self.formulas().equation(&target, *value)
            }
            Part::Keeps(variable, bit) => format!(
                "{}={}",
                self.after(*variable, *bit),
                self.before(*variable, *bit)
            ),
            Part::AnyOf(cases) if cases.is_empty() => "0".to_owned(),
            Part::AnyOf(cases) => {
                let cases: Vec<String> = cases.iter().map(|case| self.list(case)).collect();
                format!("({})", cases.join(" | "))
            }
            Part::Exists(choices, parts) => {
                let choices = choices
                    .iter()
                    .map(|(input, bit)| format!("bool {}", choice(input.0, *bit)));
                let choices: Vec<String> = choices.collect();
                format!("(exists {}. {})", choices.join(", "), self.list(parts))
            }
        }
    }

    fn formulas(&self) -> FormulaText<'_> {
        FormulaText {
            graph: self.graph,
            before: Box::new(|variable, bit| self.before(variable, bit)),
            after: Box::new(|variable, bit| self.after(variable, bit)),
            choice: Box::new(choice),
        }
    }

    fn before(&self, variable: Variable, bit: u8) -> String {
        self.place(BEFORE, self.clause.before, variable, bit)
    }

    fn after(&self, variable: Variable, bit: u8) -> String {
        self.place(AFTER, self.clause.after, variable, bit)
    }

    fn place(&self, holders: [char; 2], procedure: ProcId, variable: Variable, bit: u8) -> String {
        let field = self.layout.field(procedure, variable, bit);
        let field = field.expect("a bit that a relation speaks of has a field");
        let (holder, fields) = match field.class {
            Class::Local => (holders[0], &self.layout.local_fields),
            Class::Global => (holders[1], &self.layout.global_fields),
        };
        format!("{holder}.{}", fields[field.index as usize])
    }
}

fn choice(input: u32, bit: u8) -> String {
    format!("i{input}_{bit}")
}
