//! Plots as SVG: lines over a logarithmic axis of sizes.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Width and height of a plot, and the room around its lines: left, top, right, bottom.
const SIZE: (f64, f64) = (760.0, 420.0);
const ROOM: (f64, f64, f64, f64) = (78.0, 44.0, 190.0, 56.0);
/// Colours that also people who confuse red and green tell apart (Okabe and Ito).
const COLOURS: [&str; 6] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9",
];

/// How the values' axis runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// From nothing: flat is flat.
    Linear,
    /// In powers of ten, from a tenth on: what grows in proportion is a straight line.
    Logarithmic,
}

/// A plot.
#[derive(Debug)]
pub struct Plot {
    title: String,
    x: String,
    y: String,
    scale: Scale,
    lines: Vec<(String, Vec<(f64, f64)>)>,
}

impl Plot {
    /// A plot without lines.
    #[must_use]
    pub fn new(title: &str, x: &str, y: &str, scale: Scale) -> Self {
        Self {
            title: title.to_owned(),
            x: x.to_owned(),
            y: y.to_owned(),
            scale,
            lines: Vec::new(),
        }
    }

    /// Adds a point to the line of that name; a size of 0 stands at half of 1.
    pub fn point(&mut self, line: &str, size: usize, value: f64) {
        #[expect(clippy::cast_precision_loss, reason = "a plot has few pixels")]
        let point = (size as f64, value);
        match self.lines.iter_mut().find(|(name, _)| name == line) {
            Some((_, points)) => points.push(point),
            None => self.lines.push((line.to_owned(), vec![point])),
        }
    }

    /// Writes `docs/performance/<name>.svg` of this repository.
    ///
    /// # Errors
    ///
    /// Where it cannot be written.
    pub fn save(&self, name: &str) -> std::io::Result<PathBuf> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/performance");
        std::fs::create_dir_all(&folder)?;
        let path = folder.join(format!("{name}.svg"));
        std::fs::write(&path, self.svg())?;
        Ok(path)
    }

    /// The plot as SVG.
    #[must_use]
    pub fn svg(&self) -> String {
        let (width, height) = SIZE;
        let (left, top, right, bottom) = ROOM;
        let points = || self.lines.iter().flat_map(|(_, points)| points);
        let log = |x: f64| x.max(0.5).log10();
        let low = points().map(|p| log(p.0)).fold(f64::INFINITY, f64::min);
        let high = points().map(|p| log(p.0)).fold(low + 1e-9, f64::max);
        let most = points().map(|p| p.1).fold(1.0, f64::max);
        let (y_low, y_high) = match self.scale {
            Scale::Linear => (0.0, nice(most * 1.1)),
            Scale::Logarithmic => {
                let least = points().map(|p| p.1).fold(most, f64::min);
                (least.max(0.1).log10().floor(), most.log10().ceil())
            }
        };
        let x_at = |x: f64| left + (log(x) - low) / (high - low) * (width - left - right);
        let y_at = |y: f64| {
            let y = match self.scale {
                Scale::Linear => y,
                Scale::Logarithmic => y.max(0.1).log10(),
            };
            height - bottom - (y - y_low) / (y_high - y_low).max(1e-9) * (height - top - bottom)
        };
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n\
             <text x=\"{left}\" y=\"24\" font-size=\"15\">{}</text>\n",
            self.title
        );
        let ticks: Vec<f64> = match self.scale {
            Scale::Linear => (0..=4).map(|n| y_high * f64::from(n) / 4.0).collect(),
            Scale::Logarithmic => (0..=10)
                .map(|n| y_low + f64::from(n))
                .take_while(|exponent| *exponent <= y_high)
                .map(|exponent| 10_f64.powf(exponent))
                .collect(),
        };
        for tick in ticks {
            let y = y_at(tick);
            let _ = writeln!(
                out,
                "<line x1=\"{left}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#dddddd\"/>\n\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                width - right,
                left - 8.0,
                y + 4.0,
                short(tick)
            );
        }
        let mut sizes: Vec<f64> = points().map(|p| p.0).collect();
        sizes.sort_by(f64::total_cmp);
        sizes.dedup();
        for size in sizes {
            let x = x_at(size);
            let _ = writeln!(
                out,
                "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{:.1}\" y2=\"{:.1}\" stroke=\"#999999\"/>\n\
                 <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                height - bottom,
                height - bottom + 5.0,
                height - bottom + 19.0,
                short(size)
            );
        }
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n\
             <text transform=\"translate(18 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            f64::midpoint(left, width - right),
            height - 14.0,
            self.x,
            f64::midpoint(top, height - bottom),
            self.y
        );
        for (n, (name, points)) in self.lines.iter().enumerate() {
            let colour = COLOURS.get(n % COLOURS.len()).copied().unwrap_or("#000000");
            let path: Vec<String> = points
                .iter()
                .map(|(x, y)| format!("{:.1},{:.1}", x_at(*x), y_at(*y)))
                .collect();
            let _ = writeln!(
                out,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
                path.join(" ")
            );
            for (x, y) in points {
                let _ = writeln!(
                    out,
                    "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{colour}\"/>",
                    x_at(*x),
                    y_at(*y)
                );
            }
            #[expect(clippy::cast_precision_loss, reason = "a few lines")]
            let y = top + 10.0 + 20.0 * n as f64;
            let x = width - right + 14.0;
            let _ = writeln!(
                out,
                "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"14\" height=\"4\" fill=\"{colour}\"/>\n\
                 <text x=\"{:.1}\" y=\"{y:.1}\">{name}</text>",
                y - 6.0,
                x + 20.0
            );
        }
        out + "</svg>\n"
    }
}

/// A round number that is not below.
fn nice(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    [1.0, 2.0, 4.0, 8.0, 10.0]
        .into_iter()
        .map(|step| step * power)
        .find(|round| *round >= value)
        .unwrap_or(value)
}

/// A number in few letters: `1k`, `2.5M`.
fn short(value: f64) -> String {
    let (value, unit) = match value {
        v if v >= 1e6 => (v / 1e6, "M"),
        v if v >= 1e3 => (v / 1e3, "k"),
        v => (v, ""),
    };
    let text = format!("{value:.1}");
    format!("{}{unit}", text.strip_suffix(".0").unwrap_or(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flat_line_is_flat() {
        let mut plot = Plot::new("t", "x", "y", Scale::Linear);
        for size in [1, 10, 100] {
            plot.point("a", size, 50.0);
        }
        let svg = plot.svg();
        let line = svg.lines().find(|line| line.starts_with("<polyline"));
        let points = line
            .and_then(|line| line.split('"').nth(1))
            .unwrap_or_default();
        let heights: Vec<&str> = points
            .split(' ')
            .filter_map(|point| Some(point.split_once(',')?.1))
            .collect();
        assert_eq!(heights.len(), 3);
        assert!(heights.windows(2).all(|pair| pair.first() == pair.last()));
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(short(1000.0), "1k");
        assert_eq!(short(2_500_000.0), "2.5M");
        assert_eq!(short(10.0), "10");
    }
}
