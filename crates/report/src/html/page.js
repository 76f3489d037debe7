// The page: puts the data into the panels and reacts to clicks and keys.
const page = JSON.parse(document.getElementById("data").textContent);
const at = id => document.getElementById(id);
const REACHED = { "+": "reached", "-": "unreached", "~": "partly", "?": "unknown" };

let chosen = -1, model = null, position = 0, round = 1, frame = null, shownAnswers = [];
let holds = new Map(), targetLine = 0;
const remarks = new Map();
for (const [line, , words] of page.remarks) remarks.set(line, [...(remarks.get(line) || []), words]);

// Reachability of a line: by the coverage where there is one, else by the runs of this page.
const models = new Map();
function modelOf(index) {
  if (!models.has(index)) models.set(index, new RunModel(page, page.answers[index].run));
  return models.get(index);
}
let reach = page.reach;
if (!reach && page.answers.some(answer => answer.run)) {
  const visited = new Set();
  page.answers.forEach(answer => { if (answer.run) for (const step of answer.run.steps) visited.add(page.places[step.p].l); });
  reach = page.lines.map((_, index) => visited.has(index + 1) ? "+" : " ").join("");
}

const source = new WindowedList(at("source"), 19, index => {
  const line = index + 1, row = element("div");
  row.dataset.line = line;
  const mark = reach && REACHED[reach[index]];
  if (mark) row.classList.add(mark);
  if (line === targetLine) row.classList.add("target", page.answers[chosen].verdict);
  let signs = "";
  if (model) {
    const executed = position > 0 ? page.places[model.steps[position - 1].p].l : 0;
    const running = position > 0 ? model.steps[position - 1].t || 0 : model.count ? model.steps[0].t || 0 : 0;
    const next = soon();
    if (next && next[1] === line) { row.classList.add("next"); signs = "→"; }
    if (executed === line) row.classList.add("current");
    if (model.run.threads.length > 1) {
      signs = model.run.threads.map((_, thread) => {
        const state = stateNow.threads[thread];
        const place = state && state.top && model.placeOf(thread, position);
        return place && place[1] === line ? (thread === running ? "›" : "") + thread : "";
      }).join("");
    }
  }
  if (!model && runRows === "proof" && holds.size) row.addEventListener("click", () => showProof(line));
  if (!model && line === provedLine) row.classList.add("current");
  row.append(element("span", "mark", signs), element("span", "number", String(line)), element("span", "text", page.lines[index]));
  if (holds.has(line)) row.append(element("span", "holds", "◂ " + holds.get(line).join("  ;  ")));
  if (remarks.has(line)) row.append(element("span", "remark", "▸ " + remarks.get(line).join(", ")));
  return row;
});

// Where the thread goes on that takes the next step.
function soon() {
  if (position < model.count) {
    const place = page.places[model.steps[position].p];
    return [place.p, place.l, place.n];
  }
  if (model.cycle !== null && model.count) {
    const place = page.places[model.steps[model.cycle].p];
    return [place.p, place.l, place.n];
  }
  const last = model.count ? model.steps[model.count - 1].t || 0 : 0;
  return model.run.end[last] || null;
}

const questions = new WindowedList(at("questions"), 66, index => {
  const answer = page.answers[shownAnswers[index]], row = element("div");
  row.setAttribute("role", "option");
  row.setAttribute("aria-selected", String(shownAnswers[index] === chosen));
  row.dataset.question = shownAnswers[index];
  if (shownAnswers[index] === chosen) row.classList.add("chosen");
  row.title = answer.question + ": " + answer.words;
  const target = answer.target;
  row.append(element("div", "verdict " + answer.verdict, answer.words));
  row.append(element("div", "where", target ? `line ${target.line}, column ${target.column} in ${target.procedure}` : "property"));
  row.append(element("div", "what", target ? (target.label ? target.label + ": " : "") + target.text : answer.question));
  row.addEventListener("click", () => choose(shownAnswers[index]));
  return row;
});

const variable = ([name, , value]) => page.names[name] + "=" + value;

// How wide the column of a thread is.
const column = () => Math.max(190, Math.floor((at("run").clientWidth - 100) / model.run.threads.length)) + "px";
let runRows = "steps";
const run = new WindowedList(at("run"), 21, index => runRows === "proof" ? proofRow(index) : stepRow(index));

function stepRow(index) {
  const row = element("div");
  row.dataset.position = index;
  if (index === position) row.classList.add("current");
  row.addEventListener("click", () => go(index));
  row.append(element("span", "number", String(index)));
  const several = model.run.threads.length > 1;
  if (index === 0) {
    row.append(element("span", "line", ""), element("span", "text", "start"));
    const values = model.run.start.concat(several ? [] : model.run.threads[0] ? model.run.threads[0].start : []);
    const shown = values.filter(v => v[3]);
    row.append(element("span", "values", shown.map(variable).join(" ")));
    return row;
  }
  const step = model.steps[index - 1], place = page.places[step.p];
  if (step.f) row.classList.add("failing");
  if (step.x) row.classList.add("switch");
  const inLoop = model.cycle !== null && index > model.cycle;
  if (inLoop) row.classList.add("looping");
  if (model.cycle !== null && index === model.cycle + 1) row.classList.add("loop-start");
  row.append(element("span", "line", String(place.l)));
  const indent = "  ".repeat(Math.min(step.d || 0, 16));
  const statement = element("span", "text", indent + place.t);
  const more = step.w ? element("span", "more", step.w) : null;
  const mattering = (step.v || []).filter(v => v[3]), minor = (step.v || []).filter(v => !v[3] && place.k !== "enter");
  const values = [];
  if (place.k === "enter") values.push(element("span", "more", "enter " + page.procedures[place.f].name));
  if (mattering.length) values.push(element("span", "values", mattering.map(variable).join(" ")));
  if (minor.length) values.push(element("span", "values minor", minor.map(variable).join(" ")));
  for (const child of step.s || []) values.push(element("span", "more", "starts " + model.run.threads[child].name));
  const badge = model.cycle !== null && index === model.cycle + 1 ? element("span", "badge", "loop") : null;
  const all = [statement, more, ...values, badge].filter(part => part);
  row.title = all.map(part => part.textContent.trim()).join("   ");
  if (!several) { row.append(...all); return row; }
  for (let thread = 0; thread < model.run.threads.length; thread++) {
    const cell = element("span", "cell");
    cell.style.width = column();
    if (thread === (step.t || 0)) cell.append(...all);
    row.append(cell);
  }
  return row;
}

// Marks a line of the source and what is proved about it.
let provedLine = 0;
function showProof(line) {
  const first = page.proofs[page.answers[chosen].proof].findIndex(row => row[1] === line);
  if (first < 0) return;
  provedLine = line;
  const texts = page.proofs[page.answers[chosen].proof].filter(row => row[1] === line).map(row => row[3]);
  at("proof-detail").textContent = `line ${line}: ` + [...new Set(texts)].join("  ;  ");
  run.show(first);
  run.draw(true);
  source.draw(true);
}

function proofRow(index) {
  const [procedure, line, , text] = page.proofs[page.answers[chosen].proof][index];
  const row = element("div", line === provedLine ? "proof current" : "proof");
  row.title = text;
  row.append(element("span", "number", String(line)));
  row.append(element("span", "name", page.procedures[procedure].name), element("span", "text", text));
  row.addEventListener("click", () => { showProof(line); source.show(line - 1); setGraph(procedure); });
  return row;
}

const stack = new WindowedList(at("stack"), 19, index => {
  const { frame: shown, thread, isTop, isRunning } = frames[index], row = element("div");
  if (shown === frame) row.classList.add("chosen");
  if (isRunning) row.classList.add("running");
  const name = page.procedures[shown.procedure].name;
  const place = isTop ? model.placeOf(thread, position) : null;
  const line = isTop ? place && place[1] : shown.line;
  if (model.run.threads.length > 1) row.append(element("span", "thread", model.run.threads[thread].name + "  "));
  row.append(element("span", "text", name + (line ? `, line ${line}` : "")));
  row.addEventListener("click", () => { frame = shown; frameThread = thread; stack.draw(true); showVariables(); setGraph(shown.procedure); });
  return row;
});

let frames = [], frameThread = 0, stateNow = null, stateBefore = null, shownVariables = [];
const variables = new WindowedList(at("variables"), 19, index => {
  const { scope, name, value, was } = shownVariables[index], row = element("div");
  row.dataset.variable = name;
  row.append(element("span", "scope", scope), element("span", "text", name + " = "), element("span", "value", String(value)));
  if (was !== undefined) { row.classList.add("changed"); row.append(element("span", "was", "was " + was)); }
  return row;
});

function showVariables() {
  const filter = at("variable-filter").value.toLowerCase(), only = at("only-mattering").checked;
  shownVariables = [];
  const thread = stateNow.threads[frameThread], before = stateBefore && stateBefore.threads[frameThread];
  const add = (scope, label, values, old) => {
    for (const [id, value] of values) {
      const name = page.names[id];
      if (filter && !name.toLowerCase().includes(filter)) continue;
      if (only && !model.mattering.has(scope + ":" + id)) continue;
      const was = old ? old.get(id) : undefined;
      shownVariables.push({ scope: label, name, value, was: was !== value ? was : undefined });
    }
  };
  add(0, "shared", stateNow.shared, stateBefore && stateBefore.shared);
  if (thread) add(1, "thread", thread.own, before && before.own);
  if (frame) {
    // The same frame before the step: of a call that has just returned, the one that waited for it.
    let old = before && before.top;
    while (old && old.depth > frame.depth) old = old.below;
    const isSame = old && old.depth === frame.depth && old.procedure === frame.procedure;
    add(2, "local", frame.locals, isSame ? old.locals : null);
  }
  variables.setCount(shownVariables.length);
}

const graph = new Graph(at("graph"));
let graphProcedure = -1;
function setGraph(procedure) {
  if (procedure !== graphProcedure) {
    graphProcedure = procedure;
    at("graph-procedure").value = String(procedure);
    graph.setProcedure(page.procedures[procedure]);
  }
  if (!model) { graph.mark(null, -1, -1); return; }
  const executed = position > 0 ? page.places[model.steps[position - 1].p] : null;
  const next = soon();
  const current = executed && executed.p === procedure ? executed.n : -1;
  const coming = next && next[0] === procedure ? next[2] : -1;
  graph.mark(edge => model.firstTaken.has(procedure + ":" + edge) && model.firstTaken.get(procedure + ":" + edge) < position, current, coming);
  if (current >= 0 || coming >= 0) graph.show(coming >= 0 ? coming : current);
}

// Goes to a position of the run.
function go(to, newRound = 1) {
  if (!model) return;
  position = Math.max(0, Math.min(model.count, to));
  round = newRound;
  stateNow = model.at(position);
  stateBefore = position > 0 ? model.at(position - 1) : null;
  const running = position > 0 ? model.steps[position - 1].t || 0 : model.count ? model.steps[0].t || 0 : 0;
  frames = [];
  const order = model.run.threads.map((_, thread) => thread).sort((a, b) => (b === running) - (a === running));
  for (const thread of order) {
    const state = stateNow.threads[thread];
    let shown = state && state.top, isTop = true;
    while (shown) { frames.push({ frame: shown, thread, isTop, isRunning: thread === running }); shown = shown.below; isTop = false; }
  }
  frame = frames.length ? frames[0].frame : null;
  frameThread = frames.length ? frames[0].thread : running;
  at("position").value = String(position);
  at("round").textContent = model.cycle === null ? "" : position > model.cycle ? `loop, round ${round}` : "stem";
  at("stack-of").textContent = frames.length > 1 ? `${frames.length} frames` : "";
  stack.setCount(frames.length);
  at("stack").scrollTop = 0;
  showVariables();
  run.draw(true);
  run.show(position);
  source.draw(true);
  const executed = position > 0 ? page.places[model.steps[position - 1].p] : null;
  const next = soon();
  const line = executed ? executed.l : next ? next[1] : 1;
  source.show(line - 1);
  setGraph(executed && executed.k !== "enter" && executed.k !== "leave" ? executed.p : frame ? frame.procedure : executed ? executed.p : 0);
  [...at("thread-names").children].forEach(name => name.classList.toggle("running", name.dataset.thread === String(running)));
  remember();
}
function next() {
  if (!model) return;
  if (position < model.count) go(position + 1, round);
  else if (model.cycle !== null) go(model.cycle + 1, round + 1);
}
function previous() {
  if (!model) return;
  if (model.cycle !== null && position === model.cycle + 1 && round > 1) go(model.count, round - 1);
  else go(position - 1, round);
}

// Shows the answer to a question.
function choose(index) {
  chosen = index;
  const answer = page.answers[index];
  targetLine = answer.target ? answer.target.line : 0;
  model = answer.run ? modelOf(index) : null;
  const proof = answer.proof !== null && answer.proof !== undefined ? page.proofs[answer.proof] : null;
  holds = new Map();
  provedLine = 0;
  for (const [, line, , text] of proof || []) {
    const texts = holds.get(line) || [];
    if (text !== "true" && !texts.includes(text)) holds.set(line, [...texts, text]);
  }
  at("main").classList.toggle("without-run", !model);
  questions.draw(true);
  questions.show(shownAnswers.indexOf(index));
  at("run-title").textContent = model ? "Execution" : proof ? "Proof: the invariant before each statement" : "Answer";
  const empty = at("run").querySelector(".empty");
  if (empty) empty.remove();
  const names = at("thread-names");
  names.replaceChildren();
  names.classList.remove("shown");
  if (model) {
    const steps = answer.run.length === String(model.count) ? "" : `${answer.run.length} steps with all calls expanded`;
    at("run-words").textContent = [answer.run.ending, steps].filter(words => words).join("; ");
    at("of").textContent = "of " + model.count;
    at("position").max = model.count;
    runRows = "steps";
    run.setCount(model.count + 1);
    if (answer.run.threads.length > 1) {
      names.classList.add("shown");
      const gap = element("span", "", "");
      gap.style.width = "11ch";
      names.append(gap);
      answer.run.threads.forEach((thread, number) => {
        const name = element("span", "", number + " " + thread.name);
        name.style.width = column();
        name.dataset.thread = number;
        names.append(name);
      });
    }
    go(model.cycle !== null ? 0 : model.count);
  } else {
    at("run-words").textContent = "";
    runRows = "proof";
    run.setCount(proof ? proof.length : 0);
    if (!proof) at("run").append(element("div", "empty", answer.words + (answer.run ? "" : ". There is no execution and no proof to show.")));
    source.draw(true);
    if (targetLine) source.show(targetLine - 1);
    at("proof-detail").textContent = "";
    if (proof) showProof(targetLine);
    const procedure = answer.target ? page.procedures.findIndex(p => p.name === answer.target.procedure) : 0;
    setGraph(Math.max(0, procedure));
  }
  remember();
}

function filterQuestions() {
  const filter = at("question-filter").value.toLowerCase();
  const all = page.answers.map((_, index) => index);
  shownAnswers = all.filter(index => (page.answers[index].question + page.answers[index].verdict).toLowerCase().includes(filter));
  questions.setCount(shownAnswers.length);
}

// The address says what is shown, so that it can be sent to somebody.
function remember() {
  try { history.replaceState(null, "", `#question=${chosen}&step=${position}`); } catch { /* not everywhere allowed */ }
}

function summary() {
  const counts = new Map();
  for (const answer of page.answers) counts.set(answer.verdict, (counts.get(answer.verdict) || 0) + 1);
  const parts = [...counts].map(([verdict, count]) => `${count} ${verdict}`);
  if (page.engine) parts.push("answered by " + page.engine);
  if (page.unknown) parts.push(page.unknown);
  if (page.vacuous) parts.push("VACUOUS: no run reaches an assertion or the end of the program");
  return parts.join(" · ");
}

function legend() {
  if (!reach) return;
  const words = page.reach ? { "+": "reachable", "-": "unreachable", "~": "partly", "?": "not known" } : { "+": "on a run of this page" };
  for (const sign in words) {
    if (reach.includes(sign)) at("legend").append(element("span", "swatch " + REACHED[sign]), words[sign]);
  }
}

at("file").textContent = page.file;
at("summary").textContent = summary();
at("version").textContent = "hardbop " + page.hardbop;
legend();
page.procedures.forEach((procedure, index) => {
  const option = element("option", "", procedure.name);
  option.value = String(index);
  at("graph-procedure").append(option);
});
at("graph-procedure").addEventListener("change", event => { setGraph(Number(event.target.value)); source.show(page.procedures[graphProcedure].line - 1); });
at("first").addEventListener("click", () => go(0));
at("previous").addEventListener("click", previous);
at("next").addEventListener("click", next);
at("last").addEventListener("click", () => model && go(model.count, round));
at("position").addEventListener("change", event => go(Number(event.target.value) || 0));
at("question-filter").addEventListener("input", filterQuestions);
at("variable-filter").addEventListener("input", () => model && showVariables());
at("only-mattering").addEventListener("change", () => model && showVariables());
at("run").addEventListener("scroll", () => { at("thread-names").scrollLeft = at("run").scrollLeft; });
at("theme").addEventListener("click", () => {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
  document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
});
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("select, input:not([type=checkbox])")) return;
  const other = by => {
    const index = shownAnswers.indexOf(chosen) + by;
    if (index >= 0 && index < shownAnswers.length) choose(shownAnswers[index]);
  };
  const keys = {
    ArrowRight: next, ArrowDown: next, ArrowLeft: previous, ArrowUp: previous,
    Home: () => go(0), End: () => model && go(model.count, round),
    PageDown: () => go(position + 20, round), PageUp: () => go(position - 20, round),
    "]": () => other(1), "[": () => other(-1),
  };
  if (keys[event.key] && (model || event.key === "[" || event.key === "]")) { keys[event.key](); event.preventDefault(); }
});

document.documentElement.style.setProperty("--digits", String(page.lines.length).length + 1 + "ch");
source.setCount(page.lines[page.lines.length - 1] === "" ? page.lines.length - 1 : page.lines.length);
if (page.answers.length === 0) {
  at("main").classList.add("only-source");
  setGraph(0);
} else {
  filterQuestions();
  const wanted = new URLSearchParams(location.hash.slice(1));
  const found = page.answers.findIndex(answer => answer.run);
  const question = Number(wanted.get("question") ?? -1);
  choose(page.answers[question] ? question : Math.max(0, found));
  if (wanted.has("step")) go(Number(wanted.get("step")) || 0);
}
