//! The formatter: one layout for every program, comments kept, meaning unchanged.
//!
//! It prints the tree, and puts each comment back where it belongs: on its own line before what
//! follows it, or behind the line it stood behind. A comment in the middle of a statement moves
//! before the statement. Single blank lines between statements are kept. Formatting twice is the
//! same as formatting once; the tests and a fuzz target hold it to that.

mod expressions;
mod layout;
mod statements;

use crate::ast::{
    Ast, Block, Declaration, Form, Ident, Item, Procedure, StmtId, StmtKind, ThreadBlock,
};
use crate::parser::parse_as;
use crate::source::Source;
use layout::Line;

/// Spaces per level.
const INDENT: usize = 2;
/// Deeper levels are not indented further, so that output stays linear in the size of the input.
const MAX_LEVELS: usize = 40;

/// The program as it should look. The tree must be that of the source and free of errors.
pub fn format(ast: &Ast, source: &Source) -> String {
    let mut formatter = Formatter {
        ast,
        source,
        out: String::with_capacity(source.text().len()),
        level: 0,
        next_comment: 0,
        last_end: 0,
        block_start: true,
    };
    formatter.file();
    formatter.out
}

/// The same, only if the text has been found to say what the tree says: it is parsed again, and its
/// tree and number of comments compared.
pub fn format_checked(ast: &Ast, source: &Source) -> Option<String> {
    let text = format(ast, source);
    let again = parse_as(&Source::new(source.name(), text.as_str()), ast.form).ast;
    let is_same = again.comments.len() == ast.comments.len()
        && again.without_places() == ast.without_places();
    is_same.then_some(text)
}

struct Formatter<'a> {
    ast: &'a Ast,
    source: &'a Source,
    out: String,
    level: usize,
    /// Comments before this one have been printed.
    next_comment: usize,
    /// End of the last piece of source that has been printed.
    last_end: u32,
    /// Nothing has been printed in this block yet: no blank line belongs here.
    block_start: bool,
}

/// What remains to be printed inside a procedure.
#[derive(Clone, Copy)]
enum Todo<'a> {
    /// The statements of a block from an index on.
    Stmts(&'a Block, usize),
    /// The head of an arm after the first, or of `else`.
    Arm(StmtId, usize),
    /// The end of a block: its labels, then the closing word of the statement.
    Close(&'a Block, &'static str, u32),
    EndLabels(&'a Block),
}

impl<'a> Formatter<'a> {
    fn file(&mut self) {
        let items = &self.ast.items;
        for (index, item) in items.iter().enumerate() {
            let limit = items.get(index + 1).map_or(u32::MAX, item_start);
            match item {
                Item::Globals(declaration) => self.declaration(declaration, limit),
                Item::Procedure(procedure) => self.procedure(procedure, limit),
                Item::Thread(thread) => self.thread(thread, limit),
            }
        }
        self.comments_before(u32::MAX);
    }

    fn declaration(&mut self, declaration: &Declaration, limit: u32) {
        let line = statements::declaration(self.ast, declaration);
        self.line(line, declaration.span.start, declaration.span.end, limit);
    }

    fn thread(&mut self, thread: &'a ThreadBlock, limit: u32) {
        self.separate_item(thread.span.start);
        let mut line = Line::default();
        line.word("thread");
        line.word(self.ast.text(thread.name.name));
        if let Some((count, _)) = thread.instances {
            line.glue(format!("({count})"));
        }
        line.word("begin");
        let declarations = thread.variables.iter().map(|d| d.span.start);
        let procedures = thread.procedures.iter().map(|p| p.span.start);
        let starts: Vec<u32> = declarations.chain(procedures).collect();
        let first = starts
            .iter()
            .copied()
            .min()
            .unwrap_or(thread.end_span.start);
        self.line(line, thread.span.start, thread.name.span.end, first);
        self.open_block();
        for (index, declaration) in thread.variables.iter().enumerate() {
            let next = starts.get(index + 1).copied();
            self.declaration(declaration, next.unwrap_or(thread.end_span.start));
        }
        for (index, procedure) in thread.procedures.iter().enumerate() {
            let next = thread.procedures.get(index + 1).map(|p| p.span.start);
            self.procedure(procedure, next.unwrap_or(thread.end_span.start));
        }
        self.close_block("end", thread.end_span.start, thread.end_span.end, limit);
    }

    fn procedure(&mut self, procedure: &'a Procedure, limit: u32) {
        if self.ast.form == Form::GuardedBlocks {
            self.guarded(&procedure.body);
            return;
        }
        self.separate_item(procedure.span.start);
        let line = statements::procedure_head(self.ast, procedure);
        let mut places: Vec<u32> = procedure.locals.iter().map(|d| d.span.start).collect();
        if procedure.enforce.is_some() {
            places.push(procedure.enforce_span.start);
        }
        let body_start = self.block_start_of(&procedure.body);
        let first = places.iter().copied().min().unwrap_or(body_start);
        let head_end = procedure.body.opening.end;
        self.line(line, procedure.span.start, head_end, first);
        self.open_block();
        for (index, declaration) in procedure.locals.iter().enumerate() {
            let next = places.get(index + 1).copied().unwrap_or(body_start);
            self.declaration(declaration, next);
        }
        if let Some(condition) = procedure.enforce {
            let line = statements::enforce(self.ast, condition);
            let span = procedure.enforce_span;
            self.line(line, span.start, span.end, body_start);
        }
        let level = self.level;
        let mut todo = vec![
            Todo::EndLabels(&procedure.body),
            Todo::Stmts(&procedure.body, 0),
        ];
        while let Some(next) = todo.pop() {
            self.body_part(next, &mut todo);
        }
        self.level = level;
        let end = procedure.end_span;
        self.close_block("end", end.start, end.end, limit);
    }

    fn body_part(&mut self, part: Todo<'a>, todo: &mut Vec<Todo<'a>>) {
        match part {
            Todo::Stmts(block, index) => {
                let Some(&id) = block.stmts.get(index) else {
                    return;
                };
                todo.push(Todo::Stmts(block, index + 1));
                let after = block.stmts.get(index + 1);
                let limit =
                    after.map_or_else(|| end_of_block(block), |&next| self.stmt_start(next));
                self.stmt(id, limit, todo);
            }
            Todo::Arm(id, index) => {
                let StmtKind::If { arms, otherwise } = &self.ast.stmt(id).kind else {
                    return;
                };
                let (head, block, previous) = match arms.get(index) {
                    Some((condition, block)) => {
                        let head = statements::head(self.ast, &[], "elsif", *condition, "then");
                        (head, block, &arms[index - 1].1)
                    }
                    None => {
                        let Some(block) = otherwise.as_deref() else {
                            return;
                        };
                        let mut head = Line::default();
                        head.word("else");
                        (head, block, &arms[arms.len() - 1].1)
                    }
                };
                self.end_labels(previous);
                self.comments_before(previous.closing.start);
                self.level -= 1;
                let limit = self.block_start_of(block);
                self.line(head, previous.closing.start, block.opening.end, limit);
                self.open_block();
                todo.push(Todo::Stmts(block, 0));
            }
            Todo::Close(block, word, limit) => {
                self.end_labels(block);
                self.close_block(word, block.closing.start, block.closing.end, limit);
            }
            Todo::EndLabels(block) => self.end_labels(block),
        }
    }

    fn stmt(&mut self, id: StmtId, limit: u32, todo: &mut Vec<Todo<'a>>) {
        let stmt = self.ast.stmt(id);
        let start = self.stmt_start(id);
        let (word, condition, opening, block) = match &stmt.kind {
            StmtKind::If { arms, .. } => ("if", arms[0].0, "then", &arms[0].1),
            StmtKind::While { condition, body } => ("while", *condition, "do", &**body),
            _ => {
                let line = statements::simple(self.ast, stmt);
                self.line(line, start, stmt.span.end, limit);
                return;
            }
        };
        let head = statements::head(self.ast, &stmt.labels, word, condition, opening);
        let inner = self.block_start_of(block);
        self.line(head, start, block.opening.end, inner);
        self.open_block();
        match &stmt.kind {
            StmtKind::If { arms, otherwise } => {
                let last = otherwise.as_deref().unwrap_or(&arms[arms.len() - 1].1);
                todo.push(Todo::Close(last, "fi", limit));
                let parts = arms.len() + usize::from(otherwise.is_some());
                // An arm's statements are pushed when its head is printed, so heads wait below
                // them.
                todo.extend((1..parts).rev().map(|index| Todo::Arm(id, index)));
            }
            _ => todo.push(Todo::Close(block, "od", limit)),
        }
        todo.push(Todo::Stmts(block, 0));
    }

    fn end_labels(&mut self, block: &Block) {
        if let (Some(first), Some(last)) = (block.end_labels.first(), block.end_labels.last()) {
            let mut line = Line::default();
            statements::labels(self.ast, &block.end_labels, &mut line);
            self.line(line, first.span.start, last.span.end, block.closing.start);
        }
    }

    /// Blocks of the guarded form: the label on a line of its own, the statements below it.
    fn guarded(&mut self, body: &'a Block) {
        self.block_start = self.out.is_empty();
        for (index, &id) in body.stmts.iter().enumerate() {
            let stmt = self.ast.stmt(id);
            let after = body.stmts.get(index + 1);
            let limit = after.map_or(u32::MAX, |&next| self.stmt_start(next));
            if let (Some(first), Some(last)) = (stmt.labels.first(), stmt.labels.last()) {
                let mut line = Line::default();
                statements::labels(self.ast, &stmt.labels, &mut line);
                self.level = 0;
                let inner = if is_implicit(stmt) {
                    // Without it the labels of the next block would be labels of this one.
                    if after.is_some() {
                        line.word(";");
                    }
                    limit
                } else {
                    stmt.span.start
                };
                self.line(line, first.span.start, last.span.end, inner);
                self.open_block();
            }
            if !is_implicit(stmt) {
                let line = statements::simple(self.ast, stmt);
                self.line(line, stmt.span.start, stmt.span.end, limit);
            }
        }
        self.level = 0;
    }

    /// Prints a line for the source from `start` to `end`: the comments before its end, then the
    /// line, then a comment that stands behind it on the same line of the source but before
    /// `limit`.
    fn line(&mut self, line: Line, start: u32, end: u32, limit: u32) {
        self.comments_before(end);
        self.blank_line_before(start);
        line.write(self.indent(), &mut self.out);
        self.last_end = self.last_end.max(end);
        self.block_start = false;
        self.comments_behind(end, limit);
        self.out.push('\n');
    }

    fn comments_behind(&mut self, end: u32, limit: u32) {
        while let Some(comment) = self.ast.comments.get(self.next_comment) {
            let between = end..comment.span.start;
            if comment.span.start >= limit
                || comment.span.start < end
                || self.has_newlines(between, 1)
            {
                return;
            }
            self.out.push(' ');
            self.out.push_str(self.source.slice(comment.span));
            self.last_end = comment.span.end;
            self.next_comment += 1;
            if self.source.slice(comment.span).contains('\n') {
                return;
            }
        }
    }

    /// Prints the comments that start before an offset, each on a line of its own.
    fn comments_before(&mut self, offset: u32) {
        while let Some(comment) = self.ast.comments.get(self.next_comment) {
            if comment.span.start >= offset {
                return;
            }
            self.blank_line_before(comment.span.start);
            let indent = self.indent();
            self.out.extend(std::iter::repeat_n(' ', indent));
            self.out.push_str(self.source.slice(comment.span));
            self.out.push('\n');
            self.last_end = self.last_end.max(comment.span.end);
            self.next_comment += 1;
            self.block_start = false;
        }
    }

    /// Keeps one blank line where the source has some.
    fn blank_line_before(&mut self, start: u32) {
        if !self.block_start && self.last_end < start && self.has_newlines(self.last_end..start, 2)
        {
            self.blank_line();
        }
    }

    fn blank_line(&mut self) {
        if !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// Procedures and threads stand apart from what is before them.
    fn separate_item(&mut self, start: u32) {
        let comment = self.ast.comments.get(self.next_comment);
        if !self.block_start && comment.is_none_or(|comment| comment.span.start > start) {
            self.blank_line();
        }
    }

    fn has_newlines(&self, range: std::ops::Range<u32>, count: usize) -> bool {
        let text = self.source.text().as_bytes();
        let range = range.start as usize..(range.end as usize).min(text.len());
        let between = text.get(range).unwrap_or(&[]);
        between
            .iter()
            .filter(|&&b| b == b'\n')
            .nth(count - 1)
            .is_some()
    }

    fn open_block(&mut self) {
        self.level += 1;
        self.block_start = true;
    }

    fn close_block(&mut self, word: &str, start: u32, end: u32, limit: u32) {
        self.comments_before(start);
        self.level -= 1;
        self.block_start = true;
        let mut line = Line::default();
        line.word(word);
        self.line(line, start, end, limit);
    }

    fn indent(&self) -> usize {
        self.level.min(MAX_LEVELS) * INDENT
    }

    fn stmt_start(&self, id: StmtId) -> u32 {
        let stmt = self.ast.stmt(id);
        first_of(&stmt.labels, stmt.span.start)
    }

    fn block_start_of(&self, block: &Block) -> u32 {
        match block.stmts.first() {
            Some(&first) => self.stmt_start(first),
            None => end_of_block(block),
        }
    }
}

fn item_start(item: &Item) -> u32 {
    match item {
        Item::Globals(declaration) => declaration.span.start,
        Item::Procedure(procedure) => procedure.span.start,
        Item::Thread(thread) => thread.span.start,
    }
}

fn end_of_block(block: &Block) -> u32 {
    first_of(&block.end_labels, block.closing.start)
}

fn first_of(labels: &[Ident], otherwise: u32) -> u32 {
    labels.first().map_or(otherwise, |label| label.span.start)
}

/// The `return` that ends a guarded block without `goto` has no text.
fn is_implicit(stmt: &crate::ast::Stmt) -> bool {
    stmt.span.start == stmt.span.end && matches!(stmt.kind, StmtKind::Return(_))
}

#[cfg(test)]
mod tests;
