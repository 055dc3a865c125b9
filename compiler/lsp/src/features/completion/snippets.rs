//! Whole contracts and forms with places to fill in.

use ctr_grammar::{Completion, Level};
use lsp_types::CompletionItemKind;

use super::list::{Doc, List};

/// Items to start from: what is typed, what it is, the text with places to fill in.
const ITEMS: &[(&str, &str, &str)] = &[
    (
        "contract: only after",
        "one after another",
        "contract ${1:name} {\n  guarantee call ${2:tool} only after success ${3:other}\n  otherwise block \"${4:Do that first.}\"\n}\n",
    ),
    (
        "contract: for each",
        "a contract for each value of a key",
        "contract ${1:name} for each ${2:key} {\n  guarantee success ${3:tool}(args.${2:key} == ${2:key}) at most ${4:1} time\n  otherwise block \"${5:Once only.}\"\n}\n",
    ),
    (
        "contract: only if",
        "a condition on every call",
        "contract ${1:name} {\n  guarantee call ${2:tool} only if ${3:amount <= 100}\n  otherwise block \"${4:That is too much.}\"\n}\n",
    ),
    (
        "contract: never",
        "a call that is not made",
        "contract ${1:name} {\n  guarantee never call ${2:tool}\n  otherwise block \"${3:Leave that to a person.}\"\n}\n",
    ),
    (
        "contract: leads to",
        "one followed by another",
        "contract ${1:name} {\n  guarantee success ${2:tool} leads to call ${3:other}\n  otherwise warn \"${4:That is still to be done.}\"\n}\n",
    ),
    (
        "contract: assume",
        "what the environment owes, and what the agent then owes",
        "contract ${1:name} {\n  assume never return ${2:tool}(${3:text(result) matches /secret/})\n  guarantee call ${4:other} only after success ${2:tool}\n}\n",
    ),
    (
        "predicate: template",
        "a formula with parameters",
        "predicate ${1:name}(${2:e}: event) = ${3:never e}\n",
    ),
    (
        "test: blocked",
        "a call that is refused",
        "test \"${1:what is shown}\" {\n  call ${2:tool}(${3}) expect block by ${4:contract}\n}\n",
    ),
    (
        "test: session",
        "a session with what is expected of it",
        "test \"${1:what is shown}\" {\n  call ${2:tool}(${3}) -> { ${4} } expect allow\n  end expect satisfied\n}\n",
    ),
];

/// Readable forms: what is typed, what it says.
const FORMS: &[(&str, &str, &str)] = &[
    (
        "P only after Q",
        "not before the other has happened",
        "call ${1:tool} only after success ${2:other}",
    ),
    (
        "P only after Q within",
        "not before the other, and not long after it",
        "call ${1:tool} only after success ${2:other} within ${3:5min}",
    ),
    (
        "P only before Q",
        "not after the other has happened",
        "call ${1:tool} only before call ${2:other}",
    ),
    (
        "P only if",
        "a condition on every call",
        "call ${1:tool} only if ${2:amount <= 100}",
    ),
    (
        "P only while",
        "only at steps where a formula holds",
        "call ${1:tool} only while ${2:once success other}",
    ),
    (
        "P leads to Q",
        "is followed, some time, by the other",
        "success ${1:tool} leads to call ${2:other}",
    ),
    (
        "P leads to Q within",
        "is followed in time by the other",
        "success ${1:tool} leads to call ${2:other} within ${3:30s}",
    ),
    (
        "P immediately leads to Q",
        "is followed at the next step by the other",
        "call ${1:tool} immediately leads to call ${2:other}",
    ),
    (
        "P at most",
        "no more than so many times",
        "call ${1:tool} at most ${2:3} times",
    ),
    (
        "P at most within",
        "no more than so many times in a window of time",
        "call ${1:tool} at most ${2:3} times within ${3:10min}",
    ),
    (
        "P at most consecutive",
        "no more than so many times in a row",
        "call ${1:tool} at most ${2:3} consecutive times",
    ),
    (
        "P at least",
        "no fewer than so many times",
        "call ${1:tool} at least ${2:1} times",
    ),
    (
        "P exactly",
        "just so many times",
        "call ${1:tool} exactly ${2:1} times",
    ),
    ("never P", "at no step", "never call ${1:tool}"),
    (
        "never P after Q",
        "not once the other has happened",
        "never call ${1:tool} after call ${2:other}",
    ),
    (
        "never P before Q",
        "not as long as the other has not happened",
        "never call ${1:tool} before success ${2:other}",
    ),
];

/// The snippets that fit.
pub(super) fn fill(found: &Completion, list: &mut List<'_>) {
    if !list.takes_snippets() {
        return;
    }
    if found.keywords.iter().any(|k| k.name == "contract") {
        for (label, detail, text) in ITEMS {
            list.snippet(label, text, CompletionItemKind::SNIPPET, detail, Doc::None);
        }
    }
    let formula = found.level == Level::Formula && found.begins;
    if formula && found.keywords.iter().any(|k| k.name == "never") {
        for (label, detail, text) in FORMS {
            list.snippet(label, text, CompletionItemKind::SNIPPET, detail, Doc::None);
        }
    }
}
