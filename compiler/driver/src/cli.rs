//! The command line's grammar.

use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::flags::{ConfigFile, LevelFlags};

/// Checks, builds and runs contracts that supervise agents' tool calls.
#[derive(Debug, Parser)]
#[command(name = "ctrc", version, max_term_width = 100)]
pub struct Cli {
    /// When to colour messages
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
    /// What to do
    #[command(subcommand)]
    pub verb: Verb,
}

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// By the terminal of standard error and `NO_COLOR`
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// How results are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Human,
    /// For programs, on standard output
    Json,
}

/// How findings about policies are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FindingFormat {
    /// For people, on standard error
    Human,
    /// For programs, on standard output
    Json,
    /// Annotations of GitHub workflows, on standard output
    Github,
    /// SARIF 2.1.0, on standard output
    Sarif,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Find what is wrong with policies
    Check(Check),
    /// Tell which sessions one policy allows and another does not
    Diff(Diff),
    /// Tell whether a policy can stand in for another: assumes no more and guarantees no less
    Refine(Refine),
    /// Compile a policy to an artifact
    Build(Build),
    /// Judge recorded sessions
    Replay(Replay),
    /// Tell which tools could be called at the end of a session, and with which arguments
    Allowed(Allowed),
    /// Run the test blocks of policies
    Test(Test),
    /// Format policies
    Fmt(Fmt),
    /// Explain a diagnostic code, or the contracts of a library
    Explain(Explain),
    /// Draw a contract's automaton
    Graph(Graph),
    /// Show what an artifact holds
    Inspect(Inspect),
    /// Work on bare LTLf formulas
    Ltlf(Ltlf),
    /// Serve editors: the Language Server Protocol on standard input and output
    Lsp(Lsp),
    /// Start a policy in a folder
    Init(Init),
    /// Print a completion script for a shell
    Completions(Completions),
    /// Print or write manual pages
    Man(Man),
}

impl Verb {
    /// Whether it is to run again after each change.
    #[must_use]
    pub fn is_watching(&self) -> bool {
        match self {
            Self::Check(args) => args.watch,
            Self::Test(args) => args.watch,
            _ => false,
        }
    }
}

/// `ctrc check`
#[derive(Debug, Args)]
pub struct Check {
    /// Policies, or folders of policies. Files named here are one library; each file found in a
    /// folder is checked on its own
    #[arg(default_value = ".", value_name = "PATH")]
    pub paths: Vec<String>,
    /// How findings are written
    #[arg(long, value_enum, default_value_t = FindingFormat::Human)]
    pub format: FindingFormat,
    /// Treat warnings as errors
    #[arg(long)]
    pub deny_warnings: bool,
    /// Check again after each change of a file that was read; Ctrl-C ends
    #[arg(long)]
    pub watch: bool,
    /// How long to look for contradictions and the like, in seconds, over all of a library
    /// [default: what the settings say, or 10]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub solver_timeout: Option<Duration>,
    /// Make the changes that findings offer, where they keep the policy's meaning or surely mend it
    #[arg(long, conflicts_with = "witness")]
    pub fix: bool,
    /// Make the other changes too: look at them afterwards
    #[arg(long, requires = "fix")]
    pub unsafe_fixes: bool,
    /// Show the changes on standard output, as a unified diff, and write nothing; exit with 1 where there
    /// are some
    #[arg(long, requires = "fix")]
    pub diff: bool,
    /// Where settings come from
    #[command(flatten)]
    pub config: ConfigFile,
    /// Levels of warnings
    #[command(flatten)]
    pub levels: LevelFlags,
    /// Instead show shortest sessions that keep all contracts, one in which each tool is called and
    /// one in which what each contract waits for happens, on standard output
    #[arg(long)]
    pub witness: bool,
    /// Show only a session that calls this tool
    #[arg(
        long,
        value_name = "NAME",
        requires = "witness",
        conflicts_with = "contract"
    )]
    pub tool: Option<String>,
    /// Show only a session in which this contract matters
    #[arg(long, value_name = "NAME", requires = "witness")]
    pub contract: Option<String>,
    /// Write the sessions to a folder, a file each
    #[arg(short, long, value_name = "FOLDER", requires = "witness")]
    pub output: Option<String>,
}

/// `ctrc diff`
#[derive(Debug, Args)]
pub struct Diff {
    /// The policy as it was
    #[arg(value_name = "OLD")]
    pub old: String,
    /// The policy as it is
    #[arg(value_name = "NEW")]
    pub new: String,
    /// How results are written
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
    /// How long to look, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub solver_timeout: Duration,
}

/// `ctrc refine`
#[derive(Debug, Args)]
pub struct Refine {
    /// The policy that is to stand in
    #[arg(value_name = "NEW")]
    pub new: String,
    /// The policy that it is to stand in for
    #[arg(value_name = "OLD")]
    pub old: String,
    /// Compare all contracts together, whatever their names
    #[arg(long)]
    pub whole: bool,
    /// How results are written
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
    /// How long to look, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub solver_timeout: Duration,
}

/// `ctrc build`
#[derive(Debug, Args)]
pub struct Build {
    /// Policies; together they are one library
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<String>,
    /// Where to write the artifact (`-`: standard output). By default beside the first policy,
    /// ending in `.ctrb`
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<String>,
    /// Write this instead of the artifact, to standard output unless `-o` is given
    #[arg(long, value_enum)]
    pub emit: Option<Emit>,
    /// How findings are written
    #[arg(long, value_enum, default_value_t = FindingFormat::Human)]
    pub format: FindingFormat,
    /// The most states that an automaton may have [default: what the settings say, or 20000]
    #[arg(long, value_name = "N")]
    pub max_states: Option<usize>,
    /// Where settings come from
    #[command(flatten)]
    pub config: ConfigFile,
    /// Levels of warnings
    #[command(flatten)]
    pub levels: LevelFlags,
}

/// What `build` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Emit {
    /// The automata for Graphviz
    Dot,
    /// Everything as JSON
    Json,
}

/// Where a library comes from.
#[derive(Debug, Args)]
pub struct Library {
    /// The library: a policy (`.ctr`) or an artifact (`.ctrb`); may be given several times for
    /// policies
    #[arg(short, long = "library", required = true, value_name = "LIB")]
    pub library: Vec<String>,
}

/// `ctrc replay`
#[derive(Debug, Args)]
pub struct Replay {
    /// The library
    #[command(flatten)]
    pub library: Library,
    /// Traces: files, folders, or `-` for standard input; `.gz` and `.zst` are unpacked
    #[arg(required = true, value_name = "TRACE")]
    pub traces: Vec<String>,
    /// What is asked: the verdict on what happened, or what enforcement would have decided
    #[arg(long, value_enum, default_value_t = View::Recorded)]
    pub view: View,
    /// How results are written
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
    /// Show sessions without findings too (human format)
    #[arg(long)]
    pub all: bool,
    /// Also write pages for a browser: one session to a file that ends in `.html`, any number to a folder with an index
    #[arg(long, value_name = "PATH")]
    pub html: Option<String>,
    /// Judge on so many threads; by default on all cores
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
}

/// `ctrc allowed`
#[derive(Debug, Args)]
pub struct Allowed {
    /// The library
    #[command(flatten)]
    pub library: Library,
    /// A session (a file, or `-`), as enforcement would have let it through; without one, before
    /// anything has happened
    #[arg(value_name = "TRACE")]
    pub trace: Option<String>,
    /// Only this tool, with its narrowed JSON Schema
    #[arg(long, value_name = "TOOL")]
    pub tool: Option<String>,
    /// The agent that would call
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// How results are written
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
}

/// Which view of a recorded session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum View {
    /// Every event happened
    Recorded,
    /// What enforcement would have let through
    Gated,
}

/// `ctrc test`
#[derive(Debug, Args)]
pub struct Test {
    /// Policies, or folders of policies
    #[arg(default_value = ".", value_name = "PATH")]
    pub paths: Vec<String>,
    /// Run only tests whose name contains this
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    /// How results are written
    #[arg(long, value_enum, default_value_t = TestFormat::Human)]
    pub format: TestFormat,
    /// Run again after each change of a file that was read; Ctrl-C ends
    #[arg(long)]
    pub watch: bool,
    /// Where settings come from
    #[command(flatten)]
    pub config: ConfigFile,
    /// Levels of warnings
    #[command(flatten)]
    pub levels: LevelFlags,
}

/// How results of tests are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TestFormat {
    /// For people, on standard error
    Human,
    /// For programs, on standard output
    Json,
    /// A JUnit report, on standard output
    Junit,
    /// Annotations of GitHub workflows, on standard output
    Github,
}

/// `ctrc fmt`
#[derive(Debug, Args)]
pub struct Fmt {
    /// Policies, or folders of policies [default: this folder]; `-` formats standard input to standard output
    #[arg(value_name = "PATH")]
    pub paths: Vec<String>,
    /// Change nothing; tell which files are not formatted, and exit with 1 where there are some
    #[arg(long)]
    pub check: bool,
    /// Change nothing; write what would change to standard output, as a unified diff, and exit with 1
    /// where there is something
    #[arg(long)]
    pub diff: bool,
    /// The columns that a line should keep to [default: what the settings say, or 100]
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(20..=1000))]
    pub width: Option<u16>,
    /// Format standard input; messages and settings are those of this file, which need not exist
    #[arg(long, value_name = "PATH")]
    pub stdin_filename: Option<String>,
    /// Where settings come from
    #[command(flatten)]
    pub config: ConfigFile,
}

/// `ctrc explain`
#[derive(Debug, Args)]
pub struct Explain {
    /// A diagnostic code (`E0201`), or with `-l` the contract to explain (all where absent)
    #[arg(value_name = "CODE|CONTRACT", required_unless_present_any = ["library", "all"])]
    pub what: Option<String>,
    /// The library whose contracts are explained
    #[arg(short, long, value_name = "LIB")]
    pub library: Option<String>,
    /// All diagnostic codes, as a page of Markdown
    #[arg(long, conflicts_with_all = ["what", "library"])]
    pub all: bool,
    /// How codes and contracts are written
    #[arg(long, value_enum, default_value_t = ExplainFormat::Human)]
    pub format: ExplainFormat,
    /// Leave out the sessions that each contract accepts and rejects
    #[arg(long)]
    pub no_sessions: bool,
    /// How long to look for these sessions, in seconds, over all of a library
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub solver_timeout: Duration,
}

/// How contracts are put into words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExplainFormat {
    /// For terminals
    Human,
    /// A document for those who review the policy
    Markdown,
    /// For programs
    Json,
}

/// `ctrc graph`
#[derive(Debug, Args)]
pub struct Graph {
    /// The library
    #[command(flatten)]
    pub library: Library,
    /// The contract
    pub contract: String,
    /// Which side
    #[arg(long, value_enum, default_value_t = GraphSide::Guarantee)]
    pub side: GraphSide,
    /// The picture's format; by default that of the ending of `-o`, else SVG
    #[arg(long, value_enum)]
    pub format: Option<GraphFormat>,
    /// Where to write the picture (`-`: standard output, as without it)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<String>,
}

/// Which side of a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GraphSide {
    /// The assumption
    Assume,
    /// The guarantee
    Guarantee,
}

/// Formats of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GraphFormat {
    /// A drawing for browsers and documents
    Svg,
    /// Graphviz text
    Dot,
}

/// `ctrc inspect`
#[derive(Debug, Args)]
pub struct Inspect {
    /// The artifact
    pub artifact: String,
    /// How it is written
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
}

/// `ctrc ltlf`
#[derive(Debug, Args)]
pub struct Ltlf {
    /// What to do
    #[command(subcommand)]
    pub verb: LtlfVerb,
}

/// What to do with formulas.
#[derive(Debug, Subcommand)]
pub enum LtlfVerb {
    /// The minimal automaton of a formula
    Dfa {
        /// What is read, and how far to go
        #[command(flatten)]
        formulas: Formulas,
        /// How it is written
        #[arg(long, value_enum, default_value_t = LtlfFormat::Human)]
        format: LtlfFormat,
    },
    /// Whether some trace satisfies all formulas, with a shortest one
    Sat {
        /// What is read, and how far to go
        #[command(flatten)]
        formulas: Formulas,
        /// How it is written
        #[arg(long, value_enum, default_value_t = Format::Human)]
        format: Format,
        /// What decides
        #[arg(long, value_enum, default_value_t = LtlfEngine::Race)]
        engine: LtlfEngine,
    },
    /// Minimal sets of formulas that exclude each other
    ///
    /// The members of a set of named formulas; of a single formula its conjuncts, called c1, c2 and
    /// so on in order.
    Cores {
        /// What is read, and how far to go
        #[command(flatten)]
        formulas: Formulas,
        /// How it is written
        #[arg(long, value_enum, default_value_t = Format::Human)]
        format: Format,
        /// At most so many cores
        #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        limit: u32,
        /// All cores
        #[arg(long, conflicts_with = "limit")]
        all: bool,
        /// What decides whether a subset is satisfiable
        #[arg(long, value_enum, default_value_t = LtlfEngine::Race)]
        engine: LtlfEngine,
    },
    /// The formulas as a program for MONA, to compare engines
    Mona {
        /// A file as for the other verbs
        file: String,
        /// How it is read, whatever its ending
        #[arg(long, value_enum)]
        syntax: Option<LtlfSyntax>,
    },
}

/// Formulas to work on, and how far to go.
#[derive(Debug, Args)]
pub struct Formulas {
    /// A file with a formula (`.ltlf`, `.pltl`) or a set of named ones (`.conj`, `.aaltafuc`); `-`:
    /// standard input. Other endings and standard input are read as `.ltlf`
    pub file: String,
    /// How it is read, whatever its ending
    #[arg(long, value_enum)]
    pub syntax: Option<LtlfSyntax>,
    /// The most states that an automaton may have, also one in between
    #[arg(long, default_value_t = 1_000_000, value_name = "N")]
    pub max_states: usize,
    /// The most nodes that a table of decision diagrams may have, and clauses that a SAT solver may
    #[arg(long, default_value_t = 100_000_000, value_name = "N")]
    pub max_nodes: usize,
    /// Give up after so long
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().unwrap_or(f64::NAN);
    if seconds.is_nan() || seconds < 0.0 {
        return Err("a number of seconds should stand here, as in `0.5`".to_owned());
    }
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| "this is too large; without the option there is no limit".to_owned())
}

/// A syntax of bare formulas, by the ending that stands for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LtlfSyntax {
    /// One formula, `X[!]` strong and `X` weak
    Ltlf,
    /// One formula, `X` strong and `wX` weak
    Pltl,
    /// `name := formula`, one a line
    Conj,
    /// `name := formula;`, `X` strong and `N` weak
    Aaltafuc,
}

/// What decides satisfiability.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LtlfEngine {
    /// All; the first answer counts
    Race,
    /// Products of minimal automata, a conjunct at a time where it is needed
    Automata,
    /// A SAT solver on one length of traces after the other
    Bounded,
    /// A SAT solver that learns what cannot be satisfied within so many steps
    Reachability,
}

/// How an automaton is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LtlfFormat {
    /// For people
    Human,
    /// For programs
    Json,
    /// Graphviz text
    Dot,
}

/// `ctrc init`
#[derive(Debug, Args)]
pub struct Init {
    /// The folder; made where it is missing
    #[arg(default_value = ".", value_name = "FOLDER")]
    pub folder: String,
}

/// `ctrc lsp`
///
/// An editor starts it for files that end in `.ctr`, with the folder of `ctrc.toml` (or of `.git`) as the
/// workspace and `ctr` as the language, and speaks Language Server Protocol 3.17 with it. It ends when the
/// editor says so, or is gone. Settings are those of `ctrc check`, from the nearest `ctrc.toml`
#[derive(Debug, Args)]
pub struct Lsp {
    /// Speak on standard input and output, which it always does: some editors say so
    #[arg(long)]
    pub stdio: bool,
}

/// `ctrc completions`
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub shell: CompletionShell,
}

/// Shells with scripts for completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CompletionShell {
    /// Bourne Again Shell
    Bash,
    /// Elvish
    Elvish,
    /// Friendly interactive shell
    Fish,
    /// Nushell
    Nushell,
    /// PowerShell
    Powershell,
    /// Z shell
    Zsh,
}

/// `ctrc man`
#[derive(Debug, Args)]
pub struct Man {
    /// The verb whose page is printed (`ltlf cores` for one with two words); the page of `ctrc`
    /// itself where none is named
    #[arg(value_name = "VERB", conflicts_with = "output")]
    pub verb: Vec<String>,
    /// Write all pages to a folder, a file each
    #[arg(short, long, value_name = "FOLDER")]
    pub output: Option<String>,
}
