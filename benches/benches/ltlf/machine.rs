//! What the figures were measured on.

use std::process::Command;

/// The machine and the versions.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    processor: String,
    is_virtual: bool,
    cores: usize,
    memory_gb: u64,
    load_before: String,
    load_after: String,
    date: String,
    mona: Option<String>,
}

impl Machine {
    /// As it is before the measurement.
    pub(crate) fn now(mona: Option<String>) -> Self {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let field = |text: &str, name: &str| -> Option<String> {
            let line = text.lines().find(|line| line.starts_with(name))?;
            Some(line.split(':').nth(1)?.trim().to_owned())
        };
        let memory = field(&read("/proc/meminfo"), "MemTotal");
        let kb: u64 = memory
            .and_then(|m| m.split(' ').next()?.parse().ok())
            .unwrap_or(0);
        let date = Command::new("date").arg("+%F").output();
        Self {
            is_virtual: read("/proc/cpuinfo").contains(" hypervisor"),
            processor: field(&read("/proc/cpuinfo"), "model name")
                .unwrap_or_else(|| "an unknown processor".to_owned()),
            cores: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            memory_gb: kb >> 20,
            load_before: load(),
            load_after: String::new(),
            date: date
                .map(|date| String::from_utf8_lossy(&date.stdout).trim().to_owned())
                .unwrap_or_default(),
            mona,
        }
    }

    /// Notes the load at the end.
    pub(crate) fn finish(&mut self) {
        self.load_after = load();
    }

    pub(crate) fn in_words(&self) -> String {
        let mona = match &self.mona {
            Some(version) => format!("MONA {version}"),
            None => "MONA is not installed".to_owned(),
        };
        let kind = if self.is_virtual {
            ", a virtual machine"
        } else {
            ""
        };
        format!(
            "Measured on {} with {} cores ({}, {} GB{kind}), load {} at the start and {} at the end; ctrc {}, {mona}.",
            self.date,
            self.cores,
            self.processor,
            self.memory_gb,
            self.load_before,
            self.load_after,
            env!("CARGO_PKG_VERSION"),
        )
    }
}

fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or("unknown").to_owned()
}
