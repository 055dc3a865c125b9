//! Analysing again after an edit gives what a fresh analysis gives.
//!
//! A policy of several components is edited at random. The findings of [`ctr_check::check_again`], with the memory of all
//! analyses before, are compared with those of [`ctr_check::check`]: codes, messages, places, fixes.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

use ctr_check::{Memory, Options, check, check_again};
use ctr_emit::Artifact;
use ctr_front::diagnostic::Diagnostic;
use ctr_front::ir::Library;
use ctr_front::world::MemoryWorld;
use ctr_logic::Limits;

const HEAD: &str = "module t\ncontext role: string\n";

/// What contracts of a component say; `@` is the component.
const BODIES: [&str; 10] = [
    "guarantee call a@ only after success b@",
    "guarantee eventually call a@",
    "guarantee never call b@",
    "guarantee call a@ at most 2 times",
    "guarantee call a@ at most 1 time",
    "guarantee call b@ only after success a@",
    "guarantee success a@ leads to call b@",
    "guarantee never failure a@",
    "guarantee call a@ only if {ctx.role == \"x\"} otherwise redirect b@() \"no\"",
    "guarantee call c@ only after call a@ guarantee never call a@",
];

struct Chance(u64);

impl Chance {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % n
    }
}

fn built(text: &str) -> (Library, Artifact) {
    let world = MemoryWorld::new().with("p.ctr", text);
    let compiled = ctr_front::compile(&world, &["p.ctr".to_owned()]);
    let library = compiled.library.expect(text);
    let artifact = ctr_emit::build(&library, "test", &Limits::default()).unwrap();
    (library, artifact)
}

/// Findings without the sessions that show them: there are several as short.
fn told(findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let without = |mut found: Diagnostic| {
        if let Some(proof) = &mut found.proof {
            proof.witness.clear();
        }
        found
    };
    findings.into_iter().map(without).collect()
}

#[test]
fn what_is_remembered_changes_no_finding() {
    let edits = std::env::var("CTRC_EDITS").map_or(60, |n| n.parse().unwrap());
    let mut chance = Chance(0x9E37_79B9_7F4A_7C15);
    let mut memory = Memory::default();
    let mut contracts: Vec<(usize, usize, usize)> = Vec::new();
    let options = Options::default();
    let mut found = 0;
    for name in 0..edits {
        // A contract is added, taken away, or changed; blank lines move the others.
        let (component, body) = (chance.below(4), chance.below(BODIES.len()));
        match chance.below(3) {
            0 if contracts.len() > 2 => {
                contracts.remove(chance.below(contracts.len()));
            }
            1 if !contracts.is_empty() => {
                let at = chance.below(contracts.len());
                contracts[at].2 = body;
            }
            _ => contracts.insert(chance.below(contracts.len() + 1), (name, component, body)),
        }
        if contracts.len() > 9 {
            contracts.remove(0);
        }
        let mut text = format!("{}{HEAD}", "\n".repeat(chance.below(4)));
        for (name, component, body) in &contracts {
            let body = BODIES[*body].replace('@', &component.to_string());
            text.push_str(&format!("// {name}\ncontract c{name} {{ {body} }}\n"));
        }
        let (library, artifact) = built(&text);
        let fresh = check(&library, &artifact.model, &artifact.bytes, &options).unwrap();
        let again = check_again(
            &library,
            &artifact.model,
            &artifact.bytes,
            &options,
            &mut memory,
        )
        .unwrap();
        found += fresh.findings.len();
        assert_eq!(told(again.findings), told(fresh.findings), "{text}");
    }
    assert!(found > edits / 4, "{found}");
}
