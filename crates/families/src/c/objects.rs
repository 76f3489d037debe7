//! The objects of a program being made, and which of them an expression may still use.
//!
//! C leaves the order of evaluation open, so an expression that writes an object and reads it, or
//! writes it twice, without a sequence point in between has no value that a compiler and a checker
//! must agree on. [`Touched`] keeps what the expression being made has read and written: what was
//! written is read again only behind a sequence point, and what was read is not written any more.

use super::literals::{ASSIGNABLE, TYPES, literal, small_literal, some_type};
use super::maker::{Maker, Style};
use std::fmt::Write;

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub name: String,
    /// The type of its values, elements or target.
    pub ty: String,
    pub shape: Shape,
    pub is_global: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Scalar,
    /// With its length.
    Array(usize),
    /// Of the one type of structs that a program has.
    Struct,
    /// To any of these objects, one of which is a scalar or an element of an array.
    Pointer(Vec<usize>),
    /// To any of these structs.
    StructPointer(Vec<usize>),
}

/// What the expression being made has used.
#[derive(Clone, Debug, Default)]
pub(super) struct Touched {
    read: Vec<usize>,
    written: Vec<usize>,
    /// Written before the last sequence point.
    settled: Vec<usize>,
}

impl Touched {
    fn may_read(&self, object: usize) -> bool {
        !self.written.contains(&object) || self.settled.contains(&object)
    }

    fn may_write(&self, object: usize) -> bool {
        !self.written.contains(&object) && !self.read.contains(&object)
    }

    pub fn has_written(&self, object: usize) -> bool {
        self.written.contains(&object)
    }

    /// How much has been written, for [`Self::settle`].
    pub fn mark(&self) -> (usize, usize) {
        (self.written.len(), self.settled.len())
    }

    /// A sequence point: what was written since the mark may be read.
    pub fn settle(&mut self, mark: (usize, usize)) {
        let written = self.written[mark.0..].to_vec();
        self.settled.extend(written);
    }

    /// The end of what follows the sequence point.
    pub fn unsettle(&mut self, mark: (usize, usize)) {
        self.settled.truncate(mark.1);
    }
}

/// The members of the struct that every program has: two numbers and an array.
pub(super) const MEMBERS: [&str; 4] = ["x", "y", "w[0]", "w[1]"];

impl Maker<'_> {
    /// The objects that a use of an object touches: for a pointer its targets too.
    fn meant(&self, object: usize) -> Vec<usize> {
        let mut all = vec![object];
        if let Shape::Pointer(targets) | Shape::StructPointer(targets) = &self.objects[object].shape
        {
            all.extend(targets);
        }
        all
    }

    fn candidates(&self, may: impl Fn(&Touched, usize) -> bool, writes: bool) -> Vec<usize> {
        let is_fine = |&object: &usize| {
            let is_constant = writes && self.objects[object].ty.starts_with("const");
            !is_constant
                && self
                    .meant(object)
                    .iter()
                    .all(|&one| may(&self.touched, one))
        };
        (0..self.objects.len()).filter(is_fine).collect()
    }

    /// An object to read, as an expression of an integer type.
    pub(super) fn readable(&mut self) -> String {
        let candidates = self.candidates(Touched::may_read, false);
        let fresh = usize::from(self.objects.len() < self.most_objects());
        let chosen = self.choices.below(candidates.len() + fresh);
        let object = match candidates.get(chosen) {
            Some(&object) => object,
            None => self.new_scalar(false),
        };
        let meant = self.meant(object);
        self.touched.read.extend(meant);
        self.access(object)
    }

    /// An object to write, as an lvalue of an integer type.
    pub(super) fn writable(&mut self) -> String {
        let candidates = self.candidates(Touched::may_write, true);
        let object = self.pick_or_new(&candidates);
        self.touched.written.push(object);
        self.access_written(object)
    }

    /// As before, for the left side of an assignment whose right side has been made: what that has
    /// read is written only after it.
    pub(super) fn assignable(&mut self) -> String {
        let candidates = self.candidates(Touched::may_read, true);
        let object = self.pick_or_new(&candidates);
        self.touched.written.push(object);
        self.access_written(object)
    }

    fn pick_or_new(&mut self, candidates: &[usize]) -> usize {
        let chosen = self.choices.below(candidates.len() + 1);
        match candidates.get(chosen) {
            Some(&object) => object,
            None => self.new_scalar(true),
        }
    }

    fn access_written(&mut self, object: usize) -> String {
        let meant = self.meant(object);
        self.touched.written.extend(meant);
        self.access(object)
    }

    /// Marks all globals as written, if none has been used.
    pub(super) fn may_call(&mut self) -> bool {
        let all = 0..self.objects.len();
        let affected: Vec<usize> = all.filter(|&one| self.objects[one].is_global).collect();
        let is_free = affected
            .iter()
            .all(|&object| self.touched.may_write(object));
        if is_free {
            self.touched.written.extend(affected);
        }
        is_free
    }

    /// An object as an lvalue of an integer type.
    fn access(&mut self, object: usize) -> String {
        let Object { name, shape, .. } = self.objects[object].clone();
        match shape {
            Shape::Scalar => name,
            Shape::Array(length) => {
                let index = self.index(length);
                // Locals of recursive functions have no address.
                match self.choices.below(4) {
                    _ if self.is_function => format!("{name}[{index}]"),
                    0..2 => format!("{name}[{index}]"),
                    2 => format!("*({name} + {index})"),
                    _ => format!("({name})[{index}]"),
                }
            }
            Shape::Struct => format!("{name}.{}", self.choices.pick(&MEMBERS)),
            Shape::Pointer(_) => match self.choices.below(3) {
                0 | 1 => format!("*{name}"),
                _ => format!("{name}[0]"),
            },
            Shape::StructPointer(_) => match self.choices.below(2) {
                0 => format!("{name}->{}", self.choices.pick(&MEMBERS)),
                _ => format!("(*{name}).{}", self.choices.pick(&MEMBERS)),
            },
        }
    }

    /// An index that is in range.
    pub(super) fn index(&mut self, length: usize) -> String {
        if self.is_deep() {
            return self.choices.below(length).to_string();
        }
        let mask = if length >= 4 { 3 } else { 1 };
        match self.choices.below(5) {
            0 | 1 => self.choices.below(length).to_string(),
            2 => format!("!!{}", self.operand()),
            3 => format!("({} > {})", self.operand(), self.operand()),
            _ => format!("({} & {mask})", self.operand()),
        }
    }

    fn most_objects(&self) -> usize {
        match self.style {
            Style::Expression => 6,
            Style::Program => 12,
            Style::Inputs => 5,
        }
    }

    pub(super) fn new_scalar(&mut self, writes: bool) -> usize {
        let count = if writes { ASSIGNABLE } else { TYPES.len() };
        let ty = some_type(self.choices, count);
        let value = self.initial_value();
        let name = self.fresh("v");
        self.declare(&format!("{ty} {name} = {value};"));
        self.add(name, ty, Shape::Scalar, false)
    }

    pub(super) fn initial_value(&mut self) -> String {
        match self.style {
            Style::Inputs => small_literal(self.choices),
            Style::Expression | Style::Program => literal(self.choices),
        }
    }

    pub(super) fn add(&mut self, name: String, ty: &str, shape: Shape, is_global: bool) -> usize {
        self.objects.push(Object {
            name,
            ty: ty.to_owned(),
            shape,
            is_global,
        });
        self.objects.len() - 1
    }

    /// A global number.
    pub(super) fn new_global(&mut self) {
        let ty = some_type(self.choices, ASSIGNABLE);
        let name = self.fresh("g");
        let name = format!("{name}@");
        let value = match self.choices.below(3) {
            0 => "0".to_owned(),
            _ => self.initial_value(),
        };
        let initial = if value == "0" {
            String::new()
        } else {
            format!(" = {value}")
        };
        let _ = writeln!(self.file, "static {ty} {name}{initial};");
        // Values of another run of the same process must not be seen.
        let _ = write!(self.reset, "{name} = {value}; ");
        self.add(name, ty, Shape::Scalar, true);
    }

    /// A local number that an input initialises.
    pub(super) fn new_input_object(&mut self) {
        let ty = some_type(self.choices, ASSIGNABLE);
        let name = self.fresh("v");
        if let Some(input) = self.input() {
            self.declare(&format!("{ty} {name} = {input};"));
            self.add(name, ty, Shape::Scalar, false);
        }
    }

    /// A local array.
    pub(super) fn new_array(&mut self) -> usize {
        let ty = some_type(self.choices, ASSIGNABLE);
        let length = [4, 2, 3, 5, 8][self.choices.below(5)];
        let name = self.fresh("a");
        let values: Vec<String> = (0..self.choices.below(length + 1))
            .map(|_| self.initial_value())
            .collect();
        let values = if values.is_empty() {
            "0".to_owned()
        } else {
            values.join(", ")
        };
        self.declare(&format!("{ty} {name}[{length}] = {{{values}}};"));
        self.add(name, ty, Shape::Array(length), false)
    }

    /// A local struct.
    pub(super) fn new_struct(&mut self) -> usize {
        if !self.has_struct {
            self.has_struct = true;
            let mut ty = || some_type(self.choices, ASSIGNABLE);
            let (x, y, w) = (ty(), ty(), ty());
            let _ = writeln!(self.file, "struct pair@ {{ {x} x; {y} y; {w} w[2]; }};");
        }
        let name = self.fresh("s");
        let (x, y, w) = (
            self.initial_value(),
            self.initial_value(),
            self.initial_value(),
        );
        self.declare(&format!("struct pair@ {name} = {{{x}, {y}, {{{w}}}}};"));
        self.add(name, "struct pair@", Shape::Struct, false)
    }

    /// A local pointer to one of several objects of a type.
    pub(super) fn new_pointer(&mut self) {
        let is_target = |shape: &Shape| matches!(shape, Shape::Scalar | Shape::Array(_));
        let to_struct = self.choices.below(3) == 2;
        let wanted: Vec<usize> = (0..self.objects.len())
            .filter(|&object| match &self.objects[object].shape {
                Shape::Struct => to_struct,
                shape => !to_struct && is_target(shape),
            })
            .filter(|object| !self.hidden.contains(object))
            .filter(|&object| !self.objects[object].ty.starts_with("const"))
            .collect();
        let chosen = self.choices.below(wanted.len());
        let first = match (wanted.get(chosen), to_struct) {
            (Some(&object), _) => object,
            (None, true) => self.new_struct(),
            (None, false) => self.new_array(),
        };
        let ty = self.objects[first].ty.clone();
        let mut targets = wanted;
        targets.retain(|&object| self.objects[object].ty == ty);
        if !targets.contains(&first) {
            targets.push(first);
        }
        let name = self.fresh("p");
        let address = self.address(first);
        self.declare(&format!("{ty} *{name} = {address};"));
        let shape = if to_struct {
            Shape::StructPointer(targets)
        } else {
            Shape::Pointer(targets)
        };
        self.add(name, &ty, shape, false);
    }

    /// The address of an object, or of an element of it.
    pub(super) fn address(&mut self, object: usize) -> String {
        let Object { name, shape, .. } = self.objects[object].clone();
        match shape {
            Shape::Array(length) => {
                let index = self.choices.below(length);
                match self.choices.below(3) {
                    0 => format!("&{name}[{index}]"),
                    1 => format!("{name} + {index}"),
                    // One behind the last element is an address too.
                    _ => format!("&{name}[{length}] - {}", length - index),
                }
            }
            _ => format!("&{name}"),
        }
    }
}
