//! A small pretty-printer: a list of texts, possible line ends and groups, printed so that a group
//! stands on one line where it fits (Wadler, "A prettier printer", over a flat list).

/// What to print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Op {
    /// Text; line ends inside it are kept.
    Text(String),
    /// A comment up to the end of its line: it may stand beyond the width, so that what it is said
    /// of is laid out as it would be without it.
    Trailing(String),
    /// A space, printed only before further text on the line.
    Space,
    /// A space, or a line end where the group is broken.
    Line,
    /// Nothing, or a line end where the group is broken.
    SoftLine,
    /// A line end.
    HardLine,
    /// A line end and an empty line.
    BlankLine,
    Open,
    Close,
    /// Two spaces more from the next line on.
    Indent,
    /// From the next line on the indentation of this line, whatever was asked for before.
    Hang,
    /// Ends the latest [`Op::Indent`] or [`Op::Hang`].
    Dedent,
}

/// Prints within `width` columns where possible; one step of indentation is two spaces.
pub(super) fn print(ops: &[Op], width: usize) -> String {
    let mut printer = Printer {
        ops,
        width,
        out: String::new(),
        column: 0,
        indents: Vec::new(),
        line_indent: 0,
        pending: false,
    };
    printer.run();
    printer.out
}

struct Printer<'a> {
    ops: &'a [Op],
    width: usize,
    out: String,
    column: usize,
    indents: Vec<usize>,
    /// The indentation of the line that is being printed.
    line_indent: usize,
    /// A space waits for text.
    pending: bool,
}

impl Printer<'_> {
    fn run(&mut self) {
        // Whether each open group is broken.
        let mut broken: Vec<bool> = Vec::new();
        for (i, op) in self.ops.iter().enumerate() {
            let breaks = broken.last().copied().unwrap_or(true);
            match op {
                Op::Text(text) | Op::Trailing(text) => self.text(text),
                Op::Space => self.pending = true,
                Op::Line if !breaks => self.pending = true,
                Op::SoftLine if !breaks => {}
                Op::Line | Op::SoftLine | Op::HardLine => self.newline(),
                Op::BlankLine => {
                    self.newline();
                    if !self.out.is_empty() && !self.out.ends_with("\n\n") {
                        self.out.push('\n');
                    }
                }
                Op::Open => {
                    let flat = !breaks || self.fits(i);
                    broken.push(!flat);
                }
                Op::Close => {
                    broken.pop();
                }
                Op::Indent => self.indents.push(self.indent() + 2),
                Op::Hang => self.indents.push(self.line_indent),
                Op::Dedent => {
                    self.indents.pop();
                }
            }
        }
    }

    fn indent(&self) -> usize {
        self.indents.last().copied().unwrap_or(0)
    }

    fn newline(&mut self) {
        self.pending = false;
        if self.column > 0 {
            self.out.push('\n');
            self.column = 0;
        }
    }

    fn text(&mut self, text: &str) {
        if self.column == 0 {
            self.line_indent = self.indent();
            self.out.extend(std::iter::repeat_n(' ', self.line_indent));
            self.column = self.line_indent;
        } else if self.pending {
            self.out.push(' ');
            self.column += 1;
        }
        self.pending = false;
        self.out.push_str(text);
        match text.rfind('\n') {
            Some(at) => {
                let last = text.get(at + 1..).unwrap_or("");
                self.column = last.chars().count().max(1);
            }
            None => self.column += text.chars().count(),
        }
    }

    /// Whether the group that opens at `from` and what clings to its end fit on the line.
    fn fits(&self, from: usize) -> bool {
        let start = if self.column == 0 {
            self.indent()
        } else {
            self.column + usize::from(self.pending)
        };
        let Some(mut left) = self.width.checked_sub(start) else {
            return false;
        };
        let mut depth = 0usize;
        // The group is over; the line may end at the next place where it can.
        let mut closed = false;
        let mut space = false;
        for op in self.ops.iter().skip(from) {
            match op {
                Op::Open => depth += 1,
                Op::Close => {
                    depth = depth.saturating_sub(1);
                    closed |= depth == 0;
                }
                Op::Trailing(_) => return closed,
                Op::Text(text) => {
                    if !closed && text.contains('\n') {
                        return false;
                    }
                    let first = text.split('\n').next().unwrap_or("");
                    let need = first.chars().count() + usize::from(space);
                    space = false;
                    match left.checked_sub(need) {
                        Some(rest) => left = rest,
                        None => return false,
                    }
                    if first.len() < text.len() {
                        return true;
                    }
                }
                Op::Space => space = true,
                Op::Line if !closed => space = true,
                Op::SoftLine if !closed => {}
                Op::HardLine | Op::BlankLine if !closed => return false,
                Op::Line | Op::SoftLine | Op::HardLine | Op::BlankLine => return true,
                Op::Indent | Op::Hang | Op::Dedent => {}
            }
        }
        true
    }
}
