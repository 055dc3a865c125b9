//! Files and modules.

use crate::diagnostic::CodeDoc;

/// The codes.
pub(super) const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "E0200",
        title: "file not found",
        meaning: r#"A file that the command line, an `import`, an `include` or a `tools from` names does not exist.

Paths in a policy are relative to the folder of the file that they stand in, not to the folder in
which the compiler runs.

```ctr
// in policies/refund.ctr
include "policies/common.ctr"   // wrong: this is policies/policies/common.ctr
include "common.ctr"            // right
```

A link whose target is gone counts as a missing file."#,
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "E0201",
        title: "a directory where a file is expected",
        meaning: r"The path is a directory. A policy is one file; name the files, or a directory only where the
command says that it looks for policies in one.",
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "E0202",
        title: "file cannot be read",
        meaning: r"The file exists and the system does not let it be read: permissions, a loop of links, a pipe or a
device. The message has the system's own words. Pipes and devices are refused so that the compiler
never waits for one.",
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "E0203",
        title: "file too large",
        meaning: r"The file is larger than the compiler reads (16 MiB). A policy or a list of tools of that size is
nearly always a wrong path, such as a recording. Split a policy with `include`.",
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "E0204",
        title: "not UTF-8 text",
        meaning: r"Policies and tool schemas are UTF-8. The message has the byte offset at which the file stops being
that, and names UTF-16 and UTF-32 by their byte order marks. A NUL byte also counts: it stands in
binary files and in UTF-16 without a mark.

To mend it, save the file as UTF-8, for example with
`iconv -f UTF-16 -t UTF-8 old.ctr > new.ctr`.",
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "E0205",
        title: "module not found",
        meaning: r#"An `import` or `include` names a module that is neither a file nor part of the compiler.

`import a.b` is the file `a/b.ctr` in the folder of the importing file, or in the nearest of its
parents up to the folder of the file on the command line; the message lists what was tried. Names
that start with `std.` are only ever modules of the compiler, such as `std.declare`.

```ctr
import std.declar             // wrong
import std.declare            // right
import "../shared/pay.ctr"    // a file by its path
```"#,
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "E0206",
        title: "files in a cycle",
        meaning: r#"Files import or include each other in a circle, so that none of them can be read first. Every line
of the circle is shown. Two paths to one file (links, `./a.ctr`, `sub/../a.ctr`) are one file.

```ctr
// a.ctr
include "b.ctr"
// b.ctr
include "a.ctr"    // closes the circle
```

Move what both need into a third file. Two ways to one file without a circle are fine, and it is
loaded once."#,
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "E0207",
        title: "import without a name",
        meaning: r#"A file that is imported by its path gets the name of the file up to the first dot, where that is an
identifier. This one's is not.

```ctr
import "refund-rules.ctr"              // wrong: `refund-rules` is no name
import "refund-rules.ctr" as refunds   // right
```"#,
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "E0208",
        title: "two imports with one name",
        meaning: r"Two `import` lines of a file give the same name to different files, so that `name.x` could mean
either. Give one of them another name.

```ctr
import shop.rules
import bank.rules            // wrong: both are `rules`
import bank.rules as bank    // right
```",
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "E0209",
        title: "second `module` line",
        meaning: "A file is one module and says its name at most once. Put the second part into a file of its own.",
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "E0210",
        title: "too many files",
        meaning: r"One compilation reads at most 10,000 files. Whatever is past the limit is left out, and nothing is
built. Compile parts of the policy on their own.",
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "W0200",
        title: "module under another name",
        meaning: r"`import a.b` found the file `a/b.ctr`, and that file's `module` line says another name. It is used
all the same, but a reader who looks for the module by its name will not find it. Make the two
agree.",
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
];
