//! Questions about one obligation: does it follow from the frames, and if not, which state or call
//! comes before it?

use crate::encoding::cubes::{Cube, StateLit};
use crate::encoding::query::{BlockQuery, input_values};
use crate::search::obligations::{Obligation, Purpose, Way};
use crate::search::reachability::{MOST_CONFLICTS, Reachability};
use crate::search::reached::{Arrival, Reached, TakenEdge};
use hardbop_machine::{Action, NodeId};
use hardbop_outcome::Limit;
use hardbop_sat::{Answer, Lit};

/// What is kept of a model.
pub(super) struct BlockModel {
    source: Cube,
    choices: Vec<Lit>,
    /// Entry and exit of each completed call.
    pairs: Vec<Cube>,
}

/// A core, or a block and a model.
pub(super) type Attempt = Result<Cube, (usize, BlockModel)>;

/// Attempts to drop a literal of a cube.
const MOST_ATTEMPTS: usize = 150;

impl<'i> Reachability<'_, 'i, '_> {
    /// The solver of a block.
    pub(super) fn query(&mut self, number: usize) -> &mut BlockQuery<'i> {
        if self.queries[number]
            .as_ref()
            .is_some_and(BlockQuery::is_worn)
        {
            self.queries[number] = None;
        }
        if self.queries[number].is_none() {
            let block = &self.points.blocks[number];
            let mut query = BlockQuery::new(
                self.machine,
                &mut self.frames,
                &self.vocabularies,
                block,
                self.interrupt,
            );
            if query.guard.is_some() {
                for lemma in self.lemmas.at(block.source) {
                    query.exclude_source(&lemma.cube, lemma.level);
                }
                for (call, &(exit, _)) in block.calls.iter().enumerate() {
                    for lemma in self.lemmas.at(exit) {
                        query.exclude_call(call, &lemma.cube, lemma.level);
                    }
                    for fact in &self.facts[exit.index()] {
                        query.add_fact(call, &fact.cube);
                    }
                }
            }
            self.queries[number] = Some(query);
        }
        self.queries[number].as_mut().expect("it was just made")
    }

    /// Whether the frames show that no block leads into a cube within a number of levels. With
    /// `is_relative`, the cube itself is not where a run comes from: its negation is about to become
    /// a clause of all frames up to this level.
    pub(super) fn attempt(
        &mut self,
        node: NodeId,
        cube: &Cube,
        level: usize,
        is_relative: bool,
        conflicts: Option<u64>,
    ) -> Result<Attempt, Limit> {
        let mut core = Cube::new();
        for index in 0..self.points.incoming[node.index()].len() {
            let number = self.points.incoming[node.index()][index];
            match self.ask(number, cube, level, is_relative, conflicts)? {
                Ok(needed) => core.extend(needed),
                Err(model) => {
                    // What failed is likely to fail again.
                    self.points.incoming[node.index()].swap(0, index);
                    return Ok(Err((number, model)));
                }
            }
        }
        core.sort_unstable();
        core.dedup();
        Ok(Ok(self.without_initial(node, core, cube)))
    }

    /// One block: the literals that are needed to exclude the cube behind it, or a model.
    fn ask(
        &mut self,
        number: usize,
        cube: &Cube,
        level: usize,
        is_relative: bool,
        conflicts: Option<u64>,
    ) -> Result<Result<Cube, BlockModel>, Limit> {
        let block = self.points.blocks[number].clone();
        let Some(levels) = self.levels(number, level) else {
            return Ok(Ok(Cube::new()));
        };
        let query = self.query(number);
        let Some(guard) = query.guard else {
            return Ok(Ok(Cube::new()));
        };
        let mut assumptions = vec![guard];
        query.assume_source(levels[0], &mut assumptions);
        for (call, &level) in levels[1..].iter().enumerate() {
            query.assume_summary(call, level, &mut assumptions);
        }
        let mut temporaries = Vec::new();
        if is_relative {
            if block.source == block.target {
                let clause: Vec<Lit> = query.source.literals(cube).iter().map(|&l| !l).collect();
                temporaries.push(query.temporary(&clause));
            }
            for (call, _) in block.calls.iter().enumerate() {
                if block.calls[call].0 == block.target {
                    let pair = query.calls[call].pair.literals(cube);
                    let clause: Vec<Lit> = pair.iter().map(|&l| !l).collect();
                    temporaries.push(query.temporary(&clause));
                }
            }
        }
        assumptions.extend(&temporaries);
        let wanted = query.target.literals(cube);
        assumptions.extend(&wanted);
        query.circuit.solver().set_conflict_limit(conflicts);
        let answer = query.solve(&assumptions);
        query.circuit.solver().set_conflict_limit(None);
        let result = match answer {
            Answer::Unsat => {
                let mut needed = query.circuit.solver().core();
                needed.sort_unstable();
                let pairs = cube.iter().zip(&wanted);
                let kept = pairs.filter(|(_, lit)| needed.binary_search(lit).is_ok());
                Some(Ok(kept.map(|(&lit, _)| lit).collect()))
            }
            Answer::Sat => None,
            // An answer that was not needed.
            Answer::Interrupted => Some(Err(BlockModel {
                source: Cube::new(),
                choices: Vec::new(),
                pairs: Vec::new(),
            })),
        };
        let result = match result {
            Some(result) => result,
            None => Err(self.model(number)),
        };
        let query = self.query_as_is(number);
        for guard in temporaries {
            query.release(guard);
        }
        self.counts.questions += 1;
        self.check_limits()?;
        if answer == Answer::Interrupted && conflicts.is_none() {
            return Err(self.interrupted());
        }
        Ok(result)
    }

    fn interrupted(&self) -> Limit {
        self.budget.interrupt.check().unwrap_or(Limit::Interrupted)
    }

    /// The levels of the source and of the calls of a block whose target is at a level; `None` if
    /// one is below all.
    fn levels(&self, number: usize, level: usize) -> Option<Vec<usize>> {
        let block = &self.points.blocks[number];
        let mut levels = vec![level.checked_sub(block.drop)?];
        for &(_, drop) in &block.calls {
            levels.push(level.checked_sub(drop)?);
        }
        Some(levels)
    }

    fn query_as_is(&mut self, number: usize) -> &mut BlockQuery<'i> {
        self.queries[number]
            .as_mut()
            .expect("it has just been asked")
    }

    /// The last model of a block.
    fn model(&mut self, number: usize) -> BlockModel {
        let block = &self.points.blocks[number];
        let query = self.queries[number]
            .as_mut()
            .expect("it has just been asked");
        let bits = query.source.clone();
        let source = query.state(&bits, &self.vocabularies[block.source.index()]);
        let choices: Vec<Lit> = query
            .steps
            .iter()
            .flat_map(|step| step.choices.iter().map(|choice| choice.literal))
            .chain(query.free.iter().map(|free| free.literal))
            .collect();
        let choices = choices.into_iter().map(|lit| query.valued(lit)).collect();
        let mut pairs = Vec::new();
        for (call, (exit, _)) in block.calls.iter().enumerate() {
            let bits = query.calls[call].pair.clone();
            pairs.push(query.state(&bits, &self.vocabularies[exit.index()]));
        }
        BlockModel {
            source,
            choices,
            pairs,
        }
    }

    /// A model leads into an obligation: what comes before it is another one.
    pub(super) fn extend(
        &mut self,
        number: usize,
        block: usize,
        mut model: BlockModel,
    ) -> Result<(), Limit> {
        let obligation = self.obligations.get(number);
        let (cube, level, is_free) = (
            obligation.cube.clone(),
            obligation.level,
            obligation.is_free,
        );
        let levels = self.levels(block, level).unwrap_or_default();
        let data = self.points.blocks[block].clone();
        let mut facts = Vec::new();
        for call in 0..data.calls.len() {
            let query = self.query_as_is(block);
            let mut assumptions: Vec<Lit> = query.guard.into_iter().collect();
            query.assume_source(levels[0], &mut assumptions);
            for other in 0..data.calls.len() {
                if other <= call {
                    query.assume_fact(other, &mut assumptions);
                } else {
                    query.assume_summary(other, levels[other + 1], &mut assumptions);
                }
            }
            assumptions.extend(query.target.literals(&cube));
            let answer = query.solve(&assumptions);
            facts.clear();
            if answer == Answer::Sat {
                for call in 0..=call {
                    facts.extend(query.used_fact(call));
                }
            }
            self.counts.questions += 1;
            self.check_limits()?;
            match answer {
                Answer::Sat => model = self.model(block),
                Answer::Interrupted => return Err(self.interrupted()),
                Answer::Unsat => {
                    let cube = self.lift_call(block, call, &cube, &model)?;
                    self.add(Obligation {
                        node: data.calls[call].0,
                        cube,
                        level: levels[call + 1],
                        purpose: Purpose::Fact,
                        is_free: true,
                        is_reached: false,
                    });
                    return Ok(());
                }
            }
        }
        let source = self.lift(block, &cube, &model)?;
        self.add(Obligation {
            node: data.source,
            cube: source,
            level: levels[0],
            purpose: Purpose::Predecessor {
                parent: number,
                way: Way {
                    block,
                    choices: model.choices,
                    facts,
                },
            },
            is_free: is_free && !data.enters,
            is_reached: false,
        });
        Ok(())
    }

    /// The part of the source state of a model that makes the block, with the same choices and
    /// summaries, lead into the cube.
    fn lift(&mut self, block: usize, cube: &Cube, model: &BlockModel) -> Result<Cube, Limit> {
        let query = self.query_as_is(block);
        let mut fixed = model.choices.clone();
        let mut wanted = query.target.literals(cube);
        wanted.extend(query.guard);
        for (call, pair) in query.calls.iter().zip(&model.pairs) {
            for &lit in pair {
                // What the callee leaves as it is belongs to the entry.
                let is_changed = !lit.is_entry() && {
                    let bit = lit.bit() as usize;
                    call.pair.entry[bit] != call.pair.now[bit]
                };
                let literal = call.pair.literal(lit);
                if is_changed { &mut fixed } else { &mut wanted }.push(literal);
            }
        }
        self.needed(
            block,
            &model.source,
            |query, lit| query.source.literal(lit),
            fixed,
            &wanted,
        )
    }

    /// The part of the exit state of a call that makes the rest of the block lead into the cube;
    /// with all that is known of the entry.
    fn lift_call(
        &mut self,
        block: usize,
        call: usize,
        cube: &Cube,
        model: &BlockModel,
    ) -> Result<Cube, Limit> {
        let query = self.query_as_is(block);
        let mut fixed = model.choices.clone();
        fixed.extend(query.source.literals(&model.source));
        let mut wanted = query.target.literals(cube);
        wanted.extend(query.guard);
        let (mut passed, mut left) = (Cube::new(), Cube::new());
        for (index, pair) in model.pairs.iter().enumerate() {
            let bits = &query.calls[index].pair;
            for &lit in pair {
                let bit = lit.bit() as usize;
                let is_changed = !lit.is_entry() && bits.entry[bit] != bits.now[bit];
                match (is_changed, index == call) {
                    (true, true) => left.push(lit),
                    (false, true) => passed.push(lit),
                    (true, false) => fixed.push(bits.literal(lit)),
                    (false, false) if index > call => wanted.push(bits.literal(lit)),
                    (false, false) => {}
                }
            }
        }
        let literal = |query: &BlockQuery<'_>, lit| query.calls[call].pair.literal(lit);
        let mut needed = self.needed(block, &left, literal, fixed, &wanted)?;
        needed.extend(passed);
        needed.sort_unstable();
        Ok(needed)
    }

    /// The literals of a cube that, with what is fixed, imply all that is wanted.
    fn needed(
        &mut self,
        block: usize,
        cube: &Cube,
        literal: impl Fn(&BlockQuery<'_>, StateLit) -> Lit,
        fixed: Vec<Lit>,
        wanted: &[Lit],
    ) -> Result<Cube, Limit> {
        let query = self.query_as_is(block);
        let denied: Vec<Lit> = wanted.iter().map(|&lit| !lit).collect();
        let temporary = query.temporary(&denied);
        let mut assumptions = fixed;
        assumptions.push(temporary);
        let literals: Vec<Lit> = cube.iter().map(|&lit| literal(query, lit)).collect();
        assumptions.extend(&literals);
        let answer = query.solve(&assumptions);
        let mut core = query.circuit.solver().core();
        query.release(temporary);
        self.counts.questions += 1;
        match answer {
            Answer::Unsat => {
                core.sort_unstable();
                let pairs = cube.iter().zip(&literals);
                let kept = pairs.filter(|(_, lit)| core.binary_search(lit).is_ok());
                Ok(kept.map(|(&lit, _)| lit).collect())
            }
            // Choices that the circuit has left out may matter elsewhere; all literals do.
            Answer::Sat => Ok(cube.clone()),
            Answer::Interrupted => Err(self.interrupted()),
        }
    }

    /// Executes a block from a state that is reached.
    pub(super) fn forward(&mut self, way: &Way, from: usize) -> Result<Reached, Limit> {
        let block = self.points.blocks[way.block].clone();
        self.query(way.block);
        let query = self.queries[way.block].as_mut().expect("it was just made");
        let mut assumptions: Vec<Lit> = query.guard.into_iter().collect();
        assumptions.extend(query.source.literals(&self.reached[from].state));
        assumptions.extend(&way.choices);
        let mut ends = Vec::new();
        for (call, (&fact, &(exit, _))) in way.facts.iter().zip(&block.calls).enumerate() {
            let fact = &self.facts[exit.index()][fact];
            assumptions.extend(query.calls[call].pair.literals(&fact.cube));
            ends.push(fact.reached);
        }
        match query.solve(&assumptions) {
            Answer::Sat => {}
            Answer::Unsat => {
                let what = "a run cannot take a way that the solver has found".to_owned();
                return Err(Limit::Contradiction { what });
            }
            Answer::Interrupted => return Err(self.interrupted()),
        }
        let bits = query.target.clone();
        let state = query.state(&bits, &self.vocabularies[block.target.index()]);
        let mut ends = ends.into_iter();
        let mut steps = Vec::new();
        let last = block.edges.len() - 1;
        for (index, step) in query.steps.clone().iter().enumerate() {
            let is_call = matches!(self.machine.edge(step.edge).action, Action::Call { .. });
            let is_completed = is_call && !(block.enters && index == last);
            steps.push(TakenEdge {
                edge: step.edge,
                inputs: input_values(self.machine, step, |lit| query.holds(lit)),
                call: if is_completed { ends.next() } else { None },
            });
        }
        Ok(Reached {
            node: block.target,
            state,
            by: Arrival::Block {
                from,
                enters: block.enters,
                steps,
            },
        })
    }

    /// Drops literals from a cube while it stays excluded: those about the entry first.
    pub(super) fn generalize(
        &mut self,
        node: NodeId,
        mut cube: Cube,
        level: usize,
    ) -> Result<Cube, Limit> {
        let mut order = cube.clone();
        order.sort_by_key(|lit| (!lit.is_entry(), *lit));
        let mut attempts = 0;
        for lit in order {
            if attempts >= MOST_ATTEMPTS {
                break;
            }
            if cube.binary_search(&lit).is_err() {
                continue;
            }
            let mut smaller = cube.clone();
            smaller.retain(|&other| other != lit);
            if self.is_initial(node, &smaller) {
                continue;
            }
            attempts += 1;
            if let Ok(core) = self.attempt(node, &smaller, level, true, Some(MOST_CONFLICTS))? {
                cube = core;
            }
        }
        Ok(cube)
    }
}
