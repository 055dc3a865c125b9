//! Generators that run as long as they are told: mutations of valid artifacts, and arbitrary events for
//! arbitrary artifacts. The fuzz targets (`runtime/fuzz`) share them.

use super::*;

/// Runs cases from seeds: so many, or for `CTRC_FUZZ_SECONDS`.
fn cases(name: &str, count: u64, mut case: impl FnMut(u64)) {
    let seconds = std::env::var("CTRC_FUZZ_SECONDS").ok();
    let seconds: Option<u64> = seconds.map(|text| text.parse().expect("CTRC_FUZZ_SECONDS"));
    let start = Instant::now();
    let mut seed = 0;
    let more = |seed| match seconds {
        Some(seconds) => start.elapsed() < Duration::from_secs(seconds),
        None => seed < count,
    };
    while more(seed) {
        case(seed);
        seed += 1;
    }
    if let Some(seconds) = seconds {
        eprintln!("{name}: {seed} cases in {seconds} s");
    }
}

fn encoded(d: &mut Dice<'_>) -> Vec<u8> {
    loop {
        if let Ok(bytes) = encode(&model(d)) {
            return bytes;
        }
    }
}

#[test]
fn mutated_artifacts() {
    let (mut loaded, mut refused) = (0_u64, 0_u64);
    let mut valid: Vec<(Vec<u8>, Vec<Made>)> = Vec::new();
    cases("mutated artifacts", 2_000, |seed| {
        let mut d = Dice::seed(seed);
        if seed % 200 == 0 {
            valid.truncate(20);
            let bytes = encoded(&mut d);
            let names = Names::of(&Library::load(&bytes[..]).unwrap());
            let list = events(&mut d, &names, 12, true);
            valid.insert(0, (bytes, list));
        }
        let (bytes, list) = &valid[d.below(valid.len())];
        let mut bytes = bytes.clone();
        support::mutate::mutate(&mut d, &mut bytes);
        match Library::load(&bytes[..]) {
            Ok(library) => {
                loaded += 1;
                run(&library, list, seed);
            }
            Err(_) => refused += 1,
        }
    });
    assert!(loaded > 100 && refused > 100, "{loaded}, {refused}");
}

#[test]
fn arbitrary_events_for_arbitrary_artifacts() {
    let mut decided = 0;
    cases("arbitrary events", 400, |seed| {
        let mut d = Dice::seed(!seed);
        let bytes = encoded(&mut d);
        let library = Library::load(&bytes[..]).unwrap();
        let names = Names::of(&library);
        let mut session = Session::new(&library);
        if seed % 2 == 0 {
            session.set_limits(tight());
        }
        for _ in 0..3 {
            let list = events(&mut d, &names, 20, seed % 3 > 0);
            decided += drive(&mut session, &mut d, &list);
            let limits = *session.limits();
            session = Session::restore(&library, &session.save()).expect("saved");
            session.set_limits(limits);
        }
    });
    assert!(decided > 1000, "{decided}");
}
