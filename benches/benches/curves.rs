//! How the cost of an event grows: with the session's length, with contracts that do not name the
//! event, with live keys, with contracts that name it, with calls in flight.
//!
//! Each figure is the fastest of several runs of a batch of events in the gated view (with what calls
//! in flight could do), on a copy of one prepared session. The plots are written to `docs/performance/`.

use ctr_bench::measure::{Table, each, fastest_of, in_earnest};
use ctr_bench::plot::{Plot, Scale};
use ctr_bench::{Failure, library, policies};
use ctr_runtime::event::{Event, EventKind, Meta, Status};
use ctr_runtime::json;
use ctr_runtime::session::{Session, gate};
use ctr_runtime::value::{Record, Value};

/// Events of a batch.
const BATCH: usize = 200;

fn main() -> Result<(), Failure> {
    let earnest = in_earnest();
    let runs = if earnest { 15 } else { 1 };
    // `CTRC_BENCH_CURVES=length,flight` measures these alone.
    let only = std::env::var("CTRC_BENCH_CURVES").ok();
    let wanted = |name: &str| {
        only.as_ref()
            .is_none_or(|only| only.split(',').any(|n| n == name))
    };
    if wanted("length") {
        let all = [10, 100, 1_000, 10_000, 100_000, 1_000_000];
        length(&sizes(&all, earnest), runs)?;
    }
    if wanted("library") {
        unnamed(&sizes(&[10, 100, 1_000, 10_000], earnest), runs)?;
    }
    if wanted("keys") {
        keys(&sizes(&[1, 10, 100, 1_000, 10_000, 100_000], earnest), runs)?;
    }
    if wanted("named") {
        named(&sizes(&[1, 10, 100, 1_000], earnest), runs)?;
    }
    if wanted("flight") {
        flight(&sizes(&[0, 10, 100, 1_000, 10_000], earnest), runs)?;
    }
    Ok(())
}

/// The sizes to measure; the two smallest where it is only to be seen that it works.
fn sizes(all: &[usize], earnest: bool) -> Vec<usize> {
    all.iter()
        .copied()
        .take(if earnest { all.len() } else { 2 })
        .collect()
}

#[expect(clippy::print_stdout, reason = "a benchmark's report")]
fn show(table: &Table, plot: &Plot, name: &str) -> Result<(), Failure> {
    println!("{}", table.text());
    println!("written: {}", table.save()?.display());
    if in_earnest() {
        println!("written: {}", plot.save(name)?.display());
    }
    Ok(())
}

/// A call and its return.
#[derive(Clone)]
struct Exchange {
    tool: String,
    args: Value,
    result: Value,
}

impl Exchange {
    fn new(tool: &str, args: &[(&str, Value)], result: &str) -> Result<Self, Failure> {
        let mut record = Record::new();
        for (name, value) in args {
            record.insert(*name, value.clone());
        }
        Ok(Self {
            tool: tool.to_owned(),
            args: Value::Record(record),
            result: json::parse(result).map_err(|error| format!("{error:?}"))?,
        })
    }

    fn call(&self, session: &mut Session<'_>, id: &str) -> bool {
        let event = Event {
            kind: EventKind::Call {
                id: Some(id),
                tool: &self.tool,
                args: &self.args,
            },
            meta: Meta::default(),
        };
        gate(session, &event, &mut ()).is_ok_and(|gated| gated.recorded)
    }

    /// Records the call unjudged: judging each against all that are in flight is quadratic.
    fn leave_open(&self, session: &mut Session<'_>, id: &str) -> bool {
        let event = Event {
            kind: EventKind::Call {
                id: Some(id),
                tool: &self.tool,
                args: &self.args,
            },
            meta: Meta::default(),
        };
        session.commit(&event, &mut ()).is_ok()
    }

    fn answer(&self, session: &mut Session<'_>, id: &str) -> bool {
        let event = Event {
            kind: EventKind::Return {
                id: Some(id),
                tool: Some(&self.tool),
                status: Status::Success,
                result: Some(&self.result),
                error: None,
            },
            meta: Meta::default(),
        };
        gate(session, &event, &mut ()).is_ok_and(|gated| gated.recorded)
    }

    fn play(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        if self.call(session, "1") && self.answer(session, "1") {
            Ok(())
        } else {
            Err(format!("{} {}: refused", self.tool, self.args).into())
        }
    }
}

fn input(session: &mut Session<'_>, text: &str) {
    let event = Event {
        kind: EventKind::Input { text },
        meta: Meta::default(),
    };
    let _ = gate(session, &event, &mut ());
}

/// Nanoseconds an event where a batch of exchanges is played to a copy of a session.
fn batch(session: &Session<'_>, runs: usize, exchanges: &[Exchange]) -> f64 {
    let time = fastest_of(
        runs,
        || session.clone(),
        |mut session| {
            for n in 0..BATCH / 2 {
                if let Some(exchange) = exchanges.get(n % exchanges.len().max(1)) {
                    let _ = exchange.play(&mut session);
                }
            }
            session
        },
    );
    each(time, BATCH)
}

fn cell(ns: f64) -> String {
    format!("{ns:.0}")
}

/// Against the session's length; a column for each kind of contract, each over tools of its own.
fn length(sizes: &[usize], runs: usize) -> Result<(), Failure> {
    let library = library(policies::SHAPES)?;
    let mut table = Table::new(
        "session length",
        &[
            "events",
            "precondition (ns)",
            "cap (ns)",
            "mentioned (ns)",
            "values (ns)",
        ],
    );
    let mut plot = Plot::new(
        "Cost of an event by the session's length",
        "events before it",
        "ns",
        Scale::Linear,
    );
    let ann = || Value::from("ann");
    let login = Exchange::new("login", &[("user", ann())], r#"{"ok": true}"#)?;
    let read = Exchange::new("read", &[("user", ann())], r#"{"ok": true}"#)?;
    let ping = Exchange::new("ping", &[("n", Value::from(1))], r#"{"ok": true}"#)?;
    for &size in sizes {
        // Each shape gets a session of this length that is full of its own events.
        let mut session = Session::new(&library);
        login.play(&mut session)?;
        for _ in 0..size / 2 {
            read.play(&mut session)?;
        }
        let precondition = batch(&session, runs, std::slice::from_ref(&read));
        let mut session = Session::new(&library);
        for _ in 0..size / 2 {
            ping.play(&mut session)?;
        }
        let cap = batch(&session, runs, std::slice::from_ref(&ping));
        let mut session = Session::new(&library);
        for n in 0..size {
            input(
                &mut session,
                &format!("Write to user{n}@example.com, please, not to the others."),
            );
        }
        let send = Exchange::new(
            "send",
            &[("to", Value::from(format!("user{}@example.com", size / 2)))],
            r#"{"ok": true}"#,
        )?;
        let mentioned = batch(&session, runs, std::slice::from_ref(&send));
        let mut session = Session::new(&library);
        for n in 0..size / 2 {
            let result = format!(r#"{{"names": ["a{n}", "b{n}"]}}"#);
            Exchange::new("list", &[("user", ann())], &result)?.play(&mut session)?;
        }
        let name = Value::from(format!("a{}", size / 4));
        let opening = Exchange::new("open", &[("name", name)], r#"{"ok": true}"#)?;
        let values = batch(&session, runs, std::slice::from_ref(&opening));
        table.row(vec![
            size.to_string(),
            cell(precondition),
            cell(cap),
            cell(mentioned),
            cell(values),
        ]);
        plot.point("precondition", size, precondition);
        plot.point("cap (sum)", size, cap);
        plot.point("mentioned", size, mentioned);
        plot.point("values", size, values);
    }
    show(&table, &plot, "length")
}

/// Against the number of contracts that do not name the event.
fn unnamed(sizes: &[usize], runs: usize) -> Result<(), Failure> {
    let mut table = Table::new(
        "contracts that do not name the event",
        &["contracts", "ns an event"],
    );
    let mut plot = Plot::new(
        "Cost of an event by the library's size",
        "contracts that do not name it",
        "ns",
        Scale::Linear,
    );
    let ask = Exchange::new("ask", &[("mode", Value::from("m"))], r#"{"ok": true}"#)?;
    let act = Exchange::new("act", &[("order_id", Value::from("A"))], r#"{"ok": true}"#)?;
    for &size in sizes {
        let library = library(&policies::unnamed(size))?;
        let mut session = Session::new(&library);
        ask.play(&mut session)?;
        let ns = batch(&session, runs, &[ask.clone(), act.clone()]);
        table.row(vec![size.to_string(), cell(ns)]);
        plot.point("all others", size, ns);
    }
    show(&table, &plot, "library")
}

/// Against the number of keys that have occurred.
fn keys(sizes: &[usize], runs: usize) -> Result<(), Failure> {
    let library = library(policies::KEYED)?;
    let mut table = Table::new(
        "live keys",
        &["keys", "one key (ns)", "all keys at once (ns)"],
    );
    let mut plot = Plot::new(
        "Cost of an event by the number of keys that have occurred",
        "keys",
        "ns",
        Scale::Linear,
    );
    let unlock = Exchange::new("unlock", &[], r#"{"ok": true}"#)?;
    let of = |tool: &str, n: usize| {
        let order = Value::from(format!("#W{n:07}"));
        Exchange::new(tool, &[("order_id", order)], r#"{"ok": true}"#)
    };
    for &size in sizes {
        let mut session = Session::new(&library);
        unlock.play(&mut session)?;
        for n in 0..size {
            of("check", n)?.play(&mut session)?;
            of("refund", n)?.play(&mut session)?;
        }
        let some: Vec<Exchange> = (0..10)
            .map(|n| of("refund", n * size / 10))
            .collect::<Result<_, _>>()?;
        let one = batch(&session, runs, &some);
        let all = batch(&session, runs, std::slice::from_ref(&unlock));
        table.row(vec![size.to_string(), cell(one), cell(all)]);
        plot.point("of one key", size, one);
        plot.point("seen by all keys", size, all);
    }
    show(&table, &plot, "keys")
}

/// Against the number of contracts that name the event.
fn named(sizes: &[usize], runs: usize) -> Result<(), Failure> {
    let mut table = Table::new(
        "contracts that name the event",
        &["contracts", "ns an event", "ns an event and contract"],
    );
    let mut plot = Plot::new(
        "Cost of an event by the contracts that name it",
        "contracts that name it",
        "ns",
        Scale::Logarithmic,
    );
    let ask = Exchange::new("ask", &[("mode", Value::from("m0"))], r#"{"ok": true}"#)?;
    let act = Exchange::new(
        "act",
        &[("order_id", Value::from("A")), ("mode", Value::from("m0"))],
        r#"{"ok": true}"#,
    )?;
    for &size in sizes {
        let library = library(&policies::named(size))?;
        let mut session = Session::new(&library);
        ask.play(&mut session)?;
        let ns = batch(&session, runs, &[ask.clone(), act.clone()]);
        #[expect(clippy::cast_precision_loss, reason = "a small number")]
        let share = ns / size as f64;
        table.row(vec![size.to_string(), cell(ns), cell(share)]);
        plot.point("an event", size, ns);
        plot.point("an event and contract", size, share);
    }
    show(&table, &plot, "named")
}

/// Against the number of calls that have not returned: contracts that no return can violate, for a call whose return they do
/// not name and for one that they do, and one contract that returns can violate, for calls in flight that it does not name
/// and for calls that it does.
fn flight(sizes: &[usize], runs: usize) -> Result<(), Failure> {
    let calm = library(&policies::named(10))?;
    let once = library(policies::ONCE)?;
    let mut table = Table::new(
        "calls in flight",
        &[
            "calls",
            "10 preconditions (ns)",
            "10 preconditions, the tool that they wait for (ns)",
            "at most one success, others in flight (ns)",
            "at most one success, its own in flight (ns)",
        ],
    );
    let mut plot = Plot::new(
        "Cost of an event by the calls in flight",
        "calls that have not returned",
        "ns",
        Scale::Logarithmic,
    );
    let ask = Exchange::new("ask", &[("mode", Value::from("m0"))], r#"{"ok": true}"#)?;
    let act = Exchange::new(
        "act",
        &[("order_id", Value::from("A")), ("mode", Value::from("m0"))],
        r#"{"ok": true}"#,
    )?;
    let of = |tool: &str, order: &str| {
        Exchange::new(tool, &[("order_id", Value::from(order))], r#"{"ok": true}"#)
    };
    for &size in sizes {
        // A batch takes seconds where all calls are looked at.
        let slow = if size > 100 { runs.min(3) } else { runs };
        let mut session = Session::new(&calm);
        ask.play(&mut session)?;
        open(&mut session, size, |_| Ok(ask.clone()))?;
        let preconditions = batch(&session, runs, std::slice::from_ref(&act));
        let awaited = match size > MOST_LOOKED_AT {
            true => None,
            false => Some(batch(&session, slow, std::slice::from_ref(&ask))),
        };
        let refunds: Vec<Exchange> = (0..BATCH / 2)
            .map(|n| of("refund", &format!("new {n}")))
            .collect::<Result<_, _>>()?;
        let mut session = Session::new(&once);
        open(&mut session, size, |n| of("look", &format!("A{n}")))?;
        let others = batch(&session, slow, &refunds);
        let mut session = Session::new(&once);
        open(&mut session, size, |n| of("refund", &format!("A{n}")))?;
        let own = batch(&session, slow, &refunds);
        table.row(vec![
            size.to_string(),
            cell(preconditions),
            awaited.map_or_else(|| "not measured".to_owned(), cell),
            cell(others),
            cell(own),
        ]);
        plot.point("preconditions", size, preconditions);
        if let Some(awaited) = awaited {
            plot.point("their awaited tool", size, awaited);
        }
        plot.point("once, others in flight", size, others);
        plot.point("once, own in flight", size, own);
    }
    show(&table, &plot, "flight")
}

/// So many calls in flight are looked at by ten contracts each.
const MOST_LOOKED_AT: usize = 1_000;

/// Leaves calls open.
fn open(
    session: &mut Session<'_>,
    count: usize,
    call: impl Fn(usize) -> Result<Exchange, Failure>,
) -> Result<(), Failure> {
    for n in 0..count {
        if !call(n)?.leave_open(session, &format!("open{n}")) {
            return Err("a call was not taken that should be in flight".into());
        }
    }
    Ok(())
}
