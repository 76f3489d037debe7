//! Speaks the language server protocol with the real server process and goes through what it
//! offers, for all five languages.

mod lsp_client;

use lsp_client::Client;
use serde_json::{Value, json};

const LOCK: &str = "decl held := 0;

void main() begin
  decl x;
  x := *;
  take();
  if (x) then
    AGAIN: take();
  fi
end

void take() begin
  assert(!held);
  held := 1;
end
";

/// Line and column of the n-th occurrence (from zero) of a piece of text.
fn place(text: &str, piece: &str, number: usize) -> Value {
    let offset = text.match_indices(piece).nth(number).expect(piece).0;
    let line = text[..offset].matches('\n').count();
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    json!({ "line": line, "character": text[start..offset].encode_utf16().count() })
}

fn at(uri: &str, position: &Value) -> Value {
    json!({ "textDocument": { "uri": uri }, "position": position })
}

fn codes(diagnostics: &Value) -> Vec<String> {
    let list = diagnostics.as_array().expect("diagnostics are a list");
    list.iter()
        .map(|one| one["code"].as_str().unwrap_or("-").to_owned())
        .collect()
}

#[test]
fn errors_come_and_go_while_typing() {
    let mut client = Client::start();
    client.open("file:///t/lock.bp", LOCK);
    assert_eq!(client.diagnostics("file:///t/lock.bp"), json!([]));
    // `held` becomes `hel`: one edit at each keystroke, one answer after the last.
    for version in 2..6 {
        let range =
            json!({ "start": { "line": 0, "character": 5 }, "end": { "line": 0, "character": 6 } });
        let change = json!({ "range": range, "text": "h" });
        client.change("file:///t/lock.bp", version, &change);
    }
    let position = place(LOCK, "held", 0);
    let mut end = position.clone();
    end["character"] = json!(9);
    let change = json!({ "range": { "start": position, "end": end }, "text": "hel" });
    client.change("file:///t/lock.bp", 6, &change);
    let found = client.diagnostics_of_version("file:///t/lock.bp", 6);
    assert_eq!(codes(&found), ["HB020", "HB020"]);
    assert_eq!(found[0]["range"]["start"], place(LOCK, "held", 1));
    assert!(
        found[0]["message"]
            .as_str()
            .unwrap()
            .contains("did you mean `hel`")
    );
    client.change("file:///t/lock.bp", 7, &json!({ "text": LOCK }));
    assert_eq!(
        client.diagnostics_of_version("file:///t/lock.bp", 7),
        json!([])
    );
    client.end();
}

#[test]
fn positions_are_utf_16() {
    let text = "/* 𝄞ä */ decl {ä𝄞}; void main() begin {ä𝄞} := 1; y := 1; end\n";
    let mut client = Client::start();
    client.open("file:///t/u.bp", text);
    let found = client.diagnostics("file:///t/u.bp");
    assert_eq!(found[0]["range"]["start"], place(text, "y", 0));
    let use_of = place(text, "{ä𝄞}", 1);
    let definition = client.request("textDocument/definition", at("file:///t/u.bp", &use_of));
    assert_eq!(definition[0]["range"]["start"], place(text, "{ä𝄞}", 0));
    assert_eq!(definition[0]["range"]["end"], place(text, "; void", 0));
    client.end();
}

#[test]
fn hover_shows_declarations_and_explains_codes() {
    let mut client = Client::start();
    let text = LOCK.replace("held := 1", "helt := 1");
    client.open("file:///t/lock.bp", &text);
    let mut hover = |piece: &str, number| {
        let place = place(&text, piece, number);
        let answer = client.request("textDocument/hover", at("file:///t/lock.bp", &place));
        answer["contents"]["value"]
            .as_str()
            .unwrap_or("nothing")
            .to_owned()
    };
    assert!(hover("held", 1).contains("decl held := 0"));
    assert!(hover("take()", 0).contains("void take()"));
    let error = hover("helt", 0);
    assert!(error.contains("**HB020**"), "{error}");
    assert_eq!(hover("begin", 0), "nothing");
    client.end();
}

#[test]
fn definitions_references_and_symbols() {
    let text = "decl g;
thread a begin
  decl g;
  void main() begin f(); g := 1; end
  void f() begin g := 0; L: goto L; end
end
thread b begin
  void main() begin f(); g := 1; end
end
void f() begin decl g; L: g := !g; goto L; end
";
    let mut client = Client::start();
    let uri = "file:///t/threads.bp";
    client.open(uri, text);
    let mut definition = |piece: &str, number| {
        let place = at(uri, &place(text, piece, number));
        client.request("textDocument/definition", place)[0]["range"]["start"].clone()
    };
    // Of `f()` in thread a, in thread b; of `g` in thread a, in thread b, in the last procedure.
    assert_eq!(definition("f();", 0), place(text, "f() begin", 0));
    assert_eq!(definition("f();", 1), place(text, "f() begin", 1));
    assert_eq!(definition("g := 1", 0), place(text, "g;", 1));
    assert_eq!(definition("g := 1", 1), place(text, "g;", 0));
    assert_eq!(definition("g := !g", 0), place(text, "g;", 2));
    assert_eq!(definition("L;", 0), place(text, "L:", 0));
    assert_eq!(definition("L;", 1), place(text, "L:", 1));
    let mut wish = at(uri, &place(text, "g;", 1));
    wish["context"] = json!({ "includeDeclaration": true });
    let found = client.request("textDocument/references", wish);
    assert_eq!(found.as_array().unwrap().len(), 3);
    let symbols = client.request(
        "textDocument/documentSymbol",
        json!({ "textDocument": { "uri": uri } }),
    );
    let names = |list: &Value| -> Vec<String> {
        let list = list.as_array().cloned().unwrap_or_default();
        list.iter()
            .map(|one| one["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(&symbols), ["g", "a", "b", "f"]);
    assert_eq!(names(&symbols[1]["children"]), ["g", "main", "f"]);
    assert_eq!(names(&symbols[1]["children"][2]["children"]), ["L"]);
    client.end();
}

#[test]
fn a_rename_that_would_change_a_meaning_is_refused() {
    let text = "decl g, h;
void main() begin
  decl x;
  f(g); x := g;
  L: if (x) then goto L; fi
end
void f(p) begin decl h; h := p; g := h; end
";
    let mut client = Client::start();
    let uri = "file:///t/names.bp";
    client.open(uri, text);
    let mut rename = |piece: &str, number, new: &str| {
        let mut wish = at(uri, &place(text, piece, number));
        wish["newName"] = json!(new);
        client.respond("textDocument/rename", wish)
    };
    let edits = |answer: Value| {
        let list = answer["result"]["changes"][uri].as_array().cloned();
        list.map_or_else(|| panic!("{answer}"), |list| list.len())
    };
    let refused = |answer: Value| {
        answer["error"]["message"]
            .as_str()
            .unwrap_or("-")
            .to_owned()
    };
    assert_eq!(edits(rename("g", 0, "held")), 4);
    assert_eq!(edits(rename("L", 0, "again")), 2);
    assert_eq!(edits(rename("p)", 0, "argument")), 2);
    assert_eq!(edits(rename("f(g)", 0, "step")), 2);
    // The global and the local of that name are two variables.
    assert_eq!(edits(rename("h;", 0, "other")), 1);
    assert_eq!(edits(rename("h;", 1, "other")), 3);
    for (piece, number, new, why) in [
        ("g", 0, "while", "`while` is a keyword"),
        ("g", 0, "1x", "is not a name"),
        ("g", 0, "a b", "is not a name"),
        ("g", 0, "", "is not a name"),
        ("g", 0, "h", "would change what another name means"),
        ("g", 0, "x", "would change what another name means"),
        ("x;", 0, "g", "would change what another name means"),
        ("h;", 1, "p", "would change what another name means"),
        ("f(g)", 0, "main", "would change what another name means"),
        ("main", 0, "start", "the file would be wrong"),
        ("g", 0, "x; decl y", "is not a name"),
    ] {
        let message = refused(rename(piece, number, new));
        assert!(message.contains(why), "{piece} to {new}: {message}");
    }
    let mut prepare = |piece: &str| {
        let wish = at(uri, &place(text, piece, 0));
        client.request("textDocument/prepareRename", wish)
    };
    assert_eq!(prepare("g")["placeholder"], json!("g"));
    assert_eq!(prepare("begin"), Value::Null);
    client.end();
}

#[test]
fn a_label_that_starts_a_thread_keeps_its_meaning() {
    let text = "decl g;
void main() begin ASYNC_1: f(); g := 1; end
void f() begin g := 0; end
";
    let mut client = Client::start();
    client.open("file:///t/async.bp", text);
    let mut rename = |new: &str| {
        let mut wish = at("file:///t/async.bp", &place(text, "ASYNC_1", 0));
        wish["newName"] = json!(new);
        client.respond("textDocument/rename", wish)
    };
    let refused = rename("START");
    let message = refused["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("has a meaning of its own"), "{refused}");
    assert!(rename("ASYNC_2").get("error").is_none());
    client.end();
}

#[test]
fn formatting_is_that_of_the_command() {
    let text = "void main() begin skip;   skip; end";
    let mut client = Client::start();
    client.open("file:///t/f.bp", text);
    let options = json!({ "tabSize": 2, "insertSpaces": true });
    let wish = |uri: &str| json!({ "textDocument": { "uri": uri }, "options": options });
    let edits = client.request("textDocument/formatting", wish("file:///t/f.bp"));
    assert_eq!(
        edits[0]["newText"],
        json!("void main() begin\n  skip;\n  skip;\nend\n")
    );
    assert_eq!(
        edits[0]["range"]["end"],
        json!({ "line": 0, "character": 35 })
    );
    client.open("file:///t/broken.bp", "void main( begin");
    let edits = client.request("textDocument/formatting", wish("file:///t/broken.bp"));
    assert_eq!(edits, Value::Null);
    client.end();
}

fn lenses(client: &mut Client, uri: &str) -> Vec<Value> {
    let wish = json!({ "textDocument": { "uri": uri } });
    let lenses = client.request("textDocument/codeLens", wish);
    let lenses = lenses.as_array().cloned().unwrap_or_default();
    lenses
        .into_iter()
        .map(|lens| lens["command"].clone())
        .collect()
}

fn execute(command: &Value) -> Value {
    json!({ "command": command["command"], "arguments": command["arguments"] })
}

#[test]
fn a_lens_checks_an_assertion_and_its_run_comes_back_as_related_places() {
    let mut client = Client::start();
    let uri = "file:///t/lock.bp";
    client.open(uri, LOCK);
    assert_eq!(client.diagnostics(uri), json!([]));
    let found = lenses(&mut client, uri);
    assert_eq!(found[0]["title"], json!("check this assertion"));
    assert_eq!(found[1]["title"], json!("reach label AGAIN"));
    let answer = client.request("workspace/executeCommand", execute(&found[0]));
    assert_eq!(answer["summary"], json!("VIOLATED"));
    let shown = client.diagnostics(uri);
    assert_eq!(shown[0]["range"]["start"], place(LOCK, "assert", 0));
    assert_eq!(shown[0]["severity"], json!(1));
    let steps = shown[0]["relatedInformation"]
        .as_array()
        .expect("a run")
        .clone();
    let says = |piece: &str| {
        let step = steps
            .iter()
            .find(|step| step["message"].as_str().unwrap().contains(piece));
        step.unwrap_or_else(|| panic!("no {piece} in {steps:?}"))["location"]["range"]["start"]
            .clone()
    };
    assert_eq!(says("x := *"), place(LOCK, "x := *", 0));
    assert_eq!(says("[held = 1]"), place(LOCK, "take();", 0));
    client.find(|message| message["method"] == json!("workspace/codeLens/refresh"));
    client.find(|message| message["params"]["value"]["kind"] == json!("end"));
    let found = lenses(&mut client, uri);
    assert_eq!(found[0]["title"], json!("VIOLATED (check this assertion)"));
    // Another version: what was found about the old one is gone, and its lens is refused.
    let fixed = LOCK.replace("AGAIN: take", "AGAIN: skip; held := 0; take");
    client.change(uri, 2, &json!({ "text": fixed }));
    assert_eq!(client.diagnostics_of_version(uri, 2), json!([]));
    let all = json!({ "command": "hardbop.checkAll", "arguments": [uri] });
    assert_eq!(
        client.request("workspace/executeCommand", all)["summary"],
        json!("HOLDS")
    );
    let label = lenses(&mut client, uri).remove(1);
    let answer = client.request("workspace/executeCommand", execute(&label));
    assert_eq!(answer["summary"], json!("REACHABLE"));
    let changed = client.respond("workspace/executeCommand", execute(&found[1]));
    assert!(
        changed["error"]["message"]
            .as_str()
            .unwrap()
            .contains("has changed"),
        "{changed}"
    );
    client.end();
}

/// A program with a label that no engine reaches in a minute.
fn hard_program() -> String {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_hardbop"))
        .args(["generate", "factoring", "40"])
        .output()
        .expect("the command runs");
    String::from_utf8(output.stdout).expect("a program is text")
}

#[test]
fn a_check_can_be_cancelled_and_ends_at_its_limit() {
    let mut client = Client::start_with(json!({ "checkSeconds": 2 }));
    let uri = "file:///t/hard.bp";
    let text = hard_program();
    client.open(uri, &text);
    let all = execute(&lenses(&mut client, uri)[0]);
    let first = client.ask("workspace/executeCommand", all.clone());
    let waits = client.ask("workspace/executeCommand", all.clone());
    client.find(|message| message["params"]["value"]["kind"] == json!("begin"));
    // The server answers other requests meanwhile.
    let hover = client.request(
        "textDocument/hover",
        at(uri, &json!({ "line": 0, "character": 0 })),
    );
    assert!(hover.is_null() || hover.is_object());
    client.notify("$/cancelRequest", json!({ "id": waits }));
    let token = format!("hardbop-check-{first}");
    client.notify("window/workDoneProgress/cancel", json!({ "token": token }));
    assert_eq!(client.answer(first)["error"]["code"], json!(-32800));
    assert_eq!(client.answer(waits)["error"]["code"], json!(-32800));
    let answer = client.request("workspace/executeCommand", all);
    assert_eq!(answer["summary"], json!("UNKNOWN"));
    client.end();
}

#[test]
fn unreachable_code_and_vacuity_are_shown_on_demand() {
    let text = "decl g;
void main() begin
  assume(g & !g);
  assert(0);
end
";
    let mut client = Client::start();
    let uri = "file:///t/vacuous.bp";
    client.open(uri, text);
    assert_eq!(client.diagnostics(uri), json!([]));
    let range =
        json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } });
    let wish =
        json!({ "textDocument": { "uri": uri }, "range": range, "context": { "diagnostics": [] } });
    let actions = client.request("textDocument/codeAction", wish);
    let command = actions[1]["command"].clone();
    assert_eq!(command["command"], json!("hardbop.coverage"));
    client.request("workspace/executeCommand", execute(&command));
    let shown = client.diagnostics(uri);
    let messages: Vec<&str> = shown
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["message"].as_str().unwrap())
        .collect();
    assert!(messages[0].contains("holds trivially"), "{messages:?}");
    assert_eq!(messages[1], "no execution reaches this statement");
    assert_eq!(shown[1]["range"]["start"], place(text, "assert", 0));
    assert_eq!(shown[1]["tags"], json!([1]));
    client.end();
}

#[test]
fn c_is_checked_in_its_own_words() {
    let text = "void __VERIFIER_assert(int condition);
int __VERIFIER_nondet_int(void);
static int held;
static void take(void) {
  __VERIFIER_assert(!held);
  held = 1;
}
int main(void) {
  take();
  if (__VERIFIER_nondet_int())
    take();
  return 0;
}
";
    let mut client = Client::start();
    let uri = "file:///t/lock.c";
    client.open(uri, text);
    assert_eq!(client.diagnostics(uri), json!([]));
    let found = lenses(&mut client, uri);
    assert_eq!(found[0]["title"], json!("check this assertion"));
    let answer = client.request("workspace/executeCommand", execute(&found[0]));
    assert_eq!(answer["summary"], json!("VIOLATED"));
    let shown = client.diagnostics(uri);
    let start = place(text, "__VERIFIER_assert", 1);
    assert_eq!(shown[0]["range"]["start"], start);
    let steps = shown[0]["relatedInformation"].as_array().expect("a run");
    let second = place(text, "take();", 1);
    let calls = |step: &&Value| step["location"]["range"]["start"] == second;
    assert!(steps.iter().any(|step| calls(&step)), "{steps:?}");

    let refused = "union u { int a; char b; };\nint main(void) {\n  union u x;\n  return x.a;\n}\n";
    client.open("file:///t/refused.c", refused);
    let shown = client.diagnostics("file:///t/refused.c");
    assert_eq!(codes(&shown)[0], "HB091");
    assert_eq!(shown[0]["range"]["start"], place(refused, "x;", 0));
    client.end();
}

#[test]
fn c_with_directives_goes_through_the_preprocessor_of_the_command() {
    let mut client = Client::start();
    let text = "#define LIMIT 3
void __VERIFIER_assert(int condition);
int main(void) {
  int x = LIMIT;
  __VERIFIER_assert(x == LIMIT + 1);
  return 0;
}
";
    let uri = "file:///t/limit.c";
    client.open(uri, text);
    let shown = client.diagnostics(uri);
    if std::process::Command::new("cc")
        .arg("--version")
        .output()
        .is_err()
    {
        assert_eq!(codes(&shown), ["HB093"]);
        client.end();
        return;
    }
    assert_eq!(shown, json!([]));
    let found = lenses(&mut client, uri);
    let answer = client.request("workspace/executeCommand", execute(&found[0]));
    assert_eq!(answer["summary"], json!("VIOLATED"));
    let line = client.diagnostics(uri)[0]["range"]["start"]["line"].clone();
    assert_eq!(line, json!(4));

    // What the preprocessor complains about stands in the line that it names.
    let missing = "int x;\n#include \"no-such-file.h\"\nint main(void) { return x; }\n";
    client.open("file:///t/missing.c", missing);
    let shown = client.diagnostics("file:///t/missing.c");
    assert_eq!(codes(&shown), ["HB093"]);
    assert_eq!(shown[0]["range"]["start"], place(missing, "#include", 0));
    let message = shown[0]["message"].as_str().unwrap_or_default();
    assert!(message.contains("no-such-file.h"), "{message}");
    client.end();
}

#[test]
fn guarded_blocks_formulas_and_monitors_are_served_too() {
    let mut client = Client::start();
    let blocks = "var x;\nA: x := 1; goto B or A;\nB: assert x;\n";
    client.open("file:///t/b.gp", blocks);
    assert_eq!(client.diagnostics("file:///t/b.gp"), json!([]));
    let to = at("file:///t/b.gp", &place(blocks, "B or", 0));
    let found = client.request("textDocument/definition", to);
    assert_eq!(found[0]["range"]["start"], place(blocks, "B:", 0));
    assert!(!lenses(&mut client, "file:///t/b.gp").is_empty());

    client.open("file:///t/lib.mu", "enum Place { home, away };\n");
    let formulas =
        "load \"lib.mu\";\nmu bool Reached(Place p) p = home | Reached(p);\nReached(awy);\n";
    client.open("file:///t/f.mu", formulas);
    let found = client.diagnostics("file:///t/f.mu");
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
    let to = at("file:///t/f.mu", &place(formulas, "home", 0));
    let found = client.request("textDocument/definition", to.clone());
    assert_eq!(found[0]["uri"], json!("file:///t/lib.mu"));
    assert_eq!(
        found[0]["range"]["start"],
        json!({ "line": 0, "character": 13 })
    );
    let hover = client.request("textDocument/hover", to.clone());
    assert!(
        hover["contents"]["value"]
            .as_str()
            .unwrap()
            .contains("home of enum Place")
    );
    let mut rename = to;
    rename["newName"] = json!("house");
    let refused = client.respond("textDocument/rename", rename);
    assert!(
        refused["error"]["message"]
            .as_str()
            .unwrap()
            .contains("lib.mu"),
        "{refused}"
    );
    let mut rename = at("file:///t/f.mu", &place(formulas, "p)", 0));
    rename["newName"] = json!("place");
    let edits = client.request("textDocument/rename", rename);
    assert_eq!(
        edits["changes"]["file:///t/f.mu"].as_array().unwrap().len(),
        3
    );

    client.open("file:///t/lock.bp", LOCK);
    let monitor = "monitor Twice begin
  state once initial;
  state twice target;
  from once: on at(AGAIN) & held goto twice; on at(AGIAN) stay;
end
";
    client.open("file:///t/lock.mon", monitor);
    let found = client.diagnostics("file:///t/lock.mon");
    assert_eq!(found[0]["range"]["start"], place(monitor, "AGIAN", 0));
    let document = json!({ "textDocument": { "uri": "file:///t/lock.mon" } });
    let symbols = client.request("textDocument/documentSymbol", document);
    assert_eq!(symbols[0]["name"], json!("Twice"));
    assert_eq!(
        symbols[0]["children"][1]["detail"],
        json!("state twice target")
    );
    let mut definition = |piece: &str| {
        let wish = at("file:///t/lock.mon", &place(monitor, piece, 0));
        let found = client.request("textDocument/definition", wish);
        (found[0]["uri"].clone(), found[0]["range"]["start"].clone())
    };
    assert_eq!(
        definition("twice;"),
        (json!("file:///t/lock.mon"), place(monitor, "twice", 0))
    );
    assert_eq!(
        definition("AGAIN"),
        (json!("file:///t/lock.bp"), place(LOCK, "AGAIN", 0))
    );
    assert_eq!(
        definition("held"),
        (json!("file:///t/lock.bp"), place(LOCK, "held", 0))
    );
    client.end();
}

#[test]
fn nothing_that_arrives_ends_the_server() {
    let mut client = Client::start();
    client.send_raw(b"nonsense\r\n\r\nContent-Length: 5\r\n\r\n{,,,}");
    client.find(|message| message["error"]["code"] == json!(-32700));
    let answer = client.respond("textDocument/hover", json!({ "text": 1 }));
    assert_eq!(answer["error"]["code"], json!(-32602));
    let answer = client.respond("no/such/method", Value::Null);
    assert_eq!(answer["error"]["code"], json!(-32601));
    client.notify("textDocument/didChange", json!({ "what": [] }));
    client.notify("textDocument/didOpen", json!(null));
    let far = at(
        "file:///t/none.bp",
        &json!({ "line": 4_000_000_000_u32, "character": 1 }),
    );
    assert_eq!(client.request("textDocument/hover", far), Value::Null);
    let uri = "file:///t/odd.bp";
    let texts = ["\u{feff}\r\r\n\u{0}", "void main() begin {", "((((", ""];
    for (version, text) in (10..).zip(texts) {
        client.open(uri, text);
        let range =
            json!({ "start": { "line": 9, "character": 9 }, "end": { "line": 0, "character": 0 } });
        let change = json!({ "range": range, "text": "decl x;" });
        client.change(uri, version, &change);
        client.diagnostics_of_version(uri, version);
        for method in ["hover", "definition", "prepareRename"] {
            let place = at(uri, &json!({ "line": 7, "character": 4_294_967_295_u32 }));
            client.respond(&format!("textDocument/{method}"), place);
        }
    }
    let deep = format!("void main() begin {} end", "x := (".repeat(50_000));
    client.open("file:///t/deep.bp", &deep);
    assert!(!codes(&client.diagnostics("file:///t/deep.bp")).is_empty());
    client.end();
}
