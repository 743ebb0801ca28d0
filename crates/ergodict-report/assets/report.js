// What the page does when it is touched: nothing here is needed to read it.
"use strict";
(() => {
const root = document.documentElement;
root.classList.add("js");
const { max, min, abs, sqrt, floor, ceil, round, log10, hypot } = Math;
const one = (what, within = document) => within.querySelector(what);
const bounds = node => node.getBoundingClientRect();
const all = (what, within = document) => [...within.querySelectorAll(what)];
const on = (node, events) => {
  for (const event in events) for (const one of event.split(" ")) node.addEventListener(one, events[event]);
  return node;
};
const set = (node, attributes, ...inside) => {
  for (const name in attributes) node.setAttribute(name, attributes[name]);
  node.append(...inside);
  return node;
};
const html = (tag, ...rest) => set(document.createElement(tag), ...rest);
const svg = (tag, ...rest) => set(document.createElementNS("http://www.w3.org/2000/svg", tag), ...rest);
const button = (label, act, attributes, ...inside) =>
  on(html("button", { type: "button", "aria-label": label, ...attributes }, ...inside), { click: act });
const keyed = { tabindex: 0, role: "group", "aria-roledescription": "arrow keys show values" };
const arrows = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
const clamp = (v, low, high) => max(low, min(high, v));

// A number that is known up to a step, without the digits that are not known.
const near = (v, step) => {
  const unit = 10 ** ceil(log10(step));
  return step > 0 && v !== null ? round(v / unit) * unit : v;
};
// A number with three digits, as the pictures write them.
const written = (v, digits = 3) => {
  if (!Number.isFinite(v)) return "–";
  const size = abs(v);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) {
    const [mantissa, power] = v.toExponential(digits - 1).split("e");
    const raised = [...String(+power)].map(c => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c])).join("");
    return `${+mantissa}×10${raised}`.replace("-", "−");
  }
  return String(Number.isInteger(v) ? v : +v.toPrecision(digits)).replace("-", "−");
};

// Words beside the pointer or the place in focus.
const tip = html("div", { class: "tip", role: "status", hidden: "" });
const say = (words, x, y) => {
  (one("dialog[open]") || document.body).append(tip);
  tip.replaceChildren(words);
  tip.hidden = false;
  const { width, height } = bounds(tip);
  const left = x + 14 + width > innerWidth - 4 ? x - width - 14 : x + 14;
  tip.style.left = `${clamp(left, 4, max(4, innerWidth - width - 4))}px`;
  tip.style.top = `${y - height - 10 < 4 ? y + 16 : y - height - 10}px`;
};
const hush = () => { tip.hidden = true; };
all("svg title").forEach(title => {
  const told = title.parentNode;
  told.dataset[told.matches(".dot") ? "values" : "tip"] = title.textContent;
  title.remove();
});
on(document, { pointermove(event) {
  const told = event.target.closest("[data-tip]");
  if (told) say(told.dataset.tip, event.clientX, event.clientY);
  else if (!event.target.closest(".chart")) hush();
}, scroll: hush });

// Charts: the values of all curves at the place of the pointer, and curves that can be switched off.
const numbers = text => text.split(" ").map(Number);
const points = path => [...(path ? path.getAttribute("d") : "").matchAll(/([ML])([\d.-]+)\s([\d.-]+)/g)]
  .map(([, move, x, y]) => ({ first: move === "M", x: +x, y: +y }));
const across = (line, x) => line.reduce((found, p, i) => {
  const before = line[i - 1];
  if (p.x === x) return p.y;
  return i && !p.first && before.x < x && p.x > x ? before.y + (p.y - before.y) * (x - before.x) / (p.x - before.x) : found;
}, null);
const swatch = drawn => {
  const path = set(drawn.cloneNode(), { d: "M0 3H22", "stroke-width": 2.5 });
  return svg("svg", { viewBox: "0 0 22 6", "aria-hidden": true }, path);
};
all("svg.chart").forEach(chart => {
  const axis = one(".axis", chart);
  if (!axis) return;
  const [left, right, top, bottom] = numbers(axis.dataset.frame);
  // Places are tenths of a unit: between two of them values are not known.
  const value = (ends, at, length) => {
    const [low, high, log] = numbers(ends);
    const [here, next] = [at, at + 0.1].map(at => low + (high - low) * at / length).map(at => (log ? 10 ** at : at));
    return written(near(here, next - here));
  };
  const xAt = x => value(axis.dataset.x, x - left, right - left);
  const yAt = y => value(axis.dataset.y, bottom - y, bottom - top);
  const curves = all("g.series", chart).map(drawn => {
    const path = one("path:not(.dot)", drawn);
    const ink = svg("path", { class: drawn.getAttribute("class").slice(7), "stroke-dasharray": path?.getAttribute("stroke-dasharray") || "none" });
    const dots = all(".dot", drawn).map(dot => ({ ...points(dot)[0], values: dot.dataset.values.split(", ") }));
    return { drawn, ink, line: points(path), dots: new Map(dots.map(dot => [dot.x, dot])) };
  });
  const shown = () => curves.filter(c => !c.drawn.classList.contains("off"));
  const places = () => [...new Set(shown().flatMap(c => [...c.line.map(p => p.x), ...c.dots.keys()]))].sort((a, b) => a - b);
  const cross = svg("g", { class: "cross" });
  chart.append(cross);
  let at = 0;
  const clear = () => { cross.replaceChildren(); hush(); };
  const label = which => one(`.label${which}`, chart)?.textContent ?? "";
  const row = (told, ...name) => html("tr", {}, html("td", {}, ...name), html("td", {}, told));
  const show = (x, pointer) => {
    const found = shown().map(c => ({ ...c, y: across(c.line, x), ...c.dots.get(x) })).filter(c => c.y !== null);
    cross.replaceChildren(svg("line", { x1: x, x2: x, y1: top, y2: bottom }));
    const rows = found.map(c => {
      cross.append(svg("circle", { cx: x, cy: c.y, r: 4, class: c.ink.getAttribute("class") }));
      return row(c.values?.[1] ?? yAt(c.y), swatch(c.ink), c.drawn.dataset.name || label("[x='0']"));
    });
    const box = bounds(chart);
    const view = chart.viewBox.baseVal;
    const scale = box.width / view.width;
    const y = found.length ? min(...found.map(c => c.y)) : top;
    say(html("table", { role: "presentation" }, row(found.find(c => c.values)?.values[0] ?? xAt(x), label(":not([x='0'])")), ...rows), box.left + x * scale, pointer ?? box.top + (y - view.y) * scale);
  };
  on(chart, { pointermove(event) {
    const box = bounds(chart);
    const x = (event.clientX - box.left) / box.width * chart.viewBox.baseVal.width;
    const known = places();
    if (!known.length || x < left - 8 || x > right + 8) return clear();
    at = known.reduce((best, p, i) => (abs(p - x) < abs(known[best] - x) ? i : best), 0);
    show(known[at], event.clientY);
  }, "pointerleave blur": clear, keydown(event) {
    const known = places();
    // A curve of many points is crossed in forty steps.
    const step = ceil(known.length / 40);
    const next = { ArrowRight: at + step, ArrowLeft: at - step, Home: 0, End: known.length - 1 }[event.key];
    if (event.key === "Escape") clear();
    if (next === undefined || !known.length) return;
    event.preventDefault();
    at = clamp(cross.hasChildNodes() ? next : at, 0, known.length - 1);
    show(known[at]);
  } });
  set(chart, keyed);

  const legend = one(".legend", chart);
  const entries = legend ? all("[data-series]", legend) : [];
  if (entries.length < 2) return;
  const keys = entries.map(entry => button(entry.dataset.name, function () {
    set(this, { "aria-pressed": !curves[entry.dataset.series].drawn.classList.toggle("off") });
    clear();
  }, { "aria-pressed": true }, swatch(entry.firstElementChild), entry.dataset.name));
  chart.before(html("div", { class: "legend-keys", role: "group", "aria-label": "Curves" }, ...keys));
  // The buttons take the place of the drawn legend.
  const height = +legend.dataset.height;
  legend.classList.add("cropped");
  all(".title", chart).forEach(title => set(title, { y: 16 + height }));
  const view = chart.viewBox.baseVal;
  set(chart, { viewBox: `0 ${height} ${view.width} ${view.height - height}`, height: view.height - height });
});

// Cells of matrices and bars by the arrow keys.
all("svg.heat, svg.bars").forEach(picture => {
  const cells = all(".cell", picture);
  if (!cells.length) return;
  const cols = +(one("[data-cols]", picture)?.dataset.cols || cells.length);
  let at = -1;
  const leave = () => { cells[at]?.classList.remove("now"); hush(); };
  set(picture, keyed);
  on(picture, { blur: leave, keydown(event) {
    const step = arrows[event.key];
    if (!step) return;
    event.preventDefault();
    leave();
    const next = at < 0 ? 0 : at + cols * step[0] + step[1];
    at = next in cells ? next : at;
    cells[at].classList.add("now");
    const box = bounds(cells[at]);
    say(cells[at].dataset.tip, box.left + box.width / 2, box.top);
  } });
});

// Tables: a press on a heading sorts.
const quantity = text => {
  const plain = text.replace(/[\s\u202f\u00a0]/g, "").replace("−", "-").replace(/^[^\d-]+/, "");
  const power = plain.match(/×10(⁻?)([⁰¹²³⁴-⁹]+)/);
  const exponent = power ? (power[1] ? -1 : 1) * +[...power[2]].map(c => "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(c)).join("") : 0;
  return parseFloat(plain) * 10 ** exponent;
};
const order = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" }).compare;
all(".scroll table").forEach(table => {
  const body = table.tBodies[0];
  if (body.rows.length <= 3) return;
  const heads = all("th", table);
  heads.forEach((head, column) => {
    if (!head.textContent.trim()) return;
    const number = head.classList.contains("number");
    // Numbers are most often looked through from the largest.
    const ways = number ? ["descending", "ascending"] : ["ascending", "descending"];
    const text = head.textContent;
    head.replaceChildren(button(text, () => {
      const way = ways[+(head.getAttribute("aria-sort") === ways[0])];
      heads.forEach(h => h.removeAttribute("aria-sort"));
      set(head, { "aria-sort": way });
      const sign = way === "ascending" ? 1 : -1;
      const cell = row => row.cells[column]?.textContent.trim() ?? "";
      // What is no number goes last, either way.
      const value = row => { const found = quantity(cell(row)); return Number.isFinite(found) ? found : sign * Infinity; };
      body.append(...[...body.rows].sort((a, b) => sign * (number ? value(a) - value(b) || 0 : order(cell(a), cell(b)))));
    }, {}, text));
  });
});

// Commands break between words, not inside flags and names.
all("code").forEach(c => c.replaceChildren(...c.textContent.split(/(\S*-\S*)/).map((w, i) => (i % 2 ? html("span", {}, w) : w))));

// Frames, one at a time.
all(".strip").forEach(strip => {
  const frames = [...strip.children];
  if (frames.length < 2) return;
  let playing = null;
  const last = frames.length - 1;
  const slide = on(html("input", { type: "range", min: 0, max: last, value: 0, "aria-label": "Frame" }), { input() { stop(); show(); } });
  const play = button("Play or pause", () => {
    if (playing) return stop();
    if (+slide.value === last) slide.value = 0;
    show();
    play.textContent = "Pause";
    playing = setInterval(() => {
      slide.value = +slide.value + 1;
      show();
      if (+slide.value === last) stop();
    }, matchMedia("(prefers-reduced-motion: reduce)").matches ? 1500 : 350);
  }, { class: "plain" }, "Play");
  const stop = () => { clearInterval(playing); playing = null; play.textContent = "Play"; };
  const show = () => {
    frames.forEach((frame, i) => frame.classList.toggle("now", i === +slide.value));
    set(slide, { "aria-valuetext": frames[slide.value].textContent.trim() });
  };
  strip.classList.add("one");
  strip.after(html("div", { class: "player", role: "group", "aria-label": "Frames" }, play, slide));
  show();
});

// Galleries.
const raw = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
const decoded = ({ v, b, m }, count) => {
  if (v === undefined) return null;
  const bytes = raw(v);
  if (b === 1) return Array.from({ length: count }, (_, i) => (bytes[i >> 3] >> (i & 7) & 1) * m);
  const whole = b === 16 ? new Int16Array(bytes.buffer) : new Int8Array(bytes.buffer);
  const most = 2 ** (b - 1) - 1;
  return Object.assign(Array.from(whole, w => (w < -most ? null : w / most * m)), { step: m / most });
};
const decodedPlaces = (text, [width, height]) => {
  const bytes = raw(text);
  return Array.from({ length: bytes.length / 3 }, (_, i) => {
    const word = bytes[3 * i] << 16 | bytes[3 * i + 1] << 8 | bytes[3 * i + 2];
    return [(word >> 12) / 4095 * width, (word & 4095) / 4095 * height];
  });
};

// A graph as `src/graphs.rs` draws it, with names beside its nodes where there are any.
const graph = ({ weights, places, motif, names, label, told }) => {
  const k = places.length;
  const largest = max(...weights);
  const part = (a, b) => (largest > 0 ? weights[a * k + b] / largest : 0);
  const apart = (p, q) => hypot(p[0] - q[0], p[1] - q[1]);
  const nearest = places.map((p, a) => min(...places.map((q, b) => (a === b ? Infinity : apart(p, q))))).sort((p, q) => p - q);
  const radius = max(3.2, min(18, 68 / sqrt(k), 0.4 * nearest[floor(k / 3)]));
  const own = new Set();
  for (let i = 0; i < motif.length; i += 2) own.add(`${motif[i]},${motif[i + 1]}`).add(`${motif[i + 1]},${motif[i]}`);
  const groups = [[], []];
  let directed = false;
  let at = 0;
  for (let b = 0; b < k; b++) for (let a = 0; a < b; a++) {
    directed ||= abs(part(a, b) - part(b, a)) > 0.05;
    const weight = max(part(a, b), part(b, a));
    if (weight < 0.1) continue;
    // Weights of examples are shown as they are, one for all where all are the same.
    const value = told ? written(told[at++] ?? told[0], 9) : written(near(max(weights[a * k + b], weights[b * k + a]), weights.step));
    groups[+own.has(`${a},${b}`)].push({ a, b, weight, value });
  }
  const size = 15;
  const title = a => (names ? names[a] : `node ${a + 1}`);
  const picture = svg("svg", { class: "graph", viewBox: names ? "-48 -14 496 372" : "0 0 400 340", role: "img", "aria-label": label });
  groups.forEach((edges, on) => {
    const faint = max(1, edges.reduce((sum, e) => sum + e.weight, 0) / k) ** -0.4;
    const lines = edges.sort((p, q) => p.weight - q.weight).map(({ a, b, weight, value }) => {
      let d = `M${places[a]}L${places[b]}`;
      for (const [tail, head, here] of [[a, b, part(a, b)], [b, a, part(b, a)]]) {
        const [p, q] = [places[head], places[tail]];
        const length = apart(p, q);
        if (!directed || here < 0.5 * weight || length < 2 * radius) continue;
        const [x, y] = [(q[0] - p[0]) / length, (q[1] - p[1]) / length];
        const barb = clamp(0.9 * radius, 5, 10);
        const point = (along, side) => [p[0] + along * x - side * y, p[1] + along * y + side * x];
        d += `M${point(radius + 2 + barb, 0.6 * barb)}L${point(radius + 2, 0)}L${point(radius + 2 + barb, -0.6 * barb)}`;
      }
      return svg("path", {
        d, "data-tip": `${title(a)} – ${title(b)}: ${value}`,
        "stroke-width": 0.6 + 2.2 * sqrt(radius / 2) * weight * faint,
        "stroke-opacity": (0.12 + 0.88 * weight) * sqrt(faint),
      });
    });
    picture.append(svg("g", { class: on ? "c1" : "c2" }, ...lines));
  });
  picture.append(svg("circle", { class: "pivot", cx: places[0][0], cy: places[0][1], r: radius + 3.4 }));
  places.forEach(([x, y], a) => {
    picture.append(svg("circle", { class: "node", cx: x, cy: y, r: radius, "data-tip": title(a) }));
    if (!names && radius >= 7) picture.append(svg("text", { x, y: y + 0.36 * 1.15 * radius, style: `font-size:${1.15 * radius}px` }, String(a + 1)));
  });
  if (!names) return picture;
  // Each name takes the side where it covers the least of what is there already; the rest is shown on hover.
  const taken = places.map(([x, y]) => [x - radius, y - radius, x + radius, y + radius]);
  taken.push([-99, -99, 499, -14], [-99, 358, 499, 499]);
  const overlap = (p, q) => max(0, min(p[2], q[2]) - max(p[0], q[0])) * max(0, min(p[3], q[3]) - max(p[1], q[1]));
  places.forEach(([x, y], a) => {
    const text = names[a].length > 17 ? `${names[a].slice(0, 16)}…` : names[a];
    const [half, gap] = [0.29 * size * text.length, radius + 3];
    const best = [[0, gap + 0.85 * size], [0, -gap - 0.2 * size], [half + gap, 0.35 * size], [-half - gap, 0.35 * size]]
      .map(([dx, dy]) => {
        const middle = clamp(x + dx, half - 47, 447 - half);
        const box = [middle - half, y + dy - 0.8 * size, middle + half, y + dy + 0.2 * size];
        return { x: middle, y: y + dy, box, cost: taken.reduce((sum, t) => sum + overlap(t, box), 0) };
      })
      .reduce((p, q) => (q.cost < p.cost - 0.5 ? q : p));
    if (best.cost > 0.5 * size * size) return;
    taken.push(best.box);
    picture.append(svg("text", { class: "name", x: best.x, y: best.y }, text));
  });
  return picture;
};

// A picture whose entries show their values.
const matrix = (picture, { rows, cols, aspect, values, channels, label }) => {
  const at = html("div", { class: "at", hidden: "" });
  const words = html("output", {}, values ? "Point at a cell, or use the arrow keys." : "Too many values for a page.");
  let [row, col] = [0, 0];
  const show = () => {
    set(at, { style: `left:${100 * col / cols}%;top:${100 * row / rows}%;width:${100 / cols}%;height:${100 / rows}%` });
    at.hidden = false;
    const first = (row * cols + col) * channels;
    const told = values.slice(first, first + channels).map(v => written(near(v, values.step))).join(", ");
    words.textContent = `${rows > 1 ? `row ${row + 1}, column ${col + 1}` : `entry ${col + 1}`}: ${told}`;
  };
  const box = html("div", {
    class: "matrix", tabindex: 0, role: "application", "aria-roledescription": "matrix",
    "aria-label": `${label}, ${rows} by ${cols}. Arrow keys move over its cells.`, style: `aspect-ratio:${aspect}`,
  }, picture, at);
  const go = (to, across) => {
    row = clamp(floor(to), 0, rows - 1);
    col = clamp(floor(across), 0, cols - 1);
    show();
  };
  if (values) on(box, {
    pointermove(event) {
      const place = bounds(box);
      go((event.clientY - place.top) / place.height * rows, (event.clientX - place.left) / place.width * cols);
    },
    focus() { if (box.matches(":focus-visible")) show(); },
    keydown(event) {
      const step = arrows[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      go(row + step[0], col + step[1]);
    },
  });
  return html("figure", {}, box, words);
};

all(".gallery").forEach(gallery => {
  const data = JSON.parse(one("script", gallery).textContent);
  const list = one(".cards", gallery);
  const items = [...list.children];
  const total = items.length;
  const [sort, turn, least, find, remain] =
    [".sort", ".direction", ".least", ".find", ".remain"].map(what => one(what, gallery));
  const scores = data.atoms.map(atom => atom.s[0] ?? -Infinity);
  const ascending = [...scores].sort((a, b) => a - b);
  let down = true;
  let visible = data.atoms.map((_, i) => i);

  const matches = (atom, wanted) => {
    if (!wanted) return true;
    const nodes = (atom.x || []).flatMap(example => example.n || []);
    if (/^\d+$/.test(wanted)) return (atom.n.match(/\d+/g) || []).some(n => +n === +wanted) || nodes.includes(wanted);
    return [atom.n, ...nodes].some(name => name.toLowerCase().includes(wanted));
  };
  const update = () => {
    const by = sort.value;
    const key = (a, b) => (by === "given" ? b - a : by === "name" ? order(data.atoms[a].n, data.atoms[b].n) : data.atoms[a].s[by] - data.atoms[b].s[by]);
    const sorted = data.atoms.map((_, i) => i).sort((a, b) => (down ? -1 : 1) * key(a, b) || a - b);
    const limit = least && +least.value > 0 ? ascending[+least.value] : -Infinity;
    const wanted = find.value.trim().toLowerCase();
    visible = sorted.filter(i => scores[i] >= limit && matches(data.atoms[i], wanted));
    const shown = new Set(visible);
    items.forEach((item, i) => { item.hidden = !shown.has(i); });
    list.append(...sorted.map(i => items[i]));
    if (least) {
      const text = written(ascending[+least.value]);
      least.labels[0].querySelector("output").textContent = text;
      set(least, { "aria-valuetext": text });
    }
    remain.textContent = `${visible.length === total ? "" : `${visible.length} of `}${total} atom${total === 1 ? "" : "s"}`;
  };
  on(turn, { click() {
    down = !down;
    turn.textContent = down ? "↓" : "↑";
    set(turn, { "aria-label": `${down ? "Descending" : "Ascending"}; press to reverse the order` });
    update();
  } });
  // Names are read from the first on, scores from the largest.
  on(sort, { change() { if (down === (sort.value === "name")) turn.click(); else update(); } });
  on(gallery, { input: update });
  update();

  const name = html("h2", { id: `${gallery.dataset.gallery}-atom` });
  const place = html("span", { class: "place" });
  const body = html("div", { class: "body" });
  let current = 0;
  const step = by => {
    const at = visible.indexOf(current);
    if (visible.length) show(visible[(at + by + visible.length) % visible.length]);
  };
  const plain = { class: "plain" };
  const dialog = html("dialog", { class: "atom", "aria-labelledby": name.id }, html("header", {}, name, place,
    button("Previous atom", () => step(-1), plain, "←"), button("Next atom", () => step(1), plain, "→"),
    button("Close", () => dialog.close(), plain, "✕")), body);
  on(dialog, {
    keydown(event) {
      const by = (arrows[event.key] || [])[1];
      if (by) { event.preventDefault(); step(by); }
    },
    click(event) { if (event.target === dialog) dialog.close(); },
    close() { hush(); items[current].firstChild.focus(); },
  });
  gallery.append(dialog);

  const example = (shown, i) => {
    const title = shown.t || `example ${i + 1}`;
    let picture = null;
    if (shown.n) {
      const places = decodedPlaces(shown.p, data.size);
      const weights = decoded(shown, places.length ** 2);
      picture = graph({ weights, places, motif: shown.e, names: shown.n, told: shown.w, label: `${title}: ${shown.n.join(", ")}` });
    } else if (shown.i) picture = html("img", { src: shown.i, alt: title, style: `aspect-ratio:${data.cols / data.rows}` });
    return html("figure", {}, ...(picture ? [picture] : []), html("figcaption", {}, title));
  };
  const show = i => {
    current = i;
    const atom = data.atoms[i];
    const card = items[i].firstChild;
    const tile = one(data.profile ? ".sketch" : ".tile", card).cloneNode(true);
    tile.removeAttribute("style");
    const count = data.rows * data.cols * data.channels;
    const values = decoded(atom, count);
    const cols = data.profile && values ? values.length : data.cols;
    name.textContent = atom.n.charAt(0).toUpperCase() + atom.n.slice(1);
    place.textContent = `${visible.indexOf(i) + 1} of ${visible.length}`;
    const views = [];
    if (data.graphs) views.push(html("figure", {}, values
      ? graph({ weights: values, places: decodedPlaces(atom.p, data.size), motif: data.motif, label: `${atom.n} as a graph` })
      : one(".sketch", card).cloneNode(true)));
    if (data.profile) tile.setAttribute("preserveAspectRatio", "none");
    views.push(matrix(tile, {
      rows: data.rows, cols, values, channels: data.channels, label: atom.n,
      aspect: data.profile ? 2 : clamp(data.cols / data.rows, 0.4, 4),
    }));
    const key = one(".key", gallery)?.cloneNode(true) ?? "";
    if (key && values) one(".high", key)?.append(`: ${written(values.reduce((m, v) => max(m, abs(v)), 0))}`);
    body.replaceChildren(html("div", { class: "views" }, ...views), key);
    if (data.scores.length) body.append(html("dl", {}, ...data.scores.map((score, j) =>
      html("div", {}, html("dt", {}, score), html("dd", {}, written(atom.s[j], 4))))));
    if (atom.x) {
      const small = atom.x.every(shown => !shown.n);
      body.append(html("h3", {}, "Where it is used most"), html("div", { class: small ? "examples small" : "examples" }, ...atom.x.map(example)));
    }
    dialog.scrollTop = 0;
  };
  items.forEach((item, i) => on(item.firstChild, { click() {
    show(i);
    dialog.showModal();
    all("header button", dialog)[1].focus();
  } }));
});

// Light, dark, or as the system has it.
const night = [...document.styleSheets[0].cssRules].find(rule => rule.media && rule.media.mediaText.includes("dark"));
if (night) {
  const looks = [["auto", "◐", night.media.mediaText, "light dark"], ["light", "☀", "not all", "light"], ["dark", "☾", "screen", "dark"]];
  let look = 0;
  const change = button("", () => wear((look + 1) % 3), { class: "plain theme" });
  const wear = to => {
    look = to;
    const [called, sign, media, scheme] = looks[to];
    night.media.mediaText = media;
    root.style.colorScheme = scheme;
    change.textContent = sign;
    set(change, { "aria-label": `Colors: ${called}; press for ${looks[(to + 1) % 3][0]}` });
  };
  wear(0);
  one("main").append(change);
}
})();
