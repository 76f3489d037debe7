// The control-flow graph of one procedure: a node per row in order of the text, steps further down
// in lanes on the right, steps back in lanes on the left. Only the visible part is drawn.
const ROW = 30, BOX = 21, LANE = 9, MOST_LANES = 24, CHARACTER = 7;

class Graph {
  constructor(host) {
    this.host = host;
    this.svg = null;
    this.procedure = null;
    this.inner = document.createElement("div");
    this.inner.style.position = "relative";
    host.append(this.inner);
    host.addEventListener("scroll", () => this.draw());
    new ResizeObserver(() => this.draw()).observe(host);
  }
  // Lays a procedure out.
  setProcedure(procedure) {
    this.procedure = procedure;
    const bySide = [new Map(), new Map()];
    this.straight = [];
    procedure.edges.forEach(([from, to, call], id) => {
      if (to === from + 1) { this.straight[from] = (this.straight[from] || []).concat(id); return; }
      const side = to > from ? 1 : 0, lanes = bySide[side];
      if (!lanes.has(to)) lanes.set(to, { to, low: to, high: to, edges: [], side });
      const lane = lanes.get(to);
      lane.low = Math.min(lane.low, from); lane.high = Math.max(lane.high, from);
      lane.edges.push([id, from]);
    });
    this.lanes = [];
    this.widths = [0, 0];
    bySide.forEach((lanes, side) => {
      const sorted = [...lanes.values()].sort((a, b) => a.low - b.low || b.high - a.high);
      const ends = [];
      for (const lane of sorted) {
        let at = ends.findIndex(end => end < lane.low);
        if (at < 0) at = ends.length < MOST_LANES ? ends.length : MOST_LANES - 1;
        ends[at] = lane.high;
        lane.at = at;
        this.lanes.push(lane);
      }
      this.widths[side] = ends.length;
    });
    const longest = procedure.nodes.reduce((most, [line, , text]) => Math.max(most, text.length + String(line).length + 3), 12);
    this.boxWidth = Math.min(longest, 44) * CHARACTER + 12;
    this.left = 14 + this.widths[0] * LANE;
    this.width = this.left + this.boxWidth + 20 + this.widths[1] * LANE;
    this.inner.style.height = procedure.nodes.length * ROW + 12 + "px";
    this.inner.style.width = this.width + "px";
  }
  y(row) { return row * ROW + 10 + BOX / 2; }
  // Marks: which edges were taken, which node is the current one and which the next.
  mark(isTaken, current, next) {
    this.isTaken = isTaken; this.current = current; this.next = next;
    this.draw();
  }
  show(row) {
    const top = this.y(row), host = this.host;
    if (top < host.scrollTop + 50 || top > host.scrollTop + host.clientHeight - 50) {
      host.scrollTop = Math.max(0, top - host.clientHeight / 2);
    }
  }
  draw() {
    if (!this.procedure) return;
    if (this.svg) this.svg.remove();
    const first = Math.max(0, Math.floor(this.host.scrollTop / ROW) - 3);
    const last = Math.min(this.procedure.nodes.length, first + Math.ceil(this.host.clientHeight / ROW) + 6);
    const make = (name, attributes, text) => {
      const made = document.createElementNS("http://www.w3.org/2000/svg", name);
      for (const key in attributes) made.setAttribute(key, attributes[key]);
      if (text !== undefined) made.textContent = text;
      return made;
    };
    const top = first * ROW, height = Math.max(1, last - first) * ROW + 12;
    const svg = make("svg", { width: this.width, height, viewBox: `0 ${top} ${this.width} ${height}` });
    svg.style.top = top + "px";
    for (const [id, className] of [["arrow", ""], ["arrow-taken", "taken"]]) {
      const marker = make("marker", { id, class: className, markerUnits: "userSpaceOnUse", markerWidth: 8, markerHeight: 8, refX: 7, refY: 4, orient: "auto" });
      marker.append(make("path", { d: "M0 0 L8 4 L0 8 z" }));
      svg.append(marker);
    }
    const taken = [], others = [];
    const line = (id, d) => {
      const is = this.isTaken && this.isTaken(id);
      const path = make("path", { d, class: is ? "taken" : "", "marker-end": is ? "url(#arrow-taken)" : "url(#arrow)", "data-edge": id });
      (is ? taken : others).push(path);
    };
    const right = this.left + this.boxWidth;
    for (let row = Math.max(0, first - 1); row < last; row++) {
      (this.straight[row] || []).forEach((id, index) => {
        const x = this.left + 24 + index * 10;
        line(id, `M${x} ${this.y(row) + BOX / 2} L${x} ${this.y(row + 1) - BOX / 2}`);
      });
    }
    for (const lane of this.lanes) {
      if (lane.high < first || lane.low >= last) continue;
      const x = lane.side ? right + 14 + lane.at * LANE : this.left - 12 - lane.at * LANE;
      const edge = lane.side ? right : this.left;
      for (const [id, from] of lane.edges) {
        line(id, `M${edge} ${this.y(from) + 4} L${x} ${this.y(from) + 4} L${x} ${this.y(lane.to) - 4} L${edge} ${this.y(lane.to) - 4}`);
      }
    }
    svg.append(...others, ...taken);
    const roles = ["", "entry", "exit", "failure", "labelled"];
    for (let row = first; row < last; row++) {
      const [number, role, text] = this.procedure.nodes[row];
      const classes = [roles[role]];
      if (row === this.next) classes.push("soon");
      if (row === this.current) classes.push("now");
      svg.append(make("rect", { x: this.left, y: this.y(row) - BOX / 2, width: this.boxWidth, height: BOX, rx: 3, class: classes.join(" "), "data-node": row }));
      const label = make("text", { x: this.left + 6, y: this.y(row) + 4 });
      const room = Math.floor((this.boxWidth - 12) / CHARACTER) - String(number).length - 1;
      label.append(make("tspan", { class: "faint" }, number + " "));
      label.append(make("tspan", {}, role === 3 ? "failed" : text.length > room ? text.slice(0, room - 1) + "…" : text));
      label.append(make("title", {}, `line ${number}: ${text}`));
      svg.append(label);
    }
    this.svg = svg;
    this.inner.append(svg);
  }
}
