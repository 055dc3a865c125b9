//! `ctrc explain`: a diagnostic code at length, or contracts in words.

use std::fmt::Write as _;

use ctr_front::diagnostic::CodeDoc;
use ctr_runtime::format::decode;
use ctr_runtime::format::model::{Action, Contract, MessagePart, Model, Side};

use crate::cli::Explain;
use crate::exit::{Exit, Stop, data};
use crate::library;

/// Runs the verb.
///
/// # Errors
///
/// Where the code or contract does not exist, or the library cannot be opened.
pub fn run(args: &Explain) -> Result<Exit, Stop> {
    if args.all {
        data(&page())?;
        return Ok(Exit::Clean);
    }
    match (&args.library, &args.what) {
        (Some(path), what) => {
            let library = library::open(std::slice::from_ref(path))?;
            let model = decode(&library);
            data(&contracts(&model, what.as_deref())?)?;
        }
        (None, Some(code)) => data(&code_text(code)?)?,
        (None, None) => return Err(Stop::Usage("name a code or a library".to_owned())),
    }
    Ok(Exit::Clean)
}

/// The documentation of all codes, in order.
#[must_use]
pub fn all_codes() -> Vec<&'static CodeDoc> {
    let mut all: Vec<&CodeDoc> = ctr_front::codes::all()
        .chain(ctr_emit::CODES)
        .chain(ctr_check::CODES)
        .collect();
    all.sort_by_key(|doc| doc.code);
    all
}

/// What a code is about, by its number.
const GROUPS: &[(u32, &str)] = &[
    (0, "Text, words and syntax"),
    (200, "Files and modules"),
    (300, "Schemas of tools"),
    (400, "Names and formulas"),
    (500, "Types, values and tests"),
    (600, "Automata and artifacts"),
    (700, "What is proven of libraries"),
];

/// All codes as a page of Markdown: an index, then each with its text; errors before warnings.
#[must_use]
pub fn page() -> String {
    let all = all_codes();
    let number = |doc: &CodeDoc| -> u32 {
        doc.code
            .get(1..)
            .and_then(|digits| digits.parse().ok())
            .unwrap_or(0)
    };
    let group = |doc: &CodeDoc| GROUPS.iter().rposition(|(from, _)| *from <= number(doc));
    let mut out = String::from(
        "# Diagnostics\n\n\
         Every finding of `ctrc` has a code that does not change: `E` for errors, `W` for warnings. `ctrc explain E0401` shows\n\
         the text of one. This page is the output of `ctrc explain --all`.\n\n\
         | code | title |\n| --- | --- |\n",
    );
    for doc in &all {
        let anchor = doc.code.to_ascii_lowercase();
        let _ = writeln!(out, "| [{}](#{anchor}) | {} |", doc.code, doc.title);
    }
    for (index, (_, title)) in GROUPS.iter().enumerate() {
        let members: Vec<_> = all.iter().filter(|doc| group(doc) == Some(index)).collect();
        if members.is_empty() {
            continue;
        }
        let _ = write!(out, "\n## {title}\n");
        for doc in members {
            let text = doc.text.trim();
            let _ = write!(out, "\n### {}\n\n**{}**\n\n{text}\n", doc.code, doc.title);
        }
    }
    out
}

fn code_text(code: &str) -> Result<String, Stop> {
    let wanted = code.to_ascii_uppercase();
    let all = all_codes();
    match all.iter().find(|doc| doc.code == wanted) {
        Some(doc) => Ok(format!(
            "{}: {}\n\n{}\n",
            doc.code,
            doc.title,
            doc.text.trim()
        )),
        None => {
            let hint = ctr_front::suggest::nearest(&wanted, all.iter().map(|doc| doc.code))
                .map(|near| format!("; did you mean `{near}`?"))
                .unwrap_or_default();
            Err(Stop::Usage(format!(
                "there is no diagnostic `{code}`{hint}"
            )))
        }
    }
}

fn contracts(model: &Model, name: Option<&str>) -> Result<String, Stop> {
    let chosen: Vec<&Contract> = model
        .contracts
        .iter()
        .filter(|contract| name.is_none_or(|name| contract.name == name))
        .collect();
    if let (Some(name), true) = (name, chosen.is_empty()) {
        return Err(library::no_contract(model, name));
    }
    Ok(chosen
        .iter()
        .map(|contract| contract_text(model, contract))
        .collect::<Vec<_>>()
        .join("\n"))
}

fn contract_text(model: &Model, contract: &Contract) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}", contract.name);
    for line in contract.doc.lines() {
        let _ = writeln!(out, "  {}", line.trim());
    }
    let labels = super::inspect::labels(contract);
    if !labels.is_empty() {
        let _ = writeln!(out, "  {labels}");
    }
    if !contract.keys.is_empty() {
        let _ = writeln!(
            out,
            "  judged apart for each value of: {}",
            contract.keys.join(", ")
        );
    }
    let _ = writeln!(out, "  its steps are: {}", watched(model, contract));
    for clause in &contract.clauses {
        let who = match clause.side {
            Side::Assume => "the environment owes",
            Side::Guarantee => "the agent owes",
        };
        let _ = writeln!(out, "  {who}: {}", clause.text);
    }
    let action = match &contract.action {
        Action::Block => "the event is refused".to_owned(),
        Action::Warn => "the event is let through with a warning".to_owned(),
        Action::Escalate => "the event is held until the host approves or denies it".to_owned(),
        Action::Redirect { tool, .. } => format!(
            "`{}` is called instead",
            model
                .tools
                .get(*tool as usize)
                .map_or("?", |tool| tool.name.as_str())
        ),
        Action::Repair => {
            "the call's arguments are changed where exactly one change complies, else it is refused"
                .to_owned()
        }
    };
    let _ = writeln!(
        out,
        "  where the guarantee would be violated for good, {action}"
    );
    if !contract.message.is_empty() {
        let message: String = contract
            .message
            .iter()
            .map(|part| match part {
                MessagePart::Text(text) => text.clone(),
                MessagePart::Expr(_) => "{…}".to_owned(),
            })
            .collect();
        let _ = writeln!(out, "  and the agent is told: {message}");
    }
    out
}

fn watched(model: &Model, contract: &Contract) -> String {
    let watch = &contract.watch;
    let mut kinds: Vec<&str> = [
        (watch.calls, "calls"),
        (watch.returns, "returns"),
        (watch.inputs, "inputs"),
        (watch.outputs, "outputs"),
    ]
    .into_iter()
    .filter_map(|(watched, name)| watched.then_some(name))
    .collect();
    kinds.extend(
        watch
            .events
            .iter()
            .filter_map(|event| model.events.get(*event as usize).map(String::as_str)),
    );
    kinds.join(", ")
}
