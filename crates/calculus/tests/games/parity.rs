//! Finite parity games, solved by Zielonka's algorithm.

/// A game with the larger priorities stronger; even ones are Eve's. Who cannot move has lost.
#[derive(Default)]
pub struct Game {
    /// By position: whether Eve moves.
    pub is_eves: Vec<bool>,
    pub priority: Vec<u32>,
    pub moves: Vec<Vec<usize>>,
}

impl Game {
    pub fn add(&mut self, is_eves: bool, priority: u32) -> usize {
        self.is_eves.push(is_eves);
        self.priority.push(priority);
        self.moves.push(Vec::new());
        self.moves.len() - 1
    }

    /// By position whether Eve wins.
    pub fn won_by_eve(&self) -> Vec<bool> {
        let mut into = vec![Vec::new(); self.moves.len()];
        for (from, moves) in self.moves.iter().enumerate() {
            for &to in moves {
                into[to].push(from);
            }
        }
        let all = vec![true; self.moves.len()];
        // Where a player is stuck the other one has won, and wherever that can be forced.
        let mut eve = vec![false; all.len()];
        let mut adam = eve.clone();
        for at in (0..all.len()).filter(|&at| self.moves[at].is_empty()) {
            eve[at] = !self.is_eves[at];
            adam[at] = self.is_eves[at];
        }
        let eve = self.attracted(&into, &all, eve, true);
        let adam = self.attracted(&into, &all, adam, false);
        let rest: Vec<bool> = (0..all.len()).map(|at| !eve[at] && !adam[at]).collect();
        let won = self.zielonka(&into, &rest);
        (0..all.len()).map(|at| eve[at] || won[at]).collect()
    }

    /// From where a player can force the play into a set, within the positions that are left.
    fn attracted(
        &self,
        into: &[Vec<usize>],
        left: &[bool],
        mut set: Vec<bool>,
        for_eve: bool,
    ) -> Vec<bool> {
        let mut pending: Vec<usize> = (0..set.len()).filter(|&at| set[at]).collect();
        while let Some(to) = pending.pop() {
            for &from in into[to].iter().filter(|&&from| left[from]) {
                let forced = || self.moves[from].iter().all(|&to| !left[to] || set[to]);
                if !set[from] && (self.is_eves[from] == for_eve || forced()) {
                    set[from] = true;
                    pending.push(from);
                }
            }
        }
        set
    }

    /// By position whether it is left and Eve wins there; everywhere something can be done.
    fn zielonka(&self, into: &[Vec<usize>], left: &[bool]) -> Vec<bool> {
        let positions = || (0..left.len()).filter(|&at| left[at]);
        let Some(highest) = positions().map(|at| self.priority[at]).max() else {
            return vec![false; left.len()];
        };
        let is_eves = highest.is_multiple_of(2);
        let is_highest = |at: usize| left[at] && self.priority[at] == highest;
        let highest = (0..left.len()).map(is_highest).collect();
        let without =
            |set: &[bool]| -> Vec<bool> { left.iter().zip(set).map(|(&l, &s)| l && !s).collect() };
        let near = self.attracted(into, left, highest, is_eves);
        let far = without(&near);
        let won = self.zielonka(into, &far);
        let lost: Vec<bool> = (0..left.len())
            .map(|at| far[at] && won[at] != is_eves)
            .collect();
        if !lost.contains(&true) {
            return left.iter().map(|&l| l && is_eves).collect();
        }
        let lost = self.attracted(into, left, lost, !is_eves);
        let won = self.zielonka(into, &without(&lost));
        (0..left.len())
            .map(|at| left[at] && if lost[at] { !is_eves } else { won[at] })
            .collect()
    }
}
