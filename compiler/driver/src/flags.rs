//! `-A`, `-W`, `-D` and where settings come from, as flags.

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use ctr_front::levels::{self, Level, Levels, NameError};

use ctr_project::{Settings, codes};
use ctr_trace::files::describe_read;

use crate::exit::Stop;
use crate::world::Disk;

/// Where settings come from.
#[derive(Clone, Debug, Default, Args)]
pub struct ConfigFile {
    /// Take settings from this file, not from the nearest `ctrc.toml`
    #[arg(long, value_name = "FILE", help_heading = "Settings")]
    pub config: Option<String>,
    /// Take settings from no file
    #[arg(long, conflicts_with = "config", help_heading = "Settings")]
    pub no_config: bool,
}

/// The settings of a command line.
///
/// # Errors
///
/// Where the file that it names cannot be read, or a level is of no warning.
pub fn settings(file: &ConfigFile, levels: &LevelFlags) -> Result<Settings<'static>, Stop> {
    let settings = Settings::nearest(&Disk).under(levels.levels(&codes::names())?);
    if file.no_config {
        return Ok(settings.without_files());
    }
    let Some(path) = &file.config else {
        return Ok(settings);
    };
    settings
        .from_file(path)
        .map_err(|error| Stop::Usage(format!("{path}: {}", describe_read(&error))))
}

/// Levels of warnings, in the order in which they were given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LevelFlags {
    /// Codes, or `warnings`, with their levels.
    pub given: Vec<(String, Level)>,
}

/// The flags: name, letter, level, help.
const FLAGS: [(&str, char, Level, &str); 3] = [
    ("allow", 'A', Level::Allow, "Do not tell this warning"),
    (
        "warn",
        'W',
        Level::Warn,
        "Tell this as a warning, whatever the settings say",
    ),
    ("deny", 'D', Level::Deny, "Tell this warning as an error"),
];

impl Args for LevelFlags {
    fn augment_args(command: Command) -> Command {
        FLAGS.into_iter().fold(command, |command, (name, letter, _, help)| {
            command.arg(
                Arg::new(name)
                    .long(name)
                    .short(letter)
                    .value_name("CODE")
                    .action(ArgAction::Append)
                    .value_delimiter(',')
                    .help(format!("{help} (`warnings`: all without a level of their own); of several levels of a code the last counts"))
                    .help_heading("Settings"),
            )
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for LevelFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = Self::default();
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        let mut all: Vec<(usize, &String, Level)> = Vec::new();
        for (name, _, level, _) in FLAGS {
            let values = matches.get_many::<String>(name).into_iter().flatten();
            let places = matches.indices_of(name).into_iter().flatten();
            // What the environment says comes before what was typed.
            let typed = matches.value_source(name) == Some(ValueSource::CommandLine);
            all.extend(
                values
                    .zip(places)
                    .map(|(value, at)| (if typed { at + 1 } else { 0 }, value, level)),
            );
        }
        all.sort_by_key(|(at, _, _)| *at);
        self.given = all
            .into_iter()
            .map(|(_, value, level)| (value.clone(), level))
            .collect();
        Ok(())
    }
}

impl LevelFlags {
    /// The levels.
    ///
    /// # Errors
    ///
    /// For a code that there is not, or that of an error.
    pub fn levels(&self, codes: &[&str]) -> Result<Levels, Stop> {
        let mut out = Levels::default();
        for (name, level) in &self.given {
            let name = name.trim();
            match levels::check_name(name, codes) {
                Ok(()) => out.set(name, *level),
                // To deny an error says nothing new.
                Err(NameError::IsError) if *level == Level::Deny => {}
                Err(NameError::IsError) => {
                    return Err(Stop::Usage(format!(
                        "`{name}` is an error and stays one; levels are for warnings"
                    )));
                }
                Err(NameError::Unknown(near)) => {
                    let hint = near
                        .map(|near| format!("; did you mean `{near}`?"))
                        .unwrap_or_default();
                    return Err(Stop::Usage(format!("there is no code `{name}`{hint}")));
                }
            }
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn given(arguments: &[&str]) -> Vec<(String, Level)> {
        let command = LevelFlags::augment_args(Command::new("x"));
        let arguments = std::iter::once("x").chain(arguments.iter().copied());
        let matches = command.try_get_matches_from(arguments).unwrap();
        LevelFlags::from_arg_matches(&matches).unwrap().given
    }

    #[test]
    fn in_the_order_of_the_line() {
        let of = |name: &str, level| (name.to_owned(), level);
        assert_eq!(
            given(&["-D", "W1", "-A", "W1,W2", "--deny=W2", "-W", "W1"]),
            [
                of("W1", Level::Deny),
                of("W1", Level::Allow),
                of("W2", Level::Allow),
                of("W2", Level::Deny),
                of("W1", Level::Warn),
            ]
        );
        assert_eq!(given(&[]), []);
    }

    #[test]
    fn what_has_no_level() {
        let flags = |name: &str, level| LevelFlags {
            given: vec![(name.to_owned(), level)],
        };
        let codes = ["E0401", "W0407"];
        assert!(flags("W0407", Level::Deny).levels(&codes).is_ok());
        assert!(flags("E0401", Level::Deny).levels(&codes).is_ok());
        assert!(flags("E0401", Level::Warn).levels(&codes).is_err());
        let Err(Stop::Usage(told)) = flags("w0407", Level::Deny).levels(&codes) else {
            unreachable!("an unknown code")
        };
        assert_eq!(told, "there is no code `w0407`; did you mean `W0407`?");
    }
}
