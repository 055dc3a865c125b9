//! `ctrc allowed`: which tools could be called at the end of a session, and with which arguments.

use ctr_runtime::event::Meta;
use ctr_runtime::format::Library;
use ctr_runtime::json;
use ctr_runtime::session::{Allowed, Extent, Narrowed, Session, gate};
use ctr_runtime::value::{Record, Value};
use ctr_runtime::wire;
use ctr_trace::judge::Recording;
use ctr_trace::{self as trace, Step, detect, files};

use crate::cli::{self, Format};
use crate::exit::{Exit, Stop, data, message};
use crate::library;
use crate::plain;

/// A tool with its narrowed schema.
struct Tool {
    allowed: Allowed,
    narrowed: Narrowed,
}

/// Runs the verb.
///
/// # Errors
///
/// Where the library or the session cannot be read, a call could not be taken at all, or standard output not
/// be written.
pub fn run(args: &cli::Allowed) -> Result<Exit, Stop> {
    let library = library::open(&args.library.library)?;
    let recording = args.trace.as_deref().map(read).transpose()?;
    let mut session = Session::new(&library);
    let mut host = Recording::default();
    let mut time = None;
    for step in recording.iter().flat_map(|r| &r.steps) {
        match step {
            Step::Context(fields) => session.set_context(fields),
            Step::Lookup { name, args, value } => host.answer(name, args, value.clone()),
            Step::Event(event) => {
                time = time.max(event.time);
                gate(&mut session, &event.as_event(), &mut host).map_err(|error| {
                    let told = format!("record {}: {error}", event.line);
                    Stop::Usage(plain::line(&told).into_owned())
                })?;
            }
        }
    }
    let meta = Meta {
        agent: args.agent.as_deref(),
        time,
        ..Meta::default()
    };
    let fault = |error| Stop::Usage(format!("no call can be taken: {error}"));
    let tools = match &args.tool {
        Some(tool) => {
            // `server.tool` where the library knows the server, else the name as it is.
            let server = tool.split_once('.').filter(|(server, _)| {
                let mut declared = (0..library.declared_count()).map(|id| library.declared(id));
                library.has_server(server) || declared.any(|t| t.server == Some(*server))
            });
            let (server, name) = match server {
                Some((server, name)) => (Some(server), name),
                None => (None, tool.as_str()),
            };
            let one = session.allowed_tool(server, name, &meta, &mut host);
            vec![one.map_err(fault)?]
        }
        None => session.allowed(&meta, &mut host).map_err(fault)?,
    };
    if let (Some(tool), [one]) = (&args.tool, tools.as_slice())
        && !is_known(&library, one)
    {
        message(&format!("no file of the library names a tool `{tool}`"));
    }
    let mut found = Vec::with_capacity(tools.len());
    for allowed in tools {
        let meta = Meta {
            server: allowed.server.as_deref(),
            ..meta
        };
        let narrowed = session.schema(&allowed.tool, &meta, &mut host);
        let narrowed = narrowed.map_err(fault)?;
        found.push(Tool { allowed, narrowed });
    }
    match args.format {
        Format::Json => {
            for tool in &found {
                data(&format!("{}\n", line(&library, tool)))?;
            }
        }
        Format::Human => data(&human(&library, &found, args.tool.is_some()))?,
    }
    Ok(Exit::Clean)
}

/// Whether the library declares a tool, or names it in a pattern.
fn is_known(library: &Library<'_>, tool: &Allowed) -> bool {
    let fits = |server: Option<&str>, name: &str| {
        let asked = tool.server.as_deref();
        name == tool.tool && (server.is_none() || asked.is_none() || server == asked)
    };
    (0..library.declared_count())
        .map(|id| library.declared(id))
        .any(|t| fits(t.server, t.name))
        || (0..library.tool_count())
            .map(|id| library.tool(id))
            .any(|t| fits(t.server, t.name))
}

/// The one session of a file.
fn read(path: &str) -> Result<trace::Session, Stop> {
    let unreadable = |error: trace::Unreadable| Stop::Usage(error.to_string());
    let text = files::read(path).map_err(unreadable)?;
    let pieces = detect::split(path, &text).map_err(unreadable)?;
    match pieces.as_slice() {
        [one] => detect::read(one).map_err(unreadable),
        pieces => Err(Stop::Usage(format!(
            "`{path}` holds {} sessions; give a file with one",
            pieces.len()
        ))),
    }
}

/// One JSON object: how far the tool can be called, and its schema.
fn line(library: &Library<'_>, tool: &Tool) -> String {
    let mut out = Record::new();
    let allowed = wire::allowed(library, std::slice::from_ref(&tool.allowed));
    let parts = [
        allowed.at(0).cloned().unwrap_or_default(),
        wire::narrowed(library, &tool.narrowed),
    ];
    for part in &parts {
        for (name, value) in part.as_record().into_iter().flat_map(Record::iter) {
            out.insert(name, value.clone());
        }
    }
    json::to_string(&Value::Record(out))
}

fn human(library: &Library<'_>, tools: &[Tool], schema: bool) -> String {
    let mut out = String::new();
    let mut say = |text: &str| {
        out.push_str(&plain::line(text));
        out.push('\n');
    };
    for Tool { allowed, narrowed } in tools {
        let server = allowed.server.as_deref();
        let server = server.map(|s| format!("{s}.")).unwrap_or_default();
        let how = match allowed.extent {
            Extent::All => "with any arguments",
            Extent::Some => "with some arguments",
            Extent::No => "not now",
            Extent::Unknown => "not known",
        };
        say(&format!("{server}{}: {how}", allowed.tool));
        for contract in &allowed.forbidding {
            say(&format!(
                "  forbidden by {}",
                library.contract(*contract).name()
            ));
        }
        if let Some(example) = &allowed.example {
            say(&plain::json(&format!("  for instance {example}")));
        }
        for left in &narrowed.incomplete {
            let contract = library.contract(left.contract).name();
            let why = left.why.name();
            say(&match left.condition.as_str() {
                "" => format!("  the schema leaves out some calls: {why} ({contract})"),
                condition => format!(
                    "  the schema leaves out calls that depend on `{condition}`: {why} ({contract})"
                ),
            });
        }
        if schema {
            say(&plain::json(&narrowed.schema.to_string()));
        }
    }
    out
}
