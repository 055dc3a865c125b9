//! What is damaged: small artifacts in which everything occurs, large ones without the tables of their regular
//! expressions, and these tables alone, so that all of it can be tried.

use super::*;
use ctr_runtime::format::decode;
use ctr_runtime::format::model::{
    Action, Atom, Automaton, Contract, EventKind, Expr, Label, Model, Node, NodeRef, Pattern, Root,
    State, Together, Tools, Watch,
};
use ctr_runtime::regex::program::{DEAD, Exact, Gap, MATCH, Program, Stage};
use ctr_runtime::regex::together;
use std::ops::Range;

pub const REGEXES: usize = 6;
pub const TOGETHER: usize = 7;
pub const REGEX_AUTOMATA: usize = 20;
pub const TEXTS: usize = 21;
pub const SECTIONS: usize = 22;
/// The header: the checksum counts from here on.
pub const HEADER: usize = 32;

/// Stored artifacts of whole policies.
pub const STORED: [&str; 4] = ["refund_desk", "travel_desk", "retail", "airline"];

pub fn stored(name: &str) -> Vec<u8> {
    std::fs::read(data(&format!("{name}.ctrb"))).unwrap()
}

/// Where a section stands.
pub fn section(bytes: &[u8], n: usize) -> Range<usize> {
    let start = word(bytes, HEADER + 8 * n) as usize;
    start..start + word(bytes, HEADER + 8 * n + 4) as usize
}

pub fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

/// Artifacts of which every byte is damaged. Their regular expressions have tables of a few entries, which are
/// damaged, too.
pub fn whole() -> Vec<(String, Vec<u8>)> {
    let mut list = Vec::new();
    for name in STORED {
        let bytes = stored(name);
        let mut model = decode(&Library::load(&bytes[..]).unwrap());
        make_tables_tiny(&mut model);
        list.push((name.to_owned(), encode(&model).unwrap()));
    }
    let mut everything = sample::sample();
    let small = Program {
        exact: Exact::Always,
        chains: vec![chain(2)],
    };
    everything.regexes[0].program = small.to_bytes();
    everything.regexes[1].program = tiny(&[1], Exact::Always);
    for output in [false, true] {
        everything.together.push(Together {
            output,
            regexes: vec![0, 1],
            table: Vec::new(),
        });
    }
    make_joint_tables_tiny(&mut everything);
    list.push(("sample".into(), encode(&everything).unwrap()));
    let seeds = if all() { 12 } else { 4 };
    for seed in 1..=seeds {
        let mut d = Dice::seed(seed);
        let bytes = loop {
            let mut made = model(&mut d);
            // One of them compiles its expressions when it is loaded.
            if seed != 1 {
                make_tables_tiny(&mut made);
            }
            if let Ok(bytes) = encode(&made) {
                break bytes;
            }
        };
        list.push((format!("random {seed}"), bytes));
    }
    list
}

fn make_tables_tiny(model: &mut Model) {
    for regex in &mut model.regexes {
        let exact = match regex.program.first() {
            Some(1) => Exact::PlainWords,
            Some(2) => Exact::Ascii,
            _ => Exact::Always,
        };
        regex.program = tiny(&[1], exact);
    }
    make_joint_tables_tiny(model);
}

fn make_joint_tables_tiny(model: &mut Model) {
    for together in &mut model.together {
        let stage = Stage {
            classes: core::array::from_fn(|byte| u8::from(byte == usize::from(b'a'))),
            gap: None,
            columns: 3,
            rows: 2,
            start: 0,
            idle: 0,
            ends: 1,
            next: vec![0, 3, 0, 0, 3, 0],
        };
        let exact = match together.table.first() {
            Some(1) => Exact::PlainWords,
            Some(2) => Exact::Ascii,
            _ => Exact::Always,
        };
        together.table = together::to_bytes(exact, &stage, &[1]);
    }
}

/// The tables of a program with chains of so many stages, with a row each.
fn tiny(chains: &[usize], exact: Exact) -> Vec<u8> {
    let chains = chains.iter().map(|stages| chain(*stages)).collect();
    Program { exact, chains }.to_bytes()
}

fn chain(stages: usize) -> Vec<Stage> {
    let stage = |n: usize| {
        let last = n + 1 == stages;
        let half: [u16; 3] = match (n, last) {
            (0, true) => [0, MATCH, DEAD],
            _ => [0, 0, if last { DEAD } else { 0 }],
        };
        let mut next = half.to_vec();
        if n > 0 {
            next.extend([0, if last { MATCH } else { 0 }, half[2]]);
        }
        Stage {
            gap: (n > 0).then_some(Gap {
                most: 4,
                closers: 1 << b'.',
            }),
            classes: core::array::from_fn(|byte| u8::from(byte == usize::from(b'a'))),
            columns: 3,
            rows: 1,
            start: 0,
            idle: 1,
            // Wherever it is not the last one, each row has reached an end.
            ends: u16::from(last),
            next,
        }
    };
    (0..stages).map(stage).collect()
}

/// The programs of all regular expressions of the stored artifacts, each once.
pub fn programs() -> Vec<(String, Vec<u8>)> {
    let mut all: Vec<(String, Vec<u8>)> = Vec::new();
    for name in STORED {
        let bytes = stored(name);
        for regex in decode(&Library::load(&bytes[..]).unwrap()).regexes {
            if all.iter().all(|(_, known)| *known != regex.program) {
                all.push((regex.pattern, regex.program));
            }
        }
    }
    all.push(("a chain of four stages".into(), tiny(&[4], Exact::Always)));
    all
}

/// The chains of a program: how many stages each has.
fn shape(program: &[u8]) -> Vec<usize> {
    let mut at = 8;
    let mut chains = Vec::new();
    for _ in 0..word(program, 4) {
        let stages = word(program, at) as usize;
        at += 4;
        for n in 0..stages {
            let entries = word(program, at + 24) * word(program, at + 28);
            let halves = if n == 0 { 1 } else { 2 };
            at += 44 + 256 + (2 * entries as usize * halves).next_multiple_of(4);
        }
        chains.push(stages);
    }
    assert_eq!(at, program.len());
    chains
}

/// For each joint table of the stored artifacts an artifact that has little else: contracts that forbid what the
/// expressions find in messages.
pub fn joint() -> Vec<(String, bool, Vec<u8>)> {
    let mut all = Vec::new();
    for name in STORED {
        let bytes = stored(name);
        let model = decode(&Library::load(&bytes[..]).unwrap());
        for together in &model.together {
            let mut small = Model::default();
            for id in &together.regexes {
                let mut regex = model.regexes[*id as usize].clone();
                let exact = match regex.program[0] {
                    0 => Exact::Always,
                    1 => Exact::PlainWords,
                    _ => Exact::Ascii,
                };
                regex.program = tiny(&shape(&regex.program), exact);
                let regex_id = small.regexes.len() as u32;
                forbid(&mut small, together.output, regex_id);
                small.regexes.push(regex);
            }
            small.together.push(Together {
                regexes: (0..small.regexes.len() as u32).collect(),
                ..together.clone()
            });
            let which = if together.output { "output" } else { "input" };
            let bytes = encode(&small).unwrap();
            all.push((
                format!("{name}, expressions of {which}s"),
                together.output,
                bytes,
            ));
        }
    }
    all
}

/// A contract that refuses messages in which an expression is found.
fn forbid(model: &mut Model, output: bool, regex: u32) {
    let at = |list: usize| list as u32;
    let text = at(model.exprs.len());
    let pattern = at(model.patterns.len());
    model.exprs.extend([
        Expr::Root(Root::Text),
        Expr::Matches(text, regex),
        Expr::Pattern(pattern),
    ]);
    let kind = match output {
        true => EventKind::Output,
        false => EventKind::Input,
    };
    model.patterns.push(Pattern {
        kind,
        tools: Tools::Any,
        keys: Vec::new(),
        condition: Some(text + 1),
        text: "a message".into(),
    });
    let atom = at(model.atoms.len());
    model.atoms.push(Atom {
        expr: text + 2,
        text: "a message".into(),
        remedy: None,
    });
    let automaton = at(model.automata.len());
    let state = |label, root| State {
        label,
        idle: true,
        root,
    };
    model.automata.push(Automaton {
        states: vec![
            state(Label::Satisfied, NodeRef::Node(0)),
            state(Label::ViolatedForGood, NodeRef::State(1)),
        ],
        initial: 0,
        nodes: vec![Node {
            atom,
            low: NodeRef::State(0),
            high: NodeRef::State(1),
        }],
    });
    model.contracts.push(Contract {
        name: format!("c{regex}"),
        module: String::new(),
        doc: String::new(),
        place: Default::default(),
        keys: Vec::new(),
        watch: Watch {
            inputs: !output,
            outputs: output,
            ..Watch::default()
        },
        patterns: vec![pattern],
        clauses: Vec::new(),
        deadlines: Vec::new(),
        assume: None,
        guarantee: Some(automaton),
        action: Action::Block,
        message: Vec::new(),
        id: None,
        severity: None,
        source: None,
        tags: Vec::new(),
        agents: Vec::new(),
    });
}

/// The bytes of whole artifacts have every section, and every code of expressions, patterns, registers and actions.
#[test]
fn everything_occurs_in_what_is_damaged() {
    let all = whole();
    for n in 0..SECTIONS {
        assert!(
            all.iter().any(|(_, bytes)| !section(bytes, n).is_empty()),
            "section {n}"
        );
    }
    // Section, words of its records, word of the code, whether only its lowest byte is one, number of codes.
    for (n, words, at, low, codes) in [
        (8, 4, 0, true, 30),
        (9, 9, 0, true, 5),
        (9, 9, 2, false, 3),
        (10, 7, 0, false, 10),
        (13, 2, 0, true, 4),
        (15, 33, 19, false, 5),
        (16, 5, 0, false, 2),
        (17, 7, 1, false, 2),
    ] {
        for code in 0..codes {
            let occurs = all.iter().any(|(_, bytes)| {
                let records = section(bytes, n).step_by(4 * words);
                records.into_iter().any(|record| {
                    let word = word(bytes, record + 4 * at);
                    (if low { word & 0xff } else { word }) == code
                })
            });
            assert!(occurs, "section {n}, code {code}");
        }
    }
}
