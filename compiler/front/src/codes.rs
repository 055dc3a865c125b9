//! Every diagnostic code with its documentation: the one source of `ctrc explain`, of the error
//! pages and of the editor's links.
//!
//! | range | subject | table |
//! | --- | --- | --- |
//! | E0001-E0199 | text, tokens, syntax | [`ctr_grammar::codes`] |
//! | E0200-E0299, W0200- | files and modules | [`FILES`] |
//! | E0300-E0399, W0300- | tool schemas | [`SCHEMAS`] |
//! | E0400-E0599, W0400- | names, types, formulas | [`codes_check`] |

use std::sync::LazyLock;

use crate::codes_check;
use crate::diagnostic::CodeDoc;

/// The documentation of a code (`E0201`, in any case), or `None` where there is no such code.
#[must_use]
pub fn explain(code: &str) -> Option<&'static CodeDoc> {
    let code = code.trim();
    all().find(|doc| doc.code.eq_ignore_ascii_case(code))
}

/// All codes, in order of their tables.
pub fn all() -> impl Iterator<Item = &'static CodeDoc> {
    SYNTAX
        .iter()
        .chain(FILES)
        .chain(SCHEMAS)
        .chain(codes_check::all())
}

/// The codes of the grammar, whose table keeps the examples apart from the text.
static SYNTAX: LazyLock<Vec<CodeDoc>> = LazyLock::new(|| {
    ctr_grammar::codes::CODES
        .iter()
        .map(|doc| CodeDoc {
            code: doc.code,
            title: doc.title,
            // Made once and kept for the life of the program, as the other tables are.
            text: String::leak(format!(
                "{}\n\nWrong:\n\n```ctr\n{}\n```\n\nRight:\n\n```ctr\n{}\n```",
                doc.text, doc.wrong, doc.right
            )),
        })
        .collect()
});

const fn doc(code: &'static str, title: &'static str, text: &'static str) -> CodeDoc {
    CodeDoc { code, title, text }
}

/// Files and modules.
pub const FILES: &[CodeDoc] = &[
    doc(
        "E0200",
        "file not found",
        "A file that the command line, an `import`, an `include` or a `tools from` names does not exist.\n\n\
         Paths in a policy are relative to the folder of the file that they stand in, not to the folder in\n\
         which the compiler runs.\n\n\
         ```ctr\n\
         // in policies/refund.ctr\n\
         include \"policies/common.ctr\"   // wrong: this is policies/policies/common.ctr\n\
         include \"common.ctr\"            // right\n\
         ```\n\n\
         A link whose target is gone counts as a missing file.",
    ),
    doc(
        "E0201",
        "a directory where a file is expected",
        "The path is a directory. A policy is one file; name the files, or a directory only where the\n\
         command says that it looks for policies in one.",
    ),
    doc(
        "E0202",
        "file cannot be read",
        "The file exists and the system does not let it be read: permissions, a loop of links, a pipe or a\n\
         device. The message has the system's own words. Pipes and devices are refused so that the compiler\n\
         never waits for one.",
    ),
    doc(
        "E0203",
        "file too large",
        "The file is larger than the compiler reads (16 MiB). A policy or a list of tools of that size is\n\
         nearly always a wrong path, such as a recording. Split a policy with `include`.",
    ),
    doc(
        "E0204",
        "not UTF-8 text",
        "Policies and tool schemas are UTF-8. The message has the byte offset at which the file stops being\n\
         that, and names UTF-16 and UTF-32 by their byte order marks. A NUL byte also counts: it stands in\n\
         binary files and in UTF-16 without a mark.\n\n\
         To mend it, save the file as UTF-8, for example with\n\
         `iconv -f UTF-16 -t UTF-8 old.ctr > new.ctr`.",
    ),
    doc(
        "E0205",
        "module not found",
        "An `import` or `include` names a module that is neither a file nor part of the compiler.\n\n\
         `import a.b` is the file `a/b.ctr` in the folder of the importing file, or in the nearest of its\n\
         parents up to the folder of the file on the command line; the message lists what was tried. Names\n\
         that start with `std.` are only ever modules of the compiler, such as `std.declare`.\n\n\
         ```ctr\n\
         import std.declar             // wrong\n\
         import std.declare            // right\n\
         import \"../shared/pay.ctr\"    // a file by its path\n\
         ```",
    ),
    doc(
        "E0206",
        "files in a cycle",
        "Files import or include each other in a circle, so that none of them can be read first. Every line\n\
         of the circle is shown. Two paths to one file (links, `./a.ctr`, `sub/../a.ctr`) are one file.\n\n\
         ```ctr\n\
         // a.ctr\n\
         include \"b.ctr\"\n\
         // b.ctr\n\
         include \"a.ctr\"    // closes the circle\n\
         ```\n\n\
         Move what both need into a third file. Two ways to one file without a circle are fine, and it is\n\
         loaded once.",
    ),
    doc(
        "E0207",
        "import without a name",
        "A file that is imported by its path gets the name of the file up to the first dot, where that is an\n\
         identifier. This one's is not.\n\n\
         ```ctr\n\
         import \"refund-rules.ctr\"              // wrong: `refund-rules` is no name\n\
         import \"refund-rules.ctr\" as refunds   // right\n\
         ```",
    ),
    doc(
        "E0208",
        "two imports with one name",
        "Two `import` lines of a file give the same name to different files, so that `name.x` could mean\n\
         either. Give one of them another name.\n\n\
         ```ctr\n\
         import shop.rules\n\
         import bank.rules            // wrong: both are `rules`\n\
         import bank.rules as bank    // right\n\
         ```",
    ),
    doc(
        "E0209",
        "second `module` line",
        "A file is one module and says its name at most once. Put the second part into a file of its own.",
    ),
    doc(
        "E0210",
        "too many files",
        "One compilation reads at most 10,000 files. Whatever is past the limit is left out, and nothing is\n\
         built. Compile parts of the policy on their own.",
    ),
    doc(
        "W0200",
        "module under another name",
        "`import a.b` found the file `a/b.ctr`, and that file's `module` line says another name. It is used\n\
         all the same, but a reader who looks for the module by its name will not find it. Make the two\n\
         agree.",
    ),
];

/// Tool schemas.
pub const SCHEMAS: &[CodeDoc] = &[
    doc(
        "E0300",
        "tool schema is not JSON",
        "A file named by `tools from` is not JSON (RFC 8259). The place is the first character that does not\n\
         fit. Comments, trailing commas, single quotes, `NaN`, leading zeros and half of a surrogate pair\n\
         (`\"\\ud83d\"`) are no JSON.",
    ),
    doc(
        "E0301",
        "key twice in a JSON object",
        "An object of a tool schema has one key twice. Readers differ in which of the two counts, so that a\n\
         server and this compiler could read two different schemas. Remove one.",
    ),
    doc(
        "E0302",
        "JSON nested too deep",
        "Lists and objects stand inside each other more than 128 deep. No tool needs that; it is a mistake\n\
         of a generator, or an attempt to exhaust whoever reads the file.",
    ),
    doc(
        "E0303",
        "no list of tools",
        "The file is JSON, but not a list of tools. These are read:\n\n\
         - the result of MCP `tools/list`: `{\"tools\": [{\"name\", \"inputSchema\", ...}]}`, also inside its\n\
           JSON-RPC response;\n\
         - the `tools` of an OpenAI request: `[{\"type\": \"function\", \"function\": {\"name\", \"parameters\"}}]`, or\n\
           flat, as the Responses API has it;\n\
         - the `tools` of an Anthropic request: `[{\"name\", \"input_schema\"}]`;\n\
         - an object with one of these under `tools`, or a single tool.",
    ),
    doc(
        "E0304",
        "malformed tool",
        "An entry of a list of tools has no `name`, a `name` that is empty or no string, or no schema of its\n\
         arguments.\n\n\
         ```json\n\
         {\"name\": \"now\"}\n\
         {\"name\": \"now\", \"inputSchema\": {\"type\": \"object\", \"additionalProperties\": false}}\n\
         ```\n\n\
         The first is wrong, the second is a tool without arguments.",
    ),
    doc(
        "E0305",
        "tool twice in one file",
        "Two tools of one file have the same name (white space around it aside), so that a call of it could\n\
         be of either. Remove one, or put the tools of different servers into files of their own and name\n\
         the servers: `tools from \"a.json\" as a`.",
    ),
    doc(
        "E0306",
        "malformed schema",
        "A keyword of a JSON Schema has a value that it cannot have. Such a part could only be left out, and\n\
         then a field would be less restricted than its author meant; so it is an error.\n\n\
         ```json\n\
         {\"type\": \"object\", \"properties\": {\"id\": {\"type\": \"string\", \"required\": true}}}\n\
         {\"type\": \"object\", \"properties\": {\"id\": {\"type\": \"string\"}}, \"required\": [\"id\"]}\n\
         ```\n\n\
         The first is wrong (it is the style of draft 3), the second right.",
    ),
    doc(
        "E0307",
        "unknown JSON Schema type",
        "The types of JSON Schema are `string`, `number`, `integer`, `boolean`, `object`, `array` and `null`.\n\
         Names of programming languages, such as `int`, `float`, `dict` or `list`, are not among them. For\n\
         any value leave `type` out.",
    ),
    doc(
        "E0308",
        "reference into another document",
        "A `$ref` names another document. The compiler never fetches anything: what a policy means must not\n\
         depend on what a server answers on the day of the build. Copy the schema into `$defs` and refer to\n\
         it there: `\"$ref\": \"#/$defs/address\"`.",
    ),
    doc(
        "E0309",
        "reference that leads nowhere",
        "A `$ref` names a part that is not there, or leads back to itself with nothing in between, so that it\n\
         says nothing.\n\n\
         References start from the schema of the tool (`inputSchema`, `parameters`, ...), not from the file.\n\
         In a path `~1` stands for `/`, `~0` for `~`, and `%20` for a space:\n\
         `\"#/$defs/read~1write\"` is the part `read/write` of `$defs`.",
    ),
    doc(
        "E0310",
        "schema too large",
        "A limit was reached while a schema was read: 100 schemas inside each other with references followed,\n\
         64 references in a row, 250,000 schemas in a file (each counted as often as it is referred to),\n\
         256 alternatives of one type, or parts of `allOf` that multiply. What is past the limit counts as any value.\n\n\
         Schemas of tools are small. One like this is a mistake of its generator, or hostile.",
    ),
    doc(
        "E0311",
        "malformed annotation",
        "`annotations` of a tool is an object, and `destructiveHint`, `readOnlyHint`, `idempotentHint` and\n\
         `openWorldHint` in it are `true` or `false`. Groups such as `tools where destructive` are made from\n\
         them, so that a hint that cannot be read would silently leave a tool out of a rule.",
    ),
    doc(
        "E0312",
        "too many findings in a file",
        "A file of tools has more than 200 faults. The rest is not shown; mend what is, or look whether the\n\
         file is what it should be.",
    ),
    doc(
        "W0300",
        "recursive type",
        "A schema contains itself, as a tree does. Types of policies are finite: at the place of the\n\
         reference any value is accepted, and fields below it are not checked.",
    ),
    doc(
        "W0301",
        "keyword not understood",
        "A keyword of JSON Schema that narrows a value (`not`, `if`, `pattern`, `dependentSchemas`,\n\
         `dependentRequired`, `contains`, `unevaluatedProperties`, dynamic references) says something that a type of the policy language\n\
         cannot. The field accepts more values than the schema does; policies are still checked against the\n\
         rest of it.",
    ),
    doc(
        "W0302",
        "unknown schema dialect",
        "`$schema` names a dialect other than the drafts 4 to 2020-12 of JSON Schema. The schema is read as\n\
         draft 2020-12; keywords of its own are left out.",
    ),
    doc(
        "W0303",
        "schema without values",
        "Parts of a schema contradict each other: an enumerated value is not of the type beside it, a lower\n\
         bound is above the upper one, or `allOf` joins types that share no value. Such a field can never be\n\
         valid (or such a value never occur), which is hardly meant.",
    ),
    doc(
        "W0304",
        "tool without a name",
        "A list of tools has an entry for something that the provider of the model runs itself, such as a web\n\
         search. No call of it has a name that a policy could speak of; it is left out.",
    ),
    doc(
        "W0305",
        "page of a longer list",
        "The result of `tools/list` has a `nextCursor`: the server has more tools than this file. Ask for the\n\
         other pages as well, and put all tools into one list, or name each page in a `tools from` line.",
    ),
    doc(
        "W0306",
        "unknown keyword of a schema",
        "A schema has a keyword that JSON Schema does not know, spelt nearly as one that it does: `tpye` for\n\
         `type`. Unknown keywords are left out, so that the field accepts any value and policies are not checked\n\
         against what was meant. Mend the spelling; words of a generator's own begin with `x-`.",
    ),
];

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        reason = "tests"
    )]

    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    /// The codes in string literals of the files under a folder, tests at their ends left out.
    fn used(folder: &Path, out: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                used(&path, out);
            } else if !name.starts_with("codes") {
                let text = fs::read_to_string(&path).unwrap();
                let text = text.split("#[cfg(test)]").next().unwrap();
                for (at, _) in text.match_indices('"') {
                    let word: String = text[at + 1..].chars().take_while(|c| *c != '"').collect();
                    let is_code = word.len() == 5
                        && word.starts_with(['E', 'W'])
                        && word[1..].bytes().all(|b| b.is_ascii_digit());
                    if is_code {
                        out.insert(word);
                    }
                }
            }
        }
    }

    #[test]
    fn every_code_is_documented_once_and_used() {
        let mut codes = BTreeSet::new();
        for doc in all() {
            assert!(codes.insert(doc.code.to_owned()), "{} twice", doc.code);
            assert!(!doc.title.is_empty() && doc.text.len() > 40, "{}", doc.code);
            assert_eq!(doc.text.matches("```").count() % 2, 0, "{}", doc.code);
        }
        let mut found = BTreeSet::new();
        used(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
            &mut found,
        );
        let mine = |code: &&String| ("0200".."0400").contains(&&code[1..]);
        let documented: BTreeSet<_> = codes.iter().filter(mine).collect();
        let used: BTreeSet<_> = found.iter().filter(mine).collect();
        assert_eq!(documented, used);
    }

    #[test]
    fn explanations() {
        assert_eq!(explain(" e0206 ").unwrap().code, "E0206");
        assert!(explain("E0001").unwrap().text.contains("Wrong:"));
        assert_eq!(explain("E0400").unwrap().code, "E0400");
        assert!(explain("E9999").is_none());
    }
}
