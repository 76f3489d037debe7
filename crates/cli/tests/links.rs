//! Every link in the documents leads to a file, and to a heading in it, that exist; every page of
//! the manual can be found from its index and from the table of contents of the book; every file
//! that the tour of the README names is there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn markdown_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("there is such a folder");
    let paths = entries.map(|entry| entry.expect("it can be read").path());
    let mut paths: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    paths.sort();
    paths
}

/// The lines that are not code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// A line without what stands between backquotes.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect()
}

fn links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    for line in prose(text) {
        let line = without_code(line);
        let mut rest = line.as_str();
        while let Some((_, after)) = rest.split_once("](") {
            let Some((link, after)) = after.split_once(')') else {
                break;
            };
            links.push(link.to_owned());
            rest = after;
        }
    }
    links
}

/// The anchors of headings, as GitHub and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let words = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = words.chars().filter_map(|c| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
            _ => None,
        });
        kept.collect()
    };
    headings.map(anchor).collect()
}

fn documents() -> Vec<PathBuf> {
    let root = root();
    let folders = [
        "",
        "docs",
        "docs/manual",
        "fuzz",
        "contrib",
        "editors/vscode",
    ];
    let folders = folders.iter().map(|folder| root.join(folder));
    let all = folders.filter(|folder| folder.is_dir());
    all.flat_map(|folder| markdown_in(&folder)).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let mut checked = 0;
    let mut broken = Vec::new();
    for document in documents() {
        let text = read(&document);
        for link in links(&text) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file {
                "" => document.clone(),
                file => document.parent().expect("a folder").join(file),
            };
            let place = format!("{}: {link}", document.display());
            if !target.exists() {
                broken.push(format!("{place}: no such file"));
            } else if !anchor.is_empty() && !anchors(&read(&target)).contains(anchor) {
                broken.push(format!("{place}: no such heading"));
            }
            checked += 1;
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
    assert!(checked > 100, "{checked}");
}

#[test]
fn every_page_of_the_manual_can_be_found() {
    let root = root();
    let [index, contents] =
        ["docs/manual/index.md", "docs/SUMMARY.md"].map(|f| read(&root.join(f)));
    for page in markdown_in(&root.join("docs/manual")) {
        let name = page
            .file_name()
            .expect("a file")
            .to_string_lossy()
            .into_owned();
        assert!(
            contents.contains(&format!("(manual/{name})")),
            "{name} in the book"
        );
        let is_index = name == "index.md";
        assert!(
            is_index || index.contains(&format!("({name})")),
            "{name} in the index"
        );
    }
}

#[test]
fn the_tour_of_the_readme_names_files_that_exist() {
    let text = read(&root().join("README.md"));
    let tour = text
        .split("## A short tour")
        .nth(1)
        .expect("there is a tour");
    let tour = tour.split("\n## ").next().expect("it has an end");
    let is_file = |word: &&str| word.starts_with("examples/");
    let table = tour.lines().filter(|line| line.starts_with('|'));
    let words = table.flat_map(|line| line.split([' ', '`', '|']));
    let files: BTreeSet<&str> = words.filter(is_file).collect();
    assert!(files.len() > 3, "{files:?}");
    for file in files {
        assert!(root().join(file).exists(), "{file}");
    }
}
