//! Arbitrary events for arbitrary valid artifacts: the fuzzer's bytes choose both.
#![no_main]

#[path = "../../tests/support/mod.rs"]
mod support;

use ctr_runtime::format::{Library, encode};
use ctr_runtime::session::Session;
use libfuzzer_sys::fuzz_target;
use support::random::{Dice, Names, drive, events, model, tight};

fuzz_target!(|data: &[u8]| {
    let mut d = Dice::Bytes(data);
    let Ok(bytes) = encode(&model(&mut d)) else {
        return;
    };
    let library = Library::load(&bytes[..]).unwrap();
    let names = Names::of(&library);
    let mut session = Session::new(&library);
    if d.chance(50) {
        session.set_limits(tight());
    }
    let count = 1 + d.below(30);
    let wild = d.chance(70);
    let list = events(&mut d, &names, count, wild);
    drive(&mut session, &mut d, &list);
    let twin = Session::restore(&library, &session.save()).unwrap();
    assert_eq!(twin.finish(), session.finish());
});
