//! Starts `ctrc lsp` for Zed.

use zed_extension_api::settings::LspSettings;
use zed_extension_api::{self as zed, Command, LanguageServerId, Result, Worktree};

struct Ctr;

impl zed::Extension for Ctr {
    fn new() -> Self {
        Self
    }

    /// `lsp.ctrc.binary` of the settings, else `ctrc` of the path.
    fn language_server_command(
        &mut self,
        id: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Command> {
        let binary = LspSettings::for_worktree(id.as_ref(), worktree)
            .ok()
            .and_then(|settings| settings.binary);
        let given = binary.as_ref().and_then(|binary| binary.path.clone());
        let command = given
            .or_else(|| worktree.which("ctrc"))
            .ok_or("`ctrc` is not on the path; install it, or set `lsp.ctrc.binary.path`")?;
        let args = binary
            .and_then(|binary| binary.arguments)
            .unwrap_or_else(|| vec!["lsp".to_owned()]);
        Ok(Command {
            command,
            args,
            env: worktree.shell_env(),
        })
    }
}

zed::register_extension!(Ctr);
