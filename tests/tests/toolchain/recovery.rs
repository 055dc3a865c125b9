//! What the parser makes of broken texts.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::mistakes::{MISTAKES, Mistake, clean_files, errors, make, tokens};

/// One mistake gives one error, almost always.
#[test]
fn one_mistake_is_one_error() {
    let wanted = std::env::var("CTRC_MISTAKES").unwrap_or_default();
    let all = !wanted.is_empty();
    let mut counts: BTreeMap<Mistake, [usize; 5]> = BTreeMap::new();
    let mut worst: Vec<(usize, String)> = Vec::new();
    let mut slowest = Duration::ZERO;
    let stride = if all { 1 } else { 11 };
    for (path, text) in clean_files(wanted == "all") {
        let tokens = tokens(&text);
        for mistake in MISTAKES {
            for at in (0..tokens.len()).step_by(stride) {
                let Some(broken) = make(&text, &tokens, at, mistake) else {
                    continue;
                };
                let start = Instant::now();
                let found = errors(&path, &broken);
                slowest = slowest.max(start.elapsed());
                counts.entry(mistake).or_default()[found.len().min(4)] += 1;
                if found.len() > 1 {
                    let (from, to) = tokens[at];
                    let line = text[..from].matches('\n').count() + 1;
                    let name = path.rsplit('/').take(2).collect::<Vec<_>>().join("<");
                    let mut told = format!("{name}:{line} {mistake:?} `{}`", &text[from..to]);
                    for error in &found {
                        let at = error.primary.place.span.start as usize;
                        let line = broken
                            .get(..at)
                            .map_or(0, |before| before.matches('\n').count() + 1);
                        told += &format!("\n    {line}: {} {}", error.code, error.message);
                    }
                    worst.push((found.len(), told));
                }
            }
        }
    }
    let total = |n: usize| counts.values().map(|c| c[n]).sum::<usize>();
    let faulty: usize = (1..5).map(total).sum();
    let share = total(1) as f64 / faulty as f64;
    worst.sort_by_key(|(n, _)| std::cmp::Reverse(*n));
    if all {
        for (_, told) in &worst {
            eprintln!("{told}");
        }
    }
    eprintln!(
        "errors for one mistake (0, 1, 2, 3, more): {counts:?}; one: {share:.4}; slowest {slowest:?}"
    );
    assert!(slowest < Duration::from_secs(5), "{slowest:?}");
    assert!(total(4) == 0 || all, "more than three: {worst:#?}");
    assert!(share >= 0.95 || all, "only {share:.3}: {worst:#?}");
}
