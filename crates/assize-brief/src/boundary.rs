//! Boundaries: which unit may not import which, as far as the tree itself says so.
//!
//! A boundary is inferred from imports that go one way. Three kinds of evidence are looked at for
//! "A may not import B":
//!
//! - **pair**: B imports A, and A hardly ever B. The share of the one direction among all imports
//!   between the two.
//! - **floor**: A is imported from above and imports nothing that depends on it. The share of the
//!   imports into A among all that connect it with what stands above it.
//! - **roof**: B imports what stands below it and is imported by none of that.
//!
//! Floor and roof hold only where B depends on A already, be it through others: such an import would
//! close a circle between parts that had an order.
//!
//! A share of few observations proves little. Its confidence is the lower end of the Wilson score
//! interval (Wilson 1927): for `k` of `n` imports that keep the direction, with `p = k/n`,
//!
//! ```text
//! (p + z²/2n − z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n)        z = 1.96
//! ```
//!
//! Only what reaches [`crate::one_way::CONFIDENCE_MIN`] is enforced: with not one exception, that takes
//! [`crate::one_way::pure_support_min`] imports. Where more than [`crate::one_way::AGAINST_SHARE_MAX`] go against it, the exception is
//! usual, and there is no boundary. Both were chosen by the history of projects: in 76 pairs of released
//! versions of 28 packages (Rust, Python, JavaScript), 26 of 4,047 imports that were new between
//! known units went over a boundary of the version before (0.6 %), most of them plain slips such as
//! `utils` importing `db`; and 45 % of all ordered pairs of units had a boundary. At 0.6 it would be 1.0 % and
//! 56 %, at 0.8 0.5 % and 26 %.
//!
//! What is **not** enforced:
//!
//! - Anything between two units of which neither depends on the other. Nothing was observed, and a
//!   first import is how every dependency begins.
//! - An order within a cycle, other than by pair: what depends on itself has no above and below.
//! - Imports of tests, examples, benches, generated and vendored code. Such code may import any unit, and no
//!   unit depends on it. Imports for types alone: they are gone when the program runs.
//! - What a facade (`lib.rs`, `__init__.py`, `index.ts`) passes on from behind itself.
//! - New units: they have no imports yet that a new one could go against. A cycle through them is reported.
//! - Uses without an import: of one package in Java, by reflection, by names in configuration.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use assize_syntax::tree::SourceTree;
use fixedbitset::FixedBitSet;
use foldhash::{HashMap, HashMapExt, HashSet};
use serde::{Deserialize, Serialize};

use crate::graph::{Crossing, ImportTarget, UnitGraph, UnitId, components};
use crate::layer::Order;
use crate::one_way::{is_one_way, one_way_confidence};

/// The most boundaries of pairs that are listed; all of them are enforced.
pub const PAIRS_LISTED_MAX: usize = 1_000;

/// What a boundary is inferred from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Imports between the two.
    Pair,
    /// Imports into what stands below.
    Floor,
    /// Imports out of what stands above.
    Roof,
}

/// A boundary: `below` may not import `above`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Boundary {
    /// What it is inferred from.
    pub basis: Basis,
    /// The unit that may not import; for a roof, whatever stands below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<String>,
    /// The unit that may not be imported; for a floor, whatever depends on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<String>,
    /// How many imports keep the direction.
    pub support: u32,
    /// How many go against it all the same.
    pub against: u32,
    /// The lower end of the Wilson interval of the share of those that keep it.
    pub confidence: f64,
}

/// An import over a boundary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Break {
    /// The unit that imports.
    pub from: String,
    /// The unit that is imported.
    pub to: String,
    /// The file that imports.
    pub path: String,
    /// The line of the import.
    pub line: u32,
    /// The file or folder that is imported.
    pub imports: String,
    /// The boundary that the import goes over.
    pub boundary: Boundary,
    /// How many imports keep the direction.
    pub support: u32,
    /// How sure the boundary is.
    pub confidence: f64,
}

impl Break {
    /// Returns what stays the same while the same import breaks a boundary, whatever line it moves to.
    pub fn key(&self) -> (&str, &str) {
        (&self.path, &self.imports)
    }

    /// Says what is wrong, in words that can be acted on.
    pub fn message(&self) -> String {
        let (from, to) = (shown(&self.from), shown(&self.to));
        let Boundary { support, against, confidence, basis, .. } = &self.boundary;
        let why = match basis {
            Basis::Pair => format!("{support} imports go from {to} to {from}, {against} the other way"),
            Basis::Floor => format!(
                "{to} depends on {from}, and of {} imports between {from} and what depends on it {support} go down",
                support + against
            ),
            Basis::Roof => format!(
                "{to} depends on {from}, and of {} imports between {to} and what it depends on {support} go down",
                support + against
            ),
        };
        format!("{from} may not import {to}: {why} (confidence {confidence:.2}).")
    }
}

/// Returns a unit's name as it is shown: the root has an empty one.
pub fn shown(unit: &str) -> &str {
    if unit.is_empty() { "." } else { unit }
}

/// Units that import each other in a circle.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cycle {
    /// The units, in the order of their names.
    pub units: Vec<String>,
    /// The shortest way round through the first of them, beginning and ending with it.
    pub through: Vec<String>,
    /// The imports between the units of the circle.
    pub imports: u32,
}

/// A cycle that the base has not, with the imports that close it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NewCycle {
    /// The cycle, with a way round that goes over an import that is new.
    pub cycle: Cycle,
    /// The imports between units that the base has none between.
    pub closed_by: Vec<Closing>,
}

/// An import that closes a cycle.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Closing {
    /// The file that imports.
    pub path: String,
    /// The line of the import.
    pub line: u32,
    /// The unit that imports.
    pub from: String,
    /// The unit that is imported.
    pub to: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct BoundarySupport {
    support: u32,
    against: u32,
}

impl BoundarySupport {
    fn confidence(self) -> f64 {
        one_way_confidence(self.support, self.support.saturating_add(self.against))
    }

    fn holds(self) -> bool {
        is_one_way(self.support, self.against)
    }
}

/// What a tree's own imports allow and forbid.
#[derive(Debug)]
pub struct Boundaries {
    names: Vec<String>,
    ids: HashMap<String, UnitId>,
    flows: BTreeMap<(UnitId, UnitId), u32>,
    order: Order,
    reach: Vec<FixedBitSet>,
    floors: Vec<BoundarySupport>,
    roofs: Vec<BoundarySupport>,
    cycle_of: Vec<usize>,
}

impl Boundaries {
    /// Infers the boundaries of a tree.
    pub fn infer(graph: &UnitGraph) -> Self {
        Self::of_flows(graph.units.iter().map(|unit| unit.name.clone()).collect(), graph.flows.clone())
    }

    /// Infers them from the names of the units and how many imports flow between them.
    pub fn of_flows(names: Vec<String>, flows: BTreeMap<(UnitId, UnitId), u32>) -> Self {
        let order = Order::of_flows(names.len(), &flows);
        let reach = order.reach();
        let mut floors = vec![BoundarySupport::default(); order.components.len()];
        let mut roofs = floors.clone();
        for (&(from, to), &imports) in &flows {
            let (from, to) = (order.component_of[from], order.component_of[to]);
            if reach[from].contains(to) {
                floors[to].support += imports;
                roofs[from].support += imports;
            } else if reach[to].contains(from) {
                floors[from].against += imports;
                roofs[to].against += imports;
            }
        }
        let mut cycle_of = vec![0; names.len()];
        for (cycle, members) in components(names.len(), flows.keys().copied()).iter().enumerate() {
            for unit in members {
                cycle_of[*unit] = cycle;
            }
        }
        let ids = names.iter().cloned().enumerate().map(|(id, name)| (name, id)).collect();
        Self { names, ids, flows, order, reach, floors, roofs, cycle_of }
    }

    /// Returns the order of the units.
    pub fn order(&self) -> &Order {
        &self.order
    }

    fn flow(&self, from: UnitId, to: UnitId) -> u32 {
        self.flows.get(&(from, to)).copied().unwrap_or(0)
    }

    fn pair(&self, below: UnitId, above: UnitId) -> BoundarySupport {
        BoundarySupport { support: self.flow(above, below), against: self.flow(below, above) }
    }

    /// Returns the surest boundary that forbids `below` to import `above`, if one is enforced.
    pub fn between(&self, below: UnitId, above: UnitId) -> Option<Boundary> {
        let (low, high) = (self.order.component_of[below], self.order.component_of[above]);
        let depends = low != high && self.reach[high].contains(low);
        let floor = self.floor(low).filter(|_| depends).map(|evidence| (Basis::Floor, evidence));
        let roof = self.roof(high).filter(|_| depends).map(|evidence| (Basis::Roof, evidence));
        let found = std::iter::once((Basis::Pair, self.pair(below, above))).chain(floor).chain(roof);
        let surest = found
            .filter(|(_, evidence)| evidence.holds())
            .reduce(|best, next| if next.1.confidence() > best.1.confidence() { next } else { best });
        let name = |unit: UnitId| Some(self.names[unit].clone());
        surest.map(|(basis, evidence)| match basis {
            Basis::Pair => boundary(basis, name(below), name(above), evidence),
            Basis::Floor => boundary(basis, name(below), None, evidence),
            Basis::Roof => boundary(basis, None, name(above), evidence),
        })
    }

    /// What speaks for a floor. Units that import each other in a circle have none.
    fn floor(&self, component: usize) -> Option<BoundarySupport> {
        (self.order.components[component].len() == 1).then(|| self.floors[component])
    }

    fn roof(&self, component: usize) -> Option<BoundarySupport> {
        (self.order.components[component].len() == 1).then(|| self.roofs[component])
    }

    /// Lists the boundaries that are enforced, floors and roofs first, the surest first among pairs.
    pub fn list(&self) -> Vec<Boundary> {
        let mut listed = Vec::new();
        let name = |unit: UnitId| Some(self.names[unit].clone());
        let units = || self.order.components.iter().enumerate().map(|(component, members)| (component, members[0]));
        for (component, unit) in units() {
            let floor = self.floor(component).filter(|evidence| evidence.holds());
            listed.extend(floor.map(|evidence| boundary(Basis::Floor, name(unit), None, evidence)));
        }
        for (component, unit) in units() {
            let roof = self.roof(component).filter(|evidence| evidence.holds());
            listed.extend(roof.map(|evidence| boundary(Basis::Roof, None, name(unit), evidence)));
        }
        let mut pairs: Vec<Boundary> = self
            .flows
            .keys()
            .map(|&(above, below)| (above, below, self.pair(below, above)))
            .filter(|(_, _, evidence)| evidence.holds())
            .map(|(above, below, evidence)| boundary(Basis::Pair, name(below), name(above), evidence))
            .collect();
        pairs.sort_by(|one, other| {
            other
                .confidence
                .total_cmp(&one.confidence)
                .then_with(|| (&one.below, &one.above).cmp(&(&other.below, &other.above)))
        });
        pairs.truncate(PAIRS_LISTED_MAX);
        listed.append(&mut pairs);
        listed
    }

    /// Returns how many pairs of units have a boundary of their own.
    pub fn pairs_enforced(&self) -> usize {
        self.flows.keys().filter(|&&(above, below)| self.pair(below, above).holds()).count()
    }

    /// Lists the cycles between units, the largest first.
    pub fn cycles(&self) -> Vec<Cycle> {
        let members = components(self.names.len(), self.flows.keys().copied());
        let mut cycles: Vec<Cycle> = members
            .into_iter()
            .filter(|units| units.len() > 1)
            .map(|units| {
                let first = units[0];
                cycle_through(&self.names, &self.flows, &units, first, None)
            })
            .collect();
        cycles.sort_by(|one, other| other.units.len().cmp(&one.units.len()).then_with(|| one.cmp(other)));
        cycles
    }

    /// Finds the imports of a tree that go over these boundaries, in the order of paths and lines.
    ///
    /// The graph has to be made with the partition that these boundaries were inferred with. Breaks
    /// that the base has as well are among them; see [`new_breaks`].
    pub fn breaks(&self, tree: &SourceTree<'_>, graph: &UnitGraph) -> Vec<Break> {
        let known: Vec<Option<UnitId>> = graph.units.iter().map(|unit| self.ids.get(&unit.name).copied()).collect();
        let mut judged: HashMap<(UnitId, UnitId), Option<Boundary>> = HashMap::new();
        let mut found = Vec::new();
        for crossing in &graph.crossings {
            let (Some(below), Some(above)) = (known[crossing.from], known[crossing.to]) else { continue };
            let boundary = judged.entry((below, above)).or_insert_with(|| self.between(below, above));
            if let Some(boundary) = boundary {
                found.push(Break {
                    from: self.names[below].clone(),
                    to: self.names[above].clone(),
                    path: tree.path(crossing.edge.from).to_owned(),
                    line: crossing.edge.line,
                    imports: target_path(tree, crossing).to_owned(),
                    support: boundary.support,
                    confidence: boundary.confidence,
                    boundary: boundary.clone(),
                });
            }
        }
        found.sort_by(|one, other| (&one.path, one.line, &one.imports).cmp(&(&other.path, other.line, &other.imports)));
        found
    }

    /// Finds the cycles of a changed tree between units that had none here.
    ///
    /// The graph has to be made with the partition that these boundaries were inferred with.
    pub fn new_cycles(&self, tree: &SourceTree<'_>, graph: &UnitGraph) -> Vec<NewCycle> {
        let known: Vec<Option<UnitId>> = graph.units.iter().map(|unit| self.ids.get(&unit.name).copied()).collect();
        let names: Vec<String> = graph.units.iter().map(|unit| unit.name.clone()).collect();
        let mut found = Vec::new();
        for units in components(names.len(), graph.flows.keys().copied()) {
            let before: BTreeSet<Option<usize>> =
                units.iter().map(|unit| known[*unit].map(|unit| self.cycle_of[unit])).collect();
            if units.len() < 2 || before.len() == 1 && !before.contains(&None) {
                continue;
            }
            let within: HashSet<UnitId> = units.iter().copied().collect();
            let is_new = |crossing: &&Crossing| {
                let flow = known[crossing.from].zip(known[crossing.to]).map_or(0, |(from, to)| self.flow(from, to));
                within.contains(&crossing.from) && within.contains(&crossing.to) && flow == 0
            };
            let mut closed_by: Vec<(Closing, UnitId, UnitId)> = graph
                .crossings
                .iter()
                .filter(is_new)
                .map(|crossing| {
                    let closing = Closing {
                        path: tree.path(crossing.edge.from).to_owned(),
                        line: crossing.edge.line,
                        from: names[crossing.from].clone(),
                        to: names[crossing.to].clone(),
                    };
                    (closing, crossing.from, crossing.to)
                })
                .collect();
            closed_by.sort();
            let over = closed_by.first().map(|(_, from, to)| (*from, *to));
            let first = over.map_or(units[0], |(from, _)| from);
            let cycle = cycle_through(&names, &graph.flows, &units, first, over.map(|(_, to)| to));
            found.push(NewCycle { cycle, closed_by: closed_by.into_iter().map(|(closing, _, _)| closing).collect() });
        }
        found
    }
}

/// Returns the breaks of a changed tree that its base has not.
pub fn new_breaks(base: &[Break], changed: Vec<Break>) -> Vec<Break> {
    let old: HashSet<(&str, &str)> = base.iter().map(Break::key).collect();
    changed.into_iter().filter(|found| !old.contains(&found.key())).collect()
}

fn boundary(basis: Basis, below: Option<String>, above: Option<String>, evidence: BoundarySupport) -> Boundary {
    // Three digits say all there is to say and are the same on every machine.
    let confidence = (evidence.confidence() * 1000.0).round() / 1000.0;
    Boundary { basis, below, above, support: evidence.support, against: evidence.against, confidence }
}

fn target_path<'a>(tree: &SourceTree<'a>, crossing: &Crossing) -> &'a str {
    match crossing.edge.to {
        ImportTarget::File(file) => tree.path(file),
        ImportTarget::Folder(folder) => tree.folder_path(folder),
    }
}

/// Describes a cycle by the shortest way round from a unit, over a given next one if there is one.
fn cycle_through(
    names: &[String],
    flows: &BTreeMap<(UnitId, UnitId), u32>,
    units: &[UnitId],
    first: UnitId,
    next: Option<UnitId>,
) -> Cycle {
    let within: HashSet<UnitId> = units.iter().copied().collect();
    let mut targets: HashMap<UnitId, Vec<UnitId>> = HashMap::new();
    let mut imports = 0;
    for (&(from, to), &count) in flows {
        if within.contains(&from) && within.contains(&to) {
            targets.entry(from).or_default().push(to);
            imports += count;
        }
    }
    let starts = next.map_or_else(|| targets.get(&first).cloned().unwrap_or_default(), |next| vec![next]);
    let mut before: HashMap<UnitId, UnitId> = starts.iter().map(|start| (*start, first)).collect();
    let mut open: VecDeque<UnitId> = starts.into();
    while let Some(unit) = open.pop_front() {
        if unit == first {
            break;
        }
        for &target in targets.get(&unit).into_iter().flatten() {
            if let std::collections::hash_map::Entry::Vacant(entry) = before.entry(target) {
                entry.insert(unit);
                open.push_back(target);
            }
        }
    }
    let mut through = vec![names[first].clone()];
    let mut unit = first;
    while let Some(&previous) = before.get(&unit) {
        through.push(names[previous].clone());
        unit = previous;
        if unit == first {
            break;
        }
    }
    through.reverse();
    Cycle { units: units.iter().map(|unit| names[*unit].clone()).collect(), through, imports }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::FileGraph;
    use crate::one_way::CONFIDENCE_MIN;
    use crate::one_way::pure_support_min;
    use crate::unit::Partition;
    use assize_syntax::import::resolve;
    use assize_syntax::manifest::Manifests;
    use assize_syntax::testing::Fixture;

    fn infer(names: &[&str], flows: &[(usize, usize, u32)]) -> Boundaries {
        let flows = flows.iter().map(|&(from, to, imports)| ((from, to), imports)).collect();
        Boundaries::of_flows(names.iter().map(|name| (*name).to_owned()).collect(), flows)
    }

    #[test]
    fn the_confidence_is_that_of_wilson() {
        // Values of the score interval as tables of it give them.
        for (kept, all, expected) in
            [(0, 0, 0.0), (10, 10, 0.7225), (1, 1, 0.2065), (9, 10, 0.5958), (81, 263, 0.2553), (95, 100, 0.8882)]
        {
            let found = one_way_confidence(kept, all);
            assert!((found - expected).abs() < 5e-4, "{kept} of {all}: {found}");
        }
        let least = pure_support_min();
        assert_eq!(least, 9);
        assert!(one_way_confidence(least, least) >= CONFIDENCE_MIN);
        assert!(one_way_confidence(least - 1, least - 1) < CONFIDENCE_MIN);
    }

    #[test]
    fn few_imports_may_go_against_it() {
        for (kept, against, expected) in [(97, 3, true), (96, 4, false), (970, 30, true), (969, 31, false)] {
            assert_eq!(is_one_way(kept, against), expected, "{kept} {against}");
        }
        assert!(!is_one_way(0, 0) && !is_one_way(0, 50));
    }

    #[test]
    fn a_pair_is_enforced_from_the_threshold_on() {
        for (support, against, enforced) in [(9, 0, true), (8, 0, false), (40, 1, true), (10, 1, false)] {
            // A third unit that they share keeps floor and roof out of it.
            let flows = [(1, 0, support), (0, 1, against), (0, 2, 1), (2, 0, 1), (1, 2, 1), (2, 1, 1)];
            let flows: Vec<_> = flows.into_iter().filter(|flow| flow.2 > 0).collect();
            let boundaries = infer(&["low", "high", "hub"], &flows);
            let found = boundaries.between(0, 1);
            assert_eq!(found.is_some(), enforced, "{support} {against}");
            if let Some(found) = found {
                assert_eq!((found.basis, found.support, found.against), (Basis::Pair, support, against));
            }
        }
    }

    #[test]
    fn a_floor_forbids_what_depends_on_it_also_through_others() {
        // Nine units import `text` once each; `app` imports one of them.
        let names = ["text", "app", "a", "b", "c", "d", "e", "f", "g", "h", "i", "other"];
        let mut flows: Vec<(usize, usize, u32)> = (2..=10).map(|unit| (unit, 0, 1)).collect();
        flows.push((1, 2, 1));
        let boundaries = infer(&names, &flows);
        for (above, forbidden) in [(2, true), (1, true), (11, false)] {
            let found = boundaries.between(0, above);
            assert_eq!(found.as_ref().map(|found| found.basis), forbidden.then_some(Basis::Floor), "{}", names[above]);
        }
        // Nothing speaks for a boundary between units on one level.
        assert_eq!(boundaries.between(2, 3), None);
    }

    #[test]
    fn a_roof_forbids_imports_by_what_it_stands_on() {
        let names = ["main", "a", "b", "c", "d", "e", "f", "g", "h", "i"];
        let flows: Vec<(usize, usize, u32)> = (1..=9).map(|unit| (0, unit, 1)).collect();
        let boundaries = infer(&names, &flows);
        let found = boundaries.between(3, 0).unwrap();
        assert_eq!((found.basis, found.support, found.below), (Basis::Roof, 9, None));
        assert_eq!(boundaries.between(0, 3), None);
    }

    #[test]
    fn within_a_cycle_only_pairs_count() {
        let flows = [(0, 1, 20), (1, 2, 20), (2, 0, 20)];
        let boundaries = infer(&["a", "b", "c"], &flows);
        assert_eq!(boundaries.between(1, 0).map(|found| found.basis), Some(Basis::Pair));
        assert_eq!(boundaries.between(0, 1), None);
        let cycles = boundaries.cycles();
        assert_eq!(cycles.len(), 1);
        assert_eq!((cycles[0].through.join(" "), cycles[0].imports), ("a b c a".to_owned(), 60));
    }

    #[test]
    fn the_list_holds_what_is_enforced() {
        let boundaries = infer(&["low", "high"], &[(1, 0, 40), (0, 1, 1)]);
        let listed = boundaries.list();
        assert_eq!(
            listed.iter().map(|boundary| boundary.basis).collect::<Vec<_>>(),
            [Basis::Floor, Basis::Roof, Basis::Pair]
        );
        assert!(listed.iter().all(|boundary| (boundary.support, boundary.against) == (40, 1)));
    }

    #[test]
    fn the_list_of_pairs_is_limited() {
        for (pairs, listed) in [(PAIRS_LISTED_MAX, PAIRS_LISTED_MAX), (PAIRS_LISTED_MAX + 1, PAIRS_LISTED_MAX)] {
            let names: Vec<String> = (0..pairs * 2).map(|number| number.to_string()).collect();
            let flows = (0..pairs).map(|number| ((number * 2, number * 2 + 1), 9)).collect();
            let listed_pairs = Boundaries::of_flows(names, flows).list();
            assert_eq!(listed_pairs.iter().filter(|boundary| boundary.basis == Basis::Pair).count(), listed);
        }
    }

    /// A project in three layers: `web` imports `cart` 40 times, `cart` imports `text`.
    fn shop(more: &[(&str, &str)]) -> Fixture {
        let mut files: Vec<(String, String)> = vec![("pyproject.toml".into(), String::new())];
        for number in 0..40 {
            files.push((
                format!("shop/web/page{number}.py"),
                "use shop.cart.line {Line}\nuse shop.text.format {show}".into(),
            ));
        }
        for name in ["line", "total", "tax", "sum", "unit", "price"] {
            files.push((format!("shop/cart/{name}.py"), "use ..text.format {show}".into()));
        }
        files.push(("shop/text/format.py".into(), "class show".into()));
        for name in ["plural", "case", "wrap", "trim"] {
            files.push((format!("shop/text/{name}.py"), String::new()));
        }
        for (path, text) in more {
            files.retain(|(known, _)| known != path);
            files.push(((*path).to_owned(), (*text).to_owned()));
        }
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        Fixture::new(&files)
    }

    fn found(base: &Fixture, changed: &Fixture) -> (Vec<String>, Vec<NewCycle>) {
        let tree = base.tree();
        let manifests = Manifests::read(&tree);
        let files = FileGraph::of(&tree, &manifests, &resolve(&tree, &manifests));
        let partition = Partition::of(&tree, &files.roles);
        let graph = UnitGraph::of(&tree, &files, &partition);
        let boundaries = Boundaries::infer(&graph);
        let before = boundaries.breaks(&tree, &graph);

        let tree = changed.tree();
        let manifests = Manifests::read(&tree);
        let files = FileGraph::of(&tree, &manifests, &resolve(&tree, &manifests));
        let graph = UnitGraph::of(&tree, &files, &partition);
        let breaks = new_breaks(&before, boundaries.breaks(&tree, &graph));
        let shown = breaks.iter().map(|found| format!("{}:{} {} -> {}", found.path, found.line, found.from, found.to));
        (shown.collect(), boundaries.new_cycles(&tree, &graph))
    }

    #[test]
    fn what_a_change_breaks_is_found_where_it_stands() {
        let base = shop(&[]);
        let up = "use ..text.format {show}\n\nuse shop.web.page3 {Page}";
        type BoundaryTestFiles<'a> = &'a [(&'a str, &'a str)];
        let cases: &[(&str, BoundaryTestFiles<'_>, &[&str])] = &[
            ("nothing", &[], &[]),
            ("against the flow", &[("shop/cart/tax.py", up)], &["shop/cart/tax.py:3 shop/cart -> shop/web"]),
            (
                "from the floor",
                &[("shop/text/new.py", "use ..web.page1")],
                &["shop/text/new.py:1 shop/text -> shop/web"],
            ),
            ("for types", &[("shop/text/new.py", "type ..web.page1")], &[]),
            (
                "in a test",
                &[("shop/text/test_new.py", "use ..web.page1"), ("tests/test_a.py", "use shop.web.page1")],
                &[],
            ),
            ("with the flow", &[("shop/web/new.py", "use shop.text.plural")], &[]),
            ("a new unit", &[("shop/new/a.py", "use shop.web.page1")], &[]),
        ];
        for (name, change, expected) in cases {
            let (breaks, _) = found(&base, &shop(change));
            assert_eq!(breaks, *expected, "{name}");
        }
    }

    #[test]
    fn a_break_of_the_base_is_not_new() {
        let slip = ("shop/cart/tax.py", "use shop.web.page3 {Page}");
        let moved = ("shop/cart/tax.py", "\n\nuse shop.web.page3 {Page}\nuse shop.web.page4 {Page}");
        let (breaks, cycles) = found(&shop(&[slip]), &shop(&[moved]));
        assert_eq!(breaks, ["shop/cart/tax.py:4 shop/cart -> shop/web"]);
        assert_eq!(cycles, []);
    }

    #[test]
    fn a_new_cycle_is_shown_with_what_closes_it() {
        let base = shop(&[("shop/new/a.py", "use shop.web.page1")]);
        let changed = shop(&[("shop/new/a.py", "use shop.web.page1"), ("shop/web/page2.py", "use shop.new.a")]);
        let (breaks, cycles) = found(&base, &changed);
        assert_eq!(breaks, [""; 0]);
        assert_eq!(cycles.len(), 1);
        assert_eq!(cycles[0].cycle.through, ["shop/web", "shop/new", "shop/web"]);
        let closing: Vec<String> =
            cycles[0].closed_by.iter().map(|by| format!("{}:{} {}", by.path, by.line, by.to)).collect();
        assert_eq!(closing, ["shop/web/page2.py:1 shop/new"]);
    }

    #[test]
    fn messages_say_what_speaks_for_the_boundary() {
        let boundaries = infer(&["", "web"], &[(1, 0, 12)]);
        let boundary = boundaries.between(0, 1).unwrap();
        let found = Break {
            from: String::new(),
            to: "web".into(),
            path: "a.py".into(),
            line: 3,
            imports: "web/b.py".into(),
            support: 12,
            confidence: boundary.confidence,
            boundary,
        };
        assert_eq!(
            found.message(),
            ". may not import web: 12 imports go from web to ., 0 the other way (confidence 0.76)."
        );
        assert_eq!(found.key(), ("a.py", "web/b.py"));
    }
}
