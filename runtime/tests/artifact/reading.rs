//! What is written is read.

use ctr_runtime::format::model::*;
use ctr_runtime::format::{KindClass, Library, decode, encode};

use crate::sample::{large, load, program, sample};
use crate::walk::walk;

#[test]
fn what_is_written_is_read() {
    let model = sample();
    let bytes = encode(&model).unwrap();
    assert_eq!(bytes, encode(&model.clone()).unwrap());
    let library = load(&bytes).unwrap();
    assert_eq!(decode(&library), model);
    assert!(walk(&library) > 0);
    let owned = Library::load(bytes.clone()).unwrap();
    assert_eq!(decode(&owned), model);
    assert_eq!(owned.hash(), library.hash());
    let moved = library.into_owned();
    assert_eq!(decode(&moved), model);
    assert_eq!(walk(&moved), walk(&owned));
    let empty = encode(&Model::default()).unwrap();
    assert_eq!(decode(&load(&empty).unwrap()), Model::default());
    assert_ne!(load(&empty).unwrap().hash(), owned.hash());
}

#[test]
fn alignment_does_not_matter() {
    let model = sample();
    let bytes = encode(&model).unwrap();
    for shift in 1..8 {
        let mut shifted = vec![0xff; shift];
        shifted.extend_from_slice(&bytes);
        assert_eq!(decode(&load(&shifted[shift..]).unwrap()), model);
    }
}

#[test]
fn lines_are_found() {
    let bytes = encode(&sample()).unwrap();
    let library = load(&bytes).unwrap();
    let source = library.source(0);
    for (offset, expected) in [
        (0, (1, 1)),
        (9, (1, 10)),
        (10, (2, 1)),
        (24, (2, 15)),
        (25, (3, 1)),
        (26, (4, 1)),
        (100, (4, 75)),
    ] {
        assert_eq!(source.line_col(offset), expected);
    }
}

#[test]
fn regexes_search() {
    let bytes = encode(&sample()).unwrap();
    for library in [load(&bytes).unwrap(), Library::load(bytes.clone()).unwrap()] {
        let key = library.regex(0).unwrap();
        assert_eq!(key.is_match("x BEGIN RSA KEY y"), Some(true));
        assert_eq!(key.is_match("BEGIN rsa KEY"), Some(false));
        let word = library.regex(1).unwrap();
        assert_eq!(word.is_match("l'é!"), Some(true));
        assert_eq!(word.is_match("ete"), Some(false));
        #[cfg(feature = "full-regex")]
        assert_eq!(word.is_match("été"), Some(false));
        assert!(library.regex(2).is_none());
    }
}

#[test]
fn regexes_that_cannot_be_had_are_errors() {
    let with = |pattern: &str, program: Vec<u8>| {
        let mut model = sample();
        model.regexes[1] = Regex {
            pattern: pattern.into(),
            program,
            ecma: None,
        };
        let bytes = encode(&model).unwrap();
        let error = load(&bytes).unwrap_err();
        assert_eq!(error.section, "regexes");
        error.what
    };
    assert!(with("a(", Vec::new()).contains("`a(`"));
    assert!(with("a", vec![0; 40]).contains("damaged"));
    let mut long = program("a");
    long.push(0);
    assert!(with("a", long).contains("follows"));
    #[cfg(feature = "full-regex")]
    assert!(with(r"\w{1000}{1000}", Vec::new()).contains("more than"));
    #[cfg(not(feature = "full-regex"))]
    assert!(with("a", Vec::new()).contains("full-regex"));
}

#[test]
fn libraries_can_be_shared_by_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    let bytes = encode(&sample()).unwrap();
    shared(&load(&bytes).unwrap());
}

/// What the index gives, by its definition.
#[test]
fn dispatch_finds_what_an_event_concerns() {
    let model = sample();
    let bytes = encode(&model).unwrap();
    let library = load(&bytes).unwrap();
    let kinds = [
        KindClass::Call,
        KindClass::Return,
        KindClass::Input,
        KindClass::Output,
        KindClass::Declared(0),
        KindClass::Declared(1),
    ];
    let tool_sets: [&[u32]; 8] = [
        &[],
        &[0],
        &[1],
        &[2],
        &[0, 1],
        &[2, 0, 1],
        &[1, 0, 1, 2, 2],
        &[0, 1, 2, 0, 1, 2, 0, 1],
    ];
    for kind in kinds {
        for tools in tool_sets {
            let fits = |id: &u32| {
                let pattern = &model.patterns[*id as usize];
                let class = match pattern.kind {
                    EventKind::Call => KindClass::Call,
                    EventKind::Return(_) => KindClass::Return,
                    EventKind::Input => KindClass::Input,
                    EventKind::Output => KindClass::Output,
                    EventKind::Declared(n) => KindClass::Declared(n),
                };
                class == kind
                    && match &pattern.tools {
                        Tools::OneOf(list) => list.iter().any(|tool| tools.contains(tool)),
                        Tools::Any | Tools::Except(_) => true,
                    }
            };
            let dispatch = library.dispatch(kind, tools);
            let contracts: Vec<u32> = (0..5)
                .filter(|n| model.contracts[*n as usize].patterns.iter().any(fits))
                .collect();
            assert_eq!(dispatch.contracts().collect::<Vec<_>>(), contracts);
            let mut registers: Vec<u32> = (0..10)
                .filter(|n| {
                    [0, 1].iter().any(fits)
                        || *n == 1 && matches!(kind, KindClass::Call | KindClass::Return)
                })
                .collect();
            // `not input` holds at events that no pattern names.
            registers.push(10);
            assert_eq!(dispatch.registers().collect::<Vec<_>>(), registers);
            let deadlines: Vec<u32> = (0..5)
                .filter(|n| {
                    let of_pay = *n == 1;
                    if of_pay { &[0, 1] } else { &[5, 6] }.iter().any(fits)
                })
                .collect();
            assert_eq!(dispatch.deadlines().collect::<Vec<_>>(), deadlines);
            let restless: Vec<u32> = match kind {
                KindClass::Input | KindClass::Declared(0) => vec![],
                _ => vec![1],
            };
            assert_eq!(dispatch.restless().collect::<Vec<_>>(), restless);
        }
    }
    assert_eq!(library.tools_named("pay"), [0, 1]);
    assert_eq!(library.tools_named("send-mail"), [2]);
    assert!(library.tools_named("pa").is_empty());
    assert!(library.has_server("mail") && !library.has_server("pay"));
    assert_eq!(library.event_named("alarm"), Some(1));
    assert_eq!(library.event_named("alar"), None);
    assert_eq!(library.lookup_named("owner"), Some(0));
    let empty = encode(&Model::default()).unwrap();
    let empty = load(&empty).unwrap();
    assert!(empty.tools_named("pay").is_empty());
    assert_eq!(empty.dispatch(KindClass::Call, &[0]).contracts().count(), 0);
}

#[test]
fn a_large_library_round_trips() {
    let model = large(300);
    let bytes = encode(&model).unwrap();
    let library = load(&bytes).unwrap();
    assert_eq!(decode(&library), model);
    for n in 0..300 {
        let tools = library.tools_named(&format!("tool_{n}")).to_vec();
        assert_eq!(tools, [n]);
        let dispatch = library.dispatch(KindClass::Call, &tools);
        assert_eq!(dispatch.contracts().collect::<Vec<_>>(), [n]);
    }
}

/// What stands in an artifact for many expressions of the same messages must fit them.
#[test]
fn tables_for_many_expressions_are_checked() {
    use ctr_runtime::regex::program::{Exact, Stage};
    // `b` was the byte before: an end of the first expression.
    let stage = Stage {
        gap: None,
        classes: core::array::from_fn(|n| u8::from(n == usize::from(b'b'))),
        columns: 3,
        rows: 2,
        start: 0,
        idle: 0,
        ends: 1,
        next: vec![0, 3, 0, 0, 3, 0],
    };
    let table = |exact, ends: &[u64]| ctr_runtime::regex::together::to_bytes(exact, &stage, ends);
    let with = |regexes: &[u32], table: Vec<u8>| {
        let mut model = sample();
        model.regexes[1].program = program("é");
        model.together = vec![Together {
            output: true,
            regexes: regexes.to_vec(),
            table,
        }];
        let bytes = encode(&model).map_err(|error| error.what)?;
        let library = load(&bytes).map_err(|error| error.to_string())?;
        assert_eq!(decode(&library), model);
        Library::load(bytes.clone())
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    assert_eq!(with(&[0, 1], table(Exact::Always, &[1])), Ok(()));
    for (regexes, table, what) in [
        (&[0, 1][..], table(Exact::Always, &[4]), "its ends"),
        (&[0, 1], table(Exact::Always, &[]), "its ends"),
        (&[0, 1], table(Exact::Always, &[1, 1]), "its ends"),
        (&[0], table(Exact::Always, &[2]), "its ends"),
        (&[1, 0], table(Exact::Always, &[1]), "ascending"),
        (&[0, 2], table(Exact::Always, &[1]), "no such regular"),
        (&[0, 1], vec![0; 400], "rows"),
        (&[0, 1], Vec::new(), "too early"),
    ] {
        let error = with(regexes, table).unwrap_err();
        assert!(error.contains("regexes together"), "{error}");
        assert!(error.contains(what), "{error}");
    }
}
