//! Tool schemas: from the JSON that a server or a framework describes its tools with to
//! [`ToolDecl`]s (language reference, section 7).
//!
//! Nothing is fetched, depth and references are bounded, and whatever cannot be read is an error
//! whose place is in the JSON.

mod algebra;
mod convert;
pub mod json;
mod number;
pub mod places;
mod reference;
mod tools;

pub use convert::{MAX_FINDINGS, MAX_REF_HOPS, MAX_SCHEMA_DEPTH, MAX_SCHEMAS};

use crate::diagnostic::Diagnostic;
use crate::ir::SourceId;
use crate::types::ToolDecl;

/// What a file of tools holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decoded {
    /// The tools in order of the text; their server is left open.
    pub tools: Vec<ToolDecl>,
    /// Whether all of it could be read: there is no error in `diagnostics`.
    pub complete: bool,
    /// The findings, whose places are in the JSON.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a file of tools, which is `source` with the text `text`: an MCP `tools/list` result, also
/// inside its JSON-RPC response, an `OpenAI` `tools` list (of chat completions or of responses), an
/// Anthropic `tools` list, an object with one of these under `tools`, or one tool alone.
#[must_use]
pub fn read_tools(source: SourceId, text: &str) -> Decoded {
    tools::read(source, text)
}

/// The declaration of a tool as a tool of `server`. The wire form `mcp__server__tool` loses its
/// prefix where that names this server, and where no server is given it says which one it is.
#[must_use]
pub fn with_server(mut tool: ToolDecl, server: Option<&str>) -> ToolDecl {
    let wire = tool
        .name
        .strip_prefix("mcp__")
        .and_then(|rest| match server {
            Some(server) => rest
                .strip_prefix(server)?
                .strip_prefix("__")
                .map(|name| (server, name)),
            None => rest.split_once("__"),
        })
        .filter(|(server, name)| !server.is_empty() && !name.is_empty())
        .map(|(server, name)| (server.to_owned(), name.to_owned()));
    match wire {
        Some((server, name)) => {
            tool.server = Some(server);
            tool.name = name;
        }
        None => tool.server = server.map(str::to_owned),
    }
    tool
}

/// Whether two declarations of one tool say the same: server, name, arguments, result and
/// annotations, whatever the order of fields and alternatives. Descriptions and places do not count.
#[must_use]
pub fn same_tool(a: &ToolDecl, b: &ToolDecl) -> bool {
    a.server == b.server
        && a.name == b.name
        && a.annotations == b.annotations
        && algebra::record_key(&a.params) == algebra::record_key(&b.params)
        && algebra::type_key(&a.result) == algebra::type_key(&b.result)
}
