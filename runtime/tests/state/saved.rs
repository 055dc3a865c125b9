//! Saving and restoring.

use super::*;

/// One step of a host, the same for two sessions; whether they answered the same.
pub fn step(a: &mut Session<'_>, b: &mut Session<'_>, made: &Made, way: usize) {
    if let Some(fields) = made.context() {
        a.set_context(fields);
        b.set_context(fields);
        return;
    }
    made.with(|event| match way {
        0 | 1 => assert_eq!(a.record(event, &mut Oracle), b.record(event, &mut Oracle)),
        2 => {
            assert_eq!(a.propose(event, &mut Oracle), b.propose(event, &mut Oracle));
            assert_eq!(a.skip(event, &mut Oracle), b.skip(event, &mut Oracle));
        }
        3 => {
            a.forget_refused();
            b.forget_refused();
            assert_eq!(a.propose(event, &mut Oracle), b.propose(event, &mut Oracle));
            assert_eq!(a.commit(event, &mut Oracle), b.commit(event, &mut Oracle));
        }
        _ => assert_eq!(gate(a, event, &mut Oracle), gate(b, event, &mut Oracle)),
    });
}

/// At every point of arbitrary sessions under arbitrary policies: a restored copy decides, reports and ends
/// as the session itself, at the limits too.
#[test]
fn a_restored_session_goes_on_as_before() {
    let mut compared = 0;
    for seed in 0..times(60) {
        let mut d = Dice::seed(seed);
        let library = library(&mut d);
        let names = Names::of(&library);
        let limits = match seed % 3 {
            0 => tight(),
            _ => Limits::default(),
        };
        for wild in [false, true] {
            let list = events(&mut d, &names, 24, wild);
            let ways: Vec<usize> = list.iter().map(|_| d.below(12)).collect();
            let mut session = Session::new(&library);
            session.set_limits(limits);
            for (n, (made, way)) in list.iter().zip(&ways).enumerate() {
                let bytes = session.save();
                let mut twin = Session::restore(&library, &bytes).unwrap();
                twin.set_limits(limits);
                assert_eq!(twin.save(), bytes, "seed {seed}, step {n}");
                step(&mut session, &mut twin, made, *way);
                assert_eq!(twin.finish(), session.finish(), "seed {seed}, step {n}");
                // To the end from here, now and then.
                if n % 7 == 3 {
                    let mut rest = session.clone();
                    for (made, way) in list.iter().zip(&ways).skip(n + 1) {
                        step(&mut rest, &mut twin, made, *way);
                    }
                    assert_eq!(twin.finish(), rest.finish(), "seed {seed}, from step {n}");
                    assert_eq!(twin.save(), rest.save(), "seed {seed}, from step {n}");
                }
                compared += 1;
            }
        }
    }
    assert!(compared > 2_000);
}

/// XXH64 of the body, so that damage gets past it.
fn seal(bytes: &mut [u8]) {
    let sum = support::seal::xxh64(&bytes[48..]);
    bytes[40..48].copy_from_slice(&sum.to_le_bytes());
}

#[test]
fn a_damaged_session_is_refused() {
    let mut d = Dice::seed(99);
    let library = library(&mut d);
    let names = Names::of(&library);
    let mut session = Session::new(&library);
    drive(
        &mut session,
        &mut d,
        &events(&mut d_of(7), &names, 30, true),
    );
    let bytes = session.save();
    let restore = |bytes: &[u8]| Session::restore(&library, bytes).map(|_| ());
    assert_eq!(restore(&bytes), Ok(()));
    assert_eq!(restore(b""), Err(RestoreError::NotASession));
    assert_eq!(restore(b"CTRB"), Err(RestoreError::NotASession));
    for end in 0..bytes.len() {
        assert!(restore(&bytes[..end]).is_err(), "{end}");
    }
    let mut long = bytes.clone();
    long.push(0);
    assert_eq!(restore(&long), Err(RestoreError::Damaged));
    seal(&mut long);
    assert_eq!(restore(&long), Err(RestoreError::Damaged));
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << bit;
            let error = restore(&flipped).unwrap_err();
            match at {
                0..4 => assert_eq!(error, RestoreError::NotASession),
                4..8 => assert!(matches!(error, RestoreError::Version(_))),
                8..40 => assert_eq!(error, RestoreError::OtherLibrary),
                _ => assert_eq!(error, RestoreError::Damaged, "byte {at}, bit {bit}"),
            }
        }
    }
    assert!(
        restore(&{
            let mut old = bytes.clone();
            old[4] = 1;
            old
        })
        .unwrap_err()
        .to_string()
        .contains("version 1")
    );
}

fn d_of(seed: u64) -> Dice<'static> {
    Dice::seed(seed)
}

#[test]
fn a_session_of_another_library_is_refused() {
    let mut d = Dice::seed(5);
    let (one, other) = (library(&mut d), library(&mut d));
    let bytes = Session::new(&one).save();
    let error = Session::restore(&other, &bytes).err();
    assert_eq!(error, Some(RestoreError::OtherLibrary));
}

/// With the checksum made anew: every cut, every flipped bit and every byte at its extremes is an error, or
/// a session that runs.
#[test]
fn damage_past_the_checksum_is_an_error_or_harmless() {
    let (mut refused, mut accepted) = (0, 0);
    for seed in 0..times(1) {
        let mut d = Dice::seed(1000 + seed);
        let library = library(&mut d);
        let names = Names::of(&library);
        let mut session = Session::new(&library);
        session.set_limits(tight());
        drive(
            &mut session,
            &mut d,
            &events(&mut d_of(seed), &names, 30, true),
        );
        let bytes = session.save();
        let later = events(&mut d, &names, 6, false);
        let mut attempt = |bytes: &mut [u8]| {
            seal(bytes);
            match Session::restore(&library, bytes) {
                Err(error) => {
                    assert_eq!(error, RestoreError::Damaged);
                    refused += 1;
                }
                Ok(mut other) => {
                    other.set_limits(tight());
                    drive(&mut other, &mut d_of(3), &later);
                    let _ = other.save();
                    accepted += 1;
                }
            }
        };
        for end in 48..bytes.len() {
            attempt(&mut bytes[..end].to_vec());
        }
        for at in 48..bytes.len() {
            for bit in 0..8 {
                let mut flipped = bytes.clone();
                flipped[at] ^= 1 << bit;
                attempt(&mut flipped);
            }
            for extreme in [0, 1, 0x7f, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[at] = extreme;
                attempt(&mut changed);
            }
            // A number of ten bytes.
            let mut wide = bytes.clone();
            wide.splice(at..=at, [0xff; 9].into_iter().chain([1]));
            attempt(&mut wide);
        }
    }
    assert!(refused > 500 && accepted > 500, "{refused}, {accepted}");
}

/// A session takes about as many bytes as what it remembers.
#[test]
fn saved_sessions_are_small() {
    let mut b = support::Builder::new();
    let k = b.arg("order_id");
    let p = b.pat(support::CALL, "pay", &[k], None);
    let g = b.at_most(p, 1);
    b.contract("once", &["order"], Some(g));
    let library = b.library();
    assert!(Session::new(&library).save().len() < 90);
    let mut session = Session::new(&library);
    for n in 0..1000 {
        let line = support::line(&support::call("", "pay", &format!(r#"{{"order_id":{n}}}"#)));
        let support::Line::Event(event) = support::read(&line) else {
            unreachable!()
        };
        session.record(&event, &mut ()).unwrap();
        let line = support::line(r#"{"kind":"return","tool":"pay","status":"success"}"#);
        let support::Line::Event(event) = support::read(&line) else {
            unreachable!()
        };
        session.record(&event, &mut ()).unwrap();
    }
    let size = session.save().len();
    // The returns without ids are ambiguous, and listed.
    assert!(size < 20_000, "{size}");
}
