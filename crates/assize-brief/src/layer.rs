//! Layers: the order in which units build on each other.
//!
//! Cycles are condensed to one node. What imports nothing stands in layer 0, everything else one
//! above the highest that it imports. Imports that go against a confident flow are set aside first:
//! one slip must not make one lump of two layers.

use std::collections::{BTreeMap, BTreeSet};

use fixedbitset::FixedBitSet;

use crate::graph::{UnitGraph, UnitId, components};
use crate::one_way::is_one_way;

/// The order of the units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// The component that each unit belongs to.
    pub component_of: Vec<usize>,
    /// The units of each component.
    pub components: Vec<Vec<UnitId>>,
    /// The layer of each component.
    pub layer_of: Vec<usize>,
    /// Which components each component imports, cycles condensed.
    pub imports: Vec<BTreeSet<usize>>,
    /// The flows that were set aside because they go against a confident one.
    pub exceptions: BTreeSet<(UnitId, UnitId)>,
}

impl Order {
    /// Orders the units of a graph.
    pub fn of(graph: &UnitGraph) -> Self {
        Self::of_flows(graph.units.len(), &graph.flows)
    }

    /// Orders units by how many imports flow between them.
    pub fn of_flows(units: usize, flows: &BTreeMap<(UnitId, UnitId), u32>) -> Self {
        let against = |&(from, to): &(UnitId, UnitId)| {
            let up = flows.get(&(from, to)).copied().unwrap_or(0);
            let down = flows.get(&(to, from)).copied().unwrap_or(0);
            is_one_way(down, up)
        };
        let exceptions: BTreeSet<(UnitId, UnitId)> = flows.keys().filter(|pair| against(pair)).copied().collect();
        let kept = || flows.keys().filter(|pair| !exceptions.contains(pair)).copied();
        let components = components(units, kept());
        let mut component_of = vec![0; units];
        for (component, members) in components.iter().enumerate() {
            for unit in members {
                component_of[*unit] = component;
            }
        }
        let mut imports = vec![BTreeSet::new(); components.len()];
        for (from, to) in kept() {
            let (from, to) = (component_of[from], component_of[to]);
            if from != to {
                imports[from].insert(to);
            }
        }
        let layer_of = longest_paths(&imports);
        Self { component_of, components, layer_of, imports, exceptions }
    }

    /// Returns the layer of a unit.
    pub fn layer(&self, unit: UnitId) -> usize {
        self.layer_of[self.component_of[unit]]
    }

    /// Returns, for each component, which others it reaches by imports.
    pub fn reach(&self) -> Vec<FixedBitSet> {
        let mut order: Vec<usize> = (0..self.components.len()).collect();
        order.sort_by_key(|component| self.layer_of[*component]);
        let mut reach = vec![FixedBitSet::with_capacity(self.components.len()); self.components.len()];
        for component in order {
            let mut own = FixedBitSet::with_capacity(self.components.len());
            for &below in &self.imports[component] {
                own.insert(below);
                own.union_with(&reach[below]);
            }
            reach[component] = own;
        }
        reach
    }
}

/// The longest path down from each node of a graph without cycles.
fn longest_paths(imports: &[BTreeSet<usize>]) -> Vec<usize> {
    let mut importers = vec![Vec::new(); imports.len()];
    let mut missing: Vec<usize> = imports.iter().map(BTreeSet::len).collect();
    for (from, targets) in imports.iter().enumerate() {
        for to in targets {
            importers[*to].push(from);
        }
    }
    let mut layers = vec![0; imports.len()];
    let mut ready: Vec<usize> = (0..imports.len()).filter(|node| missing[*node] == 0).collect();
    while let Some(node) = ready.pop() {
        for &importer in &importers[node] {
            layers[importer] = layers[importer].max(layers[node] + 1);
            missing[importer] -= 1;
            if missing[importer] == 0 {
                ready.push(importer);
            }
        }
    }
    layers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(units: usize, flows: &[(usize, usize, u32)]) -> Order {
        Order::of_flows(units, &flows.iter().map(|&(from, to, imports)| ((from, to), imports)).collect())
    }

    #[test]
    fn layers_are_longest_paths() {
        // 0 imports 1 and 2, 1 imports 2; 3 stands alone.
        let order = order(4, &[(0, 1, 1), (0, 2, 1), (1, 2, 1)]);
        assert_eq!((0..4).map(|unit| order.layer(unit)).collect::<Vec<_>>(), [2, 1, 0, 0]);
    }

    #[test]
    fn cycles_are_one_node() {
        let order = order(4, &[(0, 1, 1), (1, 2, 3), (2, 1, 3), (2, 3, 1)]);
        assert_eq!(order.components, [vec![0], vec![1, 2], vec![3]]);
        assert_eq!((0..4).map(|unit| order.layer(unit)).collect::<Vec<_>>(), [2, 1, 1, 0]);
        assert!(order.exceptions.is_empty());
    }

    #[test]
    fn one_slip_against_a_confident_flow_is_set_aside() {
        let slip = order(2, &[(0, 1, 40), (1, 0, 1)]);
        assert_eq!(slip.exceptions, [(1, 0)].into());
        assert_eq!((slip.layer(0), slip.layer(1)), (1, 0));
        let habit = order(2, &[(0, 1, 40), (1, 0, 12)]);
        assert!(habit.exceptions.is_empty() && habit.components.len() == 1);
    }

    #[test]
    fn what_is_reached_is_reached_through_others() {
        let order = order(4, &[(0, 1, 1), (1, 2, 1)]);
        let reach = order.reach();
        assert!(reach[order.component_of[0]].contains(order.component_of[2]));
        assert!(!reach[order.component_of[2]].contains(order.component_of[0]));
        assert!(!reach[order.component_of[0]].contains(order.component_of[3]));
    }

    #[test]
    fn a_long_chain_does_not_overflow_the_stack() {
        let flows: Vec<(usize, usize, u32)> = (0..100_000).map(|unit| (unit, unit + 1, 1)).collect();
        let graph = flows.iter().map(|&(from, to, _)| (from, to));
        assert_eq!(components(100_001, graph.clone()).len(), 100_001);
        assert_eq!(components(100_001, graph.chain([(100_000, 0)])).len(), 1);
    }
}
