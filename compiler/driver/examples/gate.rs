//! A call in front of a contract library: the program that README.md shows. It wants `policy.ctrb` in
//! the working folder, as `ctrc init . && ctrc build policy.ctr` makes it.
#![allow(
    clippy::print_stdout,
    missing_docs,
    reason = "a program for the command line"
)]

// README begins
use ctr_runtime::event::{Event, EventKind, Meta};
use ctr_runtime::format::Library;
use ctr_runtime::session::Session;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let library = Library::load(std::fs::read("policy.ctrb")?)?;
    let mut session = Session::new(&library);
    let args = ctr_runtime::json::parse(r#"{"order_id": "o1", "amount": 20}"#)?;
    let call = Event {
        kind: EventKind::Call {
            id: Some("c1"),
            tool: "issue_refund",
            args: &args,
        },
        meta: Meta::default(),
    };
    let decision = session.propose(&call, &mut ())?;
    println!("{}", decision.verb.name());
    for objection in &decision.objections {
        let contract = library.contract(objection.contract);
        println!("{}: {}", contract.name(), objection.message);
        println!("accepted once: {}", objection.accepted.join(", or "));
    }
    Ok(())
}
// README ends
