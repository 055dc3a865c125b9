//! What both trees have in common: a kind, a place and parts.

mod compiler;
mod tree_sitter;

pub use compiler::of_file;
pub use tree_sitter::of_tree;

/// A node of either tree.
pub struct Shape {
    kind: String,
    start: usize,
    end: usize,
    parts: Vec<Shape>,
}

impl Shape {
    pub fn print(&self) -> String {
        let mut out = String::new();
        self.write(0, &mut out);
        out
    }

    fn write(&self, depth: usize, out: &mut String) {
        out.push_str(&format!(
            "{}{} {}..{}\n",
            "  ".repeat(depth),
            self.kind,
            self.start,
            self.end
        ));
        for part in &self.parts {
            part.write(depth + 1, out);
        }
    }
}
