//! Compiles the parser that `tree-sitter generate` has written.

fn main() {
    println!("cargo:rerun-if-changed=src/parser.c");
    cc::Build::new()
        .std("c11")
        .include("src")
        .file("src/parser.c")
        // Written by a generator, for many compilers.
        .warnings(false)
        .compile("tree-sitter-ctr");
}
