// Holds the TextMate grammars against the examples: every reserved word of a language is coloured
// as one, no other word is, and comments and strings are found where a scanner of their own finds
// them.

const { test } = require("node:test");
const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const textmate = require("vscode-textmate");
const oniguruma = require("vscode-oniguruma");

const ROOT = path.join(__dirname, "..", "..", "..");
const MANIFEST = require("../package.json");

const MONITOR_WORDS =
  "monitor begin end state from on else goto stay stop initial target accepting terminated failed true false";

// The reserved words of a lexer, from its table.
function reserved(file, block) {
  const text = fs.readFileSync(path.join(ROOT, file), "utf8");
  const table = text.match(new RegExp(`\\n    ${block} \\{([\\s\\S]*?)\\n    \\}`))[1];
  return [...table.matchAll(/"(\w+)"/g)].map((match) => match[1]);
}

const PROGRAM_WORDS = reserved("crates/syntax/src/token.rs", "keywords");
const WORDS = {
  ".bp": PROGRAM_WORDS,
  ".gp": [...PROGRAM_WORDS, "var", "or"],
  ".mu": [...reserved("crates/formula/src/token.rs", "words"), "bool", "load"],
  ".mon": MONITOR_WORDS.split(" "),
};

function filesIn(folder, extension) {
  const entries = fs.readdirSync(path.join(ROOT, folder), { withFileTypes: true });
  return entries.flatMap((entry) => {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      return filesIn(name, extension);
    }
    return name.endsWith(extension) ? [name] : [];
  });
}

function registry() {
  const wasm = fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")).buffer;
  const loaded = oniguruma.loadWASM(wasm).then(() => ({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  }));
  return new textmate.Registry({
    onigLib: loaded,
    loadGrammar: async (scope) => {
      const entry = MANIFEST.contributes.grammars.find((one) => one.scopeName === scope);
      const file = path.join(__dirname, "..", entry.path);
      return textmate.parseRawGrammar(fs.readFileSync(file, "utf8"), file);
    },
  });
}

// The innermost scope at every character of a text.
function scopes(grammar, text) {
  const lines = [];
  let state = textmate.INITIAL;
  for (const line of text.split("\n")) {
    const result = grammar.tokenizeLine(line, state);
    state = result.ruleStack;
    const at = new Array(line.length + 1).fill("");
    for (const token of result.tokens) {
      at.fill(token.scopes.slice(1).join(" "), token.startIndex, token.endIndex);
    }
    lines.push(at);
  }
  return lines.flat();
}

function check(extension, file, text, at) {
  const pieces = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"[^"]*"|\{[^{}\n]*\}|#[A-Za-z]\w*|[A-Za-z_$][\w$']*|\d+/g;
  const isProgram = extension === ".bp" || extension === ".gp";
  let words = 0;
  const open = [...text.matchAll(pieces)].map((match) => [match.index, match[0]]);
  for (let next = 0; next < open.length; next += 1) {
    const [index, piece] = open[next];
    const scope = at[index];
    const where = `${file}: ${JSON.stringify(piece)} at ${index} is ${scope || "nothing"}`;
    if (piece.startsWith("//") || piece.startsWith("/*")) {
      assert.match(scope, /^comment/, where);
      assert.match(at[index + piece.length - 1], /^comment/, where);
    } else if (piece.startsWith('"')) {
      assert.match(scope, extension === ".mu" ? /^string/ : /./, where);
    } else if (piece.startsWith("{")) {
      if (isProgram) {
        assert.match(scope, /^variable\.other\.predicate/, where);
      } else {
        // Braces are brackets here: what is inside is looked at as well.
        const inner = [...piece.slice(1).matchAll(pieces)];
        open.push(...inner.map((match) => [index + 1 + match.index, match[0]]));
      }
    } else if (piece.startsWith("#")) {
      assert.match(scope, /^keyword\.other\.command/, where);
    } else if (/^\d/.test(piece)) {
      assert.match(scope, /^(constant\.numeric|entity\.name\.label)/, where);
    } else {
      const word = isProgram ? piece.replace(/'+$/, "") : piece;
      const isReserved = WORDS[extension].includes(word);
      const isColoured = /^(keyword|storage|constant\.language|support)/.test(scope);
      const isCall = extension === ".mon" && ["at", "in", "call", "return"].includes(word);
      assert.strictEqual(isColoured, isReserved || isCall, where);
      words += 1;
    }
  }
  return words;
}

for (const language of MANIFEST.contributes.languages) {
  const extension = language.extensions[0];
  test(`the examples in ${extension}`, async () => {
    const grammar = await registry().loadGrammar(`source.${language.id}`);
    const files = filesIn("examples", extension);
    if (extension === ".mu") {
      files.push(...filesIn("crates/calculus/algorithms", extension));
    }
    assert.ok(files.length > 0, `there are examples in ${extension}`);
    let words = 0;
    for (const file of files) {
      const text = fs.readFileSync(path.join(ROOT, file), "utf8");
      words += check(extension, file, text, scopes(grammar, text));
    }
    assert.ok(words > 10, `${words} words`);
  });
  test(`every reserved word of ${extension}`, async () => {
    const grammar = await registry().loadGrammar(`source.${language.id}`);
    for (const word of WORDS[extension]) {
      const text = `${word} x${word} ${word}_ $${word}`;
      const at = scopes(grammar, text);
      check(extension, word, text, at);
    }
  });
}
