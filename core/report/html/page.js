// Shared by the live page and report.html. Text from runs becomes text, never markup. Nothing here computes a result.
'use strict';
const el = (tag, props = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (key === 'class') node.className = value;
    else if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value === true ? '' : value);
  }
  put(node, ...children);
  return node;
};
const put = (node, ...children) => node.replaceChildren(...children.filter(c => c !== null && c !== undefined && c !== false));
const region = (label, table) => el('div', {class: 'scroll', role: 'region', 'aria-label': label, tabindex: '0'}, table);
const content = document.getElementById('content');
const tip = document.getElementById('tip');
const announce = text => { document.getElementById('announce').textContent = text; };
/// Runs `work` once after `wait` ms, however often it is called in between.
const later = (wait, work) => {
  let timer = 0;
  return () => { if (!timer) timer = setTimeout(() => { timer = 0; work(); }, wait); };
};

// ---- dark and light -------------------------------------------------------------------------------------------------
const charts = new Set();
const root = document.documentElement;
const dark = matchMedia('(prefers-color-scheme: dark)');
const themeButton = document.getElementById('theme');
let theme = null;
try { theme = localStorage.getItem('yatlab-theme'); } catch { /* a page without storage */ }
const showTheme = () => {
  const isDark = theme === 'dark' || (theme !== 'light' && dark.matches);
  root.dataset.theme = isDark ? 'dark' : 'light';
  themeButton.textContent = isDark ? 'Light' : 'Dark';
  themeButton.setAttribute('aria-label', `Switch to ${isDark ? 'light' : 'dark'} colours`);
  for (const chart of charts) chart.stale();
};
themeButton.addEventListener('click', () => {
  theme = root.dataset.theme === 'dark' ? 'light' : 'dark';
  try { localStorage.setItem('yatlab-theme', theme); } catch { /* lasts until the page closes */ }
  showTheme();
});
dark.addEventListener('change', showTheme);
themeButton.hidden = false;
showTheme();

// ---- words ----------------------------------------------------------------------------------------------------------
const minus = text => text.replace(/-/g, '\u2212');
const shownNumber = (v, percent) => {
  if (!isFinite(v)) return String(v);
  const size = Math.abs(percent ? 100 * v : v), scaled = percent ? 100 * v : v;
  const text = size !== 0 && (size < 1e-3 || size >= 1e6) ? scaled.toExponential(3) : String(Number(scaled.toPrecision(5)));
  return minus(text) + (percent ? ' %' : '');
};
const duration = s => {
  if (s === null || !isFinite(s)) return '';
  if (s < 10) return s.toFixed(2) + ' s';
  if (s < 60) return Math.round(s) + ' s';
  s = Math.round(s);
  if (s < 3600) return Math.floor(s / 60) + ' min' + (s < 600 && s % 60 ? ' ' + s % 60 + ' s' : '');
  return Math.floor(s / 3600) + ' h ' + Math.floor(s % 3600 / 60) + ' min';
};
/// As tables print it: halfway goes to the even digit, and zero has no sign.
const tableNumber = (v, m) => {
  if (v === null) return '–';
  const number = m.percent ? v * 100 : v, size = Math.abs(number);
  const even = write => {
    const up = write(m.decimals), [digits, exponent] = write(Math.min(100, m.decimals + 40)).split('e');
    const cut = digits.length - Math.min(100 - m.decimals, 40);
    if (!/^50*$/.test(digits.slice(cut))) return up;
    const down = digits.slice(0, cut).replace(/\.$/, '') + (exponent === undefined ? '' : `e${exponent}`);
    return /[02468]$/.test(down.split('e')[0]) ? down : up;
  };
  const text = m.scientific ? even(n => size.toExponential(n)).replace(/e\+?(-?)0*$/, '').replace('e+', 'e')
    : size < 1e21 ? even(n => size.toFixed(n)) : String(size);
  const sign = !/[1-9]/.test(text.split('e')[0]) ? '' : number < 0 ? '\u2212' : m.signed ? '+' : '';
  return sign + text + (m.percent ? ' %' : '');
};
const copyText = async (button, text) => {
  let done = false;
  try { await navigator.clipboard.writeText(text); done = true; } catch { /* pages from disk may not */ }
  if (!done) {
    const area = el('textarea', {class: 'hidden'});
    area.value = text;
    document.body.append(area);
    area.select();
    try { done = document.execCommand('copy'); } catch { /* said below */ }
    area.remove();
  }
  button.textContent = done ? 'copied' : 'could not copy';
  announce(button.textContent);
  setTimeout(() => { button.textContent = 'copy'; }, 1500);
};
const copyButton = (text, label) => el('button', {type: 'button', class: 'quiet copy', title: text, 'aria-label': label,
  onclick: e => copyText(e.currentTarget, text)}, 'copy');

// ---- reasons behind marks and numbers -------------------------------------------------------------------------------
const placeTip = (x, top, bottom) => {
  tip.hidden = false;
  const {offsetWidth: wide, offsetHeight: high} = tip;
  tip.style.left = Math.max(4, Math.min(root.clientWidth - wide - 8, x)) + 'px';
  tip.style.top = (bottom + high + 8 > innerHeight && top > high + 8 ? top - high - 8 : bottom + 6) + 'px';
};
const hideTip = () => { tip.hidden = true; };
const showTip = e => {
  const owner = e.target.closest && e.target.closest('[data-tip], .why');
  if (!owner) { if (!e.target.closest || !e.target.closest('.plot')) hideTip(); return; }
  const source = owner.classList.contains('why') ? document.getElementById(owner.getAttribute('aria-describedby')) : null;
  if (source) tip.replaceChildren(...[...source.childNodes].map(n => n.cloneNode(true)));
  else tip.textContent = owner.dataset.tip;
  const at = owner.getBoundingClientRect();
  placeTip(at.left, at.top, at.bottom);
};
for (const name of ['pointerover', 'focusin', 'click']) document.addEventListener(name, showTip);
document.addEventListener('focusout', hideTip);
document.addEventListener('scroll', hideTip, true);
document.addEventListener('keydown', e => { if (e.key === 'Escape') hideTip(); });

// ---- sorting --------------------------------------------------------------------------------------------------------
const missing = v => v === null || v === undefined || v === '';
/// What is missing comes last in either direction.
const compareKeys = (a, b, up) => {
  if (missing(a) || missing(b)) return missing(a) - missing(b);
  const x = Number(a), y = Number(b);
  const order = !Number.isNaN(x) && !Number.isNaN(y) ? x - y : String(a).localeCompare(String(b), 'en', {numeric: true});
  return up ? order : -order;
};
const cellKey = cell => {
  const key = cell.dataset.key ?? cell.dataset.mean;
  if (key !== undefined) return key;
  const text = cell.textContent.trim().replace(/\u2212/g, '-');
  const number = /^[-+]?\d[\d.]*(e[-+]?\d+)?/.exec(text);
  return cell.classList.contains('num') && number ? number[0] : text;
};
/// Makes heads buttons that sort, but for the class `unsorted`. `keep` remembers the order; `sort` replaces sorting the rows.
const sortable = (table, keep = {}, sort = null) => {
  const heads = [...table.tHead.rows[0].cells];
  const apply = () => {
    if (keep.column === undefined) return;
    heads.forEach(h => h.removeAttribute('aria-sort'));
    heads[keep.column]?.setAttribute('aria-sort', keep.up ? 'ascending' : 'descending');
    if (sort) return sort();
    const keyed = [...table.tBodies[0].rows].map(row => [cellKey(row.cells[keep.column]), row]);
    table.tBodies[0].append(...keyed.sort((a, b) => compareKeys(a[0], b[0], keep.up)).map(k => k[1]));
  };
  heads.forEach((head, column) => {
    if (head.classList.contains('unsorted') || !head.textContent) return;
    head.replaceChildren(el('button', {type: 'button', title: head.title || 'sort', onclick: () => {
      keep.up = keep.column === column ? !keep.up : true;
      keep.column = column;
      apply();
    }}, ...head.childNodes));
  });
  apply();
  return table;
};
/// The parts of pages that C++ writes: sorting, and folding statements. `kept` remembers orders by table.
const dress = (within, kept = new Map()) => {
  within.querySelectorAll('table.sortable').forEach((table, i) => {
    const id = (table.closest('[id]')?.id || '') + i;
    if (!kept.has(id)) kept.set(id, {});
    sortable(table, kept.get(id));
  });
  for (const button of within.querySelectorAll('[data-open-claims]')) {
    button.addEventListener('click', () => {
      const all = [...button.closest('section').querySelectorAll('.claim')], open = all.some(c => !c.open);
      for (const claim of all) claim.open = open;
      button.textContent = open ? 'Close all' : 'Open all';
    });
  }
};
addEventListener('beforeprint', () => document.querySelectorAll('.claim').forEach(c => { c.open = true; }));

// ---- curves ---------------------------------------------------------------------------------------------------------
const kColours = 8, dashes = [[], [6, 3], [2, 3], [8, 3, 2, 3]];
const swatch = colour => el('span', {class: 'swatch', 'data-colour': colour % kColours});
const pointText = (jobs, params) => jobs.params.map((p, i) => params[i] === '' ? '' : p.lead + params[i]).filter(Boolean).join(', ');

/// Seconds per step at a job's mean speed; NaN if that is unknown.
const secondsPerStep = row => (row.wall && row.steps ? row.wall / row.steps
  : row.left_s !== undefined && row.total_steps > row.step ? row.left_s / (row.total_steps - row.step) : NaN);
/// The seeds of one arm at one point: rows of `jobs`, for one line of each chart. A page sets its `curves`:
/// (metric, axis) -> {seeds: [{label, x, y, at}], mean}. Value y[i] lies at x[i], or x[at[i]] with `at`. `mean`, or else the seeds, give
/// line and band: {x, m, lo, hi, n, bad: x of values that are not finite}.
const groupsOf = (jobs, prefix = '', first = 0) => {
  const groups = new Map(), ofArm = new Map();
  for (const row of jobs.rows) {
    const key = row.arm + '\n' + row.params.join('\n');
    if (!groups.has(key)) {
      const point = pointText(jobs, row.params), k = ofArm.get(row.arm) || 0, i = groups.size, one = jobs.arms.length < 2;
      ofArm.set(row.arm, k + 1);
      const label = prefix + (one && point ? point : jobs.arms[row.arm].label + (point ? ' · ' + point : ''));
      groups.set(key, {key, label, params: row.params, rows: [], colour: first + (one ? i : row.arm),
        dash: dashes[(one ? Math.floor(i / kColours) : k) % dashes.length]});
    }
    groups.get(key).rows.push(row);
  }
  return [...groups.values()];
};

const ticks = (low, high, log, most) => {
  const out = [];
  const decades = Math.log10(high / low);
  if (log && decades >= 1) {
    const factors = decades > 4 ? [1] : decades > 1.5 ? [1, 3] : [1, 2, 5], every = Math.max(1, Math.ceil(decades / most));
    for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); ++e) {
      if (e % every === 0) for (const f of factors) if (f * 10 ** e >= low && f * 10 ** e <= high) out.push(f * 10 ** e);
    }
    return out;
  }
  const raw = (high - low) / most, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map(k => k * power).find(s => s >= raw) || raw;
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) out.push(Number((i * step).toPrecision(12)));
  return out;
};
const tickText = (v, percent) => {
  const scaled = percent ? 100 * v : v, size = Math.abs(scaled), short = (x, unit) => Number(x.toPrecision(4)) + unit;
  const text = size >= 1e9 ? short(scaled / 1e9, 'G') : size >= 1e6 ? short(scaled / 1e6, 'M') : size >= 1e4 ? short(scaled / 1e3, 'k')
    : size !== 0 && size < 1e-3 ? scaled.toExponential().replace('e+', 'e') : String(Number(scaled.toPrecision(6)));
  return minus(text) + (percent ? ' %' : '');
};
/// The index of the value nearest to x in a seed's ascending curve.
const nearest = (line, x) => {
  const at = i => line.x[line.at ? line.at[i] : i];
  let low = 0, high = line.y.length - 1;
  while (high - low > 1) { const mid = (low + high) >> 1; if (at(mid) <= x) low = mid; else high = mid; }
  return high > low && Math.abs(at(high) - x) < Math.abs(at(low) - x) ? high : low;
};
/// Values by pixel column: the lowest, the highest and the mean, so that no spike is lost.
class Columns {
  constructor(w) {
    Object.assign(this, {x: new Float64Array(w), lo: new Float64Array(w).fill(Infinity), hi: new Float64Array(w).fill(-Infinity),
      sum: new Float64Array(w), n: new Uint32Array(w), bad: new Uint32Array(w), seeds: new Uint32Array(w)});
  }
  mean(c) { return this.sum[c] / this.n[c]; }
  /// Adds a seed's curve; `gaps`: values that are not finite were never logged.
  add(line, scale, gaps) {
    const {x: xs, y: ys, at} = line, {x0, x1, column, logY} = scale, {x: cx, lo, hi, sum, n, bad, seeds} = this;
    let last = -1;
    for (let i = 0; i < ys.length; ++i) {
      const x = xs[at ? at[i] : i], y = ys[i];
      if (!(x >= x0 && x <= x1)) continue;
      const c = column(x);
      if (!isFinite(y) || y === null || (logY && y <= 0)) { if (!gaps) { cx[c] = x; ++bad[c]; } continue; }
      cx[c] = x;
      if (y < lo[c]) lo[c] = y;
      if (y > hi[c]) hi[c] = y;
      sum[c] += y; ++n[c];
      if (c !== last) { ++seeds[c]; last = c; }
    }
  }
  addMean(mean, scale) {
    this.add({x: mean.x, y: mean.m}, scale, true);
    const {x0, x1, column, logY} = scale, lo = mean.lo || mean.m, hi = mean.hi || mean.m;
    mean.x.forEach((x, i) => {
      if (!(x >= x0 && x <= x1) || missing(lo[i])) return;
      const c = column(x);
      if (!logY || lo[i] > 0) this.lo[c] = Math.min(this.lo[c], lo[i]);
      this.hi[c] = Math.max(this.hi[c], hi[i]);
      this.seeds[c] = Array.isArray(mean.n) ? mean.n[i] : mean.n;
    });
    for (const x of mean.bad) if (x >= x0 && x <= x1) { const c = column(x); ++this.bad[c]; this.x[c] = x; }
  }
  /// Runs of columns with values, broken where values are not finite.
  runs() {
    const out = [];
    let open = null;
    for (let c = 0; c < this.n.length; ++c) {
      if (this.n[c]) { if (!open) out.push(open = []); open.push(c); } else if (this.bad[c]) open = null;
    }
    return out;
  }
}

/// One metric of several groups, on a canvas that is painted when it comes into view; a second canvas has what the pointer reads.
class Chart {
  constructor(board, metric, info) {
    Object.assign(this, {board, metric, info, seen: false, dirty: true, cursor: null, scale: null, drawn: []});
    this.base = el('canvas', {'aria-hidden': 'true'});
    this.over = el('canvas', {'aria-hidden': 'true'});
    this.plot = el('div', {class: 'plot', tabindex: '0', role: 'application', 'aria-roledescription': 'chart', 'aria-label':
      info.title + ': curves. Arrow keys read values, plus and minus zoom, Escape shows all.'}, this.base, this.over);
    this.node = el('figure', {class: 'chart', 'data-metric': metric},
      el('figcaption', {}, info.title, info.title !== metric && el('code', {}, metric)), this.plot);
    this.node.chart = this;
    const on = (name, call) => this.plot.addEventListener(name, call);
    on('pointermove', e => this.point(e.offsetX, e.offsetY, e));
    on('pointerleave', () => this.leave());
    on('blur', () => this.leave());
    on('pointerdown', e => {
      if (e.button !== 0 || e.pointerType === 'touch') return;
      this.from = e.offsetX;
      this.plot.setPointerCapture(e.pointerId);
    });
    on('pointerup', e => {
      const from = this.from;
      this.from = undefined;
      if (from === undefined || Math.abs(e.offsetX - from) < 6 || !this.scale) return this.paintOver();
      this.board.zoomTo([from, e.offsetX].sort((a, b) => a - b).map(px => this.scale.back(px)));
    });
    on('dblclick', () => this.board.zoomTo(null));
    on('keydown', e => this.key(e));
    charts.add(this);
  }
  stale() { this.dirty = true; if (this.seen) nextFrame(this); }
  leave() { this.cursor = this.near = this.pointed = null; hideTip(); this.paintOver(); }
  key(e) {
    if (e.key === 'Escape') return this.board.zoomTo(null);
    if (!this.scale) return;
    const {x0, x1, left, w, back} = this.scale;
    if (e.key === '+' || e.key === '-') {
      const at = this.cursor ?? w / 2, half = w * (e.key === '+' ? 0.25 : 1);
      return this.board.zoomTo(e.key === '-' ? null : [at - half, at + half].map(c => Math.min(x1, Math.max(x0, back(left + c)))));
    }
    const move = {ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -1e9, End: 1e9}[e.key];
    const columns = this.columns();
    if (!move || !columns.length) return;
    e.preventDefault();
    let at = this.cursor === null ? (move > 0 ? -1 : columns.length) : columns.findIndex(c => c >= this.cursor);
    at = Math.min(columns.length - 1, Math.max(0, at + move));
    const box = this.plot.getBoundingClientRect();
    this.point(left + columns[at], null, {clientX: box.left + left + columns[at], clientY: box.top + 30});
    announce(tip.innerText.replace(/\n+/g, '; '));
  }
  /// The columns with values, ascending.
  columns() {
    const out = [];
    for (let c = 0; this.scale && c < this.scale.w; ++c) if (this.drawn.some(d => d.n[c] || d.bad[c])) out.push(c);
    return out;
  }
  /// Shows the values at a point, and the seed's curve that is nearest to it.
  point(px, py, e) {
    const columns = this.columns();
    if (!columns.length) return;
    this.pointed = [px, py, {clientX: e.clientX, clientY: e.clientY}];
    const {left, y} = this.scale, at = px - left, show = v => shownNumber(v, this.info.percent);
    const c = this.cursor = columns.reduce((best, c) => Math.abs(c - at) < Math.abs(best - at) ? c : best, columns[0]);
    this.to = px;
    const x = this.drawn.find(d => d.n[c] || d.bad[c]).x[c];
    this.near = null;
    let within = 40;
    if (py !== null) for (const d of this.drawn) for (const line of d.curves.seeds) {
      const value = line.y.length ? line.y[nearest(line, x)] : NaN, away = Math.abs(y(value) - py);
      if (!missing(value) && away < within) { within = away; this.near = {d, line, value}; }
    }
    const rank = d => (d.n[c] ? d.mean(c) : -Infinity);
    const read = this.drawn.filter(d => d.n[c] || d.bad[c]).sort((a, b) => rank(b) - rank(a));
    const more = d => (d.hi[c] > d.lo[c] ? ` ${show(d.lo[c])} to ${show(d.hi[c])}` : '') +
      (d.group.rows.length > 1 ? `, n = ${d.seeds[c]}` : '') + (d.bad[c] && d.n[c] ? `, ${d.bad[c]} not finite` : '');
    const line = d => el('div', {}, swatch(d.group.colour), d.group.label + ' ', el('b', {}, d.n[c] ? show(d.mean(c)) : 'not finite'),
      el('i', {}, more(d)));
    put(tip, el('div', {class: 'soft'}, this.board.axis + ' ' + shownNumber(x)),
      this.near && el('div', {class: 'near'}, swatch(this.near.d.group.colour), `${this.near.d.group.label}, ${this.near.line.label}: `,
        el('b', {}, show(this.near.value))),
      ...read.slice(0, 12).map(line), read.length > 12 && el('div', {class: 'soft'}, `and ${read.length - 12} more`));
    tip.hidden = false;
    const beside = e.clientX + 14 + tip.offsetWidth > innerWidth ? -14 - tip.offsetWidth : 14;
    placeTip(e.clientX + beside, e.clientY - 14, e.clientY + 10);
    this.paintOver();
  }
  /// A canvas's context, cleared, in CSS pixels.
  fresh(canvas) {
    const ratio = devicePixelRatio || 1, width = this.plot.clientWidth, height = this.plot.clientHeight;
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    const g = canvas.getContext('2d');
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, width, height);
    return g;
  }
  /// Finds the range of x, and each group's values by pixel column.
  collect(w) {
    const {axis, logX, logY, zoom} = this.board;
    const found = this.board.groups.filter(g => !g.hidden).map(g => [g, g.curves(this.metric, axis)]).filter(([, curves]) => curves);
    let x0 = Infinity, x1 = -Infinity;
    const look = (xs, n, at) => {
      for (let i = 0; i < n; ++i) {
        const x = xs[at ? at[i] : i];
        if (!isFinite(x) || (logX && x <= 0)) continue;
        if (x < x0) x0 = x;
        if (x > x1) x1 = x;
      }
    };
    for (const [, curves] of found) {
      if (curves.mean) for (const xs of [curves.mean.x, curves.mean.bad]) look(xs, xs.length);
      else for (const line of curves.seeds) look(line.x, line.y.length, line.at);
    }
    if (zoom) [x0, x1] = zoom;
    this.drawn = [];
    this.scale = this.cursor = this.near = null;
    if (!(x1 >= x0)) return;
    if (x0 === x1) { x0 = logX ? x0 / 2 : x0 - 0.5; x1 = logX ? x1 * 2 : x1 + 0.5; }
    const fx = logX ? Math.log : v => v, f0 = fx(x0), by = (w - 1) / (fx(x1) - f0), left = 54;
    const column = logX ? x => Math.round((Math.log(x) - f0) * by) : x => Math.round((x - f0) * by);
    const back = px => { const v = f0 + Math.min(w - 1, Math.max(0, px - left)) / by; return logX ? Math.exp(v) : v; };
    this.scale = {w, left, x0, x1, logY, column, back};
    for (const [group, curves] of found) {
      const d = Object.assign(new Columns(w), {group, curves});
      if (curves.mean) d.addMean(curves.mean, this.scale); else for (const line of curves.seeds) d.add(line, this.scale, false);
      this.drawn.push(d);
    }
  }
  /// The scale of y over what is shown.
  fit(top, h) {
    const {w, logY} = this.scale, long = this.drawn.some(d => d.n.reduce((n, v) => n + (v > 0), 0) > 30);
    const late = this.board.late && !this.board.zoom && long;
    let y0 = Infinity, y1 = -Infinity;
    for (const from of late ? [Math.floor(w / 5), 0] : [0]) {
      if (y1 >= y0) break;
      for (const d of this.drawn) for (let c = from; c < w; ++c) {
        if (d.lo[c] < y0) y0 = d.lo[c];
        if (d.hi[c] > y1) y1 = d.hi[c];
      }
    }
    if (!(y1 >= y0)) { y0 = logY ? 0.1 : 0; y1 = 1; }
    if (y0 === y1) { const d = Math.abs(y0) * 0.05 || 0.5; y0 -= d; y1 += d; }
    const fy = logY ? Math.log : v => v, pad = (fy(y1) - fy(y0)) * 0.04, ya = fy(y0) - pad, yb = fy(y1) + pad;
    const y = v => top + h - (fy(v) - ya) / (yb - ya) * h;
    Object.assign(this.scale, {top, h, y, y0: logY ? Math.exp(ya) : ya, y1: logY ? Math.exp(yb) : yb});
  }
  draw() {
    if (!this.plot.clientWidth) return;
    this.dirty = false;
    const top = 12, left = 54, h = this.plot.clientHeight - top - 24, w = Math.max(10, Math.floor(this.plot.clientWidth - left - 10));
    const g = this.fresh(this.base);
    const style = getComputedStyle(root), soft = style.getPropertyValue('--soft');
    this.palette = Array.from({length: kColours}, (_, i) => style.getPropertyValue('--c' + i));
    this.soft = soft;
    g.font = '11px system-ui, sans-serif';
    this.collect(w);
    this.node.dataset.drawn = this.drawn.length;
    if (!this.scale) {
      g.fillStyle = soft;
      g.fillText('nothing logged by ' + this.board.axis, left, top + h / 2);
      return this.paintOver();
    }
    this.fit(top, h);
    const {y, y0, y1, x0, x1, column, logY} = this.scale;
    g.strokeStyle = style.getPropertyValue('--line'); g.fillStyle = soft; g.lineWidth = 1; g.textBaseline = 'middle'; g.textAlign = 'right';
    for (const t of ticks(y0, y1, logY, 5)) {
      const at = Math.round(y(t)) + 0.5;
      g.beginPath(); g.moveTo(left, at); g.lineTo(left + w, at); g.stroke();
      g.fillText(tickText(t, this.info.percent), left - 6, at);
    }
    g.textAlign = 'center'; g.textBaseline = 'top';
    for (const t of ticks(x0, x1, this.board.logX, Math.max(2, Math.floor(w / 80))))
      g.fillText(tickText(t), left + Math.min(w - 12, Math.max(4, column(t))), top + h + 7);
    g.save();
    g.beginPath(); g.rect(left, 0, w + 2, top + h + 2); g.clip();
    for (const d of this.drawn) this.paint(g, d);
    g.restore();
    if (this.pointed) this.point(...this.pointed); else this.paintOver();
  }
  /// The path of columns' means, and dots where a value stands alone.
  path(g, d, smooth) {
    const {left, y} = this.scale, runs = d.runs(), few = runs.reduce((n, r) => n + r.length, 0) < 14;
    let at = NaN;
    g.beginPath();
    for (const run of runs) run.forEach((c, i) => {
      at = isFinite(at) ? smooth * at + (1 - smooth) * d.mean(c) : d.mean(c);
      g[i ? 'lineTo' : 'moveTo'](left + c, y(at));
    });
    g.stroke();
    g.setLineDash([]);
    for (const c of runs.filter(run => few || run.length === 1).flat()) {
      g.beginPath(); g.arc(left + c, y(d.mean(c)), 2.5, 0, 7); g.fill();
    }
  }
  paint(g, d) {
    const {left, y, w} = this.scale;
    g.strokeStyle = g.fillStyle = this.palette[d.group.colour % kColours];
    for (const run of d.runs()) {
      g.globalAlpha = 0.16;
      g.beginPath();
      run.forEach((c, i) => g[i ? 'lineTo' : 'moveTo'](left + c, y(d.hi[c])));
      for (let i = run.length; i--;) g.lineTo(left + run[i], y(d.lo[run[i]]));
      g.fill();
      // A band of one column has no area.
      g.globalAlpha = 0.5; g.lineWidth = 1;
      g.beginPath();
      for (const c of run) if (d.hi[c] > d.lo[c] && (d.curves.seeds.length === 1 || run.length === 1 || this.isSpike(d, c))) {
        g.moveTo(left + c + 0.5, y(d.hi[c])); g.lineTo(left + c + 0.5, y(d.lo[c]));
      }
      g.stroke();
    }
    if (this.board.seeds && d.curves.seeds.length > 1) {
      g.globalAlpha = 0.55; g.lineWidth = 0.8;
      for (const line of d.curves.seeds) { const own = new Columns(w); own.add(line, this.scale, true); this.path(g, own, 0); }
    }
    g.globalAlpha = 1; g.lineWidth = 1.7; g.lineJoin = 'round'; g.setLineDash(d.group.dash);
    this.path(g, d, this.board.smooth);
    // A cross at the top marks values that are not finite.
    g.lineWidth = 1.5;
    g.beginPath();
    let last = -9;
    for (let c = 0; c < w; ++c) if (d.bad[c] && c - last > 5) {
      last = c;
      const x = left + c;
      g.moveTo(x - 3, 3); g.lineTo(x + 3, 9); g.moveTo(x + 3, 3); g.lineTo(x - 3, 9);
    }
    g.stroke();
  }
  /// Whether a column reaches beyond both neighbours' bands.
  isSpike(d, c) {
    const beyond = k => k < 0 || k >= d.n.length || !d.n[k] || d.hi[c] > d.hi[k] || d.lo[c] < d.lo[k];
    return beyond(c - 1) && beyond(c + 1);
  }
  paintOver() {
    if (!this.plot.clientWidth) return;
    const g = this.fresh(this.over), c = this.cursor;
    this.node.dataset.near = this.near ? this.near.line.label : '';
    if (!this.scale) return;
    const {left, top, h, w, y} = this.scale;
    g.save();
    g.beginPath(); g.rect(left, 0, w + 2, top + h + 2); g.clip();
    if (this.near) {
      const own = new Columns(w);
      own.add(this.near.line, this.scale, true);
      g.strokeStyle = g.fillStyle = this.palette[this.near.d.group.colour % kColours];
      g.lineWidth = 2.2;
      g.beginPath();
      for (const at of own.runs().flat()) if (own.hi[at] > own.lo[at]) {
        g.moveTo(left + at, y(own.hi[at]));
        g.lineTo(left + at, y(own.lo[at]));
      }
      g.stroke();
      this.path(g, own, 0);
    }
    if (c !== null) {
      g.strokeStyle = this.soft; g.lineWidth = 1;
      g.beginPath(); g.moveTo(left + c + 0.5, top); g.lineTo(left + c + 0.5, top + h); g.stroke();
      for (const d of this.drawn) if (d.n[c]) {
        g.fillStyle = this.palette[d.group.colour % kColours];
        g.beginPath(); g.arc(left + c, y(d.mean(c)), 3.5, 0, 7); g.fill();
      }
    }
    if (this.from !== undefined && this.to !== undefined) {
      g.globalAlpha = 0.15; g.fillStyle = this.soft;
      g.fillRect(Math.min(this.from, this.to), top, Math.abs(this.to - this.from), h);
    }
    g.restore();
  }
}
const waiting = new Set();
const nextFrame = chart => {
  if (!waiting.size) requestAnimationFrame(() => {
    const all = [...waiting];
    waiting.clear();
    for (const c of all) if (c.dirty && c.seen) c.draw();
  });
  waiting.add(chart);
};
const onScreen = new IntersectionObserver(entries => {
  for (const e of entries) { const c = e.target.chart; c.seen = e.isIntersecting; if (c.seen && c.dirty) nextFrame(c); }
}, {rootMargin: '120px'});
addEventListener('resize', () => { for (const c of charts) c.stale(); });

/// The charts of a page, with the controls that they share. `info(metric)`: {title, percent}.
class Board {
  constructor(groups, params, info) {
    Object.assign(this, {groups, info, charts: new Map(), axis: 'step', logX: false, logY: false, seeds: false, late: true, smooth: 0});
    this.zoom = null;
    const tick = (name, text) => el('label', {},
      el('input', {type: 'checkbox', name, checked: this[name], onchange: e => { this[name] = e.target.checked; this.redraw(); }}), text);
    this.axes = el('select', {'aria-label': 'x axis', name: 'axis', onchange: e => { this.axis = e.target.value; this.zoomTo(null); }});
    const smoothing = el('input', {type: 'range', min: '0', max: '0.98', step: '0.02', value: '0', 'aria-label': 'smoothing',
      oninput: e => { this.smooth = Number(e.target.value); this.redraw(); }});
    this.search = el('input', {type: 'search', 'aria-label': 'Find a metric', placeholder: 'find a metric', oninput: () => this.find()});
    this.count = el('span', {class: 'soft', role: 'status'});
    this.reset = el('button', {type: 'button', class: 'quiet', hidden: true, onclick: () => this.zoomTo(null)}, 'show all');
    this.grid = el('div', {class: 'charts'});
    const most = 40;
    groups.forEach((g, i) => { g.hidden = i >= most; });
    const boxes = groups.map((g, i) => el('input', {type: 'checkbox', checked: !g.hidden, 'data-group': i,
      onchange: e => { g.hidden = !e.target.checked; this.redraw(); }}));
    const keys = el('div', {class: 'keys', role: 'group', 'aria-label': 'Arms to draw'}, ...groups.map((g, i) =>
      el('label', {}, boxes[i], swatch(g.colour), g.label, g.rows.length > 1 && el('i', {}, g.rows.length + ' seeds'))));
    // In a sweep: only the points with these values.
    const chosen = params.map(() => '');
    const pick = () => {
      groups.forEach((g, i) => { g.hidden = !chosen.every((v, k) => v === '' || g.params[k] === v); boxes[i].checked = !g.hidden; });
      this.redraw();
    };
    const narrow = params.map((p, k) => {
      const values = [...new Set(groups.map(g => g.params[k]))];
      const choose = e => { chosen[k] = e.target.value; pick(); };
      return values.length > 1 && el('label', {}, p.short, el('select', {name: p.name, onchange: choose},
        el('option', {value: ''}, 'any'), ...values.map(v => el('option', {value: v}, v))));
    });
    const controls = el('div', {class: 'controls'}, this.search, el('label', {}, 'x', this.axes), tick('logX', 'log x'),
      tick('logY', 'log y'), groups.some(g => g.rows.length > 1) && tick('seeds', 'single seeds'),
      tick('late', 'y fits what comes after the start'), el('label', {}, 'smooth', smoothing), ...narrow, this.reset, this.count);
    const help = 'Lines are means over seeds; bands reach from the lowest to the highest value. A cross marks values that are not ' +
      'finite. Drag to zoom; Escape or a double click shows all. With the keyboard: focus a chart, then arrow keys.';
    this.node = el('div', {}, controls, groups.length > 1 && keys, this.grid, el('p', {class: 'small'}, help));
    this.setAxes(['step']);
  }
  setAxes(names) {
    if (names.length === this.axes.options.length) return;
    put(this.axes, ...names.map(a => el('option', {value: a, selected: a === this.axis}, a === 'time' ? 'seconds, at mean speed' : a)));
  }
  /// Adds charts of metrics that have none yet.
  fill(names) {
    const rank = n => (/^(test|validation)\//.test(n) ? 0 : /loss|accuracy/.test(n) ? 1 : 2);
    let fresh = false;
    this.sorted = [...names].sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
    for (const name of this.sorted) if (!this.charts.has(name)) {
      this.charts.set(name, new Chart(this, name, this.info(name)));
      fresh = true;
    }
    if (fresh) this.find();
    this.redraw();
  }
  find() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean), most = 60;
    const match = this.sorted.filter(n => words.every(w => (n + ' ' + this.info(n).title).toLowerCase().includes(w)));
    const nodes = match.slice(0, most).map(n => this.charts.get(n).node);
    this.grid.replaceChildren(...nodes);
    for (const chart of this.charts.values()) { onScreen.unobserve(chart.node); chart.seen = false; }
    for (const node of nodes) onScreen.observe(node);
    const cut = match.length > most ? `, the first ${most} shown` : '';
    this.count.textContent = `${match.length} metric${match.length === 1 ? '' : 's'}${cut}`;
  }
  zoomTo(range) { this.zoom = range; this.reset.hidden = !range; this.redraw(); }
  redraw() { for (const chart of this.charts.values()) chart.stale(); }
  leave() { for (const chart of this.charts.values()) { charts.delete(chart); onScreen.unobserve(chart.node); } }
}

// ---- points of a sweep or search ------------------------------------------------------------------------------------
const svg = (tag, attributes, ...children) => {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
};
/// Where values lie on an axis, between 0 and 1: numbers on a line or, over a factor of 30, on logarithms; other values evenly.
const placesOf = values => {
  const all = [...new Set(values)], numbers = all.map(Number);
  if (numbers.some(v => !isFinite(v))) return {of: v => (all.length < 2 ? 0.5 : all.indexOf(v) / (all.length - 1)), marks: all};
  const low = Math.min(...numbers), high = Math.max(...numbers), log = low > 0 && high / low > 30, f = log ? Math.log : v => v;
  const of = v => (high > low ? (f(Number(v)) - f(low)) / (f(high) - f(low)) : 0.5);
  return {of, marks: all.length <= 8 ? all : ticks(low, high, log, 5)};
};
/// A sweep of two parameters as a table for each arm, coloured by a metric. A cell is a button that calls `pick` with its jobs.
const heatMaps = (jobs, points, params, metric, pick) => {
  const count = p => new Set(jobs.rows.map(r => r.params[p.i])).size, [down, across] = [...params].sort((a, b) => count(a) - count(b));
  const means = points.map(p => p.mean), low = Math.min(...means), high = Math.max(...means);
  const good = v => (high > low ? (metric.higher ? v - low : high - v) / (high - low) : 1);
  return jobs.arms.map((arm, a) => {
    const own = points.filter(p => p.g.rows[0].arm === a && p.g.params[down.i] !== '' && p.g.params[across.i] !== '');
    if (!own.length) return null;
    const values = param => {
      const all = [...new Set(own.map(p => p.g.params[param.i]))];
      return all.every(v => isFinite(v)) ? all.sort((x, y) => x - y) : all;
    };
    const cell = (y, x) => {
      const p = own.find(q => q.g.params[down.i] === y && q.g.params[across.i] === x);
      if (!p) return el('td', {});
      const button = el('button', {type: 'button', class: 'cell', 'aria-label': p.label, 'data-tip': p.label, onclick: () =>
        pick(p.g.rows, p.g.label)}, tableNumber(p.mean, metric));
      button.style.background = `color-mix(in srgb, var(--c1) ${Math.round(70 * good(p.mean))}%, var(--ground))`;
      return el('td', {}, button);
    };
    const head = (scope, text) => el('th', {scope}, text);
    return region(`${arm.label} by ${down.title} and ${across.title}`, el('table', {class: 'heat'},
      el('caption', {}, jobs.arms.length > 1 ? arm.label + ': ' : '', `${down.title} down, ${across.title} across`),
      el('thead', {}, el('tr', {}, el('td', {}), ...values(across).map(x => head('col', x)))),
      el('tbody', {}, ...values(down).reverse().map(y => el('tr', {}, head('row', y), ...values(across).map(x => cell(y, x)))))));
  }).filter(Boolean);
};
/// Parallel coordinates: a line for each of `points`, the best first. `pick` is called with the jobs of a line that was chosen.
const parallelCoordinates = (jobs, points, params, metric, pick) => {
  const H = 250, top = 30, wide = Math.max(150, Math.min(260, 1300 / (params.length + 1)));
  const axis = (title, value) => ({title, value, at: placesOf(points.map(value).filter(v => v !== ''))});
  const axes = [...(jobs.arms.length > 1 ? [axis('arm', p => jobs.arms[p.g.rows[0].arm].label)] : []),
    ...params.map(a => axis(a.title, p => p.g.params[a.i])), axis(metric.title, p => p.mean)];
  const x = k => 50 + k * wide, W = x(axes.length - 1) + 110, y = (axis, v) => top + (H - top - 20) * (1 - axis.at.of(v));
  const picture = svg('svg', {viewBox: `0 0 ${W} ${H}`, width: W, height: H, class: 'parallel', role: 'group', 'aria-label':
    `Parallel coordinates: ${points.length} points by ${metric.title}. Arrow keys go from the best to the worst, Enter shows jobs.`});
  const lines = points.map((p, i) => {
    const corners = axes.map((a, k) => a.value(p) !== '' && `${x(k)},${y(a, a.value(p)).toFixed(1)}`);
    const d = 'M' + corners.filter(Boolean).join('L');  // an arm without a parameter passes by its axis
    const line = svg('g', {class: 'point', role: 'link', tabindex: i ? -1 : 0, 'data-tip': p.label, 'aria-label': p.label},
      svg('path', {class: 'wide', d}), svg('path', {class: 'line', d}));
    const share = Math.round(100 - 100 * i / Math.max(1, points.length - 1));
    line.lastChild.style.stroke = `color-mix(in srgb, var(--c1) ${share}%, var(--c0))`;
    line.addEventListener('click', () => pick(p.g.rows, p.g.label));
    line.addEventListener('keydown', e => {
      if (e.key === 'Enter') pick(p.g.rows, p.g.label);
      const to = {ArrowDown: i + 1, ArrowRight: i + 1, ArrowUp: i - 1, ArrowLeft: i - 1, Home: 0, End: points.length - 1}[e.key];
      if (!lines[to]) return;
      e.preventDefault();
      line.setAttribute('tabindex', -1);
      lines[to].setAttribute('tabindex', 0);
      lines[to].focus();
    });
    return line;
  });
  picture.append(...[...lines].reverse());  // the best on top
  axes.forEach((a, k) => {
    const text = (at, y, value, cls) => svg('text', {x: at, y, class: cls}, value), last = k === axes.length - 1;
    picture.append(svg('line', {x1: x(k), x2: x(k), y1: top, y2: H - 20}), text(x(k), 16, a.title, 'head'));
    const mark = v => (typeof v === 'number' ? tickText(v, last && metric.percent) : v);
    for (const v of a.at.marks) picture.append(text(x(k) + 6, y(a, v) + 4, mark(v)));
  });
  return region('Parallel coordinates', picture);
};
/// The points of a sweep or search by one metric, as heat maps if two parameters vary, and as parallel coordinates. `pick`: see there.
const sweptPoints = (jobs, pick) => {
  const params = jobs.params.map((p, i) => ({...p, i})).filter(p => new Set(jobs.rows.map(r => r.params[p.i])).size > 1);
  const metrics = jobs.metrics.map((m, i) => ({...m, i})).filter(m => jobs.rows.some(r => r.values[m.i] !== null));
  if (!params.length || !metrics.length) return null;
  const place = el('div'), most = 1000;
  const draw = metric => {
    const found = groupsOf(jobs).map(g => {
      const values = g.rows.map(r => r.values[metric.i]).filter(v => v !== null);
      const n = values.length, mean = values.reduce((a, b) => a + b, 0) / n;
      return {g, mean, n, label: `${g.label}: ${metric.title} ${tableNumber(mean, metric)}, n = ${n}`};
    }).filter(p => p.n).sort((a, b) => (metric.higher ? b.mean - a.mean : a.mean - b.mean));
    const points = found.slice(0, most), cut = points.length < found.length ? `The best ${most} of ${found.length} points. ` : '';
    const maps = params.length === 2 && found.length <= most ? heatMaps(jobs, found, params, metric, pick) : [];
    put(place, maps.length > 0 && el('div', {class: 'heats'}, ...maps), parallelCoordinates(jobs, points, params, metric, pick),
      el('p', {class: 'small'}, `${cut}Orange is best. A click or Enter on a ${maps.length ? 'cell or line' : 'line'} shows its jobs.`));
  };
  draw(metrics[0]);
  const choose = el('select', {'aria-label': 'metric', onchange: e => draw(metrics[e.target.selectedIndex])},
    ...metrics.map(m => el('option', {}, m.title)));
  return el('div', {}, metrics.length > 1 && el('div', {class: 'controls'}, el('label', {}, 'by', choose)), place);
};

// ---- jobs -----------------------------------------------------------------------------------------------------------
/// The table of a run's jobs. `more`: further columns {head, number, key, cell}; those with `first` come before the metrics.
class JobTable {
  constructor(jobs, more) {
    this.first = 100;
    this.keep = {};
    this.filter = el('input', {type: 'search', id: 'jobs-filter', autocomplete: 'off', spellcheck: 'false', oninput: () => this.show(),
      placeholder: jobs.params.length ? `filter: ${jobs.params[0].short}=… seed=0 completed` : 'filter: yat seed=0 failed',
      'aria-label': 'Filter jobs by arm, seed, parameters and state'});
    this.count = el('span', {id: 'jobs-count', class: 'soft', role: 'status'});
    this.all = el('button', {type: 'button', class: 'quiet', hidden: true, onclick: () => this.pick(null, '')}, 'all jobs');
    this.more = el('button', {type: 'button', class: 'quiet', onclick: () => { this.first = Infinity; this.show(); }});
    this.place = el('div');
    this.further = more;
    const command = el('p', {class: 'command'}, el('code', {id: 'run-command'}, jobs.whole), copyButton(jobs.whole, 'Copy the command'));
    const controls = el('div', {class: 'controls'}, this.filter, this.count, this.all);
    this.node = el('div', {}, command, controls, this.place, el('p', {}, this.more));
    this.set(jobs);
  }
  /// Shows these jobs; the filter and the order stay.
  set(jobs) {
    this.jobs = jobs;
    for (const row of jobs.rows) {
      const arm = jobs.arms[row.arm];
      row.terms = [arm.name, arm.label, `seed=${row.seed}`].concat(...row.params.map((v, i) => {
        const p = jobs.params[i];
        return [`${p.name}=${v}`, `${p.short}=${v}`, `${p.title}=${v}`, v];
      })).map(t => t.toLowerCase());
    }
    const cell = (key, cls) => r => el('td', {class: cls}, key(r)), name = r => jobs.arms[r.arm].label;
    this.columns = [
      {head: 'state', key: r => r.state, cell: r => el('td', {}, el('span', {class: 'badge state ' + r.state}, r.state))},
      ...(jobs.arms.length < 2 ? [] : [{head: 'arm', key: name, cell: r => el('th', {scope: 'row'}, name(r))}]),
      ...jobs.params.map((p, i) => ({head: p.title, title: p.name, key: r => r.params[i], cell: cell(r => r.params[i])})),
      {head: 'seed', number: true, key: r => r.seed, cell: cell(r => r.seed, 'num')},
      ...this.further.filter(c => c.first),
      ...jobs.metrics.map((m, i) => ({head: m.title, title: m.name, number: true, key: r => r.values[i], cell: r =>
        el('td', {class: 'num', 'data-metric': m.name, 'data-value': r.values[i]}, tableNumber(r.values[i], m))})),
      ...(jobs.rows.some(r => r.steps) ? [{head: 'steps', number: true, key: r => r.steps, cell: cell(r => r.steps, 'num')}] : []),
      {head: 'time', number: true, key: r => r.wall, cell: cell(r => duration(r.wall), 'num')},
      ...this.further.filter(c => !c.first),
      {head: 'command', cell: r => el('td', {}, copyButton(jobs.command + r.command, `Copy the command for ${name(r)} seed ${r.seed}`))}];
    const heads = this.columns.map(c =>
      el('th', {scope: 'col', class: (c.number ? 'num' : '') + (c.key ? '' : ' unsorted'), title: c.title}, c.head));
    this.table = el('table', {class: 'jobs'}, el('thead', {}, el('tr', {}, ...heads)), el('tbody'));
    put(this.place, region('Jobs', sortable(this.table, this.keep, () => this.show())));
    this.show();
  }
  /// Shows only these jobs; with null, all.
  pick(rows, label) {
    this.picked = rows && {dirs: new Set(rows.map(r => r.dir)), label};
    this.all.hidden = !rows;
    this.filter.value = '';
    this.show();
    if (!rows) return;
    const section = this.node.closest('section');
    section.scrollIntoView();
    section.querySelector('.scroll').focus({preventScroll: true});
  }
  /// Rows that have every word. "seed=1" means seed 1 if there is one, else whatever begins like it.
  matching() {
    const rows = this.jobs.rows, terms = r => [...r.terms, r.state];
    const tests = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean).map(word =>
      !word.includes('=') ? r => terms(r).some(t => t.includes(word))
        : rows.some(r => r.terms.includes(word)) ? r => r.terms.includes(word) : r => r.terms.some(t => t.startsWith(word)));
    const found = rows.filter(r => !this.picked || this.picked.dirs.has(r.dir)).filter(r => tests.every(test => test(r)));
    const key = this.keep.column !== undefined && this.columns[this.keep.column].key;
    return key ? found.sort((a, b) => compareKeys(key(a), key(b), this.keep.up)) : found;
  }
  line(r) {
    const line = el('tr', {'data-dir': r.dir}, ...this.columns.map(c => c.cell(r)));
    return r.error ? [line, el('tr', {}, el('td', {class: 'error', colspan: this.columns.length}, r.error.slice(0, 2000)))] : [line];
  }
  row(dir) { return this.table.querySelector(`tr[data-dir="${CSS.escape(dir)}"]`); }
  /// Draws one job's row again.
  update(r) {
    const old = this.row(r.dir);
    if (!old) return;
    if (old.nextSibling && !old.nextSibling.dataset.dir) old.nextSibling.remove();
    old.replaceWith(...this.line(r));
  }
  show() {
    if (!this.table) return;
    const found = this.matching(), visible = found.slice(0, this.first), all = this.jobs.rows.length;
    this.table.tBodies[0].replaceChildren(...visible.flatMap(r => this.line(r)));
    const label = this.picked ? ': ' + this.picked.label : '';
    this.count.textContent = (found.length === all ? `${all} jobs` : `${found.length} of ${all} jobs`) + label;
    this.more.hidden = visible.length === found.length;
    this.more.textContent = `Show all ${found.length}`;
  }
}
