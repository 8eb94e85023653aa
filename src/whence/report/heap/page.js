"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const keys = ["peak", "end", "total", "temporary"];
const at = (id) => document.getElementById(id);
const state = { process: 0, measure: "peak", unit: 0, inverted: false, zoom: null, search: "", sort: "peak" };
const MOST_ROWS = 500, ROW = 21.6, LEAST = 0.0005;

const number = (value) => value.toLocaleString("en");
const process = () => data.processes[state.process];
const value = (stack, key = state.measure, unit = state.unit) => stack[1 + keys.indexOf(key)][unit];
const unitName = (count) => (state.unit ? (count === 1 ? "block" : "blocks") : count === 1 ? "byte" : "bytes");
const matches = (frame) => state.search && (data.frames[frame][0] + " " + data.frames[frame][1]).toLowerCase().includes(state.search);

function colour(name) {
  let hash = 0;
  for (const letter of name) hash = (hash * 31 + letter.codePointAt(0)) >>> 0;
  return `hsl(${20 + (hash % 40)} ${65 + ((hash >> 8) % 25)}% ${62 + ((hash >> 16) % 14)}%)`;
}

function tree() {
  const root = { name: "all", place: "", size: 0, below: new Map(), depth: 0, up: null };
  for (const stack of process().stacks) {
    const size = value(stack);
    if (!size) continue;
    const path = state.inverted ? stack[0] : [...stack[0]].reverse();
    let node = root;
    node.size += size;
    for (const frame of path) {
      const [name, place] = data.frames[frame];
      const key = state.inverted ? name + "\0" + place : name;
      if (!node.below.has(key)) node.below.set(key, { name, place, frame, size: 0, below: new Map(), depth: node.depth + 1, up: node });
      node = node.below.get(key);
      node.size += size;
    }
  }
  return root;
}

function pathOf(node) {
  const names = [];
  for (let each = node; each; each = each.up) names.push(each.name);
  return names.reverse();
}

function sameNode(root, path) {
  let node = root;
  for (const name of path.slice(1)) {
    node = [...node.below.values()].find((each) => each.name === name);
    if (!node) return root;
  }
  return node;
}

function describe(node, root) {
  const share = root.size ? ((100 * node.size) / root.size).toFixed(1) : "0";
  at("path").textContent = `${node.name}${node.place ? " at " + node.place : ""}: ${number(node.size)} ${unitName(node.size)}, ${share} %`;
}

function draw() {
  const root = tree(), graph = at("graph");
  const top = state.zoom ? sameNode(root, state.zoom) : root;
  graph.replaceChildren();
  let depth = 0;
  const place = (node, left, width) => {
    if (width < LEAST) return;
    depth = Math.max(depth, node.depth);
    const box = document.createElement("div");
    box.style.left = `${100 * left}%`;
    box.style.width = `${100 * width}%`;
    box.style.top = `${ROW * node.depth}px`;
    box.style.background = colour(node.name);
    box.textContent = node.name;
    box.title = `${node.name}${node.place ? "\n" + node.place : ""}\n${number(node.size)} ${unitName(node.size)}`;
    box.tabIndex = node === top ? 0 : -1;
    box.setAttribute("role", "treeitem");
    if (node.frame !== undefined && matches(node.frame)) box.classList.add("found");
    let inside = false;
    for (let each = node; each; each = each.up) inside = inside || each === top;
    if (!inside) box.classList.add("around");
    box.addEventListener("mouseenter", () => describe(node, root));
    box.addEventListener("focus", () => describe(node, root));
    box.addEventListener("click", () => { state.zoom = pathOf(node); draw(); });
    box.node = node;
    graph.append(box);
    let x = left;
    const below = [...node.below.values()].sort((a, b) => b.size - a.size);
    for (const each of below) {
      const part = node.size ? (width * each.size) / node.size : 0;
      place(each, x, part);
      x += part;
    }
  };
  for (let each = top.up, chain = []; ; each = each.up) {
    if (!each) { for (const node of chain.reverse()) { const kept = node.below; node.below = new Map(); place(node, 0, 1); node.below = kept; } break; }
    chain.push(each);
  }
  if (root.size) place(top, 0, 1);
  graph.style.height = `${ROW * (depth + 1)}px`;
  at("graph-title").textContent = state.inverted ? "Flame graph, from functions that allocate to their callers" : "Flame graph, from main to functions that allocate";
  if (root.size) describe(top, root);
  else at("path").textContent = "Nothing of that was allocated.";
}

function drawTime() {
  const { points, moved, peak, peakMoved } = process(), svg = at("time");
  svg.replaceChildren();
  if (!points.length || !peak) return;
  const x = (each) => (1000 * each) / moved, y = (size) => 155 - (150 * size) / peak;
  let path = `M0 ${y(0)}`, last = 0, before = 0;
  for (const [end, most, live] of points) {
    path += `L${x(before)} ${y(last)}L${x(before)} ${y(most)}L${x(end)} ${y(live)}`;
    last = live;
    before = end;
  }
  path += `L1000 ${y(last)}L1000 ${y(0)}Z`;
  const made = (name, attributes) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, text] of Object.entries(attributes)) element.setAttribute(key, text);
    svg.append(element);
    return element;
  };
  made("path", { d: path });
  made("line", { x1: x(peakMoved), x2: x(peakMoved), y1: 0, y2: 160 });
  const mark = made("line", { x1: -1, x2: -1, y1: 0, y2: 160, class: "at" });
  svg.onmousemove = (event) => {
    const box = svg.getBoundingClientRect();
    const wanted = (moved * (event.clientX - box.left)) / box.width;
    const point = points.find((each) => each[0] >= wanted) || points[points.length - 1];
    mark.setAttribute("x1", x(wanted));
    mark.setAttribute("x2", x(wanted));
    at("moment").textContent = `After ${number(Math.round(wanted))} bytes, ${(point[3] / 1e6).toFixed(3)} s: at most ${number(point[1])} bytes alive, then ${number(point[2])}.`;
  };
}

function cells(row, stack) {
  for (const key of keys) {
    const cell = document.createElement("td");
    cell.textContent = number(value(stack, key));
    if (key === state.sort) cell.className = "sorted";
    row.append(cell);
  }
  const where = document.createElement("td");
  where.textContent = stack[0].map((frame) => data.frames[frame][0]).join(" ← ");
  where.title = stack[0].map((frame) => data.frames[frame].join(" at ")).join("\n");
  row.append(where);
}

function drawTable() {
  const body = at("table").tBodies[0];
  body.replaceChildren();
  const found = process().stacks.filter((stack) => !state.search || stack[0].some(matches));
  found.sort((a, b) => value(b, state.sort) - value(a, state.sort));
  for (const stack of found.slice(0, MOST_ROWS)) cells(body.insertRow(), stack);
  at("more").textContent = found.length > MOST_ROWS ? `and ${number(found.length - MOST_ROWS)} further call paths: search for them` : `${number(found.length)} call paths`;
}

function drawSummary() {
  const { totals, resized, unused } = process();
  const of = (key) => `${number(totals[key][0])} bytes in ${number(totals[key][1])} blocks`;
  let text = `Peak: ${of("peak")}. At the end: ${of("end")}. In total: ${of("total")}, ${number(resized)} by realloc. Temporary: ${of("temporary")}.`;
  if (unused) text += ` Unused beside the peak: ${number(unused)} bytes.`;
  at("summary").textContent = text;
}

function drawAll() {
  if (!data.processes.length) {
    at("summary").textContent = "No process of the run has a profile of its heap.";
    return;
  }
  drawSummary();
  drawTime();
  draw();
  drawTable();
}

function invert() {
  state.inverted = !state.inverted;
  state.zoom = null;
  at("invert").setAttribute("aria-pressed", String(state.inverted));
  draw();
}

function theme() {
  const root = document.documentElement;
  root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
}

function choose(measure) {
  state.measure = state.sort = at("measure").value = measure;
  state.zoom = null;
  draw();
  drawTable();
}

function move(key) {
  const box = document.activeElement, boxes = [...at("graph").children], node = box && box.node;
  if (!node) return false;
  const beside = (step) => {
    const level = boxes.filter((each) => each.node.depth === node.depth);
    return level[level.indexOf(box) + step];
  };
  const to = {
    ArrowUp: () => boxes.find((each) => each.node === node.up),
    ArrowDown: () => boxes.find((each) => each.node.up === node),
    ArrowLeft: () => beside(-1),
    ArrowRight: () => beside(1),
  }[key];
  const next = to && to();
  if (next) next.focus();
  if (key === "Enter") {
    box.click();
    const again = [...at("graph").children].find((each) => each.tabIndex === 0);
    if (again) again.focus();
  }
  return Boolean(next) || key === "Enter";
}

data.processes.forEach((each, index) => at("process").append(new Option(each.name, String(index))));
at("process").addEventListener("change", (event) => { state.process = Number(event.target.value); state.zoom = null; drawAll(); });
at("measure").addEventListener("change", (event) => choose(event.target.value));
at("unit").addEventListener("change", (event) => { state.unit = Number(event.target.value); drawAll(); });
at("search").addEventListener("input", (event) => { state.search = event.target.value.toLowerCase(); draw(); drawTable(); });
at("invert").addEventListener("click", invert);
at("reset").addEventListener("click", () => { state.zoom = null; draw(); });
at("theme").addEventListener("click", theme);
for (const button of document.querySelectorAll("[data-sort]")) button.addEventListener("click", () => { state.sort = button.dataset.sort; drawTable(); });
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "Escape") { state.zoom = null; event.target.blur(); draw(); return; }
  if (/^(INPUT|SELECT)$/.test(event.target.tagName)) return;
  if (event.key === "/") { event.preventDefault(); at("search").focus(); }
  else if (event.key === "i") invert();
  else if (event.key === "t") theme();
  else if (event.key === "m") choose(keys[(keys.indexOf(state.measure) + 1) % keys.length]);
  else if (move(event.key)) event.preventDefault();
});
if (window.matchMedia && matchMedia("(prefers-color-scheme: dark)").matches) document.documentElement.dataset.theme = "dark";
else document.documentElement.dataset.theme = "light";
drawAll();
