//! Automata as SVG.

use std::fmt::Write as _;

use ctr_runtime::format::model::{Automaton, Label, Model};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::layers::{self, Edge, Extent, Point, Route};
use super::{Graph, label_words, ways};

/// Automata with more states are not drawn: nobody could read the picture.
pub const MAX_STATES: usize = 200;

/// An automaton is too large for a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyStates {
    /// How many states events reach.
    pub states: usize,
}

impl std::fmt::Display for TooManyStates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "the automaton has {} states, and pictures have at most {MAX_STATES}",
            self.states
        )
    }
}

impl std::error::Error for TooManyStates {}

const RADIUS: f64 = 19.0;
/// Of label text, in pixels. The font is one of equal widths, so that boxes fit whatever font a
/// reader has: 0.6 of the size is what nearly all of them take, and some room is left.
const FONT: f64 = 11.0;
const CELL: f64 = FONT * 0.61;
const LINE: f64 = 14.5;
const MARGIN: f64 = 24.0;
/// Labels are broken at so many cells where they can be.
const WRAP: usize = 44;
/// Longer labels stand below the picture, with a letter in their place.
const MAX_LINES: usize = 6;
/// How far a loop leaves its state.
const LOOP: f64 = 26.0;

/// Light or dark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// Dark ink on white.
    Light,
    /// Light ink on near black.
    Dark,
}

/// The style rules of pictures, each selector with `scope` before it (empty, or ending in a space): for pages
/// that hold pictures and choose the theme themselves.
#[must_use]
pub fn svg_style(scope: &str, theme: Theme) -> String {
    let [paper, ink, soft, good, so_far, pending, violated] = match theme {
        Theme::Light => [
            "#ffffff", "#1f2328", "#57606a", "#9fd6a8", "#dff1e2", "#fbe7b2", "#f5b7b1",
        ],
        Theme::Dark => [
            "#0d1117", "#e6edf3", "#9198a1", "#1f6f36", "#12351f", "#5c4710", "#7a2720",
        ],
    };
    let mut out = String::new();
    for (selector, rules) in [
        (".paper", format!("fill:{paper}")),
        ("text", format!("fill:{ink}")),
        (".soft", format!("fill:{soft}")),
        (".edge", format!("stroke:{ink};fill:none")),
        (".head", format!("fill:{ink}")),
        (".state", format!("stroke:{ink}")),
        (".satisfied_for_good", format!("fill:{good}")),
        (".satisfied", format!("fill:{so_far}")),
        (".pending", format!("fill:{pending}")),
        (".violated_for_good", format!("fill:{violated}")),
    ] {
        let _ = write!(out, "{scope}.ctr-graph {selector}{{{rules}}}");
    }
    out
}

/// Draws an automaton: states coloured by their label (and told apart without colour: a double circle
/// accepts, a dashed one waits, a cross is violated for good), edges with the steps at which they are taken, the
/// first state at the top. The picture needs nothing outside it and follows the reader's light or dark theme.
///
/// Each state is a group with `data-state`, each edge one with `data-from` and `data-to`.
///
/// # Errors
///
/// Where the automaton has more than [`MAX_STATES`] states.
pub fn automaton_to_svg(
    model: &Model,
    title: &str,
    automaton: &Automaton,
) -> Result<String, TooManyStates> {
    let graph = drawable(model, automaton)?;
    Ok(Picture::of(model, automaton, &graph).draw(title, automaton))
}

/// What can be drawn of an automaton.
pub(super) fn drawable(model: &Model, automaton: &Automaton) -> Result<Graph, TooManyStates> {
    if automaton.states.len() > 4 * MAX_STATES {
        return Err(TooManyStates {
            states: automaton.states.len(),
        });
    }
    let graph = Graph::of(model, automaton);
    if graph.states.len() > MAX_STATES {
        return Err(TooManyStates {
            states: graph.states.len(),
        });
    }
    Ok(graph)
}

/// What an edge says.
struct Said {
    /// On the edge.
    lines: Vec<String>,
    /// In full, on one line.
    whole: String,
}

struct Picture<'g> {
    graph: &'g Graph,
    /// Where a state stands in [`Graph::states`].
    place: Vec<Option<usize>>,
    /// Edges between two states.
    edges: Vec<(usize, usize, Said)>,
    /// For each state its loop.
    loops: Vec<Option<Said>>,
    /// Labels that were too long for the picture: letter and text.
    notes: Vec<(String, Vec<String>)>,
}

impl<'g> Picture<'g> {
    fn of(model: &Model, automaton: &Automaton, graph: &'g Graph) -> Self {
        let mut place = vec![None; automaton.states.len()];
        for (index, state) in graph.states.iter().enumerate() {
            if let Some(slot) = place.get_mut(*state as usize) {
                *slot = Some(index);
            }
        }
        let mut picture = Self {
            graph,
            place,
            edges: Vec::new(),
            loops: Vec::new(),
            notes: Vec::new(),
        };
        for (from, guards) in graph.edges.iter().enumerate() {
            let mut to_itself = None;
            for (target, guard) in guards {
                let Some(to) = picture.place.get(*target as usize).copied().flatten() else {
                    continue;
                };
                let said = picture.say(ways(model, guard));
                if from == to {
                    to_itself = Some(said);
                } else {
                    picture.edges.push((from, to, said));
                }
            }
            picture.loops.push(to_itself);
        }
        picture
    }

    /// A label broken into lines, or a letter for it.
    fn say(&mut self, ways: Vec<String>) -> Said {
        let whole = ways.join(" or ");
        let lines = lines(&ways);
        if lines.len() <= MAX_LINES {
            return Said { lines, whole };
        }
        let known = self.notes.iter().position(|(_, known)| *known == ways);
        let index = known.unwrap_or(self.notes.len());
        let letter = letter(index);
        if known.is_none() {
            self.notes.push((letter.clone(), ways));
        }
        Said {
            lines: vec![letter],
            whole,
        }
    }

    fn draw(&self, title: &str, automaton: &Automaton) -> String {
        let extents: Vec<Extent> = self
            .loops
            .iter()
            .map(|said| {
                let (width, height) = said.as_ref().map_or((0.0, 0.0), |said| size(&said.lines));
                Extent {
                    left: RADIUS + 2.0,
                    right: match said {
                        Some(_) => RADIUS + LOOP + width,
                        None => RADIUS + 2.0,
                    },
                    height: (2.0 * RADIUS + 4.0).max(height),
                }
            })
            .collect();
        let edges: Vec<Edge> = self
            .edges
            .iter()
            .map(|(from, to, said)| Edge {
                from: *from,
                to: *to,
                label: size(&said.lines),
            })
            .collect();
        let layout = layers::layout(&extents, &edges, RADIUS);

        let heading = wrap(title, WRAP * 2);
        let heading_height = heading.len() as f64 * 20.0 + 22.0;
        let legend = self.legend(automaton);
        let legend_width: f64 = legend
            .iter()
            .map(|label| label_words(*label).width() as f64 * CELL + 44.0)
            .sum();
        let heading_width = heading
            .iter()
            .map(|line| line.width() as f64 * 15.0 * 0.61)
            .fold(0.0, f64::max);
        let notes = self.notes_lines();
        let notes_width = notes
            .iter()
            .map(|line| line.width() as f64 * CELL)
            .fold(0.0, f64::max);
        let width = [layout.width, legend_width, heading_width, notes_width]
            .into_iter()
            .fold(0.0, f64::max)
            + 2.0 * MARGIN;
        let top = MARGIN + heading_height;
        let left = MARGIN + ((width - 2.0 * MARGIN - layout.width) / 2.0).max(0.0);
        let notes_top = top + layout.height + MARGIN;
        let legend_top =
            notes_top + notes.len() as f64 * LINE + if notes.is_empty() { 0.0 } else { 14.0 };
        let height = legend_top + 2.0 * MARGIN;

        let mut out = String::new();
        let _ = write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"ctr-graph\" role=\"img\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\">\n\
             <title>{}</title>\n<desc>{}</desc>\n<style>",
            text(title),
            text(&self.described(automaton)),
            w = number(width.ceil()),
            h = number(height.ceil()),
        );
        out.push_str(
            ".ctr-graph text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:11px;white-space:pre}\
             .ctr-graph .title{font-size:15px;font-weight:600}\
             .ctr-graph .name{font-size:13px;text-anchor:middle}\
             .ctr-graph .edge,.ctr-graph .state{stroke-width:1.2}\
             .ctr-graph .inner,.ctr-graph .cross{fill:none}\
             .ctr-graph circle.pending{stroke-dasharray:5 3}",
        );
        out.push_str(&svg_style("", Theme::Light));
        let _ = write!(
            out,
            "@media (prefers-color-scheme:dark){{{}}}",
            svg_style("", Theme::Dark)
        );
        out.push_str("</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n");
        for (index, line) in heading.iter().enumerate() {
            let y = MARGIN + 12.0 + index as f64 * 20.0;
            let _ = writeln!(
                out,
                "<text class=\"title\" x=\"{}\" y=\"{}\">{}</text>",
                number(MARGIN),
                number(y),
                text(line)
            );
        }
        let _ = writeln!(
            out,
            "<g transform=\"translate({} {})\">",
            number(left),
            number(top)
        );
        self.edges(&mut out, &layout.edges);
        for (index, at) in layout.nodes.iter().enumerate() {
            self.state(&mut out, automaton, index, *at);
        }
        out.push_str("</g>\n");
        for (index, line) in notes.iter().enumerate() {
            let y = notes_top + LINE * (index as f64 + 0.8);
            let _ = writeln!(
                out,
                "<text x=\"{}\" y=\"{}\">{}</text>",
                number(MARGIN),
                number(y),
                text(line)
            );
        }
        let mut x = MARGIN + 8.0;
        let y = legend_top + 12.0;
        for label in legend {
            circle(&mut out, label, Point { x, y }, 8.0);
            let words = label_words(label);
            let _ = writeln!(
                out,
                "<text class=\"soft\" x=\"{}\" y=\"{}\">{words}</text>",
                number(x + 14.0),
                number(y + 4.0)
            );
            x += words.width() as f64 * CELL + 44.0;
        }
        out.push_str("</svg>\n");
        out
    }

    /// The labels that occur, best first.
    fn legend(&self, automaton: &Automaton) -> Vec<Label> {
        [
            Label::SatisfiedForGood,
            Label::Satisfied,
            Label::Pending,
            Label::ViolatedForGood,
        ]
        .into_iter()
        .filter(|label| {
            self.graph.states.iter().any(|state| {
                automaton
                    .states
                    .get(*state as usize)
                    .is_some_and(|s| s.label == *label)
            })
        })
        .collect()
    }

    fn notes_lines(&self) -> Vec<String> {
        let mut out = Vec::new();
        for (letter, ways) in &self.notes {
            for (index, way) in ways.iter().enumerate() {
                let mark = if index == 0 {
                    format!("{letter} ")
                } else {
                    " ".repeat(letter.width() + 1)
                };
                let or = if index == 0 { "" } else { "or " };
                for (line, part) in wrap(&format!("{or}{way}"), 2 * WRAP).iter().enumerate() {
                    let mark = if line == 0 {
                        mark.clone()
                    } else {
                        " ".repeat(mark.width() + 3)
                    };
                    out.push(format!("{mark}{part}"));
                }
            }
        }
        out
    }

    /// The picture in words, for those who do not see it.
    fn described(&self, automaton: &Automaton) -> String {
        let mut out = String::new();
        let name = |index: usize| self.graph.states.get(index).copied().unwrap_or(0);
        for (index, state) in self.graph.states.iter().enumerate() {
            let label = automaton
                .states
                .get(*state as usize)
                .map_or("", |s| label_words(s.label));
            let first = if index == 0 { ", the first one" } else { "" };
            let _ = write!(out, "State {state}{first}: {label}");
            for (from, to, said) in &self.edges {
                if *from == index {
                    let _ = write!(out, "; to {} at {}", name(*to), said.whole);
                }
            }
            out.push_str(". ");
        }
        out.trim_end().to_owned()
    }

    fn edges(&self, out: &mut String, routes: &[Route]) {
        let name = |index: usize| self.graph.states.get(index).copied().unwrap_or(0);
        for ((from, to, said), route) in self.edges.iter().zip(routes) {
            let (from, to) = (name(*from), name(*to));
            let _ = writeln!(
                out,
                "<g data-from=\"{from}\" data-to=\"{to}\"><title>{from} to {to}: {}</title>",
                text(&said.whole)
            );
            let (path, head) = path(&route.points);
            let _ = writeln!(out, "<path class=\"edge\" d=\"{path}\"/>");
            let _ = writeln!(out, "<path class=\"head\" d=\"{head}\"/>");
            let at = Point {
                x: route.label.x,
                y: route.label.y,
            };
            label(out, &said.lines, at);
            out.push_str("</g>\n");
        }
    }

    fn state(&self, out: &mut String, automaton: &Automaton, index: usize, at: Point) {
        let Some(state) = self.graph.states.get(index).copied() else {
            return;
        };
        let Some(kind) = automaton.states.get(state as usize).map(|s| s.label) else {
            return;
        };
        if index == 0 {
            let (x, tip) = (at.x, at.y - RADIUS);
            let _ = writeln!(
                out,
                "<path class=\"edge\" d=\"M{} {}V{}\"/><path class=\"head\" d=\"{}\"/>",
                number(x),
                number(tip - 22.0),
                number(tip - 8.0),
                arrow(Point { x, y: tip }, 1.0)
            );
        }
        if let Some(Some(said)) = self.loops.get(index) {
            let _ = writeln!(
                out,
                "<g data-from=\"{state}\" data-to=\"{state}\"><title>{state} to {state}: {}</title>",
                text(&said.whole)
            );
            // From the upper right of the circle to its lower right.
            let (dx, dy) = (RADIUS * 0.87, RADIUS * 0.5);
            let (x0, x1) = (at.x + dx, at.x + RADIUS + LOOP - 6.0);
            let _ = writeln!(
                out,
                "<path class=\"edge\" d=\"M{} {}C{} {} {} {} {} {}\"/>",
                number(x0),
                number(at.y - dy),
                number(x1),
                number(at.y - dy - 9.0),
                number(x1),
                number(at.y + dy + 9.0),
                number(x0 + 6.5),
                number(at.y + dy + 3.2)
            );
            let _ = writeln!(
                out,
                "<path class=\"head\" d=\"M{} {}l8.6 .2l-3.4 6.4z\"/>",
                number(x0),
                number(at.y + dy)
            );
            label(
                out,
                &said.lines,
                Point {
                    x: at.x + RADIUS + LOOP - 4.0,
                    y: at.y,
                },
            );
            out.push_str("</g>\n");
        }
        let words = label_words(kind);
        let _ = writeln!(
            out,
            "<g data-state=\"{state}\"><title>state {state}: {words}</title>"
        );
        circle(out, kind, at, RADIUS);
        let _ = writeln!(
            out,
            "<text class=\"name\" x=\"{}\" y=\"{}\">{state}</text></g>",
            number(at.x),
            number(at.y + 4.5)
        );
    }
}

/// A state, or its sample in the legend.
fn circle(out: &mut String, kind: Label, at: Point, radius: f64) {
    let class = match kind {
        Label::SatisfiedForGood => "satisfied_for_good",
        Label::Satisfied => "satisfied",
        Label::Pending => "pending",
        Label::ViolatedForGood => "violated_for_good",
    };
    let (x, y) = (number(at.x), number(at.y));
    let _ = write!(
        out,
        "<circle class=\"state {class}\" cx=\"{x}\" cy=\"{y}\" r=\"{}\"/>",
        number(radius)
    );
    match kind {
        Label::SatisfiedForGood | Label::Satisfied => {
            let _ = write!(
                out,
                "<circle class=\"state inner\" cx=\"{x}\" cy=\"{y}\" r=\"{}\"/>",
                number(radius - (radius * 0.2).min(3.5))
            );
        }
        Label::ViolatedForGood => {
            // Ticks from the border inwards, so that the name stays readable.
            let (outer, inner) = (radius * 0.707, radius * 0.45);
            let mut d = String::new();
            for (sx, sy) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
                let _ = write!(
                    d,
                    "M{} {}L{} {}",
                    number(at.x + sx * outer),
                    number(at.y + sy * outer),
                    number(at.x + sx * inner),
                    number(at.y + sy * inner)
                );
            }
            let _ = write!(out, "<path class=\"state cross\" d=\"{d}\"/>");
        }
        Label::Pending => {}
    }
    out.push('\n');
}

/// The path of an edge up to its head, and the head.
fn path(points: &[Point]) -> (String, String) {
    let mut d = String::new();
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return (d, String::new());
    };
    let _ = write!(d, "M{} {}", number(first.x), number(first.y));
    // The last piece is a bend that ends straight down or up.
    let before = points.len().checked_sub(2).and_then(|i| points.get(i));
    let direction = if before.is_some_and(|p| p.y > last.y) {
        -1.0
    } else {
        1.0
    };
    for (index, pair) in points.windows(2).enumerate() {
        let [from, to] = pair else { continue };
        if index % 2 == 1 {
            let _ = write!(d, "V{}", number(to.y));
            continue;
        }
        let end = if index + 2 == points.len() {
            to.y - 8.0 * direction
        } else {
            to.y
        };
        let middle = f64::midpoint(from.y, end);
        let _ = write!(
            d,
            "C{} {} {} {} {} {}",
            number(from.x),
            number(middle),
            number(to.x),
            number(middle),
            number(to.x),
            number(end)
        );
    }
    (d, arrow(*last, direction))
}

/// A head that points down (`direction` 1) or up (-1).
fn arrow(tip: Point, direction: f64) -> String {
    format!(
        "M{} {}l-4 {}h8z",
        number(tip.x),
        number(tip.y),
        number(-9.0 * direction)
    )
}

/// Lines of text, on the left at a point and in the middle around it.
fn label(out: &mut String, lines: &[String], at: Point) {
    let first = at.y - (lines.len() as f64 - 1.0) * LINE / 2.0 + FONT * 0.35;
    for (index, line) in lines.iter().enumerate() {
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{}\">{}</text>",
            number(at.x),
            number(first + index as f64 * LINE),
            text(line)
        );
    }
}

fn size(lines: &[String]) -> (f64, f64) {
    let width = lines.iter().map(|line| line.width()).max().unwrap_or(0);
    (width as f64 * CELL + 2.0, lines.len() as f64 * LINE)
}

/// Ways as lines, each after the first with `or` before it.
fn lines(ways: &[String]) -> Vec<String> {
    let mut out = Vec::new();
    for (index, way) in ways.iter().enumerate() {
        let way = if index == 0 {
            way.clone()
        } else {
            format!("or {way}")
        };
        for (line, part) in wrap(&way, WRAP).into_iter().enumerate() {
            out.push(if line == 0 { part } else { format!("  {part}") });
        }
    }
    out
}

/// Breaks a text at white space, and a word that is longer than a line anywhere.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && line.width() + 1 + word.width() > width {
            out.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        for c in word.chars() {
            if line.width() + c.width().unwrap_or(0) > width {
                out.push(std::mem::take(&mut line));
            }
            line.push(c);
        }
    }
    if !line.is_empty() || out.is_empty() {
        out.push(line);
    }
    out
}

/// `(a)` to `(z)`, then `(a1)` and so on.
fn letter(index: usize) -> String {
    let letter = char::from(b'a' + u8::try_from(index % 26).unwrap_or(0));
    match index / 26 {
        0 => format!("({letter})"),
        round => format!("({letter}{round})"),
    }
}

/// A coordinate with at most one digit after the point, the same on every machine.
fn number(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    // No minus before a zero.
    let rounded = if rounded == 0.0 { 0.0 } else { rounded };
    format!("{rounded}")
}

/// Text for XML: markup escaped, and control characters, which XML has no way to write, replaced.
fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_broken_where_they_must_be() {
        assert_eq!(wrap("a bc def", 4), ["a bc", "def"]);
        assert_eq!(wrap("abcdefgh i", 3), ["abc", "def", "gh", "i"]);
        assert_eq!(wrap("", 3), [""]);
        assert_eq!(wrap("日本語", 4), ["日本", "語"]);
    }

    #[test]
    fn text_is_no_markup() {
        assert_eq!(text("a<b>&\"c\u{0}\n"), "a&lt;b&gt;&amp;&quot;c\u{fffd} ");
    }

    #[test]
    fn letters_do_not_end() {
        assert_eq!(letter(0), "(a)");
        assert_eq!(letter(25), "(z)");
        assert_eq!(letter(26), "(a1)");
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(number(-0.01), "0");
        assert_eq!(number(1.25), "1.3");
        assert_eq!(number(30.0), "30");
    }
}
