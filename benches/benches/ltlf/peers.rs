//! What other tools needed, from tables that were measured earlier, and the formulas they are for.

use std::path::{Path, PathBuf};

use ctr_bench::Failure;

/// A question about formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// The minimal automaton.
    Translate,
    /// Satisfiability.
    Sat,
    /// One minimal unsatisfiable core.
    Core,
}

impl Task {
    pub(crate) const ALL: [Self; 3] = [Self::Translate, Self::Sat, Self::Core];

    /// As the tables name it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Translate => "translate",
            Self::Sat => "sat",
            Self::Core => "muc",
        }
    }

    /// The tools of the tables: as they name them, and as people do.
    pub(crate) fn tools(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Translate => &[
                ("spot-comp", "Spot comp."),
                ("spot-direct", "Spot direct"),
                ("lydia", "Lydia"),
                ("mona", "MONA 1.4-18"),
                ("mona-wm", "MONA 1.4-19"),
                ("ltlf2dfa-py", "LTLf2DFA"),
                ("flloat", "flloat"),
            ],
            Self::Sat => &[
                ("aaltaf", "aaltaf"),
                ("black-cmsat", "BLACK-CMSAT"),
                ("black-z3", "BLACK-Z3"),
                ("spot-comp", "Spot comp."),
                ("ltlf2asp", "ltlf2asp"),
            ],
            Self::Core => &[
                ("mus2muc-aaltaf", "mus2muc (aaltaf)"),
                ("mus2muc-black", "mus2muc (BLACK)"),
            ],
        }
    }
}

/// What a tool made of a formula.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    pub(crate) tool: String,
    /// `ok`, `timeout`, `skipped`, or how it failed.
    pub(crate) status: String,
    /// Seconds of the whole process.
    pub(crate) wall: Option<f64>,
    pub(crate) result: String,
    /// States, or members of the core.
    pub(crate) size: Option<usize>,
    /// Whether the tool answers wrongly somewhere.
    pub(crate) distrusted: bool,
}

impl Peer {
    /// Whether it answered. LTLf2DFA ends well without an automaton where MONA failed under it; a
    /// process that printed a core and did not end has answered.
    pub(crate) fn answered(&self, task: Task) -> bool {
        match task {
            Task::Translate => self.status == "ok" && self.size.is_some(),
            Task::Sat => self.status == "ok" && matches!(self.result.as_str(), "sat" | "unsat"),
            Task::Core => self.size.is_some(),
        }
    }
}

/// A formula to measure.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub(crate) task: Task,
    /// What it is called here.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) peers: Vec<Peer>,
}

impl Instance {
    pub(crate) fn peer(&self, tool: &str) -> Option<&Peer> {
        self.peers.iter().find(|peer| peer.tool == tool)
    }
}

/// The formulas of a folder with `peers_translate.csv`, `peers_sat.csv` and `peers_muc.csv`.
///
/// # Errors
///
/// Where a table or a formula is missing.
pub(crate) fn read(folder: &Path) -> Result<Vec<Instance>, Failure> {
    let mut instances: Vec<Instance> = Vec::new();
    for task in Task::ALL {
        let first = instances.len();
        let table = folder.join(format!("peers_{}.csv", task.name()));
        let text = std::fs::read_to_string(&table)
            .map_err(|error| format!("{}: {error}", table.display()))?;
        for row in text.lines().skip(1) {
            let fields: Vec<&str> = row.split(',').collect();
            let [_, _, tool, file, status, wall, _, result, size, _] = fields.as_slice() else {
                return Err(format!("{}: not of ten columns: {row}", table.display()).into());
            };
            let path = place(folder, file);
            let at = instances.iter().skip(first).position(|i| i.path == path);
            let index = match at {
                Some(at) => first + at,
                None => {
                    if !path.is_file() {
                        return Err(format!("{} is missing", path.display()).into());
                    }
                    instances.push(Instance {
                        task,
                        name: short(file),
                        path,
                        peers: Vec::new(),
                    });
                    instances.len() - 1
                }
            };
            let peer = Peer {
                tool: (*tool).to_owned(),
                status: (*status).to_owned(),
                wall: wall.parse().ok(),
                result: (*result).to_owned(),
                size: size.parse().ok(),
                distrusted: false,
            };
            // A formula may be measured twice under different headings: the first counts.
            if let Some(instance) = instances.get_mut(index)
                && instance.peer(tool).is_none()
            {
                instance.peers.push(peer);
            }
        }
    }
    Ok(instances)
}

/// The formulas that the repository holds, without peers.
///
/// # Errors
///
/// Where the folder cannot be read.
pub(crate) fn fixtures() -> Result<Vec<Instance>, Failure> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../compiler/driver/tests/ltlf/fixtures");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder.join("families"))?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "ltlf"))
        .collect();
    paths.sort();
    let mut instances = Vec::new();
    for task in [Task::Translate, Task::Sat] {
        instances.extend(paths.iter().map(|path| Instance {
            task,
            name: short(&path.to_string_lossy()),
            path: path.clone(),
            peers: Vec::new(),
        }));
    }
    Ok(instances)
}

/// Files of `public/` lie in folders that are named by all of their path.
fn place(folder: &Path, file: &str) -> PathBuf {
    match file.rsplit_once('/') {
        Some((folders, name)) if !file.starts_with("families/") => folder
            .join("public")
            .join(folders.replace('/', "_"))
            .join(name),
        _ => folder.join(file),
    }
}

/// A file's name without its ending; with the folder around it where the name says little.
fn short(file: &str) -> String {
    let stem = |name: &str| -> String {
        let end = name.rfind('.').unwrap_or(name.len());
        name.get(..end).unwrap_or(name).to_owned()
    };
    let mut parts = file.rsplit('/');
    let name = stem(parts.next().unwrap_or(file));
    let said = name.chars().filter(char::is_ascii_alphabetic).count();
    let name = name.replace(".xes_Run_1_Alpha_0_Apriori_100-LTL", "");
    let name = name.replace(".mxml_Run_1_Alpha_0_Apriori_100-LTL", "");
    match parts.next() {
        Some(folder) if said <= 1 => match parts.next() {
            Some(above) => format!("{above}/{folder}/{name}"),
            None => format!("{folder}/{name}"),
        },
        _ => name,
    }
}
