//! Flags from the environment: every flag of every verb is a variable too (`docs/cli.md`, "Variables").
//!
//! `--solver-timeout` is `CTRC_SOLVER_TIMEOUT`, for one verb alone `CTRC_CHECK_SOLVER_TIMEOUT`. The
//! names are worked out here, so that no flag can be without.

use std::ffi::{OsStr, OsString};

use clap::builder::BoolishValueParser;
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgAction, Command};

/// Flags that mean something else in one verb than in another: a variable for all verbs would set what
/// nobody meant, so these only have those that name the verb.
pub const BY_VERB_ALONE: [&str; 6] = ["all", "contract", "diff", "limit", "output", "tool"];

/// The variables of a flag, strongest first.
///
/// `path` are the verbs above it (`["ltlf", "cores"]`; none for a flag of all verbs), `long` is its
/// name without `--`.
#[must_use]
pub fn names(path: &[String], long: &str) -> Vec<String> {
    let upper = |text: &str| text.replace('-', "_").to_ascii_uppercase();
    let least = usize::from(!path.is_empty() && BY_VERB_ALONE.contains(&long));
    (least..=path.len())
        .rev()
        .map(|depth| {
            let mut name = String::from("CTRC");
            for part in path.iter().take(depth).map(String::as_str).chain([long]) {
                name.push('_');
                name.push_str(&upper(part));
            }
            name
        })
        .collect()
}

/// Gives each flag of a command line its variable. `get` reads the environment. A variable that is
/// empty counts as not set, and a switch that is off (`0`, `false`, `no`, `off`) as not given.
#[must_use]
pub fn attach(command: Command, get: &dyn Fn(&str) -> Option<OsString>) -> Command {
    attach_below(command, &[], get)
}

fn attach_below(
    command: Command,
    path: &[String],
    get: &dyn Fn(&str) -> Option<OsString>,
) -> Command {
    let verbs: Vec<String> = command
        .get_subcommands()
        .map(|sub| sub.get_name().to_owned())
        .collect();
    let mut command = command.mut_args(|arg| with_variable(arg, path, get));
    for verb in verbs {
        let mut below = path.to_vec();
        below.push(verb.clone());
        command = command.mut_subcommand(verb, |sub| attach_below(sub, &below, get));
    }
    command
}

fn with_variable(arg: Arg, path: &[String], get: &dyn Fn(&str) -> Option<OsString>) -> Arg {
    let Some(long) = arg.get_long() else {
        return arg;
    };
    let is_switch = match arg.get_action() {
        ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong | ArgAction::Version => {
            return arg;
        }
        action => matches!(action, ArgAction::SetTrue),
    };
    let names = names(path, long);
    let set = names
        .iter()
        .find_map(|name| Some((name, get(name).filter(|value| !value.is_empty())?)));
    let off = is_switch && set.as_ref().is_some_and(|(_, value)| is_off(value));
    // Where none is set the flag keeps the name that holds for all verbs, which help could show.
    let name = match (&set, names.last()) {
        (Some((name, _)), _) => (*name).clone(),
        (None, Some(name)) if get(name).is_none() => name.clone(),
        _ => return arg,
    };
    let arg = if is_switch {
        arg.value_parser(BoolishValueParser::new())
    } else {
        arg
    };
    if off {
        return arg;
    }
    // The parser keeps names for the life of the process, and each is made once.
    arg.env(&*name.leak()).hide_env(true)
}

/// Whether a switch's variable says no.
fn is_off(value: &OsStr) -> bool {
    value.to_str().is_some_and(|text| {
        ["0", "false", "no", "off", "n", "f"].contains(&text.to_ascii_lowercase().as_str())
    })
}

/// The variables that a usage error is about, each with its flag: those that are set, whose flag the
/// error names, and that the command line does not give itself.
#[must_use]
pub fn blamed(
    command: &Command,
    arguments: &[OsString],
    error: &clap::Error,
    get: &dyn Fn(&str) -> Option<OsString>,
) -> Vec<(String, String)> {
    let mut told = Vec::new();
    for kind in [
        ContextKind::InvalidArg,
        ContextKind::PriorArg,
        ContextKind::Usage,
    ] {
        match error.get(kind) {
            Some(ContextValue::String(text)) => told.push(text.clone()),
            Some(ContextValue::Strings(texts)) => told.extend(texts.iter().cloned()),
            _ => {}
        }
    }
    // What is missing is told by its own name, not by that of the flag which asks for it.
    let by_need = error.kind() == clap::error::ErrorKind::MissingRequiredArgument;
    let mut found: Vec<(String, String)> = Vec::new();
    let mut below = vec![command];
    while let Some(command) = below.pop() {
        for arg in command.get_arguments() {
            let (Some(long), Some(name)) = (arg.get_long(), arg.get_env()) else {
                continue;
            };
            let flag = format!("--{long}");
            let is_named = |text: &String| text.split_whitespace().any(|word| word == flag);
            let given = arguments.iter().filter_map(|a| a.to_str()).any(|argument| {
                argument == flag
                    || argument.starts_with(&format!("{flag}="))
                    || arg.get_short().is_some_and(|short| {
                        argument.starts_with(&format!("-{short}")) && !argument.starts_with("--")
                    })
            });
            let name = name.to_string_lossy().into_owned();
            let is_set = get(&name).is_some_and(|value| !value.is_empty());
            if is_set && !given && (by_need || told.iter().any(is_named)) {
                found.push((name, flag));
            }
        }
        // Of the verbs only those that the user wrote.
        below.extend(
            command
                .get_subcommands()
                .filter(|sub| arguments.iter().any(|a| a == sub.get_name())),
        );
    }
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

    use std::collections::BTreeMap;

    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    /// Every flag of the tree with the verbs above it.
    fn flags(command: &Command, path: &[String], out: &mut Vec<(Vec<String>, Arg)>) {
        for arg in command.get_arguments() {
            let is_help = matches!(
                arg.get_action(),
                ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong | ArgAction::Version
            );
            if arg.get_long().is_some() && !is_help {
                out.push((path.to_vec(), arg.clone()));
            }
        }
        for sub in command.get_subcommands() {
            let mut below = path.to_vec();
            below.push(sub.get_name().to_owned());
            flags(sub, &below, out);
        }
    }

    fn all(get: &dyn Fn(&str) -> Option<OsString>) -> Vec<(Vec<String>, Arg)> {
        let mut out = Vec::new();
        flags(&attach(Cli::command(), get), &[], &mut out);
        out
    }

    #[test]
    fn every_flag_has_a_variable() {
        let found = all(&|_| None);
        assert!(found.len() > 40, "only {} flags", found.len());
        for (path, arg) in &found {
            let long = arg.get_long().unwrap();
            let name = arg
                .get_env()
                .map(|name| name.to_string_lossy().into_owned());
            assert_eq!(name.as_ref(), names(path, long).last(), "{path:?} --{long}");
            // Each is long: a short flag alone could have no name.
        }
        let shorts = |command: &Command| {
            command
                .get_arguments()
                .filter(|arg| arg.get_short().is_some() && arg.get_long().is_none())
                .count()
        };
        let command = Cli::command();
        assert_eq!(
            shorts(&command) + command.get_subcommands().map(shorts).sum::<usize>(),
            0
        );
    }

    #[test]
    fn no_variable_has_two_meanings() {
        let mut seen: BTreeMap<String, String> = BTreeMap::new();
        for (path, arg) in all(&|_| None) {
            let long = arg.get_long().unwrap();
            for name in names(&path, long) {
                let other = seen.entry(name.clone()).or_insert(long.to_owned());
                assert_eq!(other, long, "{name} stands for two flags");
            }
        }
    }

    #[test]
    fn the_nearer_name_wins() {
        let get = |name: &str| match name {
            "CTRC_FORMAT" => Some("json".into()),
            "CTRC_CHECK_FORMAT" => Some("sarif".into()),
            "CTRC_REPLAY_ALL" => Some("off".into()),
            "CTRC_SOLVER_TIMEOUT" => Some("".into()),
            _ => None,
        };
        let found = all(&get);
        let of = |verb: &str, long: &str| {
            let (_, arg) = found
                .iter()
                .find(|(path, arg)| path == &[verb] && arg.get_long() == Some(long))
                .unwrap();
            arg.get_env()
                .map(|name| name.to_string_lossy().into_owned())
        };
        assert_eq!(of("check", "format").as_deref(), Some("CTRC_CHECK_FORMAT"));
        assert_eq!(of("replay", "format").as_deref(), Some("CTRC_FORMAT"));
        assert_eq!(of("replay", "all"), None, "off");
        assert_eq!(of("check", "solver-timeout"), None, "empty");
    }
}
