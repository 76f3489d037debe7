//! What kind of programs are generated: sizes, chances, weights; and presets for the usual
//! purposes.

/// How a program's threads come about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadForm {
    /// No threads: only `main` runs.
    Sequential,
    /// `thread` blocks, some with several instances, some programs with `init`.
    Blocks,
    /// The Getafix tool: `init`, `main`, `thread…`, the flag `atomic`.
    Getafix,
    /// Boppo: calls under labels `ASYNC_…`.
    Boppo,
    /// SATABS: `start_thread`, `end_thread`, atomic blocks, `thread_local`.
    Satabs,
}

/// What the generator may do. Counts are upper bounds, chances are percentages.
#[derive(Clone, Debug)]
pub struct Knobs {
    /// Procedures besides the entry procedures.
    pub procedures: u32,
    /// Chance that a call may go to any procedure, its own included, instead of a later one.
    pub recursion: u32,
    /// Global variables; at least one is made.
    pub globals: u32,
    /// Local variables of a procedure.
    pub locals: u32,
    /// Parameters of a procedure.
    pub parameters: u32,
    /// Results of a procedure.
    pub results: u32,
    /// Widest integer in bits; 0 for none.
    pub int_width: u32,
    /// Chance of an expression to be made by the operators of words, and of a variable or target to
    /// be an element of an array; 0 for neither.
    pub words: u32,
    /// Threads that run at the start or are started, besides the first.
    pub threads: u32,
    /// Forms of threads, one of which is drawn.
    pub forms: Vec<ThreadForm>,
    /// Steps of a script by which threads wait for each other; 0 for none.
    pub handovers: u32,
    /// Statements of a block; at least one is made.
    pub statements: u32,
    /// Blocks inside blocks.
    pub block_depth: u32,
    /// Operators inside operators.
    pub expression_depth: u32,
    /// Chance of a statement to have a label.
    pub labels: u32,
    /// Chance of a procedure to have an `enforce` clause.
    pub enforce: u32,
    /// Chance of a variable to have an initial value.
    pub initial: u32,
    /// Chance that an assertion repeats what the text before it established.
    pub facts: u32,
    /// Chance of spelling something in the less usual way: `{…}` names, `~`, `&&`, numeric labels,
    /// comments, shadowing.
    pub oddity: u32,
    /// How often each kind of statement is made.
    pub statement: StatementWeights,
    /// How often each kind of expression is made.
    pub expression: ExpressionWeights,
}

/// How often each kind of statement is made, against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatementWeights {
    /// `skip`
    pub skip: u32,
    /// `print`
    pub print: u32,
    /// Assignment of one variable.
    pub assign: u32,
    /// Assignment of several variables, `_` among them.
    pub parallel: u32,
    /// Assignment with `constrain`.
    pub constrained: u32,
    /// Call, with or without targets.
    pub call: u32,
    /// `return`
    pub returning: u32,
    /// `if`, with or without `elsif` and `else`.
    pub branch: u32,
    /// `while`
    pub repeat: u32,
    /// `goto`
    pub goto: u32,
    /// `assert`
    pub assertion: u32,
    /// `assume` or `constrain`
    pub assume: u32,
    /// `abortif`
    pub abort_if: u32,
    /// `dead` or `havoc`
    pub dead: u32,
    /// A label `TARGET` under a condition.
    pub target: u32,
    /// Starting a thread, in the way of the form.
    pub start_thread: u32,
    /// `end_thread`
    pub end_thread: u32,
    /// An atomic block, in the way of the form.
    pub atomic: u32,
}

/// How often each kind of expression is made, against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpressionWeights {
    /// A constant.
    pub constant: u32,
    /// A variable.
    pub variable: u32,
    /// `*` or `?`
    pub choice: u32,
    /// `choose` or `schoose`
    pub choose: u32,
    /// `!` or `~`
    pub not: u32,
    /// Boolean operators.
    pub logic: u32,
    /// Comparisons of integers.
    pub comparison: u32,
    /// Arithmetic.
    pub arithmetic: u32,
    /// `c ? a : b`
    pub conditional: u32,
}

impl Knobs {
    /// Programs so small that brute force is nearly always exact and quick.
    pub fn tiny() -> Self {
        Self {
            procedures: 1,
            recursion: 15,
            globals: 2,
            locals: 1,
            parameters: 1,
            results: 1,
            int_width: 0,
            words: 0,
            threads: 0,
            forms: vec![ThreadForm::Sequential],
            handovers: 0,
            statements: 4,
            block_depth: 2,
            expression_depth: 2,
            labels: 8,
            enforce: 5,
            initial: 60,
            facts: 55,
            oddity: 5,
            statement: StatementWeights {
                skip: 2,
                print: 1,
                assign: 14,
                parallel: 4,
                constrained: 3,
                call: 8,
                returning: 2,
                branch: 7,
                repeat: 4,
                goto: 2,
                assertion: 7,
                assume: 2,
                abort_if: 1,
                dead: 2,
                target: 1,
                start_thread: 0,
                end_thread: 0,
                atomic: 0,
            },
            expression: ExpressionWeights {
                constant: 3,
                variable: 12,
                choice: 2,
                choose: 1,
                not: 4,
                logic: 8,
                comparison: 0,
                arithmetic: 0,
                conditional: 1,
            },
        }
    }

    /// Sequential Boolean programs of several procedures that call each other without recursion.
    pub fn sequential() -> Self {
        let tiny = Self::tiny();
        Self {
            procedures: 3,
            recursion: 0,
            globals: 3,
            locals: 2,
            parameters: 2,
            results: 2,
            statements: 5,
            initial: 45,
            facts: 20,
            statement: StatementWeights {
                assume: 1,
                repeat: 3,
                ..tiny.statement
            },
            ..tiny
        }
    }

    /// Sequential Boolean programs in which calls go anywhere.
    pub fn recursive() -> Self {
        let tiny = Self::tiny();
        Self {
            procedures: 2,
            recursion: 90,
            globals: 2,
            locals: 1,
            parameters: 1,
            results: 2,
            facts: 40,
            statement: StatementWeights {
                call: 16,
                returning: 5,
                ..tiny.statement
            },
            ..tiny
        }
    }

    /// Sequential programs with integers of up to three bits.
    pub fn integers() -> Self {
        let tiny = Self::tiny();
        Self {
            int_width: 3,
            globals: 2,
            facts: 45,
            expression: ExpressionWeights {
                comparison: 8,
                arithmetic: 8,
                ..tiny.expression
            },
            ..tiny
        }
    }

    /// The same with all operators of words, and with arrays.
    pub fn words() -> Self {
        Self {
            words: 45,
            statements: 3,
            ..Self::integers()
        }
    }

    /// Two or three small Boolean threads, in every form.
    pub fn concurrent() -> Self {
        let tiny = Self::tiny();
        Self {
            procedures: 1,
            recursion: 5,
            globals: 2,
            locals: 1,
            parameters: 1,
            threads: 2,
            forms: vec![
                ThreadForm::Blocks,
                ThreadForm::Getafix,
                ThreadForm::Boppo,
                ThreadForm::Satabs,
            ],
            statements: 3,
            block_depth: 1,
            statement: StatementWeights {
                call: 4,
                repeat: 3,
                start_thread: 6,
                end_thread: 1,
                atomic: 4,
                ..tiny.statement
            },
            ..tiny
        }
    }

    /// Threads that wait for each other, so that what they reach takes one, two, three or more
    /// context switches.
    pub fn relay() -> Self {
        let concurrent = Self::concurrent();
        Self {
            globals: 1,
            handovers: 5,
            statements: 2,
            initial: 80,
            statement: StatementWeights {
                call: 3,
                repeat: 1,
                assume: 1,
                abort_if: 0,
                goto: 1,
                atomic: 2,
                start_thread: 1,
                ..concurrent.statement
            },
            ..concurrent
        }
    }

    /// All of the language, in larger programs; brute force often gives up on them.
    pub fn everything() -> Self {
        let (integers, concurrent) = (Self::integers(), Self::concurrent());
        let mut forms = concurrent.forms;
        forms.push(ThreadForm::Sequential);
        Self {
            procedures: 3,
            recursion: 30,
            globals: 2,
            locals: 1,
            parameters: 2,
            results: 3,
            int_width: 2,
            threads: 1,
            forms,
            statements: 4,
            block_depth: 2,
            expression_depth: 3,
            labels: 15,
            enforce: 6,
            initial: 45,
            facts: 10,
            oddity: 20,
            statement: concurrent.statement,
            ..integers
        }
    }

    /// All presets with their names.
    pub fn presets() -> [(&'static str, Self); 8] {
        [
            ("tiny", Self::tiny()),
            ("sequential", Self::sequential()),
            ("recursive", Self::recursive()),
            ("integers", Self::integers()),
            ("concurrent", Self::concurrent()),
            ("relay", Self::relay()),
            ("everything", Self::everything()),
            ("words", Self::words()),
        ]
    }
}
