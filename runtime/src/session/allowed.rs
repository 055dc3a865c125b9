//! Which tools could be called now.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use super::narrow::declared;
use super::narrow::shape::{RECORD, Shape, and, kind};
use super::narrow::witness::examples;
use super::{EventError, Incomplete, Session};
use crate::eval::Host;
use crate::event::{Event, EventKind, Meta};
use crate::value::Value;

/// How far a tool can be called now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extent {
    /// With any arguments.
    All,
    /// With some: [`Allowed::example`] is accepted.
    Some,
    /// With none.
    No,
    /// The schema language, or the search for an example, is too weak to say.
    Unknown,
}

impl Extent {
    /// The name in reports: `all`, `some`, `none`, `unknown`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Some => "some",
            Self::No => "none",
            Self::Unknown => "unknown",
        }
    }
}

/// A tool, and how far it can be called now.
#[derive(Clone, Debug, PartialEq)]
pub struct Allowed {
    /// Its server, where the library says.
    pub server: Option<String>,
    /// Its name.
    pub tool: String,
    /// How far it can be called.
    pub extent: Extent,
    /// The contracts that accept no call of it now. Where `extent` is [`Extent::Unknown`] they may
    /// accept calls that no schema can describe.
    pub forbidding: Vec<u32>,
    /// Arguments that the contracts accept now: found, and confirmed by the session.
    pub example: Option<Value>,
    /// What the shapes could not tell.
    pub incomplete: Vec<Incomplete>,
}

impl Session<'_> {
    /// Which of the library's tools could be called now: those that its files declare or import, and those
    /// that its patterns name.
    ///
    /// `meta` is what the host would record with the call, its server aside where the library knows that of
    /// the tool. Nothing is changed but the clock, as by [`Session::propose`].
    ///
    /// ```
    /// # use ctr_runtime::doc::library;
    /// use ctr_runtime::event::Meta;
    /// use ctr_runtime::session::{Extent, Session};
    ///
    /// // guarantee call pay only if amount <= 100
    /// let library = library();
    /// let mut session = Session::new(&library);
    /// let allowed = session.allowed(&Meta::default(), &mut ())?;
    /// assert_eq!(allowed[0].tool, "pay");
    /// assert_eq!(allowed[0].extent, Extent::Some);
    /// # Ok::<(), ctr_runtime::session::EventError>(())
    /// ```
    ///
    /// # Errors
    /// Where no call could be taken at all; see [`EventError`].
    pub fn allowed(
        &mut self,
        meta: &Meta<'_>,
        host: &mut dyn Host,
    ) -> Result<Vec<Allowed>, EventError> {
        let library = self.library;
        let declared = (0..library.declared_count()).map(|id| {
            let tool = library.declared(id);
            (tool.server, tool.name)
        });
        let named = (0..library.tool_count()).map(|id| {
            let tool = library.tool(id);
            (tool.server, tool.name)
        });
        // A name without a server is the tool that is declared so, where one is; else that of any server,
        // which is another than that of a server that is named.
        let mut tools: Vec<(Option<&str>, &str)> = Vec::new();
        for (server, name) in declared {
            if !tools.contains(&(server, name)) {
                tools.push((server, name));
            }
        }
        let count = tools.len();
        for (server, name) in named {
            let known = tools.contains(&(server, name))
                || server.is_none() && tools.iter().take(count).any(|(_, n)| *n == name);
            if !known {
                tools.push((server, name));
            }
        }
        tools
            .into_iter()
            .map(|(server, tool)| self.allowed_tool(server, tool, meta, host))
            .collect()
    }

    /// The same for one tool, whether the library knows it or not.
    ///
    /// # Errors
    /// As [`Session::allowed`].
    pub fn allowed_tool(
        &mut self,
        server: Option<&str>,
        tool: &str,
        meta: &Meta<'_>,
        host: &mut dyn Host,
    ) -> Result<Allowed, EventError> {
        let meta = Meta {
            server: server.or(meta.server),
            ..*meta
        };
        let input = declared::input(self.library, meta.server, tool);
        let accepted = self.accepted(tool, &meta, input.as_ref(), host)?;
        let mut allowed = Allowed {
            server: server.map(ToOwned::to_owned),
            tool: tool.trim().to_owned(),
            extent: Extent::Unknown,
            forbidding: accepted.forbidding,
            example: None,
            incomplete: accepted.incomplete,
        };
        match accepted.shape {
            Shape::Any => allowed.extent = Extent::All,
            Shape::Never if allowed.incomplete.is_empty() => allowed.extent = Extent::No,
            Shape::Never => {}
            shape => {
                // An example is one that the tool itself would take, too.
                let asked = input.as_ref().map_or(Shape::Any, declared::asked);
                let shape = and(Vec::from([kind(RECORD), asked, shape]));
                for args in examples(&shape) {
                    let call = Event {
                        kind: EventKind::Call {
                            id: None,
                            tool,
                            args: &args,
                        },
                        meta,
                    };
                    if self.is_accepted(&call, host) {
                        allowed.extent = Extent::Some;
                        allowed.example = Some(args);
                        break;
                    }
                }
            }
        }
        Ok(allowed)
    }
}
