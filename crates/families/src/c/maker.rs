//! A C program being made: what it has so far, its functions and its inputs.

use super::choices::Choices;
use super::objects::{Object, Shape, Touched};
use std::fmt::Write;

/// What kind of program is made, which decides how large its parts are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// One large expression.
    Expression,
    /// Statements, functions, arrays, structs and pointers.
    Program,
    /// A small program with inputs, which a search engine has to decide.
    Inputs,
}

/// A function that has been made.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub name: String,
    /// Whether it uses globals.
    pub has_effects: bool,
    /// Whether its second parameter says how often it calls itself.
    pub is_recursive: bool,
}

/// A value that comes from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The type of its variable, if it is one that is not initialised.
    ty: &'static str,
    /// What the checker reads in its place; empty for a variable that is not initialised.
    pub(super) checked: &'static str,
    /// What the compiler reads in its place: `#` is one of the values.
    pub(super) compiled: &'static str,
    /// Values with which every result is seen.
    pub(super) values: Vec<i64>,
}

#[expect(
    clippy::struct_excessive_bools,
    reason = "each says one thing about the text that is being made"
)]
pub(super) struct Maker<'c> {
    pub choices: &'c mut Choices,
    pub style: Style,
    /// Declarations and functions, in order.
    pub file: String,
    /// Assignments that give globals their initial values again.
    pub reset: String,
    /// Declarations of the function that is being made.
    pub locals: String,
    /// Its statements.
    pub body: String,
    pub indent: usize,
    pub objects: Vec<Object>,
    pub functions: Vec<Function>,
    pub inputs: Vec<Input>,
    pub touched: Touched,
    pub depth: usize,
    /// How deeply expressions are nested.
    pub most_depth: usize,
    pub has_struct: bool,
    /// Whether what is made may be executed more than once.
    pub is_repeated: bool,
    /// Whether a function other than the one that computes the result is made.
    pub is_function: bool,
    /// Objects that a variable of a block hides.
    pub hidden: Vec<usize>,
    /// Whether `break` and `continue` have a loop to act on.
    pub is_in_loop: bool,
    names: usize,
}

impl<'c> Maker<'c> {
    pub fn new(choices: &'c mut Choices, style: Style) -> Self {
        let most_depth = match style {
            Style::Expression => 2 + choices.below(4),
            Style::Program => 3,
            Style::Inputs => 2,
        };
        Self {
            choices,
            style,
            most_depth,
            file: String::new(),
            reset: String::new(),
            locals: String::new(),
            body: String::new(),
            indent: 1,
            objects: Vec::new(),
            functions: Vec::new(),
            inputs: Vec::new(),
            touched: Touched::default(),
            depth: 0,
            has_struct: false,
            is_repeated: false,
            is_function: false,
            hidden: Vec::new(),
            is_in_loop: false,
            names: 0,
        }
    }

    /// A name that nothing has.
    pub fn fresh(&mut self, letter: &str) -> String {
        self.names += 1;
        format!("{letter}{}", self.names)
    }

    /// Declares a local of the function that is being made.
    pub fn declare(&mut self, declaration: &str) {
        let _ = writeln!(self.locals, "  {declaration}");
    }

    pub fn line(&mut self, text: &str) {
        let blanks = "  ".repeat(self.indent);
        let _ = writeln!(self.body, "{blanks}{text}");
    }

    /// A function that does nothing but convert.
    pub fn new_conversion(&mut self) -> String {
        let (result, parameter) = (self.some_type(), self.some_type());
        let name = self.fresh("convert");
        let name = format!("{name}@");
        let text = format!("static {result} {name}({parameter} x) {{ return x; }}");
        let _ = writeln!(self.file, "{text}");
        self.functions.push(Function {
            name: name.clone(),
            has_effects: false,
            is_recursive: false,
        });
        name
    }

    /// A function with a body, which may call itself.
    pub fn new_function(&mut self) {
        let outer = self.objects.clone();
        self.objects.retain(|object| object.is_global);
        let is_recursive = self.choices.below(2) == 1;
        let (result, parameter) = (self.some_type(), self.some_type());
        let name = self.fresh("f");
        let name = format!("{name}@");
        self.add("p".to_owned(), parameter, Shape::Scalar, false);
        if self.style == Style::Program && self.choices.percent(40) {
            let ty = self.some_type();
            let counter = self.fresh("calls");
            let value = self.choices.below(4);
            self.declare(&format!("static {ty} {counter} = {value};"));
            self.add(counter, ty, Shape::Scalar, false);
        }
        let was_repeated = std::mem::replace(&mut self.is_repeated, true);
        self.is_function = true;
        for _ in 0..self.choices.below(4) {
            self.statement();
        }
        let last = self.full_expression();
        if is_recursive {
            let argument = self.full_expression();
            self.line(&format!(
                "if (depth > 0) return {name}({argument}, depth - 1) - {last};"
            ));
            let other = self.full_expression();
            self.line(&format!("return {other};"));
        } else {
            self.line(&format!("return {last};"));
        }
        (self.is_repeated, self.is_function) = (was_repeated, false);
        let depth = if is_recursive { ", int depth" } else { "" };
        let (locals, body) = (
            std::mem::take(&mut self.locals),
            std::mem::take(&mut self.body),
        );
        let head = format!("static {result} {name}({parameter} p{depth})");
        let _ = write!(self.file, "{head} {{\n{locals}{body}}}\n");
        self.objects = outer;
        self.functions.push(Function {
            name,
            has_effects: true,
            is_recursive,
        });
    }

    /// An input, if the program may have one more here.
    pub fn input(&mut self) -> Option<String> {
        let combinations: usize = self.inputs.iter().map(|input| input.values.len()).product();
        if self.is_repeated || self.style != Style::Inputs || self.inputs.len() >= 4 {
            return None;
        }
        let input = some_input(self.choices);
        if combinations * input.values.len() > MOST_COMBINATIONS {
            return None;
        }
        let number = self.inputs.len();
        let (ty, is_initialised) = (input.ty, !input.checked.is_empty());
        self.inputs.push(input);
        if is_initialised {
            return Some(format!("INPUT{number}@"));
        }
        let name = self.fresh("u");
        self.declare(&format!("{ty} {name} INIT{number}@;"));
        Some(name)
    }

    /// What a program returns beside a last expression: everything that it has changed.
    pub fn all_objects(&mut self) -> String {
        let mut sum = String::new();
        for (number, object) in self.objects.iter().enumerate() {
            let name = &object.name;
            let factor = 2 * number + 3;
            let mut term = |place: &str| {
                let _ = write!(sum, " + {factor}ul * {place}");
            };
            match &object.shape {
                Shape::Scalar => term(name),
                Shape::Array(length) => (0..*length).for_each(|i| term(&format!("{name}[{i}]"))),
                Shape::Struct => {
                    let members = super::objects::MEMBERS.iter();
                    members.for_each(|member| term(&format!("{name}.{member}")));
                }
                Shape::Pointer(_) => term(&format!("*{name}")),
                Shape::StructPointer(_) => term(&format!("{name}->x")),
            }
        }
        sum
    }
}

/// The compiled program is run on this many combinations of inputs.
const MOST_COMBINATIONS: usize = 1 << 14;

fn some_input(choices: &mut Choices) -> Input {
    let bytes = || (0..256).collect::<Vec<i64>>();
    let any = || vec![0, 1, 2, -1, 256, i64::from(i32::MIN), i64::from(i32::MAX)];
    let low = || (0..8).chain([8, -1, 1 << 20]).collect::<Vec<i64>>();
    let high = || (0..8).map(|number| number << 61).collect::<Vec<i64>>();
    let bits = || vec![0, 1];
    let (ty, checked, compiled, values) = match choices.below(12) {
        0 | 1 => ("_Bool", "__VERIFIER_nondet_bool()", "((_Bool)#)", bits()),
        2 => (
            "unsigned char",
            "__VERIFIER_nondet_uchar()",
            "((unsigned char)#)",
            bytes(),
        ),
        3 => (
            "signed char",
            "__VERIFIER_nondet_char()",
            "((signed char)#)",
            bytes(),
        ),
        4 => ("int", "(!!__VERIFIER_nondet_int())", "(!!(int)#)", any()),
        5 => (
            "int",
            "((_Bool)__VERIFIER_nondet_int())",
            "((_Bool)(int)#)",
            any(),
        ),
        6 => (
            "int",
            "(__VERIFIER_nondet_int() & 7)",
            "((int)# & 7)",
            low(),
        ),
        7 => (
            "long",
            "(__VERIFIER_nondet_ulong() >> 61)",
            "((unsigned long)# >> 61)",
            high(),
        ),
        8 => ("_Bool", "", "((_Bool)#)", bits()),
        9 => ("unsigned char", "", "((unsigned char)#)", bytes()),
        10 => ("signed char", "sensor()", "((signed char)#)", bytes()),
        _ => (
            "short",
            "(__VERIFIER_nondet_short() > 0)",
            "((short)# > 0)",
            any(),
        ),
    };
    Input {
        ty,
        checked,
        compiled,
        values,
    }
}
