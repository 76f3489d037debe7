//! The names of a program, also of one with errors.
//!
//! The rules are those of `hardbop_program`: locals hide variables of the thread block, which hide
//! globals; procedures of a thread block hide others; labels belong to their procedure. A test holds
//! every name of valid programs against what the checker made of it.

use hardbop_syntax::ast::{
    Ast, Block, Declaration, ExprId, ExprKind, Ident, Item, Procedure, StmtKind, Symbol, Target,
    TypeName,
};
use hardbop_syntax::index::{Definition, DefinitionKind, Index};
use hardbop_syntax::{Source, Span};
use std::collections::{HashMap, VecDeque};

/// The names of a tree.
pub(crate) fn program_names(ast: &Ast, source: &Source) -> Index {
    let mut namer = Namer {
        ast,
        source,
        index: Index::default(),
        globals: HashMap::new(),
        of_thread: HashMap::new(),
        procedures: HashMap::new(),
        thread_procedures: HashMap::new(),
        locals: HashMap::new(),
        labels: HashMap::new(),
    };
    namer.file();
    namer.index.finished()
}

type Scope = HashMap<Symbol, u32>;

struct Namer<'a> {
    ast: &'a Ast,
    source: &'a Source,
    index: Index,
    globals: Scope,
    of_thread: Scope,
    procedures: Scope,
    thread_procedures: Scope,
    locals: Scope,
    labels: Scope,
}

impl Namer<'_> {
    /// All declarations come before any body: a body may use what is declared after it.
    fn file(&mut self) {
        let ast = self.ast;
        let mut numbers = VecDeque::new();
        for item in &ast.items {
            match item {
                Item::Globals(declaration) => {
                    for (name, number) in self.declaration(declaration, None) {
                        self.globals.entry(name).or_insert(number);
                    }
                }
                Item::Procedure(procedure) => {
                    let number = self.procedure(procedure, None);
                    self.procedures.entry(procedure.name.name).or_insert(number);
                    numbers.push_back(number);
                }
                Item::Thread(_) => {}
            }
        }
        for item in &ast.items {
            match item {
                Item::Globals(declaration) => self.initial_values(declaration),
                Item::Procedure(procedure) => {
                    let number = numbers
                        .pop_front()
                        .expect("each procedure was given a number");
                    self.body(procedure, number);
                }
                Item::Thread(thread) => {
                    let instances = thread.instances.map(|(count, _)| format!("({count})"));
                    let text = ast.text(thread.name.name);
                    let declaration = format!("thread {text}{}", instances.unwrap_or_default());
                    let kind = DefinitionKind::Thread;
                    let whole = thread.span;
                    let parent = Some(self.define(thread.name, kind, whole, None, declaration));
                    for declaration in &thread.variables {
                        for (name, number) in self.declaration(declaration, parent) {
                            self.of_thread.entry(name).or_insert(number);
                        }
                    }
                    let procedures = thread.procedures.iter();
                    let numbers: Vec<u32> = procedures.map(|p| self.procedure(p, parent)).collect();
                    for (procedure, &number) in thread.procedures.iter().zip(&numbers) {
                        let name = procedure.name.name;
                        self.thread_procedures.entry(name).or_insert(number);
                    }
                    for declaration in &thread.variables {
                        self.initial_values(declaration);
                    }
                    for (procedure, number) in thread.procedures.iter().zip(numbers) {
                        self.body(procedure, number);
                    }
                    self.of_thread.clear();
                    self.thread_procedures.clear();
                }
            }
        }
    }

    fn define(
        &mut self,
        name: Ident,
        kind: DefinitionKind,
        whole: Span,
        parent: Option<u32>,
        declaration: String,
    ) -> u32 {
        self.index.define(Definition {
            name: self.ast.text(name.name).to_owned(),
            kind,
            span: name.span,
            whole: whole.to(name.span),
            parent,
            declaration,
        })
    }

    fn declaration(
        &mut self,
        declaration: &Declaration,
        parent: Option<u32>,
    ) -> Vec<(Symbol, u32)> {
        let ast = self.ast;
        let mut declared = Vec::new();
        for variable in &declaration.variables {
            let local = if declaration.thread_local {
                "thread_local "
            } else {
                ""
            };
            let ty = type_text(declaration.ty);
            let name = ast.text(variable.name.name);
            let initial = variable
                .initial
                .map(|id| self.source.excerpt(ast.expr(id).span));
            let initial = initial.map_or_else(String::new, |text| format!(" := {text}"));
            let length = variable.length;
            let length = length.map_or_else(String::new, |(length, _)| format!("[{length}]"));
            let text = format!("{local}decl {ty}{name}{length}{initial}");
            let kind = DefinitionKind::Variable;
            let number = self.define(variable.name, kind, variable.name.span, parent, text);
            declared.push((variable.name.name, number));
        }
        declared
    }

    /// Initial values are constants, but a name may stand there by mistake.
    fn initial_values(&mut self, declaration: &Declaration) {
        self.locals.clear();
        for variable in &declaration.variables {
            self.expressions(variable.initial);
        }
    }

    fn procedure(&mut self, procedure: &Procedure, parent: Option<u32>) -> u32 {
        let head = Span::new(procedure.span.start, procedure.body.opening.start);
        let words: Vec<&str> = self.source.slice(head).split_whitespace().collect();
        let kind = DefinitionKind::Procedure;
        self.define(
            procedure.name,
            kind,
            procedure.span,
            parent,
            words.join(" "),
        )
    }

    fn body(&mut self, procedure: &Procedure, number: u32) {
        self.locals.clear();
        self.labels.clear();
        let parent = Some(number);
        for parameter in &procedure.parameters {
            let name = self.ast.text(parameter.name.name);
            let text = format!("{}{name}, a parameter", type_text(parameter.ty));
            let kind = DefinitionKind::Variable;
            let span = parameter.name.span;
            let number = self.define(parameter.name, kind, span, parent, text);
            self.locals.entry(parameter.name.name).or_insert(number);
        }
        for declaration in &procedure.locals {
            for (name, number) in self.declaration(declaration, parent) {
                self.locals.entry(name).or_insert(number);
            }
        }
        let locals = procedure.locals.iter().flat_map(|list| &list.variables);
        self.expressions(locals.filter_map(|variable| variable.initial));
        self.expressions(procedure.enforce);
        let blocks = self.blocks(&procedure.body);
        for block in &blocks {
            for &id in &block.stmts {
                let labels = &self.ast.stmt(id).labels;
                for label in labels {
                    self.label(*label, parent);
                }
            }
            for label in &block.end_labels {
                self.label(*label, parent);
            }
        }
        for &id in blocks.iter().flat_map(|block| &block.stmts) {
            self.statement(&self.ast.stmt(id).kind);
        }
    }

    /// The block and all blocks inside it.
    fn blocks<'b>(&self, body: &'b Block) -> Vec<&'b Block>
    where
        Self: 'b,
    {
        let mut found: Vec<&'b Block> = vec![body];
        let mut next = 0;
        while next < found.len() {
            let block = found[next];
            next += 1;
            for &id in &block.stmts {
                match &self.ast.stmts[id.0 as usize].kind {
                    StmtKind::If { arms, otherwise } => {
                        found.extend(arms.iter().map(|(_, block)| block));
                        found.extend(otherwise.as_deref());
                    }
                    StmtKind::While { body, .. } => found.push(body),
                    _ => {}
                }
            }
        }
        found
    }

    fn label(&mut self, label: Ident, parent: Option<u32>) {
        if let Some(&number) = self.labels.get(&label.name) {
            self.index.mention(label.span, number, true);
            return;
        }
        let text = format!("label {}", self.ast.text(label.name));
        let number = self.define(label, DefinitionKind::Label, label.span, parent, text);
        self.labels.insert(label.name, number);
    }

    fn statement(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Print(list) | StmtKind::Return(list) => {
                self.expressions(list.iter().copied());
            }
            StmtKind::Assign {
                targets,
                values,
                constrain,
            } => {
                self.targets(targets);
                self.expressions(values.iter().chain(constrain).copied());
            }
            StmtKind::Call {
                targets,
                callee,
                arguments,
                ..
            } => {
                self.targets(targets);
                self.callee(*callee);
                self.expressions(arguments.iter().copied());
            }
            StmtKind::If { arms, .. } => self.expressions(arms.iter().map(|(id, _)| *id)),
            StmtKind::While { condition: id, .. }
            | StmtKind::Assert(id)
            | StmtKind::Assume { condition: id, .. }
            | StmtKind::AbortIf(id) => self.expression(*id),
            StmtKind::Goto(labels) => {
                for label in labels {
                    self.jump(*label);
                }
            }
            StmtKind::StartThreadAt(label) => self.jump(*label),
            StmtKind::Dead { variables, .. } => {
                for name in variables {
                    self.variable(name.name, name.span);
                }
            }
            StmtKind::StartThreadCall { callee, arguments } => {
                self.callee(*callee);
                self.expressions(arguments.iter().copied());
            }
            StmtKind::Skip
            | StmtKind::EndThread
            | StmtKind::AtomicBegin
            | StmtKind::AtomicEnd
            | StmtKind::Error => {}
        }
    }

    fn targets(&mut self, targets: &[Target]) {
        for target in targets {
            match *target {
                Target::Variable(name) => self.variable(name.name, name.span),
                Target::Element(element) => self.expression(element),
                Target::Discard(_) => {}
            }
        }
    }

    fn jump(&mut self, label: Ident) {
        if let Some(&number) = self.labels.get(&label.name) {
            self.index.mention(label.span, number, false);
        }
    }

    fn callee(&mut self, callee: Ident) {
        let of_thread = self.thread_procedures.get(&callee.name);
        if let Some(&number) = of_thread.or_else(|| self.procedures.get(&callee.name)) {
            self.index.mention(callee.span, number, false);
        }
    }

    fn variable(&mut self, name: Symbol, span: Span) {
        let scopes = [&self.locals, &self.of_thread, &self.globals];
        let found = scopes.into_iter().find_map(|scope| scope.get(&name));
        if let Some(&number) = found {
            self.index.mention(span, number, false);
        }
    }

    fn expressions(&mut self, roots: impl IntoIterator<Item = ExprId>) {
        for root in roots {
            self.expression(root);
        }
    }

    fn expression(&mut self, root: ExprId) {
        let mut open = vec![root];
        while let Some(id) = open.pop() {
            let expr = *self.ast.expr(id);
            match expr.kind {
                ExprKind::Name(name) => self.variable(name, expr.span),
                ExprKind::Primed(name) => {
                    let length = self.ast.text(name).len() as u32;
                    let start = expr.span.end.saturating_sub(length);
                    self.variable(name, Span::new(start, expr.span.end));
                }
                kind => open.extend(kind.operands()),
            }
        }
    }
}

fn type_text(ty: TypeName) -> String {
    match ty {
        TypeName::Bool => String::new(),
        TypeName::Int { width, .. } => format!("int<{width}> "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_families::generator::{Knobs, generate};
    use hardbop_program::{ProcId, Program, Variable};
    use hardbop_syntax::ast::StmtId;
    use std::path::Path;

    /// Where the checker says that the names of a program are defined, by the place of the name.
    fn expected(program: &Program) -> Vec<(Span, Span)> {
        let ast = &program.ast;
        let mut found = Vec::new();
        for number in 0..program.procedures.len() {
            let id = ProcId::new(number);
            let procedure = &program.procedures[number];
            let defined = |variable: Variable| match variable {
                Variable::Global(id) => program.globals[id.index()].span,
                Variable::Local(id) => procedure.locals[id.index()].span,
            };
            let inside = program.syntax(id).span;
            let is_inside = |span: Span| inside.start <= span.start && span.end <= inside.end;
            for (index, expr) in ast
                .exprs
                .iter()
                .enumerate()
                .filter(|(_, e)| is_inside(e.span))
            {
                if let ExprKind::Name(_) = expr.kind {
                    found.push((expr.span, defined(program.variable(ExprId(index as u32)))));
                }
            }
            let stmts = ast.stmts.iter().enumerate();
            for (index, stmt) in stmts.filter(|(_, stmt)| is_inside(stmt.span)) {
                let id = StmtId(index as u32);
                if let StmtKind::Assign { targets, .. } | StmtKind::Call { targets, .. } =
                    &stmt.kind
                {
                    for (target, variable) in targets.iter().zip(program.targets(id)) {
                        if let (Target::Variable(name), Some(variable)) = (target, variable) {
                            found.push((name.span, defined(*variable)));
                        }
                    }
                }
                if let StmtKind::Call { callee, .. } | StmtKind::StartThreadCall { callee, .. } =
                    &stmt.kind
                {
                    let called = program.syntax(program.callee(id)).name.span;
                    found.push((callee.span, called));
                }
            }
        }
        found
    }

    /// How many names were compared.
    fn compare(source: &Source) -> usize {
        let parsed = hardbop_syntax::parse(source);
        let index = program_names(&parsed.ast, source);
        let checked = hardbop_program::check(parsed.ast, source, None);
        let Some(program) = checked.program else {
            return 0;
        };
        let expected = expected(&program);
        for (name, definition) in &expected {
            let mention = index.at(name.start);
            let known = "every name of a valid program is known";
            let mention = mention.unwrap_or_else(|| panic!("{known}: {}", source.slice(*name)));
            assert_eq!(mention.span, *name, "{}", source.name());
            let found = index.definitions[mention.definition as usize].span;
            assert_eq!(
                found,
                *definition,
                "{}: {}",
                source.name(),
                source.slice(*name)
            );
        }
        expected.len()
    }

    #[test]
    fn names_mean_what_the_checker_says() {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        let mut names = 0;
        for entry in std::fs::read_dir(examples).expect("the examples are there") {
            let path = entry.expect("the folder is readable").path();
            if path
                .extension()
                .is_some_and(|extension| extension == "bp" || extension == "gp")
            {
                let text = std::fs::read_to_string(&path).expect("an example is text");
                names += compare(&Source::new(path.to_string_lossy(), text));
            }
        }
        for (preset, knobs) in Knobs::presets() {
            for seed in 0..60 {
                let name = format!("{preset}-{seed}.bp");
                names += compare(&Source::new(name, generate(seed, &knobs)));
            }
        }
        assert!(names > 5_000, "{names}");
    }
}
