//! The page that lists many sessions.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ctr_runtime::decision::Value3;
use ctr_runtime::format::Library;
use ctr_trace::judge::Report;
use ctr_trace::{Format, Unreadable};

use super::escape::Text;
use super::shell::{self, verdict, verdict_style};
use crate::cli::View;
use crate::plain::counted;

/// So many contracts have a column of their own in the table of sessions.
const MAX_COLUMNS: usize = 60;

/// What the keys of the page do.
const KEYS: [(&str, &str); 6] = [
    ("j \u{2193}", "next session"),
    ("k \u{2191}", "previous session"),
    ("Enter", "open the session"),
    ("/", "search"),
    ("t", "light or dark"),
    ("?", "this list"),
];

/// A session as the index knows it.
#[derive(Debug)]
pub struct Entry {
    name: String,
    page: Option<String>,
    what: Result<Figures, String>,
}

#[derive(Debug)]
struct Figures {
    format: Format,
    reward: Option<f64>,
    agent: Value3,
    environment: Value3,
    events: u64,
    violations: u64,
    decisions: u64,
    malformed: u64,
    /// Each contract's value, and how often it was violated or objected.
    contracts: Vec<(Value3, u64)>,
}

impl Entry {
    /// Whether its session could be read.
    #[must_use]
    pub fn is_read(&self) -> bool {
        self.what.is_ok()
    }

    /// An entry; `page` is the name of the session's own page.
    #[must_use]
    pub fn new(result: &Result<Report, Unreadable>, page: Option<String>) -> Self {
        let report = match result {
            Ok(report) => report,
            Err(unreadable) => {
                return Self {
                    name: unreadable.name.clone(),
                    page: None,
                    what: Err(match unreadable.line {
                        Some(line) => format!("line {line}: {}", unreadable.what),
                        None => unreadable.what.clone(),
                    }),
                };
            }
        };
        let mut contracts: Vec<(Value3, u64)> = report
            .outcome
            .contracts
            .iter()
            .map(|c| (c.value, c.violations.len() as u64 + c.untold))
            .collect();
        let violations = contracts.iter().map(|(_, n)| n).sum();
        for objection in report
            .decisions
            .iter()
            .flat_map(|decided| &decided.decision.objections)
        {
            let at = usize::try_from(objection.contract).unwrap_or(usize::MAX);
            if let Some((_, n)) = contracts.get_mut(at) {
                *n += 1;
            }
        }
        Self {
            name: report.name.clone(),
            page,
            what: Ok(Figures {
                format: report.format,
                reward: report.reward,
                agent: report.outcome.agent,
                environment: report.outcome.environment,
                events: report.events,
                violations,
                decisions: report.decisions.len() as u64,
                malformed: report.malformed.len() as u64,
                contracts,
            }),
        }
    }
}

/// The page.
#[must_use]
pub fn page(library: &Library<'_>, view: View, entries: &[Entry]) -> String {
    let mut out = String::with_capacity(64 << 10);
    let judged = entries.iter().filter(|entry| entry.is_read()).count();
    let title = format!("{} judged", counted(judged as u64, "session"));
    shell::open(&mut out, "index", &title);
    out.push_str("<a class=skip href=\"#sessions\">Skip to the sessions</a>\n<header>\n");
    shell::tools(&mut out);
    let _ = writeln!(out, "<h1>{title}</h1>");
    totals(&mut out, view, entries);
    out.push_str("</header>\n<main id=main>\n");
    let columns = contracts(&mut out, library, view, entries);
    sessions(&mut out, library, view, entries, &columns);
    out.push_str("</main>\n");
    shell::close(&mut out, ctr_project::COMPILER, &KEYS);
    out
}

fn readable(entries: &[Entry]) -> impl Iterator<Item = &Figures> + Clone {
    entries.iter().filter_map(|entry| entry.what.as_ref().ok())
}

fn totals(out: &mut String, view: View, entries: &[Entry]) {
    let all = readable(entries);
    out.push_str("<dl class=facts>");
    for (name, of) in [
        ("Agent", (|f| f.agent) as fn(&Figures) -> Value3),
        ("Environment", |f| f.environment),
    ] {
        let _ = write!(out, "<div><dt>{name}</dt><dd>");
        for value in [Value3::Fail, Value3::Active, Value3::Idle] {
            let count = all.clone().filter(|f| of(f) == value).count();
            let _ = write!(out, "<span class=tally>");
            verdict(out, value);
            let _ = write!(out, " <b>{count}</b></span> ");
        }
        out.push_str("</dd></div>");
    }
    let mut item = |name: &str, text: &str| {
        let _ = write!(out, "<div><dt>{name}</dt><dd>{}</dd></div>", Text(text));
    };
    let sum = |of: fn(&Figures) -> u64| all.clone().map(of).sum::<u64>();
    item("Events", &sum(|f| f.events).to_string());
    item("Violations", &sum(|f| f.violations).to_string());
    if view == View::Gated {
        item("Decisions", &sum(|f| f.decisions).to_string());
    }
    let malformed = sum(|f| f.malformed);
    if malformed > 0 {
        item("Malformed", &counted(malformed, "event"));
    }
    let unreadable = entries.iter().filter(|entry| entry.what.is_err()).count();
    if unreadable > 0 {
        item("Unreadable", &counted(unreadable as u64, "session"));
    }
    item(
        "View",
        match view {
            View::Recorded => "recorded: every event happened",
            View::Gated => "gated: what enforcement lets through",
        },
    );
    let mut formats: BTreeMap<&str, usize> = BTreeMap::new();
    for figures in all.clone() {
        *formats.entry(figures.format.name()).or_default() += 1;
    }
    let formats: Vec<String> = formats
        .iter()
        .map(|(format, n)| format!("{format} {n}"))
        .collect();
    if !formats.is_empty() {
        item("Formats", &formats.join(", "));
    }
    out.push_str("</dl>\n");
}

struct Counted {
    contract: u32,
    failed: usize,
    idle: usize,
    findings: u64,
    rewarded: usize,
}

/// The table of contracts; gives those that something was found of, most often failed first.
fn contracts(out: &mut String, library: &Library<'_>, view: View, entries: &[Entry]) -> Vec<u32> {
    let of = |contract: u32| {
        readable(entries).filter_map(move |figures| {
            let at = usize::try_from(contract).ok()?;
            Some((figures, *figures.contracts.get(at)?))
        })
    };
    let mut all: Vec<Counted> = (0..library.contract_count())
        .map(|contract| {
            let failed = |value: Value3| of(contract).filter(move |(_, (v, _))| *v == value);
            Counted {
                contract,
                failed: failed(Value3::Fail).count(),
                idle: failed(Value3::Idle).count(),
                findings: of(contract).map(|(_, (_, n))| n).sum(),
                rewarded: failed(Value3::Fail)
                    .filter(|(figures, _)| figures.reward.is_some_and(|reward| reward >= 1.0))
                    .count(),
            }
        })
        .collect();
    all.sort_by_key(|c| std::cmp::Reverse((c.failed, c.findings, c.idle)));
    let rewards = readable(entries).any(|figures| figures.reward.is_some());
    let sessions = readable(entries).count().max(1);
    let quiet = |c: &Counted| c.failed == 0 && c.idle == 0 && c.findings == 0;
    let _ = writeln!(
        out,
        "<section id=contracts aria-labelledby=contracts-title>\n<h2 id=contracts-title>Contracts <span class=count>{}</span></h2>",
        all.len()
    );
    let found: Vec<&Counted> = all.iter().filter(|c| !quiet(c)).collect();
    if found.is_empty() {
        out.push_str("<p class=calm><span aria-hidden=true>\u{2713}</span> No contract failed in any session.</p>\n");
    } else {
        out.push_str("<div class=scroll tabindex=0 role=region aria-label=\"Table of contracts\"><table class=sortable><thead><tr>");
        head(out, "Contract", "name", false);
        head(out, "Failed in", "number", true);
        out.push_str("<td class=bar></td>");
        head(out, "Idle in", "number", true);
        let what = match view {
            View::Recorded => "Violations",
            View::Gated => "Objections",
        };
        head(out, what, "number", true);
        if rewards {
            head(out, "Failed with full reward", "number", true);
        }
        out.push_str("</tr></thead><tbody>\n");
        for counted in &found {
            let name = Text(library.contract(counted.contract).name());
            let _ = write!(
                out,
                "<tr><th scope=row><a href=\"#contract={name}\" data-pick=\"{name}\">{name}</a></th><td class=num>{}</td>\
                 <td class=bar><svg viewBox=\"0 0 100 8\" preserveAspectRatio=none aria-hidden=true><rect class=r-v width={} height=8 /></svg></td>\
                 <td class=num>{}</td><td class=num>{}</td>",
                counted.failed,
                counted.failed * 100 / sessions,
                counted.idle,
                counted.findings
            );
            if rewards {
                let _ = write!(out, "<td class=num>{}</td>", counted.rewarded);
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody></table></div>\n");
    }
    let calm: Vec<&str> = all
        .iter()
        .filter(|c| quiet(c))
        .map(|c| library.contract(c.contract).name())
        .collect();
    if !calm.is_empty() && !found.is_empty() {
        let _ = writeln!(
            out,
            "<details class=quiet><summary>{} without findings</summary><p>{}</p></details>",
            counted(calm.len() as u64, "contract"),
            Text(&calm.join(", "))
        );
    }
    out.push_str("</section>\n");
    found.iter().map(|c| c.contract).collect()
}

fn head(out: &mut String, name: &str, sort: &str, number: bool) {
    let class = if number { " class=num" } else { "" };
    let _ = write!(
        out,
        "<th scope=col{class} data-sort={sort}>{}</th>",
        Text(name)
    );
}

/// The table of sessions.
fn sessions(
    out: &mut String,
    library: &Library<'_>,
    view: View,
    entries: &[Entry],
    columns: &[u32],
) {
    let shown = columns.get(..MAX_COLUMNS).unwrap_or(columns);
    let _ = write!(
        out,
        "<section id=sessions aria-labelledby=sessions-title>\n<h2 id=sessions-title>Sessions <span class=count>{}</span></h2>\n\
         <form class=filters id=filters hidden data-js>\n<label>Show <select id=only><option value=\"\">all sessions</option>",
        entries.len()
    );
    for (value, name) in [
        ("fail", "agent FAIL"),
        ("idle", "agent IDLE"),
        ("active", "agent ACTIVE"),
        ("findings", "with findings"),
        ("unreadable", "unreadable"),
    ] {
        let count = entries.iter().filter(|e| matches(e, value)).count();
        if count > 0 {
            let _ = write!(out, "<option value={value}>{name} ({count})</option>");
        }
    }
    out.push_str(
        "</select></label>\n<label>Contract <select id=contract><option value=\"\">any</option>",
    );
    for contract in columns {
        let name = Text(library.contract(*contract).name());
        let _ = write!(
            out,
            "<option value=\"{name}\" data-c={contract}>{name}</option>"
        );
    }
    out.push_str(
        "</select></label>\n<label class=search>Search <input type=search id=q placeholder=\"name of a session\" autocomplete=off spellcheck=false></label>\n\
         <button type=reset>Clear</button>\n<p role=status aria-live=polite id=shown></p>\n</form>\n",
    );
    let rewards = readable(entries).any(|figures| figures.reward.is_some());
    let objected = match view {
        View::Recorded => "",
        View::Gated => " \u{25a0} with their number where it only objected,",
    };
    let _ = writeln!(
        out,
        "<p class=hint>A contract\u{2019}s cell is \u{2715} with the number of findings where it failed,{objected} \u{2013} where it was idle, empty where it held.</p>"
    );
    out.push_str("<div class=scroll tabindex=0 role=region aria-label=\"Table of sessions\"><table class=\"sortable matrix\"><thead><tr>");
    head(out, "Session", "name", false);
    head(out, "Agent", "value", false);
    head(out, "Environment", "value", false);
    head(out, "Events", "number", true);
    head(out, "Violations", "number", true);
    if view == View::Gated {
        head(out, "Decisions", "number", true);
    }
    if rewards {
        head(out, "Reward", "number", true);
    }
    for contract in shown {
        let name = Text(library.contract(*contract).name());
        let _ = write!(
            out,
            "<th scope=col class=turned data-sort=number><span>{name}</span></th>"
        );
    }
    out.push_str("</tr></thead><tbody>\n");
    for entry in entries {
        row(out, library, view, entry, shown, rewards);
    }
    out.push_str("</tbody></table></div>\n");
    let more = columns.len().saturating_sub(shown.len());
    if more > 0 {
        let _ = writeln!(
            out,
            "<p class=more>{} with findings have no column.</p>",
            counted(more as u64, "more contract")
        );
    }
    out.push_str("</section>\n");
}

fn matches(entry: &Entry, only: &str) -> bool {
    match &entry.what {
        Err(_) => only == "unreadable",
        Ok(figures) => match only {
            "fail" => figures.agent == Value3::Fail,
            "idle" => figures.agent == Value3::Idle,
            "active" => figures.agent == Value3::Active,
            "findings" => {
                figures.agent != Value3::Active
                    || figures.violations + figures.decisions + figures.malformed > 0
            }
            _ => false,
        },
    }
}

fn row(
    out: &mut String,
    library: &Library<'_>,
    view: View,
    entry: &Entry,
    columns: &[u32],
    rewards: bool,
) {
    let mut is: Vec<&str> = ["fail", "idle", "active", "findings", "unreadable"]
        .into_iter()
        .filter(|only| matches(entry, only))
        .collect();
    is.sort_unstable();
    let _ = write!(out, "<tr data-is=\"{}\"", is.join(" "));
    if let Ok(figures) = &entry.what {
        out.push_str(" data-c=\"");
        for contract in columns {
            if let Some((value, n)) = usize::try_from(*contract)
                .ok()
                .and_then(|at| figures.contracts.get(at))
                && (*value != Value3::Active || *n > 0)
            {
                let _ = write!(out, "{contract} ");
            }
        }
        out.push('"');
    }
    out.push_str("><th scope=row>");
    let name = Text(&entry.name);
    let _ = match &entry.page {
        Some(page) => write!(out, "<a href=\"{}\">{name}</a>", Text(page)),
        None => write!(out, "{name}"),
    };
    out.push_str("</th>");
    let figures = match &entry.what {
        Ok(figures) => figures,
        Err(what) => {
            let span = 4 + usize::from(view == View::Gated) + usize::from(rewards) + columns.len();
            let _ = writeln!(
                out,
                "<td colspan={span} class=unreadable>unreadable: {}</td></tr>",
                Text(what)
            );
            return;
        }
    };
    for value in [figures.agent, figures.environment] {
        let _ = write!(out, "<td data-v={}>", value as u8);
        verdict(out, value);
        out.push_str("</td>");
    }
    let _ = write!(
        out,
        "<td class=num>{}</td><td class=num>{}</td>",
        figures.events, figures.violations
    );
    if view == View::Gated {
        let _ = write!(out, "<td class=num>{}</td>", figures.decisions);
    }
    if rewards {
        let reward = figures.reward.map(|r| r.to_string()).unwrap_or_default();
        let _ = write!(out, "<td class=num>{reward}</td>");
    }
    for contract in columns {
        let cell = usize::try_from(*contract)
            .ok()
            .and_then(|at| figures.contracts.get(at))
            .copied();
        let (value, n) = cell.unwrap_or((Value3::Active, 0));
        let (class, sign) = verdict_style(value);
        // To the session's page, with only what concerns the contract.
        let name = library.contract(*contract).name();
        let link = match &entry.page {
            Some(page) => format!("<a href=\"{}#contract={}\" class=", Text(page), Text(name)),
            None => "<a class=".to_owned(),
        };
        let _ = match (value, n) {
            (Value3::Active, 0) => write!(out, "<td data-v=0></td>"),
            (Value3::Active, n) => {
                write!(
                    out,
                    "<td class=cell data-v={n}>{link}st-d>\u{25a0} {n}</a></td>"
                )
            }
            (Value3::Idle, _) => write!(
                out,
                "<td class=cell data-v=0.5>{link}st-{class}>{sign}<span class=hide> idle</span></a></td>"
            ),
            (Value3::Fail, n) => write!(
                out,
                "<td class=cell data-v={n}>{link}st-{class}>{sign}<span class=hide> failed,</span> {n}</a></td>"
            ),
        };
    }
    out.push_str("</tr>\n");
}
