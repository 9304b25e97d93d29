// The page of pugraph.plotting.explore. Every name goes through textContent, or onto a canvas.
"use strict";
(async () => {
const content = JSON.parse(document.getElementById("content").textContent);
// names: of nodes; at: their x and y; us, vs: links as numbers of nodes; predicted: the same, best
// first, with scores, the scale of scores, and the reasons or null; rows: how many nodes are rows
const {names, at: [X, Y], us, vs, predicted, rows, directed, colourings} = content;
const n = names.length, arrow = directed ? " \u2192 " : " \u2013 ";
const MOST_ROWS = 200, FEW_NODES = 60, FEW_HEADS = 2000, MOST_LABELS = 120;
const $ = (id) => document.getElementById(id);

// ---------------------------------------------------------------- what the network is
const ofNode = Array.from({length: n}, () => []); // links at each node
us.forEach((u, k) => { ofNode[u].push(k); ofNode[vs[k]].push(k); });
const predictedAt = Array.from({length: n}, () => []);
predicted.us.forEach((u, k) => { predictedAt[u].push(k); predictedAt[predicted.vs[k]].push(k); });
const other = (k, node) => (us[k] === node ? vs[k] : us[k]);
const neighbours = (node) => new Set(ofNode[node].map((k) => other(k, node)));
const common = (u, v) => { const ofV = neighbours(v); return [...neighbours(u)].filter((i) => ofV.has(i)); };
function around(k) { // the ends of a predicted link, their common neighbours, and links to these
  const [u, v] = [predicted.us[k], predicted.vs[k]], nodes = new Set([u, v, ...common(u, v)]);
  return {nodes, links: [...ofNode[u], ...ofNode[v]].filter((j) => nodes.has(us[j]) && nodes.has(vs[j]))};
}
const pair = (u, v) => names[u] + arrow + names[v];
const digits = (x) => (x === 0 ? "0" : Math.abs(x) < 0.001 || Math.abs(x) >= 1e5 ? x.toExponential(2) : Number(x.toPrecision(3)).toString());
const counted = (count, what) => `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;

const state = {shown: content.shown, node: null, link: null, colour: -1, sort: {}};

// ---------------------------------------------------------------- colours
const media = matchMedia("(prefers-color-scheme: dark)");
const VIRIDIS = ["#440154", "#482475", "#414487", "#355f8d", "#2a788e", "#21918c", "#22a884", "#44bf70", "#7ad151", "#bddf26", "#fde725"];
// Okabe and Ito; each category also has a shape
const CATEGORIES = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442"];
const SHAPES = ["circle", "square", "triangle", "diamond", "inverted_triangle", "hex", "star"];
const GREY = "#8c8c8c";
const look = () => media.matches
  ? {text: "#e8ebee", ground: "#14181c", node: "#5b6671", edge: "#c3cbd3", known: "#8c98a4", mark: "#7fc1f5"}
  : {text: "#1c2126", ground: "#ffffff", node: "#dbe1e7", edge: "#4d4d4d", known: "#8c8c8c", mark: "#005a9c"};
function between(a, b, t) {
  const part = (hex, i) => parseInt(hex.slice(1 + 2 * i, 3 + 2 * i), 16);
  return "#" + [0, 1, 2].map((i) => Math.round(part(a, i) * (1 - t) + part(b, i) * t).toString(16).padStart(2, "0")).join("");
}
function viridis(t) {
  const place = Math.min(Math.max(t, 0), 1) * (VIRIDIS.length - 1), low = Math.min(Math.floor(place), VIRIDIS.length - 2);
  return between(VIRIDIS[low], VIRIDIS[low + 1], place - low);
}
// a high score is dark on white and bright on black
const ofScore = (t) => viridis(media.matches ? 0.3 + 0.7 * t : 0.85 * (1 - t));
const [lowest, spread] = predicted.span;
const share = predicted.scores.map((s) => (s - lowest) / spread);
const widths = share.map((t) => Math.max(0.75, 6 * t)); // proportional, but never invisible

function nodeLook(i, colours) {
  const found = {fill: colours.node, shape: i < rows ? "circle" : "square"};
  const by = colourings[state.colour];
  if (by && by.labels) {
    const code = by.codes[i];
    found.fill = code < 0 ? GREY : CATEGORIES[code];
    if (rows === n) found.shape = code < 0 ? "circle" : SHAPES[code];
  } else if (by && by.values[i] !== null) {
    found.fill = viridis((by.values[i] - by.low) / (by.high - by.low || 1));
  }
  return found;
}
for (const by of colourings) {
  if (!by.values) continue;
  const known = by.values.filter((v) => v !== null);
  by.low = known.reduce((a, b) => Math.min(a, b), Infinity);
  by.high = known.reduce((a, b) => Math.max(a, b), -Infinity);
}
function valueOf(by, i) {
  if (by.values) return by.values[i] === null ? "" : digits(by.values[i]);
  return by.codes[i] < 0 ? by.others[i] || "" : by.labels[by.codes[i]];
}

// ---------------------------------------------------------------- the figure
await Bokeh.embed.embed_item(content.figure);
const figure = Bokeh.documents[0].get_model_by_name("figure");
const layer = (name) => Bokeh.documents[0].get_model_by_name(name);
const fill = (name, columns) => { layer(name + " data").data = columns; };
const {x_range, y_range} = figure;
const frame = $("frame");
const size = () => [frame.clientWidth || 1, frame.clientHeight || 1];
let whole = 1, wasFitted = true; // the width of the picture when all is in it

function view(x, y, width) {
  const [w, h] = size();
  x_range.setv({start: x - width / 2, end: x + width / 2});
  y_range.setv({start: y - (width * h) / w / 2, end: y + (width * h) / w / 2});
}
function fitTo(nodes, room) {
  const [w, h] = size(), bounds = [Infinity, -Infinity, Infinity, -Infinity];
  for (const i of nodes) {
    bounds[0] = Math.min(bounds[0], X[i]); bounds[1] = Math.max(bounds[1], X[i]);
    bounds[2] = Math.min(bounds[2], Y[i]); bounds[3] = Math.max(bounds[3], Y[i]);
  }
  if (!(bounds[0] <= bounds[1])) return view(0.5, 0.5, 1), 1;
  const across = bounds[1] - bounds[0], up = bounds[3] - bounds[2];
  const width = Math.max(across, (up * w) / h, 0.02) * room;
  view((bounds[0] + bounds[1]) / 2, (bounds[2] + bounds[3]) / 2, width);
  return width;
}
const everything = () => { whole = fitTo(names.keys(), w0()); wasFitted = true; };
const w0 = () => 1 + Math.min(0.3, 90 / size()[0]); // room for names at the sides
const span = () => x_range.end - x_range.start;
const middle = () => [(x_range.start + x_range.end) / 2, (y_range.start + y_range.end) / 2];
const zoom = (by) => { view(...middle(), Math.min(Math.max(span() * by, 1e-4), 50)); wasFitted = false; };
const toScreen = (x, y) => {
  const [w, h] = size();
  return [((x - x_range.start) / span()) * w, ((y_range.end - y) / (y_range.end - y_range.start)) * h];
};

// a directed predicted link is bent, which separates it from its reverse
function curve(u, v) {
  if (!directed) return [[X[u], X[v]], [Y[u], Y[v]]];
  const xs = [], ys = [];
  for (let step = 0; step <= 16; step++) {
    const t = step / 16, bend = 0.48 * t * (1 - t);
    xs.push(X[u] + t * (X[v] - X[u]) - bend * (Y[v] - Y[u]));
    ys.push(Y[u] + t * (Y[v] - Y[u]) + bend * (X[v] - X[u]));
  }
  return [xs, ys];
}
const curves = predicted.us.map((u, k) => curve(u, predicted.vs[k]));
const grown = () => Math.min(3, Math.max(1, Math.sqrt(whole / span())));
const diameter = () => Math.min(14, Math.max(n > 2000 ? 2.5 : 4, 100 / Math.sqrt(Math.max(n, 1)))) * (n > FEW_NODES ? grown() : 1);

function joined(links) { // as one line with gaps: a thousand times as fast as a line each
  const xs = [], ys = [];
  for (const k of links) { xs.push(X[us[k]], X[vs[k]], NaN); ys.push(Y[us[k]], Y[vs[k]], NaN); }
  return {xs: [xs], ys: [ys]};
}
function marks(nodes, how) {
  const columns = {x: [], y: [], size: [], fill: [], edge: [], marker: [], angle: []};
  for (const i of nodes) {
    const one = how(i);
    columns.x.push(one.x ?? X[i]); columns.y.push(one.y ?? Y[i]);
    columns.size.push(one.size); columns.fill.push(one.fill); columns.edge.push(one.edge);
    columns.marker.push(one.shape); columns.angle.push(one.angle || 0);
  }
  return columns;
}
const pointer = (x, y, dx, dy, colour, size) => ({x, y, size, fill: colour, edge: colour, shape: "triangle", angle: Math.atan2(dy, dx) - Math.PI / 2});

function drawKnown() {
  const colours = look(), many = us.length > 1000;
  const alpha = many ? Math.max(0.12, 12 / Math.sqrt(us.length)) : 0.75;
  layer("known").glyph.line_alpha = alpha;
  fill("known", {...joined(us.keys()), width: [many ? 0.6 : 1], colour: [colours.known]});
  const headed = directed && us.length <= FEW_HEADS ? us.keys() : [];
  fill("known_heads", marks(headed, (k) => {
    const [u, v] = [us[k], vs[k]], t = 0.7;
    return pointer(X[u] + t * (X[v] - X[u]), Y[u] + t * (Y[v] - Y[u]), X[v] - X[u], Y[v] - Y[u], colours.known, 6);
  }));
}
let drawnAt = 0; // the diameter of nodes
function drawNodes() {
  const colours = look(), size = diameter(), bare = size < 5; // too small for an edge
  drawnAt = size;
  if (n > 2000) colours.node = between(colours.node, colours.edge, 0.4); // on a ground of links
  const how = (bigger) => (i) => {
    const {fill, shape} = nodeLook(i, colours);
    return {fill, shape, edge: bare && !bigger ? fill : colours.edge, size: bigger ? Math.max(size, 9) : size};
  };
  fill("nodes", marks(names.keys(), how(false)));
  const ends = new Set();
  for (let k = 0; k < state.shown; k++) { ends.add(predicted.us[k]); ends.add(predicted.vs[k]); }
  fill("ends", marks(ends, how(true)));
}
function drawPredicted() {
  const places = [...Array(state.shown).keys()].reverse(); // the best on top
  fill("predicted", {xs: places.map((k) => curves[k][0]), ys: places.map((k) => curves[k][1]), width: places.map((k) => widths[k]), colour: places.map((k) => ofScore(share[k]))});
  fill("heads", marks(directed ? places : [], (k) => {
    const [xs, ys] = curves[k];
    return pointer(xs[11], ys[11], xs[12] - xs[10], ys[12] - ys[10], ofScore(share[k]), 7 + widths[k]);
  }));
}
function drawSelection() {
  const colours = look(), {node, link} = state;
  const links = node !== null ? ofNode[node] : link !== null ? around(link).links : [];
  fill("near", {...joined(links), width: [2], colour: [colours.mark]});
  const chosen = link === null ? [] : [link];
  fill("chosen", {xs: chosen.map((k) => curves[k][0]), ys: chosen.map((k) => curves[k][1]), width: chosen.map((k) => widths[k] + 7), colour: chosen.map(() => colours.mark)});
  const ends = node !== null ? [node] : chosen.flatMap((k) => [predicted.us[k], predicted.vs[k]]);
  fill("ring", marks(ends, (i) => ({...nodeLook(i, colours), edge: colours.mark, size: Math.max(diameter(), 9) + 5})));
  layer("ring").glyph.line_width = 3;
}
const measure = document.createElement("canvas").getContext("2d");
measure.font = "12px sans-serif";
function drawLabels() { // in order of importance; a name that would cover another is left out
  const wanted = new Set();
  if (state.node !== null) { wanted.add(state.node); }
  if (state.link !== null) { wanted.add(predicted.us[state.link]); wanted.add(predicted.vs[state.link]); }
  for (let k = 0; k < state.shown; k++) { wanted.add(predicted.us[k]); wanted.add(predicted.vs[k]); }
  if (state.node !== null) for (const i of neighbours(state.node)) wanted.add(i);
  const all = n <= FEW_NODES;
  const inView = (i) => X[i] >= x_range.start && X[i] <= x_range.end && Y[i] >= y_range.start && Y[i] <= y_range.end;
  if (all) for (const i of names.keys()) wanted.add(i);
  else if (whole / span() > 3) { let room = 400; for (const i of names.keys()) if (room && inView(i)) { wanted.add(i); room--; } }
  const boxes = [], columns = {x: [], y: [], text: [], side: [], align: []}, [w] = size();
  for (const i of wanted) {
    if (columns.text.length >= MOST_LABELS) break;
    if (!inView(i)) continue;
    const text = names[i].length > 40 ? names[i].slice(0, 39) + "\u2026" : names[i];
    const [x, y] = toScreen(X[i], Y[i]), wide = measure.measureText(text).width + 4;
    for (const right of [true, false]) {
      const box = right ? [x + 8, y - 8, x + 8 + wide, y + 8] : [x - 8 - wide, y - 8, x - 8, y + 8];
      if (box[0] < 0 || box[2] > w) continue;
      if (boxes.some((b) => box[0] < b[2] && box[2] > b[0] && box[1] < b[3] && box[3] > b[1])) continue;
      boxes.push(box);
      columns.x.push(X[i]); columns.y.push(Y[i]); columns.text.push(text);
      columns.side.push(right ? 9 : -9); columns.align.push(right ? "left" : "right");
      break;
    }
  }
  const glyph = layer("labels").glyph, colours = look();
  glyph.setv({text_color: colours.text, background_fill_color: colours.ground});
  fill("labels", columns);
}
function drawScale() {
  const stops = [0, 0.25, 0.5, 0.75, 1].map(ofScore);
  $("ramp").style.background = `linear-gradient(to right, ${stops.join(", ")})`;
  $("low").textContent = "score " + digits(lowest);
  $("high").textContent = digits(lowest + spread);
  $("scale").hidden = predicted.us.length === 0;
}
function drawAll() { drawKnown(); drawNodes(); drawPredicted(); drawSelection(); drawLabels(); drawScale(); }

// ---------------------------------------------------------------- words
function element(kind, text, options) {
  const made = document.createElement(kind);
  if (text !== undefined) made.textContent = text;
  return Object.assign(made, options || {});
}
const button = (text, act) => element("button", text, {type: "button", onclick: act});
// the button is gone after it: what it has led to has the focus then
const goTo = (what) => () => { select(what); $("details").focus(); };
const nodeButton = (i) => button(names[i], goTo({node: i}));
const linkButton = (k) => button(pair(predicted.us[k], predicted.vs[k]), goTo({link: k}));
const listed = (nodes) => {
  const found = [...nodes], first = found.slice(0, 30).map((i) => names[i]).join(", ");
  return found.length ? first + (found.length > 30 ? ` and ${found.length - 30} others` : "") : "none";
};
function told(list, term, ...what) {
  list.append(element("dt", term));
  const text = element("dd");
  text.append(...what);
  list.append(text);
}
function details() {
  const {node, link} = state, panel = $("details");
  panel.replaceChildren();
  if (node === null && link === null) {
    panel.append(element("h2", "Nothing selected"), element("p", "Click a node or a predicted link, in the picture or in a table, or search for a node."));
    return;
  }
  const list = element("dl");
  if (node !== null) {
    panel.append(element("h2", names[node]));
    for (const by of colourings) told(list, by.name, valueOf(by, node) || "unknown");
    told(list, "Linked to", listed(neighbours(node)));
    const found = predictedAt[node];
    told(list, "Predicted links", ...(found.length ? found.slice(0, 30).flatMap((k) => [linkButton(k), ` ${digits(predicted.scores[k])}`, element("br")]) : ["none"]));
    panel.append(list);
  } else {
    const [u, v] = [predicted.us[link], predicted.vs[link]];
    panel.append(element("h2", pair(u, v)));
    told(list, "Score", `${digits(predicted.scores[link])}, number ${link + 1} of ${predicted.us.length}`);
    told(list, "Common neighbours", listed(common(u, v)));
    panel.append(list);
    const why = predicted.reasons && predicted.reasons[link];
    if (why) panel.append(reasons(why));
    else if (predicted.reasons) panel.append(element("p", `The page has reasons for the best ${predicted.reasons.length} predicted links.`));
  }
  panel.append(button("Select nothing", goTo({})));
}
function reasons(why) {
  const box = element("div");
  box.append(element("h2", "Reasons"));
  box.append(element("p", why.unit === "score" ? "The shares add up to the score." : `The shares add up to ${why.unit} of ${digits(why.total)}.`, {className: "told"}));
  const table = element("table", undefined, {id: "reasons"}), body = element("tbody");
  const head = element("tr");
  head.append(element("th", "share", {className: "number", scope: "col"}), element("th", "reason", {scope: "col"}));
  for (const [what, part, value] of why.rows) {
    if (what === "not explained" && Math.abs(part) <= 0.01 * Math.abs(why.total)) continue;
    const row = element("tr"), cell = element("td", what);
    if (value) cell.append(element("span", value, {className: "value"}));
    row.append(element("td", (part > 0 ? "+" : "") + digits(part), {className: "number"}), cell);
    body.append(row);
  }
  const top = element("thead");
  top.append(head);
  table.append(top, body);
  box.append(table);
  return box;
}

// ---------------------------------------------------------------- tables
// a column: its name, a value to sort by, what a cell shows, whether that is a number
function table(id, columns, items, marked, what) {
  const sort = state.sort[id], made = $(id);
  const found = [...items];
  if (sort) {
    const key = columns[sort.column].key;
    const order = (a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);
    found.sort((a, b) => sort.way * order(a, b));
  }
  $(id + "-told").textContent = what + (found.length > MOST_ROWS ? ` The first ${MOST_ROWS} rows are below.` : "");
  const head = element("thead"), line = element("tr"), body = element("tbody");
  columns.forEach((column, place) => {
    const cell = element("th", undefined, {scope: "col", className: column.number ? "number" : ""});
    const sorted = sort && sort.column === place;
    if (sorted) cell.setAttribute("aria-sort", sort.way > 0 ? "ascending" : "descending");
    cell.append(button(column.name + (sorted ? (sort.way > 0 ? " \u2191" : " \u2193") : ""), () => {
      state.sort[id] = {column: place, way: sorted ? -sort.way : 1};
      tables();
      $(id).querySelectorAll("th button")[place].focus();
    }));
    line.append(cell);
  });
  head.append(line);
  for (const item of found.slice(0, MOST_ROWS)) {
    const row = element("tr", undefined, {className: marked(item) ? "marked" : ""});
    for (const column of columns) {
      const cell = element("td", undefined, {className: column.number ? "number" : ""});
      cell.append(column.show(item));
      row.append(cell);
    }
    body.append(row);
  }
  made.replaceChildren(head, body);
}
const lower = (i) => names[i].toLowerCase();
function tables() {
  const {node, link} = state;
  let places = [...Array(state.shown).keys()], nodes = names.keys(), links = us.keys(), about = "";
  if (node !== null) {
    about = ` of ${names[node]}`;
    places = predictedAt[node];
    nodes = [node, ...neighbours(node)];
    links = ofNode[node];
  } else if (link !== null) {
    const [u, v] = [predicted.us[link], predicted.vs[link]];
    about = ` of ${pair(u, v)}`;
    places = [...new Set([link, ...predictedAt[u], ...predictedAt[v]])].sort((a, b) => a - b);
    ({nodes, links} = around(link));
  }
  nodes = [...nodes]; links = [...links];
  const by = colourings.slice(0, 6).map((found) => ({
    name: found.name, key: (i) => found.values ? found.values[i] ?? -Infinity : valueOf(found, i),
    show: (i) => valueOf(found, i), number: !!found.values,
  }));
  table("predicted", [
    {name: "#", key: (k) => k, show: (k) => k + 1, number: true},
    {name: "link", key: (k) => lower(predicted.us[k]), show: linkButton},
    {name: "score", key: (k) => predicted.scores[k], show: (k) => digits(predicted.scores[k]), number: true},
  ], places, (k) => k === link, node === null && link === null ? `${counted(places.length, "predicted link")}, those shown.` : `${counted(places.length, "predicted link")}${about}${link === null ? "" : " and its ends"}.`);
  table("nodes", [
    {name: "node", key: lower, show: nodeButton},
    {name: "links", key: (i) => ofNode[i].length, show: (i) => ofNode[i].length, number: true},
    {name: "predicted", key: (i) => predictedAt[i].length, show: (i) => predictedAt[i].length, number: true},
    ...by,
  ], nodes, (i) => i === node, node !== null ? `${names[node]} and ${counted(nodes.length - 1, "neighbour")}.` : link !== null ? `Both ends and ${counted(nodes.length - 2, "common neighbour")}.` : `All ${counted(nodes.length, "node")}.`);
  table("links", [
    {name: "from", key: (k) => lower(us[k]), show: (k) => nodeButton(us[k])},
    {name: "to", key: (k) => lower(vs[k]), show: (k) => nodeButton(vs[k])},
  ], links, () => false, node !== null ? `${counted(links.length, "link")}${about}.` : link !== null ? `${counted(links.length, "link")} to common neighbours.` : `All ${counted(links.length, "link")}.`);
}

// ---------------------------------------------------------------- what a reader does
function select({node = null, link = null}) {
  state.node = node;
  state.link = link;
  if (link !== null && link >= state.shown) show(link + 1);
  drawSelection();
  drawLabels();
  details();
  tables();
}
function show(count) {
  state.shown = count;
  const slider = $("shown"), last = count ? `, scores from ${digits(predicted.scores[count - 1])}` : "";
  slider.value = count;
  $("count").textContent = `${count} of ${predicted.us.length}${last}`;
  drawPredicted();
  drawNodes();
  drawLabels();
  if (state.node === null && state.link === null) tables();
}
function legend() {
  const by = colourings[state.colour], list = $("legend"), colours = look();
  list.replaceChildren();
  list.hidden = !by;
  if (!by) return;
  if (by.values) {
    const line = element("li"), ramp = element("span", undefined, {className: "ramp"});
    ramp.style.background = `linear-gradient(to right, ${VIRIDIS.join(", ")})`;
    line.append(digits(by.low), ramp, digits(by.high));
    list.append(line);
    return;
  }
  const paths = {circle: "M7 1a6 6 0 1 0 .01 0z", square: "M2 2h10v10H2z", triangle: "M7 1l6 11H1z", diamond: "M7 0l5 7-5 7-5-7z", inverted_triangle: "M7 13L1 2h12z", hex: "M4 2h6l3 5-3 5H4L1 7z", star: "M7 0l2 5h5l-4 3 2 6-5-4-5 4 2-6-4-3h5z"};
  const entries = by.labels.map((label, code) => [label, CATEGORIES[code], rows === n ? SHAPES[code] : "circle"]);
  if (by.codes.some((code) => code < 0)) entries.push(["others", GREY, "circle"]);
  for (const [label, colour, shape] of entries) {
    const line = element("li"), svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", paths[shape]);
    path.setAttribute("fill", colour);
    path.setAttribute("stroke", colours.edge);
    svg.setAttribute("viewBox", "-1 -1 16 16");
    svg.setAttribute("aria-hidden", "true");
    svg.append(path);
    line.append(svg, label);
    list.append(line);
  }
}
function matches(text) { // exact names first, then those that begin with it, then any
  const wanted = text.trim().toLowerCase(), groups = [[], [], [], []];
  if (!wanted) return [];
  names.forEach((name, i) => {
    const small = name.toLowerCase();
    const place = name === text.trim() ? 0 : small === wanted ? 1 : small.startsWith(wanted) ? 2 : small.includes(wanted) ? 3 : -1;
    if (place >= 0) groups[place].push(i);
  });
  return groups.flat();
}
function find(event) {
  event.preventDefault();
  const text = $("wanted").value, found = matches(text);
  if (!found.length) {
    select({});
    $("details").replaceChildren(element("h2", `No node matches "${text}"`));
    return;
  }
  select({node: found[0]});
  if (found.length > 1) $("details").append(element("p", `Also: ${listed(found.slice(1, 6))}${found.length > 6 ? ", \u2026" : ""}`, {className: "told"}));
  focusOn();
}
function focusOn() {
  const {node, link} = state;
  if (node === null && link === null) return everything();
  const nodes = node !== null ? [node, ...neighbours(node)] : [predicted.us[link], predicted.vs[link]];
  const width = fitTo(nodes, 1.6);
  if (width < whole / 8) view(...middle(), whole / 8); // some of the surroundings, too
  wasFitted = false;
}
function nearest(x, y) { // a node, or else a predicted link, near a point of the screen
  const reach = Math.max(diameter() / 2 + 4, 9);
  let best = null, least = reach;
  for (let i = 0; i < n; i++) {
    const [a, b] = toScreen(X[i], Y[i]), away = Math.hypot(a - x, b - y);
    if (away < least) { least = away; best = {node: i}; }
  }
  if (best) return best;
  least = 8;
  for (let k = 0; k < state.shown; k++) {
    const [xs, ys] = curves[k];
    for (let j = 1; j < xs.length; j++) {
      const [a, b] = toScreen(xs[j - 1], ys[j - 1]), [c, d] = toScreen(xs[j], ys[j]);
      const length = (c - a) ** 2 + (d - b) ** 2 || 1, t = Math.min(1, Math.max(0, ((x - a) * (c - a) + (y - b) * (d - b)) / length));
      const away = Math.hypot(a + t * (c - a) - x, b + t * (d - b) - y) - widths[k] / 2;
      if (away < least) { least = away; best = {link: k}; }
    }
  }
  return best;
}
const place = (event) => { const box = frame.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
function hint(event) {
  const [x, y] = place(event), found = event.buttons ? null : nearest(x, y), tip = $("tip");
  tip.hidden = !found;
  frame.style.cursor = found ? "pointer" : "";
  if (!found) return;
  const lines = [];
  if (found.node !== undefined) {
    const i = found.node, by = colourings[state.colour];
    lines.push(names[i], `${counted(ofNode[i].length, "link")}, ${predictedAt[i].length} predicted`);
    if (by) lines.push(`${by.name}: ${valueOf(by, i) || "unknown"}`);
  } else {
    const k = found.link, why = predicted.reasons && predicted.reasons[k];
    lines.push(pair(predicted.us[k], predicted.vs[k]), `score ${digits(predicted.scores[k])}`);
    if (why) lines.push(...why.rows.slice(0, 2).map(([what]) => what));
  }
  tip.textContent = lines.join("\n");
  const [w, h] = size();
  tip.style.left = `${Math.max(4, Math.min(x + 14, w - tip.offsetWidth - 4))}px`;
  tip.style.top = `${y + 18 + tip.offsetHeight > h ? y - tip.offsetHeight - 10 : y + 18}px`;
}
let pressed = null;
frame.addEventListener("pointerdown", (event) => { pressed = place(event); $("tip").hidden = true; }, true);
frame.addEventListener("pointerup", (event) => {
  const [x, y] = place(event);
  if (pressed && Math.hypot(x - pressed[0], y - pressed[1]) < 5) select(nearest(x, y) || {});
  else wasFitted = false;
  pressed = null;
}, true);
frame.addEventListener("pointermove", hint, true);
frame.addEventListener("pointerleave", () => { $("tip").hidden = true; });
frame.addEventListener("wheel", () => { wasFitted = false; }, true);
frame.addEventListener("keydown", (event) => {
  const step = span() / 10, [x, y] = middle();
  const moves = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};
  if (moves[event.key]) { view(x + moves[event.key][0] * step, y + moves[event.key][1] * step, span()); wasFitted = false; }
  else if (event.key === "+" || event.key === "=") zoom(0.7);
  else if (event.key === "-") zoom(1 / 0.7);
  else if (event.key === "Escape") select({});
  else return;
  event.preventDefault();
});
$("in").onclick = () => zoom(0.7);
$("out").onclick = () => zoom(1 / 0.7);
$("fit").onclick = everything;
$("focus").onclick = focusOn;
$("search").onsubmit = find;
$("wanted").oninput = () => {
  const found = matches($("wanted").value).slice(0, 20);
  $("names").replaceChildren(...found.map((i) => element("option", undefined, {value: names[i]})));
};
$("shown").max = predicted.us.length;
$("shown").oninput = () => show(Number($("shown").value));
$("colour").append(element("option", "nothing", {value: -1}), ...colourings.map((by, i) => element("option", by.name, {value: i})));
$("by").hidden = colourings.length === 0;
$("colour").onchange = () => { state.colour = Number($("colour").value); drawNodes(); drawSelection(); legend(); };

// ---------------------------------------------------------------- and begin
let waiting = false;
function moved() { // names and sizes suit the part that is in view
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    drawLabels();
    if (Math.abs(diameter() - drawnAt) > 0.1) drawNodes();
  });
}
new ResizeObserver(() => { if (wasFitted) everything(); else view(...middle(), span()); }).observe(frame);
for (const range of [x_range, y_range]) range.properties.start.change.connect(moved);
media.addEventListener("change", () => { drawAll(); legend(); });
$("summary").textContent = `${counted(n, "node")}, ${counted(us.length, "link")}${directed ? " with a direction" : ""}, ${counted(predicted.us.length, "predicted link")}.`;
$("note").textContent = content.note;
$("note").hidden = !content.note;
everything();
show(state.shown);
drawAll();
select({});
requestAnimationFrame(() => requestAnimationFrame(() => {
  document.documentElement.dataset.ready = "yes";
  performance.mark("ready");
}));
})();
