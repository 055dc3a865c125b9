//! Sessions to judge: recorded ones where the environment names some, else generated ones of the
//! same shape.

use ctr_runtime::event::Status;
use ctr_runtime::format::Library;
use ctr_runtime::json;
use ctr_runtime::value::Value;
use ctr_trace::{Format, OwnedKind, Session, Step, Traced, detect, files};

use crate::Failure;

/// The variable that names trace files, separated by `:`.
pub const TRACES: &str = "CTRC_BENCH_TRACES";

/// How many recorded sessions are judged.
const MOST: usize = 600;
/// How many sessions are generated.
const GENERATED: usize = 200;

/// Where the sessions came from, for the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// From the files that [`TRACES`] names.
    Recorded,
    /// From [`generated`].
    Generated,
}

/// The sessions that benchmarks judge: the first recorded ones whose calls are all to tools that
/// the library knows, else generated ones.
///
/// # Errors
///
/// Where a named file cannot be read, or none of its sessions fits.
pub fn all(library: &Library<'_>) -> Result<(Origin, Vec<Session>), Failure> {
    let Ok(paths) = std::env::var(TRACES) else {
        return Ok((Origin::Generated, generated(GENERATED)));
    };
    let mut sessions = Vec::new();
    for path in paths.split(':').filter(|path| !path.is_empty()) {
        let text = files::read(path).map_err(|error| error.to_string())?;
        for piece in detect::split(path, &text).map_err(|error| error.to_string())? {
            if sessions.len() >= MOST {
                break;
            }
            if let Ok(session) = detect::read(&piece)
                && fits(library, &session)
            {
                sessions.push(session);
            }
        }
    }
    if sessions.is_empty() {
        return Err(format!("{TRACES}={paths}: no session calls only tools of the library").into());
    }
    Ok((Origin::Recorded, sessions))
}

/// Whether a session has calls, all to tools that the library knows.
#[must_use]
pub fn fits(library: &Library<'_>, session: &Session) -> bool {
    let mut calls = 0;
    for event in events(session) {
        if let OwnedKind::Call { tool, .. } = &event.kind {
            if library.tools_named(tool).is_empty() {
                return false;
            }
            calls += 1;
        }
    }
    calls > 0
}

/// The events of a session.
pub fn events(session: &Session) -> impl Iterator<Item = &Traced> {
    session.steps.iter().filter_map(|step| match step {
        Step::Event(event) => Some(event),
        _ => None,
    })
}

/// How many events sessions have.
#[must_use]
pub fn count(sessions: &[Session]) -> usize {
    sessions.iter().map(|session| events(session).count()).sum()
}

/// Sessions of a retail agent that break no rule: it authenticates its user, reads orders and
/// products, and cancels an order after a confirmation.
#[must_use]
pub fn generated(count: usize) -> Vec<Session> {
    (0..count).map(retail).collect()
}

fn retail(n: usize) -> Session {
    let mut talk = Talk::default();
    let user = format!("ann_example_{n}");
    let email = format!("ann.example{n}@example.com");
    talk.output("Hello! How can I help you today?");
    talk.input(&format!("I want to cancel my order. My e-mail is {email}."));
    talk.call(
        "find_user_id_by_email",
        &format!(r#"{{"email": "{email}"}}"#),
        &user,
    );
    let orders: Vec<String> = (0..2 + n % 3)
        .map(|i| format!("#W{}", 1_000_000 + 10 * n + i))
        .collect();
    let list = orders
        .iter()
        .map(|order| format!("\"{order}\""))
        .collect::<Vec<_>>()
        .join(", ");
    talk.call(
        "get_user_details",
        &format!(r#"{{"user_id": "{user}"}}"#),
        &format!(
            r#"{{"user_id": "{user}", "name": {{"first_name": "Ann", "last_name": "Example"}}, "address": {{"address1": "1 Main Street", "city": "Denver", "zip": "80279"}}, "email": "{email}", "payment_methods": {{"paypal_1{n}": {{"source": "paypal", "id": "paypal_1{n}"}}}}, "orders": [{list}]}}"#
        ),
    );
    for (i, order) in orders.iter().enumerate() {
        let details = format!(
            r#"{{"order_id": "{order}", "user_id": "{user}", "address": {{"address1": "1 Main Street", "city": "Denver"}}, "items": [{{"name": "Lamp", "product_id": "68{i}", "item_id": "77{i}", "price": 135.24, "options": {{"color": "white", "brightness": "low"}}}}, {{"name": "Mug", "product_id": "69{i}", "item_id": "78{i}", "price": 12.5, "options": {{}}}}], "status": "pending", "fulfillments": [], "payment_history": [{{"transaction_type": "payment", "amount": 147.74, "payment_method_id": "paypal_1{n}"}}]}}"#
        );
        talk.call(
            "get_order_details",
            &format!(r#"{{"order_id": "{order}"}}"#),
            &details,
        );
        talk.call(
            "get_product_details",
            &format!(r#"{{"product_id": "68{i}"}}"#),
            &format!(
                r#"{{"name": "Lamp", "product_id": "68{i}", "variants": {{"77{i}": {{"item_id": "77{i}", "options": {{"color": "white"}}, "available": true, "price": 135.24}}}}}}"#
            ),
        );
        talk.output(&format!(
            "Your order {order} is pending. Shall I cancel it, because it is no longer needed?"
        ));
        talk.input("Yes, please cancel it. It is no longer needed.");
        talk.call(
            "cancel_pending_order",
            &format!(r#"{{"order_id": "{order}", "reason": "no longer needed"}}"#),
            &details.replace("\"status\": \"pending\"", "\"status\": \"cancelled\""),
        );
        talk.output(&format!(
            "Order {order} is cancelled. Is there anything else?"
        ));
        talk.input("Let me think.");
    }
    Session {
        name: format!("generated:{n}"),
        format: Format::Native,
        steps: talk.steps,
        reward: None,
    }
}

#[derive(Default)]
struct Talk {
    steps: Vec<Step>,
    calls: usize,
}

impl Talk {
    fn push(&mut self, kind: OwnedKind) {
        let line = self.steps.len() + 1;
        self.steps.push(Step::Event(Traced::new(kind, line)));
    }

    fn input(&mut self, text: &str) {
        self.push(OwnedKind::Input {
            text: text.to_owned(),
        });
    }

    fn output(&mut self, text: &str) {
        self.push(OwnedKind::Output {
            text: text.to_owned(),
        });
    }

    fn call(&mut self, tool: &str, args: &str, result: &str) {
        self.calls += 1;
        let id = Some(format!("call_{}", self.calls));
        self.push(OwnedKind::Call {
            id: id.clone(),
            tool: tool.to_owned(),
            args: value(args),
        });
        self.push(OwnedKind::Return {
            id,
            tool: Some(tool.to_owned()),
            status: Status::Success,
            result: Some(Value::from(result)),
            error: None,
        });
    }
}

/// A value from JSON that this file writes; text that is none stays text.
fn value(text: &str) -> Value {
    json::parse(text).unwrap_or_else(|_| Value::from(text))
}
