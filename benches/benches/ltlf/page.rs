//! The figures as a page of Markdown and as CSV.

use std::fmt::Write as _;

use ctr_bench::measure::Table;

use crate::machine::Machine;
use crate::peers::{Instance, Peer, Task};
use crate::process::SECONDS;
use crate::tools::Measured;

/// A formula with what was measured.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) instance: Instance,
    pub(crate) ours: Measured,
    pub(crate) mona: Option<Measured>,
}

impl Row {
    /// The answer in the words of the peers' tables.
    fn result(&self) -> &'static str {
        match self.ours.line("result") {
            Some("satisfiable") => "sat",
            Some("unsatisfiable") => "unsat",
            _ => "",
        }
    }

    /// Whether a peer answered, and not otherwise than we did.
    fn sound(&self, peer: &Peer) -> bool {
        let disagrees =
            self.instance.task == Task::Sat && self.ours.solved() && peer.result != self.result();
        peer.answered(self.instance.task) && !disagrees
    }

    /// Seconds of a peer; the limit where it did not answer.
    fn seconds(&self, tool: &str) -> Option<f64> {
        self.instance
            .peer(tool)
            .filter(|peer| self.sound(peer))
            .and_then(|peer| peer.wall)
    }

    /// The fastest of the others. A tool that answers wrongly elsewhere is not among them, nor a
    /// process that had to be stopped.
    fn best(&self) -> Option<f64> {
        let peers = self.instance.peers.iter();
        let earlier = peers
            .filter(|p| self.sound(p) && !p.distrusted && p.status != "timeout")
            .filter_map(|p| p.wall);
        let now = self.mona.iter().filter(|m| m.solved()).map(|m| m.fastest);
        earlier.chain(now).min_by(f64::total_cmp)
    }

    fn ratio(&self) -> Option<f64> {
        self.best()
            .filter(|_| self.ours.solved())
            .map(|best| self.ours.fastest / best)
    }

    /// Whether the formula looks ahead only, so that Spot and Lydia can be asked too.
    fn is_future(&self) -> bool {
        self.instance.peer("spot-comp").is_some()
    }
}

/// Instances that an in-process translation was measured for: contracts, states, seconds.
#[derive(Clone, Debug)]
pub(crate) struct Library {
    pub(crate) name: String,
    pub(crate) contracts: usize,
    pub(crate) states: usize,
    pub(crate) read: f64,
    pub(crate) translated: f64,
}

/// Marks the tools that contradict us somewhere: their times are shown and beat nobody.
pub(crate) fn distrust(rows: &mut [Row]) {
    let wrong: Vec<String> = rows
        .iter()
        .flat_map(|row| {
            let peers = row.instance.peers.iter();
            peers
                .filter(|p| p.answered(row.instance.task) && !row.sound(p))
                .map(|p| p.tool.clone())
        })
        .collect();
    for peer in rows.iter_mut().flat_map(|row| &mut row.instance.peers) {
        peer.distrusted |= wrong.contains(&peer.tool);
    }
}

/// All figures as a table for a CSV file.
pub(crate) fn csv(rows: &[Row]) -> Table {
    let mut table = Table::new(
        "ltlf",
        &[
            "task",
            "formula",
            "tool",
            "status",
            "fastest_s",
            "slowest_s",
            "runs",
            "peak_kb",
            "result",
            "states",
            "nodes",
            "inside_s",
        ],
    );
    for row in rows {
        let mut add = |tool: &str, m: &Measured, figures: [Option<String>; 4]| {
            let status = if m.solved() { "ok" } else { m.failure() };
            let mut cells = vec![
                row.instance.task.name().to_owned(),
                row.instance.name.clone(),
                tool.to_owned(),
                status.to_owned(),
                format!("{:.4}", m.fastest),
                format!("{:.4}", m.slowest),
                m.runs.to_string(),
                m.peak_kb.to_string(),
            ];
            cells.extend(figures.into_iter().map(Option::unwrap_or_default));
            table.row(cells);
        };
        let size = match row.instance.task {
            Task::Translate => row.ours.number("transition states"),
            Task::Sat => row.ours.number("largest automaton"),
            Task::Core => row.ours.core(),
        };
        let nodes = row.ours.number("diagram nodes");
        let figures = [
            Some(row.result().to_owned()),
            size.map(|n| n.to_string()),
            nodes.map(|n| n.to_string()),
            inside(row).map(|s| format!("{s:.6}")),
        ];
        add("ctrc", &row.ours, figures);
        if let Some(mona) = &row.mona {
            let states = mona.mona_states().filter(|_| mona.solved());
            let states = states.map(|n| n.to_string());
            add("mona", mona, [None, states, None, None]);
        }
    }
    table
}

/// Seconds of the phases that `ctrc` tells.
fn inside(row: &Row) -> Option<f64> {
    let phase = match row.instance.task {
        Task::Translate => "translated in",
        Task::Sat => "decided in",
        Task::Core => "found in",
    };
    row.ours.seconds(&["read in", phase])
}

/// The page.
pub(crate) fn page(rows: &[Row], libraries: &[Library], machine: &Machine) -> String {
    let mut out = String::from(
        "# Bare formulas: every figure\n\n\
         Made by the benchmark `ltlf`, whole and without edits by hand; do not change it here.\n\n\
         ```sh\n\
         CTRC_BENCH_LTLF=<folder> CTRC_BENCH_LTLF_PAGE=docs/performance/ltlf.md cargo bench -p ctr-bench --bench ltlf\n\
         ```\n\n",
    );
    let _ = writeln!(
        out,
        "- Times are seconds of the whole process, its start included, limit {SECONDS} s and 8 GiB of address space (`ulimit -v`): \
         `ctrc ltlf dfa`, `sat` and `cores` of the release build, the fastest of 7 runs up to 0.25 s, of 3 up to 2.5 s, of one beyond. \
         \"inside\" is what `ctrc` itself tells for reading and deciding, without the process around it.\n\
         - {}\n\
         - Noise: {} Other work on the machine shows in the load.\n\
         - {}\n\
         - All other tools' times were measured earlier, on a shared machine of this kind, process start included: Spot's branch for LTLf of 2024-12-29 \
         (compositional and direct), Lydia 0.1.3, MONA 1.4-18 and 1.4-19 on another translation of the formulas, LTLf2DFA 2.0, flloat (10 s), aaltaf, BLACK 26.05, ltlf2asp, mus2muc. \
         Differences below a factor of two say nothing. Start-up alone takes Spot 8 to 10 ms, Lydia 5, MONA 4, BLACK 5 to 20, the tools in Python 100 to 300.\n\
         - TO: no answer in {SECONDS} s; \"–\": not run, because a smaller one of the family was not solved; \"failed\": ended without an answer, mostly for want of memory. \
         \"ratio\" is our time by that of the fastest other tool, MONA in this run included where it was measured; \"alone\": no other tool solves it.",
        machine.in_words(),
        noise(rows),
        if rows.iter().any(|row| row.mona.is_some()) {
            "MONA was measured in the same run on what `ctrc ltlf mona` writes (`mona -q -n -s`: the automaton, no search in it)."
        } else {
            "MONA was not measured in this run."
        },
    );
    for task in Task::ALL {
        let of: Vec<&Row> = rows.iter().filter(|r| r.instance.task == task).collect();
        if of.is_empty() {
            continue;
        }
        match task {
            Task::Translate => translation(&mut out, &of),
            Task::Sat => satisfiability(&mut out, &of),
            Task::Core => cores(&mut out, &of),
        }
    }
    if !libraries.is_empty() {
        let _ = write!(
            out,
            "\n## Libraries\n\nEach formula of a set translated on its own, one after another, inside one process (fastest of 20 rounds).\n\n\
             | set | formulas | states, all together | reading, ms | translating, ms |\n| --- | --- | --- | --- | --- |\n"
        );
        for l in libraries {
            let _ = writeln!(
                out,
                "| {} | {} | {} | {:.2} | {:.2} |",
                l.name,
                l.contracts,
                l.states,
                l.read * 1e3,
                l.translated * 1e3
            );
        }
    }
    out
}

fn translation(out: &mut String, rows: &[&Row]) {
    out.push_str("\n## Minimal automata\n");
    let (future, past): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|r| r.is_future());
    let has_peers = !future.is_empty();
    if has_peers {
        let _ = write!(
            out,
            "\nThe {} formulas that only look ahead:\n\n",
            future.len()
        );
        summary(out, Task::Translate, &future);
        let _ = write!(out, "\n{}\n", behind(&future));
    }
    let _ = write!(out, "\n{}\n", states(rows));
    if has_peers {
        out.push_str("\n### Looking ahead\n\n");
        translations(out, &future);
        out.push_str("\n### With past operators\n\nSpot, Lydia and flloat have none.\n\n");
    } else {
        out.push('\n');
    }
    translations(out, &past);
}

fn translations(out: &mut String, rows: &[&Row]) {
    let tools: Vec<_> = Task::Translate
        .tools()
        .iter()
        .filter(|(tool, _)| rows.iter().any(|r| r.instance.peer(tool).is_some()))
        .collect();
    let with_mona = rows.iter().any(|row| row.mona.is_some());
    let mut columns = vec!["formula", "states", "nodes", "ctrc", "inside", "peak MB"];
    if with_mona {
        columns.push("MONA, this run");
    }
    columns.extend(tools.iter().map(|(_, name)| *name));
    columns.push("ratio");
    header(out, &columns);
    for row in rows {
        let number = |name: &str| {
            row.ours
                .number(name)
                .map_or("".to_owned(), |n| n.to_string())
        };
        let mut cells = vec![
            row.instance.name.clone(),
            number("transition states"),
            number("diagram nodes"),
            measured(&row.ours),
            inside(row).map_or_else(String::new, seconds),
            megabytes(row.ours.peak_kb),
        ];
        if with_mona {
            cells.push(row.mona.as_ref().map_or("–".to_owned(), measured));
        }
        cells.extend(tools.iter().map(|(tool, _)| peer(row, tool)));
        cells.push(ratio(row));
        line(out, &cells);
    }
}

fn satisfiability(out: &mut String, rows: &[&Row]) {
    out.push_str("\n## Satisfiability\n\n");
    summary(out, Task::Sat, rows);
    let _ = write!(
        out,
        "\n{}\n\nAn answer that contradicts ours is marked `≠` and counts as none, and its tool is not among the others that we are compared with. Every satisfiable answer of ours comes with a trace that was checked against the formulas.\n\n",
        behind(rows)
    );
    let tools: Vec<_> = Task::Sat
        .tools()
        .iter()
        .filter(|(tool, _)| rows.iter().any(|r| r.instance.peer(tool).is_some()))
        .collect();
    let mut columns = vec![
        "formula", "answer", "steps", "engine", "ctrc", "inside", "peak MB",
    ];
    columns.extend(tools.iter().map(|(_, name)| *name));
    columns.push("ratio");
    header(out, &columns);
    for row in rows {
        let mut cells = vec![
            row.instance.name.clone(),
            row.result().to_owned(),
            row.ours
                .number("witness")
                .map_or(String::new(), |n| n.to_string()),
            row.ours.line("decided by").unwrap_or("").to_owned(),
            measured(&row.ours),
            inside(row).map_or_else(String::new, seconds),
            megabytes(row.ours.peak_kb),
        ];
        cells.extend(tools.iter().map(|(tool, _)| peer(row, tool)));
        cells.push(ratio(row));
        line(out, &cells);
    }
}

fn cores(out: &mut String, rows: &[&Row]) {
    out.push_str("\n## Minimal unsatisfiable cores\n\nOne core of each set, proven minimal, with a shortest trace for each member that can be left out of it.\n\n");
    summary(out, Task::Core, rows);
    let small: Vec<_> = rows
        .iter()
        .filter(|r| r.ours.core().is_some_and(|n| n <= 12))
        .collect();
    let quick = small.iter().filter(|r| r.ours.fastest <= 0.05).count();
    let _ = write!(
        out,
        "\n{}\n\nOf {} sets whose core has up to 12 members, {quick} took at most 50 ms. \
         Behind a time stands the size of the core; a set can have several cores of different sizes. A set that stands twice in the other tools' tables stands here once. `*`: printed a core and did not end by itself in {SECONDS} s, which counts as solved, in the sums with {SECONDS} s.\n\n",
        behind(rows),
        small.len()
    );
    let mut columns = vec!["set", "members", "core", "ctrc", "inside", "peak MB"];
    columns.extend(Task::Core.tools().iter().map(|(_, name)| *name));
    columns.push("ratio");
    header(out, &columns);
    for row in rows {
        let number = |n: Option<usize>| n.map_or_else(String::new, |n| n.to_string());
        let mut cells = vec![
            row.instance.name.clone(),
            number(row.ours.number("members")),
            number(row.ours.core()),
            measured(&row.ours),
            inside(row).map_or_else(String::new, seconds),
            megabytes(row.ours.peak_kb),
        ];
        for (tool, _) in Task::Core.tools() {
            let size = row.instance.peer(tool).and_then(|peer| peer.size);
            let size = size.map_or_else(String::new, |n| format!(" ({n})"));
            cells.push(format!("{}{size}", peer(row, tool)));
        }
        cells.push(ratio(row));
        line(out, &cells);
    }
}

/// Solved, sum and geometric mean for each tool.
fn summary(out: &mut String, task: Task, rows: &[&Row]) {
    let limit = SECONDS as f64;
    header(
        out,
        &[
            "tool",
            "solved",
            "sum, s (unsolved: 60)",
            "geometric mean, s (unsolved: 60)",
        ],
    );
    let mut add = |name: &str, times: Vec<Option<f64>>| {
        let solved = times.iter().flatten().count();
        let times: Vec<f64> = times
            .iter()
            .map(|t| t.unwrap_or(limit).min(limit))
            .collect();
        let sum: f64 = times.iter().sum();
        let logarithms: f64 = times.iter().map(|t| t.ln()).sum();
        let mean = (logarithms / times.len().max(1) as f64).exp();
        let cells = [
            name.to_owned(),
            format!("{solved} of {}", times.len()),
            format!("{sum:.1}"),
            format!("{mean:.4}"),
        ];
        line(out, &cells);
    };
    let ours = |row: &&Row| row.ours.solved().then_some(row.ours.fastest);
    add("**ctrc**", rows.iter().map(ours).collect());
    if rows.iter().any(|row| row.mona.is_some()) {
        let mona = |row: &&Row| {
            let mona = row.mona.as_ref().filter(|m| m.solved())?;
            Some(mona.fastest)
        };
        add("MONA, this run", rows.iter().map(mona).collect());
    }
    for (tool, name) in task.tools() {
        add(name, rows.iter().map(|row| row.seconds(tool)).collect());
    }
    add(
        "the fastest of the others, formula by formula",
        rows.iter().map(|row| row.best()).collect(),
    );
}

/// Where we are behind.
fn behind(rows: &[&Row]) -> String {
    let slow: Vec<String> = rows
        .iter()
        .filter_map(|row| {
            let ratio = row.ratio().filter(|ratio| *ratio > 2.0)?;
            Some(format!("{} ({ratio:.1})", row.instance.name))
        })
        .collect();
    let unsolved: Vec<String> = rows
        .iter()
        .filter(|row| !row.ours.solved())
        .map(|row| match row.best() {
            Some(best) => format!("{} (another tool: {} s)", row.instance.name, seconds(best)),
            None => format!("{} (nor by any other tool)", row.instance.name),
        })
        .collect();
    let list = |names: Vec<String>| {
        if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(", ")
        }
    };
    format!(
        "Slower than twice the fastest other tool: {}. Not solved by `ctrc`: {}.",
        list(slow),
        list(unsolved)
    )
}

/// How our numbers of states compare with those of others.
fn states(rows: &[&Row]) -> String {
    let mut spot = (0, 0, Vec::new());
    let mut mona: Vec<(i64, usize)> = Vec::new();
    for row in rows {
        let Some(ours) = row.ours.number("transition states") else {
            continue;
        };
        let theirs = row.instance.peer("spot-comp").and_then(|peer| peer.size);
        if let Some(theirs) = theirs {
            spot.1 += 1;
            if theirs == ours {
                spot.0 += 1;
            } else {
                spot.2
                    .push(format!("{} ({ours} against {theirs})", row.instance.name));
            }
        }
        let theirs = row.mona.as_ref().filter(|m| m.solved());
        if let Some(theirs) = theirs.and_then(Measured::mona_states) {
            let more = theirs as i64 - row.ours.number("states").unwrap_or(0) as i64;
            match mona.iter_mut().find(|(difference, _)| *difference == more) {
                Some((_, count)) => *count += 1,
                None => mona.push((more, 1)),
            }
        }
    }
    mona.sort_unstable();
    let mut text = String::from(
        "\"states\" counts as Spot does: acceptance on transitions, no reject sink; \"nodes\" are those of the automaton's decision diagram.",
    );
    if spot.1 > 0 {
        let _ = write!(
            text,
            " The number is Spot's on {} of {} formulas",
            spot.0, spot.1
        );
        if spot.2.is_empty() {
            text.push('.');
        } else {
            let _ = write!(text, "; it differs on {}.", spot.2.join(", "));
        }
    }
    if !mona.is_empty() {
        let parts: Vec<String> = mona
            .iter()
            .map(|(more, count)| format!("{more} on {count}"))
            .collect();
        let _ = write!(
            text,
            " MONA's automata accept in states and have a state before the first letter and, where it needs one, a state for the empty trace: compared with the state-accepting form of ours they have more by {}.",
            parts.join(", ")
        );
    }
    text
}

/// How far runs of one formula were apart.
fn noise(rows: &[Row]) -> String {
    let mut spread: Vec<f64> = rows
        .iter()
        .filter(|row| row.ours.runs > 1)
        .map(|row| row.ours.slowest / row.ours.fastest)
        .collect();
    spread.sort_by(f64::total_cmp);
    let at = |part: f64| {
        let index = (spread.len().saturating_sub(1) as f64 * part) as usize;
        spread.get(index).copied().unwrap_or(1.0)
    };
    format!(
        "Of the formulas with several runs, the slowest run of one took {:.1} times the fastest in the median, {:.1} times at the 90th percentile.",
        at(0.5),
        at(0.9)
    )
}

fn header(out: &mut String, columns: &[&str]) {
    let _ = writeln!(out, "| {} |", columns.join(" | "));
    let _ = writeln!(out, "|{}", " --- |".repeat(columns.len()));
}

fn line(out: &mut String, cells: &[String]) {
    let _ = writeln!(out, "| {} |", cells.join(" | "));
}

/// Seconds with about three digits.
fn seconds(s: f64) -> String {
    match s {
        s if s < 0.01 => format!("{s:.4}"),
        s if s < 1.0 => format!("{s:.3}"),
        s if s < 10.0 => format!("{s:.2}"),
        s => format!("{s:.1}"),
    }
}

fn megabytes(kb: u64) -> String {
    format!("{:.0}", kb as f64 / 1024.0)
}

fn measured(m: &Measured) -> String {
    match (m.solved(), m.failure()) {
        (true, _) => seconds(m.fastest),
        (false, "time") => "TO".to_owned(),
        (false, why) => why.to_owned(),
    }
}

fn peer(row: &Row, tool: &str) -> String {
    let Some(peer) = row.instance.peer(tool) else {
        return "–".to_owned();
    };
    let wall = peer.wall.map_or_else(String::new, seconds);
    match (peer.answered(row.instance.task), peer.status.as_str()) {
        (true, "timeout") => "*".to_owned(),
        (true, _) if row.sound(peer) => wall,
        (true, _) => format!("≠ {wall}"),
        (false, "timeout") => "TO".to_owned(),
        (false, "skipped") => "–".to_owned(),
        (false, _) => "failed".to_owned(),
    }
}

fn ratio(row: &Row) -> String {
    match (row.ratio(), row.ours.solved()) {
        (Some(ratio), _) => format!("{ratio:.2}"),
        (None, true) if row.instance.peers.iter().any(|p| row.sound(p)) => String::new(),
        (None, true) => "alone".to_owned(),
        (None, false) => String::new(),
    }
}
