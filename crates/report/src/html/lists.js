// A list of which only the visible rows are elements: 100,000 rows cost as much as 50.
class WindowedList {
  constructor(host, rowHeight, render) {
    this.host = host;
    this.rowHeight = rowHeight;
    this.render = render;
    this.count = 0;
    this.inner = document.createElement("div");
    this.inner.style.position = "relative";
    this.rows = new Map();
    host.append(this.inner);
    host.addEventListener("scroll", () => this.draw(false));
    new ResizeObserver(() => this.draw(false)).observe(host);
  }
  setCount(count) {
    this.count = count;
    this.inner.style.height = count * this.rowHeight + "px";
    this.draw(true);
  }
  // Makes the visible rows; those that stay visible are kept unless everything has changed.
  draw(everything) {
    const first = Math.max(0, Math.floor(this.host.scrollTop / this.rowHeight) - 8);
    const visible = Math.ceil(this.host.clientHeight / this.rowHeight) + 16;
    const last = Math.min(this.count, first + visible);
    for (const [index, row] of this.rows) {
      if (everything || index < first || index >= last) {
        row.remove();
        this.rows.delete(index);
      }
    }
    for (let index = first; index < last; index++) {
      if (this.rows.has(index)) continue;
      const row = this.render(index);
      row.classList.add("row");
      row.style.top = index * this.rowHeight + "px";
      row.style.height = this.rowHeight + "px";
      this.rows.set(index, row);
      this.inner.append(row);
    }
  }
  // Scrolls as little as needed to have a row well inside.
  show(index) {
    const top = index * this.rowHeight, host = this.host;
    const margin = Math.max(0, Math.min(3 * this.rowHeight, (host.clientHeight - this.rowHeight) / 2));
    if (top < host.scrollTop + margin) host.scrollTop = Math.max(0, top - margin);
    const low = top + this.rowHeight + margin - host.clientHeight;
    if (low > host.scrollTop) host.scrollTop = low;
  }
}

// An element with a class and a text; text never becomes markup.
function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}
