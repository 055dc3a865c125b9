//! `ctrc man`: manual pages.

use std::fs;
use std::path::Path;

use clap::Command;
use ctr_trace::files::describe;

use crate::atomic::write_atomically;
use crate::cli::Man;
use crate::exit::{Exit, Stop, data, message};

/// Runs the verb.
///
/// # Errors
///
/// Where there is no such verb, or the page cannot be written.
pub fn run(args: &Man) -> Result<Exit, Stop> {
    let pages = pages()?;
    if let Some(folder) = &args.output {
        let folder = Path::new(folder);
        let fault = |path: &Path, error: &std::io::Error| {
            Stop::Usage(format!("{}: {}", path.display(), describe(error)))
        };
        fs::create_dir_all(folder).map_err(|error| fault(folder, &error))?;
        for (name, text) in &pages {
            let path = folder.join(format!("{name}.1"));
            write_atomically(&path, text.as_bytes()).map_err(|error| fault(&path, &error))?;
        }
        message(&format!(
            "wrote {} pages to {}",
            pages.len(),
            folder.display()
        ));
        return Ok(Exit::Clean);
    }
    let wanted = std::iter::once("ctrc")
        .chain(args.verb.iter().map(String::as_str))
        .collect::<Vec<_>>()
        .join("-");
    let Some((_, text)) = pages.iter().find(|(name, _)| *name == wanted) else {
        let hint = ctr_front::suggest::nearest(&wanted, pages.iter().map(|(name, _)| &**name))
            .map(|near| {
                let verb = near.strip_prefix("ctrc-").unwrap_or(near).replace('-', " ");
                format!("; did you mean `{verb}`?")
            })
            .unwrap_or_default();
        return Err(Stop::Usage(format!(
            "there is no verb `{}`{hint}",
            args.verb.join(" ")
        )));
    };
    data(text)?;
    Ok(Exit::Clean)
}

/// All pages, each with its name (`ctrc-check`), in order of the verbs; the same whatever the environment
/// says.
///
/// # Errors
///
/// Where a page cannot be made.
pub fn pages() -> Result<Vec<(String, String)>, Stop> {
    let mut out = Vec::new();
    let mut command = shown(crate::command(&|_| None)).disable_help_subcommand(true);
    command.build();
    render(&command, &mut out)?;
    Ok(out)
}

/// With the variables told of, which `--help` leaves to its last lines.
fn shown(command: Command) -> Command {
    command
        .mut_args(|arg| arg.hide_env(false).hide_env_values(true))
        .mut_subcommands(shown)
}

fn render(command: &Command, out: &mut Vec<(String, String)>) -> Result<(), Stop> {
    let name = command
        .get_display_name()
        .unwrap_or_else(|| command.get_name())
        .to_owned();
    let mut text = Vec::new();
    clap_mangen::Man::new(command.clone())
        .source(ctr_project::COMPILER)
        .manual("ctrc")
        .render(&mut text)
        .map_err(|error| Stop::Internal(error.to_string()))?;
    // The generator knows of no such sections, which every page of a command has.
    let text = String::from_utf8_lossy(&text)
        .replacen(".SH EXTRA\nExamples:\n", ".SH EXAMPLES\n", 1)
        .replacen("\n\nExit codes:\n", "\n.SH EXIT STATUS\n", 1);
    out.push((name, text));
    for sub in command.get_subcommands() {
        render(sub, out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn pages_have_the_sections_of_manual_pages() {
        let pages = pages().unwrap();
        assert!(pages.len() > 15);
        for (name, text) in pages {
            for section in ["NAME", "SYNOPSIS", "OPTIONS", "EXAMPLES", "EXIT STATUS"] {
                let heading = format!("\n.SH {section}\n");
                let quoted = format!("\n.SH \"{section}\"\n");
                assert!(
                    text.contains(&heading) || text.contains(&quoted),
                    "{name}: {section}"
                );
            }
            assert!(!text.contains(".SH EXTRA"), "{name}");
        }
    }
}
