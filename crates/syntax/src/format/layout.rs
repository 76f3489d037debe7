//! One logical line as pieces, broken where it gets too wide.

/// Lines are broken, where they can be, at this width.
const WIDTH: usize = 100;
/// Further lines of a broken line stand this much deeper.
const CONTINUATION: usize = 4;

/// A line that is being put together.
#[derive(Default)]
pub(super) struct Line {
    pieces: Vec<Piece>,
}

struct Piece {
    text: String,
    /// A space stands before it, unless a line break does.
    spaced: bool,
    /// The line may be broken before it.
    breakable: bool,
}

impl Line {
    /// Text right behind the last piece.
    pub fn glue(&mut self, text: impl Into<String>) {
        let text = text.into();
        match self.pieces.last_mut() {
            Some(last) => last.text.push_str(&text),
            None => self.pieces.push(Piece {
                text,
                spaced: false,
                breakable: false,
            }),
        }
    }

    /// Text after a space.
    pub fn space(&mut self, text: impl Into<String>) {
        self.pieces.push(Piece {
            text: text.into(),
            spaced: true,
            breakable: false,
        });
    }

    /// From here on a new piece, after a space or a line break.
    pub fn may_break(&mut self) {
        self.pieces.push(Piece {
            text: String::new(),
            spaced: true,
            breakable: true,
        });
    }

    /// Text after a space; if the last piece is still empty, in it.
    pub fn word(&mut self, text: &str) {
        match self.pieces.last() {
            Some(last) if !last.text.is_empty() => self.space(text),
            _ => self.glue(text),
        }
    }

    /// Appends the line, indented, without a line end.
    pub fn write(self, indent: usize, out: &mut String) {
        push_spaces(out, indent);
        let mut column = indent;
        // What may not be broken is measured as a whole.
        let mut unit_start = 0;
        while unit_start < self.pieces.len() {
            let rest = &self.pieces[unit_start + 1..];
            let unit_end = unit_start + 1 + rest.iter().take_while(|p| !p.breakable).count();
            let unit = &self.pieces[unit_start..unit_end];
            let width: usize = unit
                .iter()
                .map(|p| p.text.chars().count() + usize::from(p.spaced))
                .sum();
            let mut at_start = unit_start == 0;
            if unit[0].breakable && column + width > WIDTH && column > indent {
                out.push('\n');
                push_spaces(out, indent + CONTINUATION);
                column = indent + CONTINUATION;
                at_start = true;
            }
            for piece in unit {
                if piece.spaced && !at_start {
                    out.push(' ');
                }
                out.push_str(&piece.text);
                at_start = false;
            }
            column += width;
            unit_start = unit_end;
        }
    }
}

fn push_spaces(out: &mut String, count: usize) {
    out.extend(std::iter::repeat_n(' ', count));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wide_line_is_broken_at_the_last_place_that_fits() {
        let mut line = Line::default();
        line.glue("x".repeat(60));
        line.may_break();
        line.glue("y".repeat(30));
        line.may_break();
        line.glue("z".repeat(30));
        let mut out = String::new();
        line.write(2, &mut out);
        let widths: Vec<_> = out.lines().map(str::len).collect();
        assert_eq!(widths, [2 + 60 + 1 + 30, 6 + 30]);
    }
}
