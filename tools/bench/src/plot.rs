//! A plot with two logarithmic axes as an SVG picture: points per contender, the power law that
//! fits them, and its exponent in the legend.
//!
//! The picture has its own ground and follows the reader's preference for light or dark, whether it
//! stands in a page or in a file of its own. Contenders are told apart by colour and by the shape
//! of their points; those of peers are hollow.

use crate::document::escaped;
use crate::fit::Fit;
use crate::growth_table::{Series, long_enough, points};
use crate::measure::Measure;
use crate::quantity;
use crate::record::Kind;
use std::fmt::Write as _;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 76.0;
const RIGHT: f64 = 530.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 350.0;
/// Lines of the legend are this far apart.
const LINE: f64 = 22.0;
/// Labels of the horizontal axis need this much room.
const LABEL: f64 = 34.0;
/// A colour for light and one for dark; they repeat with other shapes.
const COLOURS: [(&str, &str); 6] = [
    ("#1f5fbf", "#7fb0ff"),
    ("#c0272d", "#ff7b81"),
    ("#1a7f4b", "#57c98b"),
    ("#9a6700", "#e3b341"),
    ("#7c4dbe", "#b794f4"),
    ("#0b7285", "#4dc4d9"),
];

/// One axis: what of the logarithms it shows, and where.
struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// An axis that shows all values with some room on both sides.
    fn over(values: impl Iterator<Item = f64> + Clone, from: f64, to: f64) -> Self {
        let low = values.clone().fold(f64::INFINITY, f64::min).log10();
        let high = values.fold(0.0, f64::max).log10();
        let room = (0.05 * (high - low)).max(0.1);
        Self {
            low: low - room,
            high: high + room,
            from,
            to,
        }
    }

    fn place(&self, value: f64) -> f64 {
        let share = (value.log10() - self.low) / (self.high - self.low);
        self.from + share * (self.to - self.from)
    }

    /// Powers of ten, and 2 and 5 times them if there are few.
    fn ticks(&self) -> Vec<f64> {
        let factors: &[f64] = if self.high - self.low > 2.2 {
            &[1.0]
        } else {
            &[1.0, 2.0, 5.0]
        };
        let mut ticks = Vec::new();
        let mut decade = self.low.floor();
        while decade <= self.high {
            ticks.extend(factors.iter().map(|factor| factor * 10_f64.powf(decade)));
            decade += 1.0;
        }
        ticks.retain(|tick| (self.low..=self.high).contains(&tick.log10()));
        ticks
    }
}

/// The picture of some series in one measure; nothing if there are no two sizes to show.
pub(crate) fn svg(title: &str, series: &[Series<'_>], measure: Measure) -> Option<String> {
    let drawn: Vec<(&Series<'_>, Vec<(f64, f64)>)> = series
        .iter()
        .map(|series| (series, points(series, measure)))
        .filter(|(_, points)| !points.is_empty())
        .collect();
    let all = drawn.iter().flat_map(|(_, points)| points);
    let mut sizes: Vec<f64> = all.clone().map(|point| point.0).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    if sizes.len() < 2 {
        return None;
    }
    let x = Axis::over(sizes.iter().copied(), LEFT, RIGHT);
    let y = Axis::over(all.map(|point| point.1), BOTTOM, TOP);
    let mut body = String::new();
    axes(&mut body, &x, &y, &sizes, measure);
    for (number, (series, points)) in drawn.iter().enumerate() {
        let fitted = long_enough(points, measure);
        contender(&mut body, number, series, [points, &fitted], [&x, &y]);
    }
    let title = escaped(&format!("{title}: {} by size", measure.name()));
    let style = style();
    Some(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" role=\"img\" width=\"{WIDTH}\" \
         height=\"{HEIGHT}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\">\n<title>{title}</title>\n\
         <style>\n{style}</style>\n<rect class=\"ground\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>\n\
         <text class=\"title\" x=\"{LEFT}\" y=\"26\">{title}</text>\n{body}</svg>\n"
    ))
}

fn style() -> String {
    let ink = |text, rule, ground, colours: [&str; COLOURS.len()]| {
        let mut style = format!(
            ".plot text {{ fill: {text}; }} .plot .rule {{ stroke: {rule}; }} \
             .plot .ground {{ fill: {ground}; }}\n"
        );
        for (number, colour) in colours.iter().enumerate() {
            let _ = writeln!(style, ".plot .c{number} {{ --ink: {colour}; }}");
        }
        style
    };
    format!(
        ".plot text {{ font: 12px system-ui, sans-serif; }} .plot .title {{ font-weight: 600; \
         font-size: 14px; }} .plot .end {{ text-anchor: end; }} .plot .middle {{ text-anchor: \
         middle; }}\n.plot .line {{ stroke: var(--ink); fill: none; stroke-width: 1.4; }} \
         .plot .point {{ stroke: var(--ink); fill: var(--ink); stroke-width: 1.6; }} \
         .plot .peer .point {{ fill: none; }} .plot .peer .line {{ stroke-dasharray: 5 4; }}\n\
         {}@media (prefers-color-scheme: dark) {{\n{}}}\n",
        ink("#1d2330", "#d5d9e2", "#ffffff", COLOURS.map(|pair| pair.0)),
        ink("#e4e8f0", "#333a47", "#1c2029", COLOURS.map(|pair| pair.1)),
    )
}

fn axes(body: &mut String, x: &Axis, y: &Axis, sizes: &[f64], measure: Measure) {
    for tick in y.ticks() {
        let (place, label) = (y.place(tick), measure.show(tick));
        let _ = writeln!(
            body,
            "<path class=\"rule\" d=\"M {LEFT} {place:.1} H {RIGHT}\"/>\
             <text class=\"end\" x=\"{:.1}\" y=\"{:.1}\">{label}</text>",
            LEFT - 6.0,
            place + 4.0
        );
    }
    // The sizes themselves are the ticks, as far as there is room for their labels.
    let mut last = f64::NEG_INFINITY;
    for &size in sizes {
        let place = x.place(size);
        let _ = write!(
            body,
            "<path class=\"rule\" d=\"M {place:.1} {TOP} V {BOTTOM}\"/>"
        );
        if place - last >= LABEL {
            last = place;
            let below = BOTTOM + 18.0;
            let _ = write!(
                body,
                "<text class=\"middle\" x=\"{place:.1}\" y=\"{below}\">{size}</text>"
            );
        }
        body.push('\n');
    }
    let (middle, below) = (f64::midpoint(LEFT, RIGHT), BOTTOM + 38.0);
    let _ = writeln!(
        body,
        "<text class=\"middle\" x=\"{middle}\" y=\"{below}\">size</text>"
    );
}

/// The points of a contender, the line through them, and its line of the legend.
fn contender(
    body: &mut String,
    number: usize,
    series: &Series<'_>,
    [points, fitted]: [&[(f64, f64)]; 2],
    [x, y]: [&Axis; 2],
) {
    let kind = match series[0].kind {
        Kind::Peer => " peer",
        Kind::Engine | Kind::FrontEnd => "",
    };
    let _ = writeln!(body, "<g class=\"c{}{kind}\">", number % COLOURS.len());
    let mut legend = escaped(&series[0].contender);
    if let Some(fit) = Fit::through(fitted) {
        let ends = [fitted[0].0, fitted[fitted.len() - 1].0];
        let [from, to] = ends.map(|size| (x.place(size), y.place(fit.at(size))));
        let _ = writeln!(
            body,
            "<path class=\"line\" d=\"M {:.1} {:.1} L {:.1} {:.1}\"/>",
            from.0, from.1, to.0, to.1
        );
        let _ = write!(legend, "  ~ n^{}", quantity::exponent(fit.exponent));
    }
    let row = TOP + 8.0 + LINE * f64::from(u32::try_from(number).unwrap_or(u32::MAX));
    let key = (RIGHT + 22.0, row - 4.0);
    let places = points
        .iter()
        .map(|point| (x.place(point.0), y.place(point.1)));
    for (at, up) in places.chain([key]) {
        let _ = write!(
            body,
            "<path class=\"point\" d=\"M {at:.1} {up:.1} {}\"/>",
            SHAPES[number / COLOURS.len() % SHAPES.len()]
        );
    }
    let _ = writeln!(
        body,
        "\n<text x=\"{}\" y=\"{row}\">{legend}</text></g>",
        RIGHT + 36.0
    );
}

/// A square, a diamond, a triangle, each around the current place.
const SHAPES: [&str; 3] = [
    "m -4 -4 h 8 v 8 h -8 z",
    "m 0 -5 l 5 5 l -5 5 l -5 -5 z",
    "m 0 -5 l 5 9 h -10 z",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::growth_table::all_series;
    use crate::record::tests::record;

    #[test]
    fn a_plot_has_its_points_ticks_title_and_slopes() {
        let mut peer = record("tn", 100, "a<b", &[40]);
        peer.kind = Kind::Peer;
        let records = [
            record("tn", 100, "summary", &[10]),
            peer,
            record("tn", 200, "summary", &[20]),
            record("tn", 800, "summary", &[80]),
        ];
        let plot = svg("tn", &all_series(&records), Measure::Wall).expect("three sizes");
        assert!(plot.contains("<title>tn: wall time by size</title>"));
        assert!(plot.contains(">summary  ~ n^1.00</text>"), "{plot}");
        // One size of the peer has no slope.
        assert!(plot.contains(">a&lt;b</text>"), "{plot}");
        for tick in [">100</text>", ">800</text>", ">10.0ms<", ">50.0ms<"] {
            assert!(plot.contains(tick), "{tick} in {plot}");
        }
        // Three points and one of the peer, and two in the legend.
        assert_eq!(plot.matches("class=\"point\"").count(), 6);
        assert_eq!(plot.matches("class=\"line\"").count(), 1);
        assert!(plot.contains("prefers-color-scheme: dark"));
        // Twice the size is as far as twice the time is high, in logarithms.
        let (x, y) = (
            Axis::over([100.0, 800.0].into_iter(), LEFT, RIGHT),
            Axis::over([0.01, 0.08].into_iter(), BOTTOM, TOP),
        );
        let marks = [(100.0, 0.01), (200.0, 0.02), (800.0, 0.08)];
        for (size, time) in marks {
            let place = format!("M {:.1} {:.1} m", x.place(size), y.place(time));
            assert!(plot.contains(&place), "{place} in {plot}");
        }
    }

    #[test]
    fn one_size_is_not_a_plot() {
        let records = [record("tn", 100, "summary", &[10])];
        assert_eq!(svg("tn", &all_series(&records), Measure::Wall), None);
    }
}
