// A run and its states. States are never changed: a step makes a new one that shares what stays,
// so that keeping every 256th is cheap and any other is at most 255 steps away.
const KEPT = 256;

class RunModel {
  constructor(page, run) {
    this.page = page;
    this.run = run;
    this.steps = run.steps;
    this.count = run.steps.length;
    this.cycle = run.cycle;
    this.kept = [this.start()];
    this.byThread = run.threads.map(() => []);
    this.firstTaken = new Map();
    this.visitedLines = new Set();
    run.steps.forEach((step, index) => {
      (this.byThread[step.t || 0] || []).push(index);
      const place = page.places[step.p];
      this.visitedLines.add(place.l);
      if (place.e !== undefined) {
        const key = place.p + ":" + place.e;
        if (!this.firstTaken.has(key)) this.firstTaken.set(key, index);
      }
    });
    this.mattering = this.findMattering();
  }
  start() {
    const started = new Set(this.steps.flatMap(step => step.s || []));
    return {
      shared: new Map(this.run.start.map(value => [value[0], value[2]])),
      threads: this.run.threads.map((thread, index) => started.has(index) ? null : this.begin(thread)),
    };
  }
  begin(thread) {
    const of = scope => new Map(thread.start.filter(v => v[1] === scope).map(v => [v[0], v[2]]));
    return { own: of(1), top: { procedure: thread.procedure, line: 0, locals: of(2), below: null, depth: 0 } };
  }
  // The names that matter somewhere in the run, with their scopes.
  findMattering() {
    const found = new Set();
    const look = values => { for (const v of values || []) if (v[3]) found.add(v[1] + ":" + v[0]); };
    look(this.run.start);
    this.run.threads.forEach(thread => look(thread.start));
    this.steps.forEach(step => look(step.v));
    return found;
  }
  apply(state, step) {
    const place = this.page.places[step.p], number = step.t || 0;
    const threads = state.threads.slice();
    let shared = state.shared, { own, top } = threads[number];
    if (place.k === "enter") {
      const caller = { ...top, line: place.l };
      top = { procedure: place.f, line: 0, locals: new Map(), below: caller, depth: top.depth + 1 };
    } else if (place.k === "leave") {
      top = top.below;
    } else if (place.k === "end-thread") {
      top = null;
    }
    let locals = null;
    for (const [name, scope, value] of step.v || []) {
      if (scope === 0) { if (shared === state.shared) shared = new Map(shared); shared.set(name, value); }
      else if (scope === 1) { if (own === threads[number].own) own = new Map(own); own.set(name, value); }
      else { locals = locals || new Map(top && top.locals); locals.set(name, value); }
    }
    if (locals && top) top = { ...top, locals };
    threads[number] = { own, top };
    for (const child of step.s || []) {
      threads[child] = this.begin(this.run.threads[child]);
      if (place.k === "start-thread") threads[child].own = own;
    }
    return { shared, threads };
  }
  // The state after so many steps.
  at(position) {
    const wanted = Math.floor(position / KEPT);
    let at = Math.min(wanted, this.kept.length - 1);
    let state = this.kept[at];
    for (let index = at * KEPT; index < position; index++) {
      state = this.apply(state, this.steps[index]);
      if ((index + 1) % KEPT === 0 && this.kept.length === (index + 1) / KEPT) this.kept.push(state);
    }
    return state;
  }
  // Where a thread is before the step of that number: procedure, line, node.
  placeOf(thread, position) {
    const own = this.byThread[thread] || [];
    let low = 0, high = own.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (own[middle] < position) low = middle + 1; else high = middle;
    }
    if (low < own.length) {
      const place = this.page.places[this.steps[own[low]].p];
      return [place.p, place.l, place.n];
    }
    return this.run.end[thread] || null;
  }
}
