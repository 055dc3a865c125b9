//! Artifacts from a valid preamble: the fuzzer's bytes choose a valid artifact and how it is changed, or stand
//! behind a header that fits them. What loads runs a session.
#![no_main]

#[path = "../../tests/support/mod.rs"]
mod support;

use ctr_runtime::format::{Library, encode};
use ctr_runtime::session::Session;
use libfuzzer_sys::fuzz_target;
use support::random::{Dice, Names, drive, events, model, tight};

fuzz_target!(|data: &[u8]| {
    let Some((how, data)) = data.split_first() else {
        return;
    };
    let mut d = Dice::Bytes(data);
    let valid = encode(&model(&mut Dice::seed(u64::from(how % 64))));
    let Ok(mut bytes) = valid else { return };
    let names = Names::of(&Library::load(&bytes[..]).unwrap());
    if how & 0x80 == 0 {
        support::mutate::mutate(&mut d, &mut bytes);
    } else {
        // The first 16 bytes (magic, byte order, version, number of sections) are the preamble.
        bytes.truncate(32);
        bytes.extend_from_slice(data);
        let total = bytes.len() as u64;
        bytes[16..24].copy_from_slice(&total.to_le_bytes());
        support::seal::seal(&mut bytes);
    }
    let Ok(library) = Library::load(&bytes[..]) else {
        return;
    };
    let list = events(&mut Dice::seed(u64::from(*how)), &names, 8, true);
    let mut session = Session::new(&library);
    session.set_limits(tight());
    drive(&mut session, &mut Dice::seed(7), &list);
    Session::restore(&library, &session.save()).unwrap();
});
