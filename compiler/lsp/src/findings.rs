//! What is told of findings: comments that allow them and the levels of `ctrc.toml`, as `ctrc check` has them.

use std::sync::Arc;

use ctr_front::Compiled;
use ctr_front::config::{Config, Finder};
use ctr_front::levels::Levels;
use ctr_front::suppress::{self, Unused};
use ctr_front::world::World;

/// Takes away what comments allow and gives the rest their levels. Of each finding the `ctrc.toml` counts that
/// is nearest to where it stands, and where there is none that of the policy `root`.
pub(crate) fn lay_over(world: &dyn World, compiled: &mut Compiled, root: &str) {
    let codes: Vec<&'static str> = ctr_front::codes::all()
        .chain(ctr_emit::CODES)
        .chain(ctr_check::CODES)
        .map(|doc| doc.code)
        .collect();
    let suppressions = suppress::read(&compiled.graph, &codes);
    // What only automata and proofs find is not looked for here.
    let looked_for = |code: &str| !code.starts_with("W06") && !code.starts_with("W07");
    let applied = suppressions.apply(std::mem::take(&mut compiled.diagnostics), &looked_for);

    let mut finder = Finder::new(world, codes);
    let of_root = finder.nearest(root);
    let sources = &compiled.graph.sources;
    let levels: Vec<Option<Arc<Config>>> = sources
        .iter()
        .map(|source| {
            let shipped = compiled
                .graph
                .units
                .iter()
                .any(|unit| unit.library && unit.path == source.path);
            let own = if shipped {
                None
            } else {
                finder.nearest(&source.path)
            };
            own.or_else(|| of_root.clone())
        })
        .collect();
    let none = Levels::default();
    compiled.diagnostics = applied
        .diagnostics
        .into_iter()
        .chain(applied.unused.iter().map(Unused::finding))
        .filter_map(|found| {
            let config = levels.get(found.primary.place.source.0 as usize);
            let config = config.and_then(Option::as_ref);
            config.map_or(&none, |config| &config.levels).apply(found)
        })
        .collect();
    compiled.diagnostics.sort_by_key(|found| {
        let place = found.primary.place;
        (place.source, place.span.start)
    });
}
