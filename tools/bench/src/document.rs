//! A page as a list of blocks, written as Markdown with pictures beside it, or as one HTML file
//! that holds everything.

use crate::table::Table;
use std::fmt::Write as _;

const STYLE: &str = include_str!("page.css");

/// A part of a page.
pub(crate) enum Block {
    /// A title; 1 is that of the page.
    Heading(u8, String),
    /// A paragraph. Text between backquotes is code.
    Text(String),
    /// A table.
    Table(Table),
    /// A picture with a name for its file and a sentence for those who cannot see it.
    Plot {
        /// The file, without its folder.
        file: String,
        /// The sentence.
        caption: String,
        /// The picture.
        svg: String,
    },
}

/// A page.
pub struct Document {
    pub(crate) blocks: Vec<Block>,
}

impl Document {
    /// The page as Markdown whose pictures are in a folder beside it; then their file names and
    /// texts.
    pub fn markdown(&self, folder: &str) -> (String, Vec<(String, &str)>) {
        let mut parts = Vec::new();
        let mut pictures = Vec::new();
        for block in &self.blocks {
            parts.push(match block {
                Block::Heading(level, text) => {
                    format!("{} {text}\n", "#".repeat(usize::from(*level)))
                }
                Block::Text(text) => wrapped(text),
                Block::Table(table) => table.markdown(),
                Block::Plot { file, caption, svg } => {
                    pictures.push((file.clone(), svg.as_str()));
                    format!("![{caption}]({folder}/{file})\n")
                }
            });
        }
        (parts.join("\n"), pictures)
    }

    /// The page as one HTML file.
    pub fn html(&self) -> String {
        let mut title = "hardbop-lab bench";
        let mut body = String::new();
        for block in &self.blocks {
            let _ = match block {
                Block::Heading(level, text) => {
                    if *level == 1 {
                        title = text;
                    }
                    writeln!(body, "<h{level}>{}</h{level}>", escaped(text))
                }
                Block::Text(text) => writeln!(body, "<p>{}</p>", with_code(text)),
                Block::Table(table) => writeln!(body, "{}", table.html()),
                Block::Plot { svg, .. } => writeln!(body, "<figure>{svg}</figure>"),
            };
        }
        let title = escaped(title);
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
             style-src 'unsafe-inline'\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n\
             </head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n"
        )
    }
}

/// Text as HTML or XML.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// Text as HTML, with what stands between backquotes as code.
fn with_code(text: &str) -> String {
    let mut html = String::new();
    for (number, part) in text.split('`').enumerate() {
        let part = escaped(part);
        if number % 2 == 1 {
            let _ = write!(html, "<code>{part}</code>");
        } else {
            html.push_str(&part);
        }
    }
    html
}

/// A paragraph in lines of at most 100 characters, where its words allow.
fn wrapped(text: &str) -> String {
    let mut lines = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        let width = word.chars().count();
        if length > 0 && length + 1 + width > 100 {
            lines.push('\n');
            length = 0;
        } else if length > 0 {
            lines.push(' ');
            length += 1;
        }
        lines.push_str(word);
        length += width;
    }
    lines + "\n"
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::table::Align;

    /// Panics unless elements are closed in the order in which they were opened.
    pub(crate) fn assert_well_formed(html: &str) {
        let without = |text: &str| text.replace("<!DOCTYPE html>", "");
        let html = without(html);
        let mut open: Vec<&str> = Vec::new();
        for part in html.split('<').skip(1) {
            let (tag, _) = part.split_once('>').expect("a tag ends");
            let name = tag.split([' ', '\n']).next().unwrap_or_default();
            match name.strip_prefix('/') {
                Some(name) => assert_eq!(open.pop(), Some(name), "before {part}"),
                None if tag.ends_with('/') || name == "meta" => {}
                None => open.push(name),
            }
        }
        assert!(open.is_empty(), "still open: {open:?}");
    }

    #[test]
    fn a_page_is_the_same_in_both_forms_and_odd_names_do_no_harm() {
        let mut table = Table::new([("name", Align::Left), ("count", Align::Right)]);
        table.row(["a|b <script>", "3"]);
        let page = Document {
            blocks: vec![
                Block::Heading(1, "Speed & size".to_owned()),
                Block::Text("Run `a<b` twice.".to_owned()),
                Block::Table(table),
                Block::Plot {
                    file: "x.svg".to_owned(),
                    caption: "tn by size".to_owned(),
                    svg: "<svg><path d=\"M 0 0\"/></svg>".to_owned(),
                },
            ],
        };
        let html = page.html();
        assert_well_formed(&html);
        assert!(html.contains("<title>Speed &amp; size</title>"));
        assert!(html.contains("<code>a&lt;b</code> twice"));
        assert!(html.contains("a|b &lt;script&gt;") && !html.contains("<script"));
        assert!(html.contains("<figure><svg>"));
        let (text, pictures) = page.markdown("plots");
        assert!(text.starts_with("# Speed & size\n\nRun `a<b` twice.\n\n| name | count |\n"));
        assert!(text.contains("a\\|b &lt;script&gt;"), "{text}");
        assert!(text.contains("![tn by size](plots/x.svg)"));
        assert_eq!(pictures.len(), 1);
    }
}
