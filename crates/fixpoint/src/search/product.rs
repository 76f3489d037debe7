//! Carries out the conjunction of many parts with quantification, as [`crate::search::schedule`] says.

use crate::search::plans::Plans;
use crate::search::schedule::{self, Cluster, Part, Stage};
use hardbop_bdd::{Bdd, Exhausted, Manager, Roots};

/// A product with its schedules and what it has conjoined once and for all.
pub(crate) struct Product {
    pub clusters: Vec<Cluster>,
    quantified: Vec<u32>,
    /// Without a leader, then one for each cluster as leader, made when needed.
    stages: Vec<Option<Vec<Stage>>>,
    /// Per cluster the values its parts had and what they gave.
    conjoined: Vec<Option<(Vec<Bdd>, Bdd)>>,
}

impl Product {
    pub(crate) fn new(parts: &[Part], quantified: &[u32]) -> Self {
        let clusters = schedule::clusters(parts, quantified);
        Self {
            quantified: quantified.to_vec(),
            stages: vec![None; clusters.len() + 1],
            conjoined: vec![None; clusters.len()],
            clusters,
        }
    }

    /// The order with this cluster as leader.
    pub(crate) fn stages(&mut self, leader: Option<usize>) -> &[Stage] {
        let (clusters, quantified) = (&self.clusters, &self.quantified);
        let slot = &mut self.stages[leader.map_or(0, |leader| leader + 1)];
        slot.get_or_insert_with(|| schedule::stages(clusters, quantified, leader))
    }

    /// The same, for explanations.
    pub(crate) fn schedule(&self, leader: Option<usize>) -> Vec<Stage> {
        schedule::stages(&self.clusters, &self.quantified, leader)
    }

    /// The product of the parts. `value` gives the value of a part; that of the leader's is `news`.
    pub(crate) fn evaluate(
        &mut self,
        manager: &mut Manager<'_>,
        plans: &mut Plans,
        leader: Option<(usize, Bdd)>,
        value: &dyn Fn(usize) -> Bdd,
    ) -> Result<Bdd, Exhausted> {
        let stages = self.stages(leader.map(|(cluster, _)| cluster)).to_vec();
        let mut product = Bdd::TRUE;
        for stage in &stages {
            if product.is_false() {
                break;
            }
            let next = match leader {
                Some((cluster, news)) if cluster == stage.cluster => {
                    let others = self.clusters[cluster].parts.iter().skip(1);
                    let restricting = others.map(|&part| value(part));
                    manager.and_all(restricting.chain([news]).collect())?
                }
                _ => self.cluster(manager, plans, stage.cluster, value)?,
            };
            product = if stage.quantified.is_empty() {
                manager.and(product, next)?
            } else {
                let plan = plans.get(manager, &stage.quantified, &[]);
                manager.relprod(product, next, &plan)?
            };
        }
        Ok(product)
    }

    fn cluster(
        &mut self,
        manager: &mut Manager<'_>,
        plans: &mut Plans,
        at: usize,
        value: &dyn Fn(usize) -> Bdd,
    ) -> Result<Bdd, Exhausted> {
        let cluster = &self.clusters[at];
        let values: Vec<Bdd> = cluster.parts.iter().map(|&part| value(part)).collect();
        if let ([only], []) = (&values[..], &cluster.private[..]) {
            return Ok(*only);
        }
        if let Some((known, result)) = &self.conjoined[at]
            && *known == values
        {
            return Ok(*result);
        }
        let mut result = manager.and_all(values.clone())?;
        if !cluster.private.is_empty() {
            let plan = plans.get(manager, &cluster.private, &[]);
            result = manager.project(result, &plan)?;
        }
        self.conjoined[at] = Some((values, result));
        Ok(result)
    }

    /// Drops what has been conjoined.
    pub(crate) fn forget(&mut self) {
        self.conjoined.fill(None);
    }
}

impl Roots for Product {
    fn each_root(&self, keep: &mut dyn FnMut(Bdd)) {
        self.conjoined.each_root(keep);
    }
}
