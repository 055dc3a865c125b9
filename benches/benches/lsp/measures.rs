//! What is typed, and what comes of it.

use std::process::Command;
use std::time::{Duration, Instant};

use ctr_bench::Failure;
use ctr_bench::measure::{Table, in_earnest, target};
use ctr_bench::workspaces::{self, Workspace};
use nix::sys::resource::{UsageWho, getrusage};

use crate::client::Client;
use crate::editor::Editor;

/// The workspaces by the names that the command line has for them.
const NAMES: [&str; 3] = ["one", "sharing", "realistic"];

/// How long proofs are waited for.
const PROOFS: Duration = Duration::from_secs(20);

/// After so long without a message the server is idle.
const SILENCE: Duration = Duration::from_secs(3);

pub(crate) fn run() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|a| a == "--workspace") {
        let name = arguments.get(at + 1).map_or("", String::as_str);
        return measure(name, in_earnest());
    }
    let chosen = std::env::var("CTRC_BENCH_LSP").unwrap_or_default();
    for name in NAMES {
        if !chosen.is_empty() && !chosen.split(',').any(|one| one == name) {
            continue;
        }
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["--workspace", name]);
        if in_earnest() {
            command.arg("--bench");
        }
        if !command.status()?.success() {
            return Err(format!("{name}: not measured").into());
        }
    }
    Ok(())
}

fn made(name: &str, earnest: bool) -> Result<Workspace, Failure> {
    let part = if earnest { 1 } else { 10 };
    Ok(match name {
        "one" => workspaces::one_file(1_000 / part),
        "sharing" => workspaces::sharing(100 / part),
        "realistic" => workspaces::realistic(20 / part),
        _ => return Err(format!("no workspace `{name}`").into()),
    })
}

#[expect(clippy::print_stdout, reason = "a benchmark's report")]
fn measure(name: &str, earnest: bool) -> Result<(), Failure> {
    let workspace = made(name, earnest)?;
    let folder = target().join("bench").join(format!("lsp-{name}"));
    std::fs::create_dir_all(&folder)?;
    let folder = folder.canonicalize()?;
    for (path, text) in &workspace.files {
        std::fs::write(folder.join(path), text)?;
    }
    let address = |path: &str| format!("file://{}/{path}", folder.display());
    let start = Instant::now();
    let mut client = Client::ready(&format!("file://{}", folder.display()))?;
    let open = |client: &mut Client, at: usize| -> Result<Editor, Failure> {
        let (path, text) = workspace.files.get(at).ok_or("no such file")?;
        Editor::open(client, address(path), text.clone())
    };
    let mut editor = open(&mut client, workspace.edited)?;
    println!(
        "\n{}: {} ms from the start to the first findings",
        workspace.name,
        start.elapsed().as_millis()
    );
    client.quiet(SILENCE)?;

    let mut table = Table::new(
        "keystrokes",
        &[
            "workspace",
            "what",
            "keys",
            "p50 (ms)",
            "p95 (ms)",
            "max (ms)",
            "processor (ms a key)",
        ],
    );
    let mut all = Vec::new();
    let mut took = |what: &str, editor: &mut Editor, before: Duration| -> Result<(), Failure> {
        let mut times = std::mem::take(&mut editor.times);
        table.row(row(
            &workspace,
            what,
            &mut times,
            processor()?.saturating_sub(before),
        ));
        all.extend(times);
        Ok(())
    };
    let rounds = if earnest { 3 } else { 1 };
    let tool = &workspace.tool;

    let before = processor()?;
    for _ in 0..rounds {
        let at = editor.find("\n}\n", editor.text.matches("\n}\n").count() / 2)?;
        let clause = format!("\n  guarantee never call {tool} after failure {tool}");
        editor.type_in(&mut client, at, &clause)?;
        editor.rub_out(&mut client, at, clause.len())?;
    }
    took(
        "a clause in the middle, typed and rubbed out",
        &mut editor,
        before,
    )?;

    let before = processor()?;
    for _ in 0..rounds {
        let at = editor.find("\n\n", 1)? + 2;
        let contract = format!("contract fresh {{ guarantee call {tool} at most 3 times }}\n");
        editor.type_in(&mut client, at, &contract)?;
        editor.rub_out(&mut client, at, contract.len())?;
    }
    took("a contract at the head", &mut editor, before)?;

    let before = processor()?;
    for round in 0..rounds {
        let at = editor.find(
            "otherwise block \"",
            editor.text.matches("otherwise block \"").count() / 2,
        )?;
        let at = at + "otherwise block \"".len();
        let word = ["Always ", "Please ", "First "]
            .get(round)
            .copied()
            .unwrap_or("Now ");
        editor.type_in(&mut client, at, word)?;
    }
    took("words in a message", &mut editor, before)?;

    let before = processor()?;
    for _ in 0..rounds * 3 {
        let at = editor.find(" {\n", editor.text.matches(" {\n").count() / 3)? + 1;
        editor.change(&mut client, at, at + 1, "")?;
        editor.change(&mut client, at, at, "{")?;
        let at = editor.find("\n}\n", editor.text.matches("\n}\n").count() / 3)? + 1;
        editor.change(&mut client, at, at + 1, "")?;
        editor.change(&mut client, at, at, "}")?;
        let at = editor.find("\"", editor.text.matches('"').count() / 2)?;
        editor.change(&mut client, at, at + 1, "")?;
        editor.change(&mut client, at, at, "\"")?;
    }
    took(
        "brackets and quotes, broken and mended",
        &mut editor,
        before,
    )?;

    let before = processor()?;
    for _ in 0..rounds * 5 {
        let at = editor.find("\n\n", editor.text.matches("\n\n").count() / 2)?;
        editor.change(&mut client, at, at, "\n")?;
        editor.change(&mut client, at, at + 1, "")?;
    }
    took("line ends", &mut editor, before)?;

    if let Some(shared) = workspace.shared {
        let mut editor = open(&mut client, shared)?;
        client.quiet(SILENCE)?;
        let before = processor()?;
        for _ in 0..rounds {
            let at = editor.find("\n}\n", 0)?;
            let clause = format!("\n  guarantee call {tool} at most 9 times");
            editor.type_in(&mut client, at, &clause)?;
            editor.rub_out(&mut client, at, clause.len())?;
        }
        took("a clause in the file that all include", &mut editor, before)?;
    }
    let count = all.len();
    table.row(row(&workspace, "all", &mut all, Duration::ZERO));
    println!("{}", table.text());
    println!("{count} keystrokes; written: {}", table.save()?.display());

    proofs(&workspace, &mut client, &mut editor, rounds)?;
    idle(&mut client, earnest)?;
    client.close()?;
    std::fs::remove_dir_all(folder)?;
    Ok(())
}

/// How long it takes until a conflict that is written is found, and until it goes away.
#[expect(clippy::print_stdout, reason = "a benchmark's report")]
fn proofs(
    workspace: &Workspace,
    client: &mut Client,
    editor: &mut Editor,
    rounds: usize,
) -> Result<(), Failure> {
    let tool = &workspace.tool;
    let text = format!(
        "\ncontract bench_wanted {{ guarantee eventually call {tool} }}\ncontract bench_banned {{ guarantee never call {tool} }}\n"
    );
    let conflict = |codes: &[String]| codes.iter().any(|code| code == "E0703");
    let (mut found, mut gone) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        client.quiet(SILENCE)?;
        let at = editor.text.len();
        editor.send(client, at, at, &text)?;
        let Some(time) = editor.until(client, PROOFS, conflict)? else {
            println!("no finding of a proof within {} s", PROOFS.as_secs());
            editor.change(client, at, at + text.len(), "")?;
            return Ok(());
        };
        found.push(time);
        client.quiet(SILENCE)?;
        editor.send(client, at, at + text.len(), "")?;
        gone.extend(editor.until(client, PROOFS, |codes| !conflict(codes))?);
    }
    for (what, times) in [("found", &mut found), ("gone", &mut gone)] {
        times.sort();
        let ms: Vec<String> = times.iter().map(|time| milliseconds(*time)).collect();
        println!("a conflict is {what} after (ms): {}", ms.join(", "));
    }
    Ok(())
}

/// Processor time of ten idle seconds, and memory.
#[expect(clippy::print_stdout, reason = "a benchmark's report")]
fn idle(client: &mut Client, earnest: bool) -> Result<(), Failure> {
    client.quiet(SILENCE)?;
    let seconds = if earnest { 10 } else { 1 };
    let before = processor()?;
    client.quiet(Duration::from_secs(seconds))?;
    let used = processor()?.saturating_sub(before);
    println!(
        "{seconds} idle seconds: {} ms of the processor",
        milliseconds(used)
    );
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        for (name, what) in [("VmRSS:", "now"), ("VmHWM:", "at most")] {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            println!("memory {what}: {}", line.unwrap_or("unknown").trim());
        }
    }
    Ok(())
}

/// The processor time of this process so far.
fn processor() -> Result<Duration, Failure> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    let time = |value: nix::sys::time::TimeVal| -> Duration {
        Duration::from_secs(u64::try_from(value.tv_sec()).unwrap_or(0))
            + Duration::from_micros(u64::try_from(value.tv_usec()).unwrap_or(0))
    };
    Ok(time(usage.user_time()) + time(usage.system_time()))
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64() * 1_000.0)
}

fn row(workspace: &Workspace, what: &str, times: &mut [Duration], used: Duration) -> Vec<String> {
    times.sort();
    let at = |per_cent: usize| {
        let index = (times.len() * per_cent).div_ceil(100).saturating_sub(1);
        times.get(index).copied().unwrap_or_default()
    };
    let each = used / u32::try_from(times.len().max(1)).unwrap_or(1);
    vec![
        workspace.name.to_owned(),
        what.to_owned(),
        times.len().to_string(),
        milliseconds(at(50)),
        milliseconds(at(95)),
        milliseconds(times.last().copied().unwrap_or_default()),
        if used.is_zero() {
            String::new()
        } else {
            milliseconds(each)
        },
    ]
}
