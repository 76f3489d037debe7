//! Opens the page of `check --html` in a real browser, clicks through runs and looks at what it
//! shows. Skipped, with a line that says so, where no Chromium is installed.

mod devtools;

use devtools::Browser;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder for the files of a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("browser")
        .join(name);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

/// Writes a program and makes the page of a command about it.
fn page(name: &str, program: &str, command: &str, options: &[&str]) -> PathBuf {
    let folder = folder(name);
    std::fs::write(folder.join("program.bp"), program).expect("the program can be written");
    let output = Command::new(env!("CARGO_BIN_EXE_hardbop"))
        .current_dir(&folder)
        .args([command, "program.bp", "--html", "page.html"])
        .args(options)
        .output()
        .expect("the command can be started");
    let code = output.status.code();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(code, Some(0 | 1)), "{name}: {code:?} {said}");
    folder.join("page.html")
}

/// A browser, unless there is none.
fn browser() -> Option<Browser> {
    let browser = Browser::start();
    if browser.is_none() {
        eprintln_skipped();
    }
    browser
}

#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn eprintln_skipped() {
    eprintln!("skipped: no chromium, chromium-browser or google-chrome is installed");
}

const SEQUENTIAL: &str = "decl g := 0, idle := 0;
bool negated(a) begin
  return !a;
end
void main() begin
  decl x;
  idle := 1;
  x := negated(g);
  if (*) then
    g := x;
  fi
  assert(!g);
end
";

const CURRENT: &str = "document.querySelector('#run .current').textContent";

/// The lines of the source that are marked as just executed.
const MARKED: &str =
    "[...document.querySelectorAll('#source .current')].map(row => row.dataset.line).join()";

#[test]
fn stepping_shows_the_line_the_stack_and_the_values() {
    let Some(mut browser) = browser() else { return };
    let page = page("sequential", SEQUENTIAL, "check", &[]);
    browser.open(&page);
    // A run is opened at its end, where the assertion fails.
    assert!(browser.text(CURRENT).contains("assert(!g)"));
    assert_eq!(browser.text(MARKED), "12");
    browser.click("#first");
    assert!(browser.text(CURRENT).contains("start"));
    assert_eq!(browser.text(MARKED), "");
    browser.click("#next");
    assert_eq!(browser.text(MARKED), "7");
    let idle = "document.querySelector('#variables [data-variable=idle]').className";
    assert!(browser.text(idle).contains("changed"));
    browser.key("ArrowRight");
    assert_eq!(browser.text(MARKED), "8");
    let stack = "[...document.querySelectorAll('#stack .row')].map(r => r.textContent).join('|')";
    assert_eq!(browser.text(stack), "negated, line 3|main, line 8");
    assert_eq!(
        browser.text("document.querySelector('#graph-procedure').selectedOptions[0].text"),
        "negated"
    );
    browser.key("ArrowRight");
    browser.key("ArrowRight");
    assert_eq!(browser.text(stack), "main, line 9");
    let x = "document.querySelector('#variables [data-variable=x] .value').textContent";
    assert_eq!(browser.text(x), "1");
    browser.key("ArrowRight");
    assert!(
        browser.text(CURRENT).contains("true"),
        "the branch that was taken is shown"
    );
    browser.key("ArrowLeft");
    browser.click("#previous");
    assert_eq!(browser.text(MARKED), "3");
    // The edges of the graph that the run has taken so far.
    let taken = "String(document.querySelectorAll('#graph path.taken[data-edge]').length)";
    assert_eq!(browser.text(taken), "1");
    // What does not matter is hidden on request, and the filter hides the rest.
    let shown = "[...document.querySelectorAll('#variables .row')].map(r => r.dataset.variable).sort().join()";
    browser.click("#only-mattering");
    assert!(
        !browser.text(shown).contains("idle"),
        "{}",
        browser.text(shown)
    );
    browser.click("#only-mattering");
    browser.click("#variable-filter");
    browser.type_text("id");
    assert_eq!(browser.text(shown), "idle");
}

#[test]
fn a_click_on_a_step_goes_there() {
    let Some(mut browser) = browser() else { return };
    let page = page("click", SEQUENTIAL, "check", &[]);
    browser.open(&page);
    browser.click("#run [data-position='1']");
    assert_eq!(browser.text(MARKED), "7");
    assert_eq!(
        browser.text("document.querySelector('#position').value"),
        "1"
    );
}

#[test]
fn threads_have_columns_and_switches() {
    let Some(mut browser) = browser() else { return };
    let program = "decl g := 0;
thread one begin
  void main() begin
    g := 1;
    assert(g);
  end
end
thread two begin
  void main() begin
    g := 0;
  end
end
";
    let page = page("threads", program, "check", &[]);
    browser.open(&page);
    let names = "[...document.querySelectorAll('#thread-names [data-thread]')].map(n => n.textContent).join('|')";
    assert_eq!(browser.text(names), "0 one|1 two");
    assert_ne!(
        browser.text("String(document.querySelectorAll('#run .switch').length)"),
        "0"
    );
    let column = |line: u32| {
        format!(
            "String([...[...document.querySelectorAll('#run .row')].find(r => r.querySelector('.line') \
             && r.querySelector('.line').textContent === '{line}').querySelectorAll('.cell')]\
             .findIndex(c => c.textContent))"
        )
    };
    assert_eq!(browser.text(&column(4)), "0");
    assert_eq!(browser.text(&column(10)), "1");
}

#[test]
fn the_loop_of_a_lasso_is_gone_round() {
    let Some(mut browser) = browser() else { return };
    let program = "decl g := 0;
void main() begin
  skip;
  while (T) do
    g := !g;
  od
end
";
    let page = page("lasso", program, "check", &["--ltl", "F G g"]);
    browser.open(&page);
    assert_eq!(
        browser.text("document.querySelector('#round').textContent"),
        "stem"
    );
    browser.click("#last");
    let round = "document.querySelector('#round').textContent";
    assert_eq!(browser.text(round), "loop, round 1");
    let end = browser.text(CURRENT);
    browser.key("ArrowRight");
    assert_eq!(browser.text(round), "loop, round 2");
    let start = "String(document.querySelector('#run .current').classList.contains('loop-start'))";
    assert_eq!(browser.text(start), "true");
    browser.key("ArrowLeft");
    assert_eq!(browser.text(round), "loop, round 1");
    assert_eq!(browser.text(CURRENT), end);
}

#[test]
fn a_proof_says_what_holds_at_each_line() {
    let Some(mut browser) = browser() else { return };
    let program = "decl g := 0, h := 0;
void main() begin
  g := *;
  h := !g;
  assert(g | h);
end
";
    let page = page("proof", program, "check", &[]);
    browser.open(&page);
    let holds = "document.querySelector('#source [data-line=\"5\"] .holds').textContent";
    let text = browser.text(holds);
    assert_eq!(text, "◂ h != g");
    browser.click("#source [data-line='5']");
    assert_eq!(
        browser.text("document.querySelector('#run .current .text').textContent"),
        "h != g"
    );
    assert_eq!(
        browser.text("document.querySelector('#questions .verdict').textContent"),
        "HOLDS"
    );
}

#[test]
fn a_long_run_and_a_long_program_stay_small_in_the_tree() {
    let Some(mut browser) = browser() else { return };
    let mut program = "decl int<17> n;\nvoid main() begin\n  n := 0;\n  while (n < 33000) do\n    n := n + 1;\n  od\n".to_owned();
    program.extend((0..20_000).map(|_| "  skip;\n"));
    program.push_str("  assert(F);\nend\n");
    let page = page(
        "long",
        &program,
        "check",
        &["--engine", "explicit", "--trace", "none"],
    );
    browser.open(&page);
    let count = browser.text("String(document.querySelectorAll('*').length)");
    assert!(
        count.parse::<usize>().expect("a number") < 2_500,
        "{count} elements"
    );
    let steps: usize = browser
        .text("document.querySelector('#position').value")
        .parse()
        .expect("a number");
    assert!(steps > 80_000, "{steps} steps");
    browser.click("#first");
    browser.key("End");
    assert!(
        browser.text(CURRENT).contains("assert"),
        "{}",
        browser.text(CURRENT)
    );
    assert_eq!(browser.text(MARKED), "20007");
}

#[test]
fn a_hostile_name_stays_text() {
    let Some(mut browser) = browser() else { return };
    let name = "{</script><script>document.title='broken'</script><img src=x onerror=alert(1)>}";
    let program = format!("decl {name} := 0;\nvoid main() begin\n  assert({name});\nend\n");
    let page = page("hostile", &program, "check", &[]);
    browser.open(&page);
    assert_eq!(browser.text("document.title"), "hardbop: program.bp");
    assert_eq!(
        browser.text("String(document.querySelectorAll('img').length)"),
        "0"
    );
    assert!(browser.text(CURRENT).contains("</script>"));
}

#[test]
fn coverage_is_shown_beside_the_source() {
    let Some(mut browser) = browser() else { return };
    let program = "void main() begin\n  if (F) then\n    skip;\n  fi\nend\n";
    let page = page("coverage", program, "coverage", &[]);
    browser.open(&page);
    let class = "document.querySelector('#source [data-line=\"3\"]').className";
    assert!(browser.text(class).contains("unreached"));
    let remark = "document.querySelector('#source [data-line=\"2\"] .remark').textContent";
    assert!(browser.text(remark).contains("always false"));
}

#[test]
fn nothing_overflows_at_the_usual_widths() {
    let Some(mut browser) = browser() else { return };
    let page = page("widths", SEQUENTIAL, "check", &[]);
    for width in [1280, 900] {
        browser.resize(width, 800);
        browser.open(&page);
        let over =
            "String(document.documentElement.scrollWidth - document.documentElement.clientWidth)";
        assert_eq!(browser.text(over), "0", "at {width}");
    }
}
