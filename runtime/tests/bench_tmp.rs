#![allow(clippy::all, clippy::unwrap_used, clippy::panic, missing_docs, reason="tests")]
mod support;
use std::time::Instant;
use ctr_runtime::session::{Session, gate};
use support::*;
#[test]
fn bench() {
    let mut b = Builder::new();
    for i in 0..300 {
        let p = b.pat(CALL, &format!("t{i}"), &[], None);
        let q = b.pat(SUCCESS, &format!("s{i}"), &[], None);
        let g = b.only_after(p, q);
        b.contract(&format!("c{i}"), &[], Some(g));
    }
    let lib = b.library();
    let t = Instant::now();
    for _ in 0..100 { let _ = Session::new(&lib); }
    println!("new {:?}", t.elapsed() / 100);
    let lines: Vec<_> = [call("1","s5","{\"a\":1}"), ret("1","{}"), call("2","t5","{\"a\":1}"), ret("2","{}"), call("3","other","{\"a\":1}"), ret("3","{}")].iter().map(|l| line(l)).collect();
    let mut s = Session::new(&lib);
    let n = 100_000;
    let t = Instant::now();
    for _ in 0..n { for l in &lines { let Line::Event(e) = read(l) else {panic!()}; s.record(&e, &mut ()).unwrap(); } }
    println!("record {:?}/event", t.elapsed() / (n*6));
    let t = Instant::now();
    for _ in 0..n { for l in &lines { let Line::Event(e) = read(l) else {panic!()}; gate(&mut s, &e, &mut ()).unwrap(); } }
    println!("gate {:?}/event", t.elapsed() / (n*6));

    let mut b = Builder::new();
    let k = b.arg("door");
    let open = b.pat(CALL, "open", &[k], None);
    let close = b.pat(CALL, "close_all", &[], None);
    let g = b.leads_to(open, close);
    b.contract("closed", &["door"], Some(g));
    let lib = b.library();
    for size in [100u32, 1000, 10_000, 100_000, 1_000_000] {
        let mut s = Session::new(&lib);
        let t = Instant::now();
        for i in 0..size { let l = line(&call("","open",&format!("{{\"door\":{i}}}"))); let Line::Event(e) = read(&l) else {panic!()}; s.record(&e,&mut ()).unwrap(); s.skip(&e, &mut ()).unwrap(); s.forget_refused();}
        let fill = t.elapsed()/size;
        let l1 = line(&call("","close_all","{}")); let Line::Event(e1) = read(&l1) else {panic!()};
        let ls: Vec<_> = (0..1000).map(|i| line(&call("","open",&format!("{{\"door\":{}}}", (i*7919)%size)))).collect();
        let (mut tb, mut tk) = (std::time::Duration::ZERO, std::time::Duration::ZERO);
        for l in &ls { let Line::Event(e) = read(l) else {panic!()};
            let t = Instant::now(); s.record(&e1, &mut ()).unwrap(); tb += t.elapsed();
            let t = Instant::now(); s.record(&e, &mut ()).unwrap(); tk += t.elapsed(); }
        println!("{size}: fill {fill:?} broadcast {:?} keyed {:?}", tb/1000, tk/1000);
    }
}
