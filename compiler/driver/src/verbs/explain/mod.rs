//! `ctrc explain`: a diagnostic code at length, or contracts in words.

mod artifact;
pub mod codes;
mod json;
mod markdown;
mod plain;
mod review;

use ctr_runtime::format::decode;

use crate::cli::{Explain, ExplainFormat};
use crate::exit::{Exit, Stop, data, message};
use crate::library;

/// Runs the verb.
///
/// # Errors
///
/// Where the code or contract does not exist, or the library cannot be opened.
pub fn run(args: &Explain) -> Result<Exit, Stop> {
    let is_json = args.format == ExplainFormat::Json;
    if args.all {
        data(&if is_json {
            codes::json()
        } else {
            codes::page()
        })?;
        return Ok(Exit::Clean);
    }
    match (&args.library, &args.what) {
        (Some(path), what) if library::is_artifact(path) => {
            if args.format != ExplainFormat::Human {
                return Err(Stop::Usage(format!(
                    "{path}: an artifact holds no formulas to put into words; `--format` needs the policy it was built from"
                )));
            }
            let opened = library::open(std::slice::from_ref(path))?;
            data(&artifact::contracts(&decode(&opened), what.as_deref())?)?;
            message(
                "an artifact holds no formulas; `ctrc explain -l` of the policy says the clauses in words",
            );
        }
        (Some(path), what) => {
            let review = review::of(path, what.as_deref(), args)?;
            data(&match args.format {
                ExplainFormat::Human => plain::write(&review),
                ExplainFormat::Markdown => markdown::write(&review),
                ExplainFormat::Json => json::write(&review),
            })?;
        }
        (None, Some(code)) => {
            let doc = codes::find(code)?;
            data(&if is_json {
                codes::json_of(doc)
            } else {
                codes::text(doc)
            })?;
        }
        (None, None) => return Err(Stop::Usage("name a code or a library".to_owned())),
    }
    Ok(Exit::Clean)
}
