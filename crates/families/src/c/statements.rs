//! Random statements. All loops end: each has a counter that nothing else changes.

use super::maker::{Maker, Style};
use super::objects::{Object, Shape, Touched};

impl Maker<'_> {
    pub(super) fn statement(&mut self) {
        let count = if self.indent > 3 { 4 } else { 17 };
        match self.choices.below(count) {
            0 | 1 => self.assignment(),
            2 => {
                self.touched = Touched::default();
                let (operator, value) = self.change();
                let place = self.assignable();
                self.line(&format!("{place} {operator} {value};"));
            }
            3 => {
                self.touched = Touched::default();
                let place = self.writable();
                let operator = self.choices.pick(&["++", "--"]);
                let text = match self.choices.below(2) {
                    0 => format!("({place}){operator};"),
                    _ => format!("{operator}({place});"),
                };
                self.line(&text);
            }
            4 | 5 => self.branch(),
            6 | 7 => self.for_loop(),
            8 => self.while_loop(),
            9 => self.switch(),
            10 => self.jump(),
            11 => self.pointer_statement(),
            12 => self.walk(),
            13 => self.block(),
            14 => self.leave_loop(),
            15 => {
                let expression = self.full_expression();
                self.line(&format!("{expression};"));
            }
            _ => self.new_aggregate(),
        }
    }

    fn nested(&mut self) {
        self.indent += 1;
        for _ in 0..=self.choices.below(2) {
            self.statement();
        }
        self.indent -= 1;
    }

    fn assignment(&mut self) {
        let value = self.full_expression();
        let place = self.assignable();
        self.line(&format!("{place} = {value};"));
    }

    fn branch(&mut self) {
        let condition = self.full_expression();
        self.line(&format!("if ({condition}) {{"));
        self.nested();
        if self.choices.percent(50) {
            self.line("} else {");
            self.nested();
        }
        self.line("}");
    }

    /// Makes what may be executed more than once.
    fn repeated(&mut self, make: impl FnOnce(&mut Self)) {
        let was = (self.is_repeated, self.is_in_loop);
        (self.is_repeated, self.is_in_loop) = (true, true);
        make(self);
        (self.is_repeated, self.is_in_loop) = was;
    }

    fn rounds(&mut self) -> usize {
        let most = if self.style == Style::Inputs { 3 } else { 6 };
        1 + self.choices.below(most)
    }

    fn for_loop(&mut self) {
        let (counter, rounds) = (self.fresh("i"), self.rounds());
        let ty = self
            .choices
            .pick(&["int", "unsigned char", "long", "unsigned"]);
        let head = match self.choices.below(3) {
            0 => format!("for ({ty} {counter} = 0; {counter} < {rounds}; {counter}++) {{"),
            1 => format!("for ({ty} {counter} = {rounds}; {counter} > 0; --{counter}) {{"),
            _ => format!("for ({ty} {counter} = {rounds}; {counter}--;) {{"),
        };
        self.line(&head);
        self.repeated(Self::nested);
        self.line("}");
    }

    fn while_loop(&mut self) {
        let (counter, rounds) = (self.fresh("n"), self.rounds());
        self.declare(&format!("int {counter} = 0;"));
        let is_do = self.choices.below(2) == 1;
        self.repeated(|maker| {
            let condition = maker.full_expression();
            let condition = format!("{counter}++ < {rounds} && {condition}");
            if is_do {
                maker.line("do {");
                maker.nested();
                maker.line(&format!("}} while ({condition});"));
            } else {
                maker.line(&format!("while ({condition}) {{"));
                maker.nested();
                maker.line("}");
            }
        });
    }

    fn switch(&mut self) {
        let value = self.full_expression();
        let value = match self.choices.below(3) {
            0 => value,
            1 => format!("!!{value}"),
            _ => format!("({value} & 3)"),
        };
        self.line(&format!("switch ({value}) {{"));
        let labels = [
            "case 0:",
            "case 1:",
            "default:",
            "case 2: case 3:",
            "case -1:",
            "case SIX@:",
            "case 'a' ... 'f':",
        ];
        let first = self.choices.below(labels.len());
        for number in 0..=self.choices.below(4) {
            let label = labels[(first + number) % labels.len()];
            self.line(&format!("{label} ;"));
            self.nested();
            if self.choices.below(3) < 2 {
                self.line("  break;");
            }
        }
        self.line("}");
    }

    fn jump(&mut self) {
        let label = self.fresh("label");
        if self.choices.below(2) == 0 {
            let condition = self.full_expression();
            self.line(&format!("if ({condition}) goto {label};"));
            self.nested();
            self.line(&format!("{label}: ;"));
            return;
        }
        let (counter, rounds) = (self.fresh("n"), self.rounds());
        self.declare(&format!("int {counter} = 0;"));
        let was_repeated = std::mem::replace(&mut self.is_repeated, true);
        self.line(&format!("{label}: ;"));
        self.nested();
        let condition = self.full_expression();
        self.line(&format!(
            "if (++{counter} < {rounds} && {condition}) goto {label};"
        ));
        self.is_repeated = was_repeated;
    }

    /// A pointer that gets another value, or is compared.
    fn pointer_statement(&mut self) {
        let is_pointer =
            |shape: &Shape| matches!(shape, Shape::Pointer(_) | Shape::StructPointer(_));
        let all = 0..self.objects.len();
        let pointers: Vec<usize> = all
            .filter(|&o| is_pointer(&self.objects[o].shape))
            .collect();
        let chosen = self.choices.below(pointers.len());
        let Some(&pointer) = pointers.get(chosen) else {
            return self.new_aggregate();
        };
        let name = self.objects[pointer].name.clone();
        let (Shape::Pointer(targets) | Shape::StructPointer(targets)) =
            self.objects[pointer].shape.clone()
        else {
            return;
        };
        let target = targets[self.choices.below(targets.len())];
        let address = self.address(target);
        match self.choices.below(3) {
            0 => self.line(&format!("{name} = {address};")),
            1 => {
                let condition = self.full_expression();
                self.line(&format!("{name} = {condition} ? {address} : {name};"));
            }
            _ => {
                let operator = self.choices.pick(&["==", "!="]);
                self.line(&format!("if ({name} {operator} ({address})) {{"));
                self.nested();
                self.line("}");
            }
        }
    }

    /// A pointer that walks along an array, up to one behind its last element.
    fn walk(&mut self) {
        if self.is_function {
            return self.assignment();
        }
        let all = 0..self.objects.len();
        let is_array = |&o: &usize| matches!(self.objects[o].shape, Shape::Array(_));
        let arrays: Vec<usize> = all.filter(is_array).collect();
        let chosen = self.choices.below(arrays.len());
        let Some(&array) = arrays.get(chosen) else {
            return self.new_aggregate();
        };
        let object = self.objects[array].clone();
        let Shape::Array(length) = object.shape else {
            return;
        };
        let (ty, name) = (&object.ty, &object.name);
        let (pointer, end) = (self.fresh("q"), self.fresh("end"));
        let behind = match self.choices.below(2) {
            0 => format!("{name} + {length}"),
            _ => format!("&{name}[{length}]"),
        };
        self.line(&format!("{{ {ty} *{pointer}, *{end} = {behind};"));
        let head = format!("for ({pointer} = {name}; {pointer} != {end}; {pointer}++)");
        self.repeated(|maker| {
            let value = maker.full_expression();
            let is_free = !maker.touched.has_written(array);
            let step = match maker.choices.below(3) {
                0 if is_free => format!("*{pointer} = {value};"),
                1 if is_free => format!("*{pointer} ^= {value};"),
                _ => format!("(*{pointer})++;"),
            };
            maker.line(&format!("  {head} {step} }}"));
        });
    }

    /// A block with a variable that hides another one.
    fn block(&mut self) {
        let is_pointed_to = |object: usize| {
            self.objects.iter().any(|other| match &other.shape {
                Shape::Pointer(targets) => targets.contains(&object),
                _ => false,
            })
        };
        let scalars: Vec<usize> = (0..self.objects.len())
            .filter(|&object| self.objects[object].shape == Shape::Scalar)
            .filter(|&object| !is_pointed_to(object))
            .collect();
        let chosen = self.choices.below(scalars.len());
        let Some(&hidden) = scalars.get(chosen) else {
            return self.assignment();
        };
        let value = self.full_expression();
        let ty = self.some_type();
        let (name, temporary) = (self.objects[hidden].name.clone(), self.fresh("t"));
        self.line("{");
        self.indent += 1;
        self.line(&format!("{ty} {temporary} = {value};"));
        self.line(&format!("{ty} {name} = {temporary};"));
        let hiding = Object {
            ty: ty.to_owned(),
            is_global: false,
            ..self.objects[hidden].clone()
        };
        let original = std::mem::replace(&mut self.objects[hidden], hiding);
        self.hidden.push(hidden);
        for _ in 0..=self.choices.below(2) {
            self.statement();
        }
        self.assignment_from(&name);
        self.hidden.pop();
        self.objects[hidden] = original;
        self.indent -= 1;
        self.line("}");
    }

    /// What a block has computed leaves it through another variable.
    fn assignment_from(&mut self, name: &str) {
        self.touched = Touched::default();
        let place = self.assignable();
        self.line(&format!("{place} = {name};"));
    }

    fn leave_loop(&mut self) {
        if !self.is_in_loop {
            return self.assignment();
        }
        let condition = self.full_expression();
        let word = self.choices.pick(&["break", "continue"]);
        self.line(&format!("if ({condition}) {word};"));
    }

    /// An array, a struct, a copy of one, or a pointer. In functions that may call themselves
    /// addresses of locals are not supported, so there are none.
    pub(super) fn new_aggregate(&mut self) {
        let is_main = !self.is_function;
        match self.choices.below(5) {
            0 | 1 => {
                self.new_array();
            }
            2 => {
                self.new_struct();
            }
            3 if is_main => self.new_pointer(),
            _ => self.copy_struct(),
        }
    }

    fn copy_struct(&mut self) {
        let from = self.new_struct();
        let all = 0..self.objects.len();
        let structs: Vec<usize> = all
            .filter(|&o| self.objects[o].shape == Shape::Struct)
            .collect();
        let to = structs[self.choices.below(structs.len())];
        let (to, from) = (&self.objects[to].name, &self.objects[from].name);
        let text = format!("{to} = {from};");
        self.line(&text);
    }
}
