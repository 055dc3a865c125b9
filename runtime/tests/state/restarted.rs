//! Sessions that are used again.

use super::saved::step;
use super::*;

/// A session that begins anew is one that nothing has happened to, whatever had happened before.
#[test]
fn a_restarted_session_is_a_new_one() {
    let mut compared = 0;
    for seed in 0..times(40) {
        let mut d = Dice::seed(90_000 + seed);
        let library = library(&mut d);
        let names = Names::of(&library);
        let limits = match seed % 3 {
            0 => tight(),
            _ => Limits::default(),
        };
        let mut used = Session::new(&library);
        used.set_limits(limits);
        for run in 0..6 {
            let mut new = Session::new(&library);
            new.set_limits(limits);
            used.restart();
            assert_eq!(used.save(), new.save(), "seed {seed}, run {run}");
            assert_eq!(used.diagram_steps(), new.diagram_steps());
            assert_eq!(used.ambiguous(), new.ambiguous());
            for made in events(&mut d, &names, 20, run % 2 == 1) {
                step(&mut used, &mut new, &made, d.below(12));
                compared += 1;
            }
            assert_eq!(used.finish(), new.finish(), "seed {seed}, run {run}");
            assert_eq!(used.save(), new.save(), "seed {seed}, run {run}");
            assert_eq!(used.diagram_steps(), new.diagram_steps());
        }
    }
    assert!(compared > 2_000);
}
