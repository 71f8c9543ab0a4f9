// A live page of a folder of runs. What the server says is shown as text, never as markup.
'use strict';
(() => {
  const el = (tag, props = {}, ...children) => {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(props)) {
      if (key === 'class') node.className = value;
      else if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
      else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value === true ? '' : value);
    }
    node.append(...children.filter(c => c !== null && c !== undefined && c !== false));
    return node;
  };
  const put = (node, ...children) => node.replaceChildren(...children.filter(c => c !== null && c !== undefined && c !== false));
  const content = document.getElementById('content');
  const where = document.getElementById('where');
  const live = document.getElementById('live');
  const tip = document.getElementById('tip');
  const q = encodeURIComponent;

  // ---- dark and light -------------------------------------------------------------------------------------------
  const root = document.documentElement;
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const themeButton = document.getElementById('theme');
  const isDark = () => (root.dataset.theme || (dark.matches ? 'dark' : 'light')) === 'dark';
  const themed = () => {
    themeButton.textContent = isDark() ? 'Light' : 'Dark';
    for (const chart of charts) chart.stale();
  };
  themeButton.addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    try { localStorage.setItem('theme', root.dataset.theme); } catch { /* not kept */ }
    themed();
  });
  try { if (localStorage.getItem('theme')) root.dataset.theme = localStorage.getItem('theme'); } catch { /* as the system has it */ }
  dark.addEventListener('change', () => themed());

  // ---- talking to the server ------------------------------------------------------------------------------------
  const ask = async path => {
    const answer = await fetch(path);
    const text = await answer.text();
    let json = null;
    try { json = JSON.parse(text); } catch { /* said below */ }
    if (!answer.ok) throw Object.assign(new Error((json && json.error) || text.trim() || answer.statusText), {more: json || {}, status: answer.status});
    return json;
  };
  let heard = null;  // what the page shown does with an event
  let events = null;
  const listen = () => {
    events = new EventSource('/api/events');
    events.onopen = () => {
      live.textContent = 'live'; live.className = 'on';
      if (listen.lost && heard) heard({again: true});
      listen.lost = false;
    };
    events.onerror = () => { live.textContent = 'no connection; trying again'; live.className = 'off'; listen.lost = true; if (events.readyState === 2) setTimeout(listen, 3000); };
    events.onmessage = message => { if (heard) heard(JSON.parse(message.data)); };
  };
  const later = (wait, work) => {  // once, however often it is called meanwhile
    let timer = 0;
    return () => { if (!timer) timer = setTimeout(() => { timer = 0; work(); }, wait); };
  };

  // ---- words ----------------------------------------------------------------------------------------------------
  const duration = s => {
    if (!isFinite(s)) return '';
    s = Math.round(s);
    if (s < 60) return s + ' s';
    if (s < 3600) return Math.floor(s / 60) + ' min' + (s < 600 && s % 60 ? ' ' + s % 60 + ' s' : '');
    return Math.floor(s / 3600) + ' h ' + Math.floor(s % 3600 / 60) + ' min';
  };
  const order = ['completed', 'diverged', 'pruned', 'failed', 'running', 'submitted', 'preempted', 'interrupted', 'planned'];
  const stateText = states => order.filter(s => states[s]).map(s => states[s] + ' ' + (s === 'completed' ? 'done' : s)).join(', ');
  const total = states => Object.values(states).reduce((a, b) => a + b, 0);
  const bar = states => {
    const all = total(states) || 1;
    const parts = order.filter(s => states[s]).map(s => {
      const part = el('span', {class: 'part ' + s});
      part.style.flexGrow = states[s] / all;
      return part;
    });
    return el('div', {class: 'states', role: 'img', 'aria-label': stateText(states), title: stateText(states)}, ...parts);
  };
  const shownNumber = v => {
    if (!isFinite(v)) return String(v);
    const a = Math.abs(v);
    const text = a !== 0 && (a < 1e-3 || a >= 1e6) ? v.toExponential(3) : String(Number(v.toPrecision(5)));
    return text.replace('-', '\u2212');
  };
  const begun = id => {
    const m = /^(\d{4})-(\d\d)-(\d\d)_(\d\d)-(\d\d)-(\d\d)/.exec(id);
    return m ? new Date(m[1], m[2] - 1, m[3], m[4], m[5], m[6]) : null;
  };
  const ago = id => {
    const at = begun(id);
    if (!at) return '';
    const s = Math.max(0, (Date.now() - at) / 1000);
    return s < 90 ? Math.round(s) + ' s' : s < 5400 ? Math.round(s / 60) + ' min' : s < 129600 ? Math.round(s / 3600) + ' h' : Math.round(s / 86400) + ' d';
  };
  const copyButton = text => el('button', {type: 'button', class: 'quiet', title: text, onclick: async e => {
    const button = e.currentTarget;
    try { await navigator.clipboard.writeText(text); button.textContent = 'copied'; } catch { button.textContent = 'not allowed'; }
    setTimeout(() => { button.textContent = 'copy'; }, 1500);
  }}, 'copy');
  const failure = e => el('div', {class: 'warning', role: 'alert'}, el('b', {}, e.message), e.more && e.more.why ? ' ' + e.more.why : '', e.more && e.more.hint ? el('p', {}, 'try: ' + e.more.hint) : '');
  const shellWord = w => /^[\w@%+=:,.\/-]+$/.test(w) ? w : "'" + w.replace(/'/g, "'\\''") + "'";
  const link = run => '#/run/' + run.split('/').map(q).join('/');

  // ---- sorting --------------------------------------------------------------------------------------------------
  const sortable = (table, keep = {}) => {
    const heads = [...table.tHead.rows[0].cells];
    const sort = () => {
      if (keep.column === undefined) return;
      heads.forEach((h, i) => { if (i === keep.column) h.setAttribute('aria-sort', keep.up ? 'ascending' : 'descending'); else h.removeAttribute('aria-sort'); });
      const key = row => row.cells[keep.column].dataset.key ?? row.cells[keep.column].textContent;
      const rows = [...table.tBodies[0].rows].map(r => [key(r), r]);
      const numbers = rows.every(([k]) => k === '' || !isNaN(Number(k)));
      rows.sort(([a], [b]) => {
        if ((a === '') !== (b === '')) return a === '' ? 1 : -1;
        const c = numbers ? Number(a) - Number(b) : a.localeCompare(b, 'en', {numeric: true});
        return keep.up ? c : -c;
      });
      table.tBodies[0].append(...rows.map(r => r[1]));
    };
    heads.forEach((head, i) => {
      const button = head.querySelector('button');
      if (button) button.addEventListener('click', () => { keep.up = keep.column === i ? !keep.up : true; keep.column = i; sort(); });
    });
    sort();
    return table;
  };
  const head = (text, cls) => el('th', {scope: 'col', class: cls || ''}, text ? el('button', {type: 'button'}, text) : '');

  // ---- the list of runs -----------------------------------------------------------------------------------------
  const kept = {filter: '', sort: {}, chosen: new Set()};
  const showRuns = () => {
    where.replaceChildren();
    document.title = 'runs · Yatlab';
    const input = el('input', {type: 'search', id: 'filter', 'aria-label': 'Filter the runs', placeholder: 'words, state=failed, test/accuracy>0.92, tag=best', value: kept.filter, spellcheck: 'false'});
    const count = el('span', {class: 'soft', role: 'status'});
    const list = el('div', {});
    const compare = el('a', {class: 'button', hidden: true}, '');
    const chosen = () => {
      compare.hidden = kept.chosen.size < 2;
      compare.textContent = 'compare ' + kept.chosen.size + ' runs';
      compare.href = '#/compare/' + [...kept.chosen].map(q).join(',');
    };
    content.replaceChildren(el('h1', {}, 'Runs'), el('div', {class: 'controls'}, input, count, compare), list);
    let all = [], results = '';
    const draw = () => {
      const words = kept.filter.toLowerCase().split(/\s+/).filter(w => w && !/[=<>]/.test(w));
      const shown = all.filter(r => words.every(w => (r.run + ' ' + r.title + ' ' + r.tags.join(' ') + ' ' + r.overrides.join(' ') + ' ' + r.note).toLowerCase().includes(w)));
      count.textContent = shown.length === 1 ? '1 run' : shown.length + ' runs';
      if (!shown.length) {
        list.replaceChildren(el('p', {}, all.length ? 'No run matches.' : 'No runs in ' + results + ' yet. A run appears here when it starts: ', all.length ? '' : el('code', {}, './run.sh xor')));
        return;
      }
      const body = el('tbody', {});
      for (const r of shown) {
        const jobs = total(r.states), done = (r.states.completed || 0) + (r.states.diverged || 0) + (r.states.pruned || 0);
        const box = el('input', {type: 'checkbox', 'aria-label': 'compare ' + r.run, checked: kept.chosen.has(r.run), onchange: e => { if (e.target.checked) kept.chosen.add(r.run); else kept.chosen.delete(r.run); chosen(); }});
        body.append(el('tr', {'data-run': r.run},
          el('td', {class: 'pick'}, box),
          el('th', {scope: 'row', 'data-key': r.run}, el('a', {href: link(r.run)}, r.experiment), el('span', {class: 'id'}, r.id),
            r.note ? el('span', {class: 'note'}, r.note) : null,
            ...(r.found || []).flatMap(f => Object.entries(f.metrics).map(([m, v]) => el('span', {class: 'note'}, f.arm + ' ' + Object.entries(f.params).map(p => p.join('=')).join(' ') + ' ' + m + ' ' + shownNumber(v.mean) + (v.std === null ? '' : ' ± ' + shownNumber(v.std)) + ' (n = ' + v.n + ')')))),
          el('td', {'data-key': order.findIndex(s => s !== 'completed' && r.states[s])}, r.problem ? el('span', {class: 'bad', title: r.problem}, 'cannot be read') : bar(r.states), el('span', {class: 'soft small'}, stateText(r.states))),
          el('td', {class: 'num', 'data-key': jobs ? done / jobs : 0}, done + ' / ' + jobs),
          el('td', {}, r.scale || ''),
          el('td', {class: 'tags'}, ...r.tags.map(t => el('code', {}, t))),
          el('td', {class: 'wide'}, r.overrides.join(' ')),
          el('td', {class: 'num', 'data-key': begun(r.id) ? -begun(r.id) : ''}, ago(r.id))));
      }
      list.replaceChildren(el('div', {class: 'scroll', role: 'region', 'aria-label': 'Runs', tabindex: '0'}, sortable(el('table', {class: 'runs'},
        el('thead', {}, el('tr', {}, head(''), head('run'), head('state'), head('done', 'num'), head('scale'), head('tags'), head('overrides'), head('age', 'num'))), body), kept.sort)));
    };
    const load = async () => {
      const conditions = kept.filter.split(/\s+/).filter(w => /[=<>]/.test(w)).join(' ');
      try {
        const answer = await ask('/api/runs?filter=' + q(conditions));
        if (heard !== hear) return;
        all = answer.runs; results = answer.results;
        document.title = results.split('/').pop() + ' · Yatlab';
        draw();
      } catch (e) { if (heard === hear) list.replaceChildren(failure(e)); }
    };
    const soon = later(250, load), now_and_then = later(1500, load);
    input.addEventListener('input', () => { kept.filter = input.value; soon(); });
    const hear = () => now_and_then();
    heard = hear;
    chosen();
    load();
  };

  // ---- curves ---------------------------------------------------------------------------------------------------
  const colours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#8c6bb1', '#7f7f7f'];
  const darkColours = ['#5cb8f0', '#ff8f4d', '#3fcfa2', '#ec9fcb', '#f2b632', '#8fd0f7', '#b49bd8', '#b0b0b0'];
  const charts = new Set();
  const plain = {step: 1, epoch: 1, tokens: 1};
  const asNumber = v => typeof v === 'number' ? v : v === 'inf' || v === 'Infinity' ? Infinity : v === '-inf' || v === '-Infinity' ? -Infinity : NaN;

  /// The logged rows of one job, as far as they have come.
  class Log {
    constructor(run, dir) { this.run = run; this.dir = dir; this.next = 0; this.metrics = new Map(); this.busy = null; this.wanted = false; }
    add(text) {
      for (const line of text.split('\n')) {
        if (!line) continue;
        let row;
        try { row = JSON.parse(line); } catch { continue; }
        for (const name in row) {
          if (plain[name]) continue;
          let m = this.metrics.get(name);
          if (!m) this.metrics.set(name, m = {step: [], epoch: [], tokens: [], y: []});
          m.step.push(row.step); m.epoch.push(row.epoch ?? NaN); m.tokens.push(row.tokens ?? NaN); m.y.push(asNumber(row[name]));
        }
      }
    }
    /// Asks for what is new. True where something came.
    async more() {
      if (this.busy) { this.wanted = true; return this.busy; }
      this.busy = (async () => {
        let came = false;
        do {
          this.wanted = false;
          for (;;) {
            const answer = await fetch('/api/rows?run=' + q(this.run) + '&job=' + q(this.dir) + '&from=' + this.next);
            if (!answer.ok) return came;
            const text = await answer.text();
            const from = Number(answer.headers.get('X-From') || 0);
            if (from !== this.next) this.metrics.clear();  // begun anew
            this.next = Number(answer.headers.get('X-Next') || 0);
            if (!text) break;
            this.add(text);
            came = true;
          }
        } while (this.wanted);
        return came;
      })();
      try { return await this.busy; } finally { this.busy = null; }
    }
  }

  const ticks = (low, high, log, most) => {
    if (log) {
      const out = [];
      const from = Math.floor(Math.log10(low)), to = Math.ceil(Math.log10(high)), every = Math.max(1, Math.ceil((to - from) / most));
      for (let e = from; e <= to; e += every) for (const k of to - from <= 2 ? [1, 2, 5] : [1]) { const v = k * 10 ** e; if (v >= low && v <= high) out.push(v); }
      return out;
    }
    const raw = (high - low) / most, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map(k => k * power).find(s => s >= raw) || raw;
    const out = [];
    for (let v = Math.ceil(low / step) * step; v <= high + step * 1e-9; v += step) out.push(Math.abs(v) < step * 1e-9 ? 0 : v);
    return out;
  };
  const tickText = v => {
    const a = Math.abs(v);
    const text = a >= 1e9 ? v / 1e9 + 'G' : a >= 1e6 ? Number((v / 1e6).toPrecision(4)) + 'M' : a >= 1e4 ? Number((v / 1e3).toPrecision(4)) + 'k' : a !== 0 && a < 1e-3 ? v.toExponential(0) : String(Number(v.toPrecision(4)));
    return text.replace('-', '\u2212');
  };

  /// One metric of several groups of seeds, on a canvas; drawn when it is on the screen.
  class Chart {
    constructor(board, metric, title) {
      this.board = board; this.metric = metric; this.seen = false; this.dirty = true; this.cursor = null;
      this.canvas = el('canvas', {tabindex: '0', role: 'img', 'aria-label': title + ': curves. Arrow keys read values, dragging zooms, Escape shows all.'});
      this.node = el('figure', {class: 'chart', 'data-metric': metric}, el('figcaption', {}, title, title !== metric ? el('code', {}, metric) : null), this.canvas);
      this.canvas.addEventListener('pointermove', e => this.point(e.offsetX, e));
      this.canvas.addEventListener('pointerleave', () => { this.cursor = null; tip.hidden = true; this.stale(); });
      this.canvas.addEventListener('pointerdown', e => { if (e.button === 0 && e.pointerType !== 'touch') { this.from = e.offsetX; this.canvas.setPointerCapture(e.pointerId); } });
      this.canvas.addEventListener('pointerup', e => {
        const from = this.from; this.from = undefined;
        if (from === undefined || Math.abs(e.offsetX - from) < 6 || !this.scale) return this.stale();
        const [a, b] = [from, e.offsetX].sort((x, y) => x - y).map(px => this.scale.back(px));
        board.zoom = [a, b]; board.redraw();
      });
      this.canvas.addEventListener('dblclick', () => { board.zoom = null; board.redraw(); });
      this.canvas.addEventListener('keydown', e => {
        if (e.key === 'Escape') { board.zoom = null; board.redraw(); return; }
        const move = {ArrowLeft: -1, ArrowRight: 1, Home: -1e9, End: 1e9}[e.key];
        if (!move || !this.scale) return;
        e.preventDefault();
        const columns = this.columns();
        if (!columns.length) return;
        let at = this.cursor === null ? (move > 0 ? -1 : columns.length) : columns.findIndex(c => c >= this.cursor);
        at = Math.min(columns.length - 1, Math.max(0, (at < 0 ? columns.length : at) + move));
        const box = this.canvas.getBoundingClientRect();
        this.point(this.scale.left + columns[at], {clientX: box.left + this.scale.left + columns[at], clientY: box.top + 40});
      });
      charts.add(this);
    }
    stale() { this.dirty = true; if (this.seen) frame(this); }
    columns() { const set = new Set(); for (const g of this.drawn || []) for (let i = 0; i < g.n.length; ++i) if (g.n[i] || g.bad[i]) set.add(i); return [...set].sort((a, b) => a - b); }
    point(px, e) {
      if (!this.scale) return;
      const columns = this.columns();
      if (!columns.length) return;
      const at = px - this.scale.left;
      this.cursor = columns.reduce((best, c) => Math.abs(c - at) < Math.abs(best - at) ? c : best, columns[0]);
      this.to = px;
      const near = [];
      for (const g of this.drawn) {
        const c = this.cursor;
        if (!g.n[c] && !g.bad[c]) continue;
        const mean = g.sum[c] / g.n[c];
        const swatch = el('span', {class: 'swatch'}); swatch.style.background = g.colour;
        near.push(el('div', {}, swatch, g.label + ' ', el('b', {}, g.n[c] ? shownNumber(mean) : 'not finite'), g.n[c] > 1 && g.lo[c] !== g.hi[c] ? el('i', {}, ' ' + shownNumber(g.lo[c]) + ' to ' + shownNumber(g.hi[c])) : '', g.bad[c] && g.n[c] ? el('i', {}, ' and ' + g.bad[c] + ' not finite') : ''));
      }
      const shown = near.slice(0, 14);
      if (near.length > 14) shown.push(el('div', {}, 'and ' + (near.length - 14) + ' more'));
      const first = this.drawn.find(g => g.n[this.cursor] || g.bad[this.cursor]);
      tip.replaceChildren(el('div', {class: 'at'}, this.board.axis + ' ' + shownNumber(first.x[this.cursor])), ...shown);
      tip.hidden = false;
      const wide = tip.offsetWidth, x = e.clientX + 14 + wide > innerWidth ? Math.max(4, e.clientX - 14 - wide) : e.clientX + 14;
      tip.style.left = x + 'px'; tip.style.top = Math.min(e.clientY + 14, innerHeight - tip.offsetHeight - 6) + 'px';
      this.stale();
    }
    draw() {
      this.dirty = false;
      const canvas = this.canvas, ratio = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
      if (!width) { this.dirty = true; return; }
      if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
      if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
      const g2 = canvas.getContext('2d');
      g2.setTransform(ratio, 0, 0, ratio, 0, 0);
      g2.clearRect(0, 0, width, height);
      const {axis, logX, logY, zoom, late, smooth} = this.board;
      const palette = isDark() ? darkColours : colours, style = getComputedStyle(root);
      const line = style.getPropertyValue('--line'), soft = style.getPropertyValue('--soft'), ground = style.getPropertyValue('--ground');
      const left = 50, right = 10, top = 12, bottom = 24, w = Math.max(10, Math.floor(width - left - right)), h = height - top - bottom;
      // The range of x
      let x0 = Infinity, x1 = -Infinity;
      const groups = this.board.groups.filter(g => !g.hidden);
      for (const g of groups) for (const log of g.logs) {
        const m = log.metrics.get(this.metric);
        if (!m) continue;
        for (const x of m[axis]) if (isFinite(x) && (!logX || x > 0)) { if (x < x0) x0 = x; if (x > x1) x1 = x; }
      }
      if (zoom) [x0, x1] = zoom;
      g2.font = '11px system-ui, sans-serif';
      if (!(x1 >= x0)) { this.scale = null; this.drawn = []; g2.fillStyle = soft; g2.fillText('nothing logged' + (axis === 'step' ? '' : ' by ' + axis), left, top + h / 2); return; }
      if (x0 === x1) { x0 -= 0.5; x1 += 0.5; if (logX && x0 <= 0) x0 = x1 / 2; }
      const fx = logX ? Math.log : v => v, bx = logX ? Math.exp : v => v, span = fx(x1) - fx(x0);
      const column = x => Math.round((fx(x) - fx(x0)) / span * (w - 1));
      this.scale = {left, back: px => bx(fx(x0) + Math.min(1, Math.max(0, (px - left) / (w - 1))) * span)};
      // Each pixel column's lowest and highest
      let y0 = Infinity, y1 = -Infinity;
      this.drawn = [];
      for (const g of groups) {
        const d = {label: g.label, colour: palette[g.colour % palette.length], dash: g.dash, x: new Float64Array(w), lo: new Float64Array(w).fill(Infinity), hi: new Float64Array(w).fill(-Infinity), sum: new Float64Array(w), n: new Uint32Array(w), bad: new Uint32Array(w), seeds: 0};
        for (const log of g.logs) {
          const m = log.metrics.get(this.metric);
          if (!m) continue;
          ++d.seeds;
          const xs = m[axis], ys = m.y;
          for (let i = 0; i < ys.length; ++i) {
            const x = xs[i], y = ys[i];
            if (!(x >= x0 && x <= x1)) continue;
            const c = column(x);
            d.x[c] = x;
            if (!isFinite(y) || (logY && y <= 0)) { ++d.bad[c]; continue; }
            if (y < d.lo[c]) d.lo[c] = y;
            if (y > d.hi[c]) d.hi[c] = y;
            d.sum[c] += y; ++d.n[c];
          }
        }
        if (!d.seeds) continue;
        for (let c = late ? Math.floor(w / 5) : 0; c < w; ++c) if (d.n[c]) { if (d.lo[c] < y0) y0 = d.lo[c]; if (d.hi[c] > y1) y1 = d.hi[c]; }
        this.drawn.push(d);
      }
      if (!(y1 >= y0)) { y0 = logY ? 0.1 : 0; y1 = 1; }
      if (y0 === y1) { const d = Math.abs(y0) * 0.05 || 0.5; y0 -= d; y1 += d; if (logY && y0 <= 0) y0 = y1 / 2; }
      const fy = logY ? Math.log : v => v, pad = (fy(y1) - fy(y0)) * 0.04, ya = fy(y0) - pad, yb = fy(y1) + pad;
      const py = y => top + h - (fy(y) - ya) / (yb - ya) * h;
      // Grid
      g2.strokeStyle = line; g2.fillStyle = soft; g2.lineWidth = 1; g2.textBaseline = 'middle'; g2.textAlign = 'right';
      for (const t of ticks(logY ? Math.exp(ya) : ya, logY ? Math.exp(yb) : yb, logY, 5)) {
        const y = Math.round(py(t)) + 0.5;
        g2.beginPath(); g2.moveTo(left, y); g2.lineTo(left + w, y); g2.stroke();
        g2.fillText(tickText(t), left - 6, y);
      }
      g2.textAlign = 'center'; g2.textBaseline = 'top';
      for (const t of ticks(x0, x1, logX, Math.max(2, Math.floor(w / 80)))) g2.fillText(tickText(t), left + Math.min(w - 12, Math.max(4, column(t))), top + h + 7);
      g2.save();
      g2.beginPath(); g2.rect(left, 0, w + 2, top + h + 2); g2.clip();
      for (const d of this.drawn) {
        const at = [];
        for (let c = 0; c < w; ++c) if (d.n[c]) at.push(c);
        if (!at.length && !d.bad.some(b => b)) continue;
        g2.strokeStyle = g2.fillStyle = d.colour;
        // The band, and in it every column's own extent
        g2.globalAlpha = 0.16;
        g2.beginPath();
        at.forEach((c, i) => g2[i ? 'lineTo' : 'moveTo'](left + c, py(d.hi[c])));
        for (let i = at.length; i--;) g2.lineTo(left + at[i], py(d.lo[at[i]]));
        g2.fill();
        if (d.seeds === 1) {
          g2.globalAlpha = 0.45; g2.lineWidth = 1;
          g2.beginPath();
          for (const c of at) if (d.hi[c] > d.lo[c]) { g2.moveTo(left + c, py(d.hi[c])); g2.lineTo(left + c, py(d.lo[c])); }
          g2.stroke();
        }
        g2.globalAlpha = 1; g2.lineWidth = 1.7; g2.lineJoin = 'round'; g2.setLineDash(d.dash || []);
        g2.beginPath();
        let run = NaN;
        at.forEach((c, i) => {
          const mean = d.sum[c] / d.n[c];
          run = isFinite(run) ? smooth * run + (1 - smooth) * mean : mean;
          g2[i ? 'lineTo' : 'moveTo'](left + c, py(smooth ? run : mean));
        });
        g2.stroke(); g2.setLineDash([]);
        if (at.length === 1) { g2.beginPath(); g2.arc(left + at[0], py(d.sum[at[0]] / d.n[at[0]]), 3, 0, 7); g2.fill(); }
        // What is not finite: a cross at the top
        g2.lineWidth = 1.5;
        g2.beginPath();
        let last = -9;
        for (let c = 0; c < w; ++c) if (d.bad[c] && c - last > 5) { last = c; const x = left + c; g2.moveTo(x - 3, 3); g2.lineTo(x + 3, 9); g2.moveTo(x + 3, 3); g2.lineTo(x - 3, 9); }
        g2.stroke();
      }
      if (this.cursor !== null) {
        g2.strokeStyle = soft; g2.lineWidth = 1;
        g2.beginPath(); g2.moveTo(left + this.cursor + 0.5, top); g2.lineTo(left + this.cursor + 0.5, top + h); g2.stroke();
        for (const d of this.drawn) if (d.n[this.cursor]) { g2.fillStyle = d.colour; g2.strokeStyle = ground; g2.beginPath(); g2.arc(left + this.cursor, py(d.sum[this.cursor] / d.n[this.cursor]), 3.5, 0, 7); g2.fill(); g2.stroke(); }
      }
      if (this.from !== undefined && this.to !== undefined) { g2.globalAlpha = 0.15; g2.fillStyle = soft; g2.fillRect(Math.min(this.from, this.to), top, Math.abs(this.to - this.from), h); g2.globalAlpha = 1; }
      g2.restore();
      this.node.dataset.drawn = this.drawn.length;
    }
  }
  let waiting = new Set();
  const frame = chart => {
    if (!waiting.size) requestAnimationFrame(() => { const all = waiting; waiting = new Set(); for (const c of all) if (c.dirty && c.seen) c.draw(); });
    waiting.add(chart);
  };
  const onScreen = new IntersectionObserver(entries => {
    for (const e of entries) { const c = e.target.chart; c.seen = e.isIntersecting; if (c.seen && c.dirty) frame(c); }
  }, {rootMargin: '120px'});
  addEventListener('resize', () => { for (const c of charts) c.stale(); });

  /// The curves of groups of jobs, with what governs them all.
  class Board {
    constructor(groups, titles) {
      Object.assign(this, {groups, titles, axis: 'step', logX: false, logY: false, zoom: null, late: true, smooth: 0, charts: new Map(), asked: false});
      const tick = (name, text) => el('label', {}, el('input', {type: 'checkbox', name, checked: this[name], onchange: e => { this[name] = e.target.checked; this.redraw(); }}), text);
      const axes = el('select', {'aria-label': 'x axis', onchange: e => { this.axis = e.target.value; this.zoom = null; this.redraw(); }}, ...['step', 'epoch', 'tokens'].map(a => el('option', {value: a}, a)));
      const smoothing = el('input', {type: 'range', min: '0', max: '0.98', step: '0.02', value: '0', 'aria-label': 'smoothing', oninput: e => { this.smooth = Number(e.target.value); this.redraw(); }});
      this.search = el('input', {type: 'search', 'aria-label': 'Find a metric', placeholder: 'find a metric', oninput: () => this.find()});
      this.count = el('span', {class: 'soft', role: 'status'});
      this.grid = el('div', {class: 'charts'});
      this.keys = el('div', {class: 'keys'}, ...groups.map(g => {
        const swatch = el('span', {class: 'swatch'}); swatch.dataset.colour = g.colour % colours.length;
        return el('label', {}, el('input', {type: 'checkbox', checked: true, onchange: e => { g.hidden = !e.target.checked; this.redraw(); }}), swatch, g.label, g.logs.length > 1 ? el('i', {}, g.logs.length + ' seeds') : null);
      }));
      this.node = el('section', {id: 'curves'}, el('h2', {}, 'Curves'),
        el('div', {class: 'controls'}, this.search, el('label', {}, 'x', axes), tick('logX', 'log x'), tick('logY', 'log y'), tick('late', 'y fits what comes after the start'), el('label', {}, 'smooth', smoothing), this.count),
        this.keys, this.grid);
      const begin = new IntersectionObserver(entries => { if (entries.some(e => e.isIntersecting) && !this.asked) { this.asked = true; begin.disconnect(); this.load(); } }, {rootMargin: '600px'});
      begin.observe(this.node);
    }
    logs() { return this.groups.flatMap(g => g.logs); }
    async load() {
      this.count.textContent = 'reading';
      const todo = this.logs(), soon = later(200, () => this.fill());
      await Promise.all([0, 1, 2, 3].map(async () => { while (todo.length) { try { await todo.shift().more(); } catch { /* asked again at the next change */ } soon(); } }));
      this.loaded = true;
      this.fill();
    }
    fill() {
      const names = new Set();
      for (const log of this.logs()) for (const name of log.metrics.keys()) names.add(name);
      const rank = n => (/^(test|validation)\//.test(n) ? 0 : /loss|accuracy/.test(n) ? 1 : 2);
      const sorted = [...names].sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
      let fresh = false;
      for (const name of sorted) if (!this.charts.has(name)) {
        const chart = new Chart(this, name, this.titles[name] || name);
        chart.node.chart = chart;
        this.charts.set(name, chart); fresh = true;
      }
      if (fresh) { this.sorted = sorted; this.find(); }
      this.redraw();
      if (!names.size) this.count.textContent = this.loaded ? 'nothing was logged' : 'reading';
    }
    find() {
      const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean), most = 60;
      const match = (this.sorted || []).filter(n => words.every(w => (n + ' ' + (this.titles[n] || '')).toLowerCase().includes(w)));
      const nodes = match.slice(0, most).map(n => this.charts.get(n).node);
      this.grid.replaceChildren(...nodes);
      for (const chart of this.charts.values()) { onScreen.unobserve(chart.node); chart.seen = false; }
      for (const node of nodes) onScreen.observe(node);
      this.count.textContent = match.length + (match.length === 1 ? ' metric' : ' metrics') + (match.length > most ? ', the first ' + most + ' shown' : '');
    }
    redraw() { for (const chart of this.charts.values()) chart.stale(); }
    async more(dirs) {
      if (!this.asked) return;
      const came = await Promise.all(this.logs().filter(l => dirs.has(l.run + '\n' + l.dir)).map(l => l.more().catch(() => false)));
      if (came.some(Boolean)) this.fill();
    }
    leave() { for (const chart of this.charts.values()) { charts.delete(chart); onScreen.unobserve(chart.node); } }
  }
  const dashes = [[], [6, 3], [2, 3], [8, 3, 2, 3]];
  const groupsOf = (data, prefix, first) => {
    const groups = new Map();
    for (const row of data.jobs.rows) {
      const arm = data.jobs.arms[row.arm], point = data.jobs.params.map((p, i) => row.params[i] === '' ? '' : p.title + ' ' + row.params[i]).filter(Boolean).join(', ');
      const key = row.arm + '\n' + point;
      if (!groups.has(key)) groups.set(key, {label: prefix + (arm ? arm.label : '') + (point ? ' · ' + point : ''), logs: [], arm: row.arm});
      groups.get(key).logs.push(new Log(data.run, row.dir));
    }
    const many = data.jobs.arms.length < 2;
    return [...groups.values()].map((g, i) => ({...g, colour: first + (many ? i : g.arm), dash: dashes[many ? Math.floor(i / 8) % 4 : [...groups.values()].filter((o, k) => k < i && o.arm === g.arm).length % 4]}));
  };

  // ---- one run --------------------------------------------------------------------------------------------------
  const badge = paper => el('span', {class: 'badge ' + paper.class, tabindex: '0', 'data-tip': paper.why}, paper.mark + ' ' + paper.verdict);
  const cellNode = cell => {
    const td = el('td', {class: 'num' + (cell.best ? ' best' : ''), 'data-key': cell.value ?? ''}, el('span', {class: 'mean'}, cell.mean), el('span', {class: 'soft'}, cell.spread));
    if (cell.unfinished) td.append(el('span', {class: 'note seeds'}, cell.n + ' of ' + cell.planned + ' seeds so far'));
    if (cell.not_finite) td.append(el('span', {class: 'bad small'}, ' ' + cell.not_finite));
    if (cell.paper) td.append(el('span', {class: 'paper'}, 'paper ' + cell.paper.value + ' ' + cell.paper.difference), badge(cell.paper));
    return td;
  };
  const tableNode = table => {
    const body = el('tbody', {}, ...table.rows.map(row => el('tr', {}, ...row.keys.map(k => el('th', {scope: 'row'}, k)), ...row.cells.map(cellNode))));
    const heads = el('thead', {}, el('tr', {}, ...table.keys.map(k => head(k || 'arm')), ...table.columns.map(c => { const h = head(c.title, 'num'); h.title = c.metric; return h; })));
    const list = lines => el('ul', {class: 'lines'}, ...lines.map(l => el('li', {}, l)));
    return el('figure', {class: 'table'}, el('figcaption', {}, table.title), el('div', {class: 'scroll', role: 'region', 'aria-label': table.title, tabindex: '0'}, sortable(el('table', {}, heads, body))),
      table.more ? el('p', {class: 'soft small'}, 'and ' + table.more + ' more rows in tables/') : null,
      table.comparisons.length > 6 ? el('details', {}, el('summary', {}, table.comparisons.length + ' paired comparisons'), list(table.comparisons)) : list(table.comparisons),
      table.notes.length ? el('details', {}, el('summary', {}, 'notes'), list(table.notes)) : null);
  };
  const progress = row => {
    if (row.state !== 'running') return row.error ? el('span', {class: 'bad'}, row.error.split('\n')[0].slice(0, 300)) : row.wall_s ? el('span', {class: 'soft'}, duration(row.wall_s)) : '';
    const part = row.total_steps ? row.step / row.total_steps : 0;
    const fill = el('span', {}); fill.style.width = 100 * part + '%';
    return el('span', {class: 'progress'}, el('span', {class: 'track', role: 'img', 'aria-label': Math.round(100 * part) + ' %'}, fill),
      row.total_steps ? Math.round(100 * part) + ' %' : row.what || '', row.left_s !== undefined ? el('span', {class: 'soft'}, ' ' + duration(row.left_s) + ' left') : '');
  };
  const post = async path => {
    const answer = await fetch(path, {method: 'POST'});
    const json = await answer.json().catch(() => ({}));
    if (!answer.ok) throw new Error([json.error || answer.statusText, json.why].filter(Boolean).join(': '));
    return json;
  };
  /// A button that acts at the second click. `done`: what it says then.
  const sureButton = (text, sure, act) => el('button', {type: 'button', class: 'quiet', onclick: async e => {
    const button = e.currentTarget;
    if (!button.dataset.sure) {
      button.dataset.sure = '1'; button.textContent = sure;
      setTimeout(() => { if (!button.disabled) { delete button.dataset.sure; button.textContent = text; } }, 6000);
      return;
    }
    button.disabled = true;
    try { button.textContent = await act(); } catch (error) { button.textContent = error.message; }
  }}, text);
  /// The figures of a run's report, drawn by the server from what is there; each when it comes into view, and again when jobs have ended.
  class Gallery {
    constructor(run, figures) {
      this.run = run;
      this.node = el('section', {id: 'figures', hidden: !figures.length}, el('h2', {}, 'Figures'));
      this.seen = new IntersectionObserver(entries => { for (const e of entries) if (e.isIntersecting) { this.seen.unobserve(e.target); this.draw(e.target); } }, {rootMargin: '300px'});
      for (const f of figures) {
        const node = el('div', {class: 'drawn'}, el('p', {class: 'soft'}, f.caption || f.id));
        node.dataset.id = f.id;
        this.node.append(node);
        this.seen.observe(node);
      }
    }
    async draw(node) {
      try {
        const drawn = await ask('/api/figure?run=' + q(this.run) + '&id=' + q(node.dataset.id));
        if (drawn.error) throw Object.assign(new Error(drawn.error), {more: drawn});
        put(node, ...drawn.map(d => el('figure', {}, el('figcaption', {}, d.caption || d.id),
          el('img', {src: 'data:image/svg+xml;charset=utf-8,' + q(d.svg), alt: d.caption || d.id}), d.note ? el('p', {class: 'soft small'}, d.note) : null)));
      } catch (e) { put(node, el('p', {class: 'soft'}, node.dataset.id + ': ' + [e.message, e.more && e.more.why].filter(Boolean).join(': '))); }
      node.dataset.drawn = '1';
    }
    again() { for (const node of this.node.querySelectorAll('.drawn[data-drawn]')) { delete node.dataset.drawn; this.seen.observe(node); } }
    leave() { this.seen.disconnect(); }
  }
  const showRun = name => {
    where.replaceChildren(el('a', {href: link(name)}, name));
    document.title = name + ' · Yatlab';
    content.replaceChildren(el('p', {class: 'soft'}, 'reading ' + name));
    const view = {asked: el('header', {class: 'title'}), arms: el('section', {}), tables: el('section', {id: 'tables'}), jobs: el('section', {id: 'jobs'}), log: el('section', {id: 'log'}), config: el('section', {id: 'config'})};
    let gallery = null, over_before = -1;
    const readLog = async () => {
      const box = view.log.querySelector('details');
      if (!box || !box.open) return;
      try {
        const text = await ask('/api/log?run=' + q(name));
        const pre = box.querySelector('pre'), below = pre.scrollHeight - pre.scrollTop - pre.clientHeight < 40;
        pre.textContent = text.log + (text.resumed ? '\n---- printed when it was resumed from this page ----\n' + text.resumed : '');
        if (below) pre.scrollTop = pre.scrollHeight;
      } catch { /* at the next change */ }
    };
    view.log.append(el('h2', {}, 'Log'), el('details', {ontoggle: readLog}, el('summary', {}, 'log.txt, its end'), el('pre', {tabindex: '0'})));
    const stopJob = row => row.state !== 'running' ? null : sureButton('stop', 'stop: sure?', async () => {
      const a = await post('/api/stop?run=' + q(name) + '&job=' + q(row.dir));
      return a.asked ? 'asked to stop' : 'it is not running';
    });
    let board = null, data = null, jobFilter = '';
    const kept_sort = {};
    const rows = new Map();  // folder -> row of data
    const drawJobs = () => {
      const words = jobFilter.toLowerCase().split(/\s+/).filter(Boolean), most = 200;
      const match = data.jobs.rows.filter(r => words.every(w => (r.label + ' ' + r.state).toLowerCase().includes(w)));
      const body = el('tbody', {}, ...match.slice(0, most).map(r => el('tr', {'data-dir': r.dir}, el('th', {scope: 'row'}, r.label), el('td', {class: 'state ' + r.state}, r.state === 'completed' ? 'done' : r.state), el('td', {'data-key': r.state === 'running' && r.total_steps ? r.step / r.total_steps : ''}, progress(r)),
        ...data.jobs.metrics.map((m, i) => el('td', {class: 'num', 'data-key': r.values[i] ?? ''}, r.values[i] === null ? '' : m.percent ? shownNumber(100 * r.values[i]) + ' %' : shownNumber(r.values[i]))),
        el('td', {class: 'soft'}, r.host || ''), el('td', {}, copyButton(data.jobs.command + r.command), stopJob(r)))));
      const table = sortable(el('table', {class: 'jobs'}, el('thead', {}, el('tr', {}, head('job'), head('state'), head('progress'), ...data.jobs.metrics.map(m => head(m.title, 'num')), head('host'), el('th', {scope: 'col'}, 'command'))), body), kept_sort);
      const input = el('input', {type: 'search', 'aria-label': 'Filter the jobs', placeholder: 'filter: yat seed=3 failed', value: jobFilter, oninput: e => { jobFilter = e.target.value; const at = e.target.selectionStart; drawJobs(); const fresh = view.jobs.querySelector('input'); fresh.focus(); fresh.setSelectionRange(at, at); }});
      view.jobs.replaceChildren(el('h2', {}, 'Jobs'), el('div', {class: 'controls'}, input, el('span', {class: 'soft', role: 'status'}, match.length + ' of ' + data.jobs.rows.length + (match.length > most ? ', the first ' + most + ' shown' : ''))), el('div', {class: 'scroll', role: 'region', 'aria-label': 'Jobs', tabindex: '0'}, table));
    };
    const drawHead = () => {
      const states = {};
      for (const r of data.jobs.rows) states[r.state] = (states[r.state] || 0) + 1;
      const left = data.jobs.rows.filter(r => r.state === 'running' && r.left_s !== undefined).map(r => r.left_s);
      const stopButton = states.running ? sureButton('stop', 'stop: sure? It saves, and resume continues', async () => {
        const a = await post('/api/stop?run=' + q(name));
        return a.asked ? 'asked to stop' : 'none of its processes is on this machine';
      }) : states.planned || states.interrupted || states.failed || states.preempted ? sureButton('resume', 'resume: sure? It runs the command below', async () => {
        await post('/api/resume?run=' + q(name));
        view.log.querySelector('details').open = true;
        setTimeout(readLog, 1500);
        return 'started; its output is in the log below';
      }) : null;
      put(view.asked, el('h1', {}, data.title || data.experiment),
        el('p', {class: 'soft'}, [data.arms.length + (data.arms.length === 1 ? ' arm' : ' arms'), data.jobs.rows.length + ' jobs', data.scale ? 'scale=' + data.scale : 'full scale', ago(data.id) ? 'begun ' + ago(data.id) + ' ago' : '', ...(data.tags || [])].filter(Boolean).join(' · ')),
        data.note ? el('p', {class: 'remark'}, data.note) : null,
        data.asks ? el('details', {class: 'asks', open: data.asks.length < 400}, el('summary', {}, 'what it asks'), el('p', {}, data.asks)) : null,
        el('div', {class: 'now'}, bar(states), el('span', {}, stateText(states)), left.length ? el('span', {class: 'soft'}, 'running jobs: ' + duration(Math.max(...left)) + ' left') : null, stopButton),
        el('p', {class: 'command'}, el('code', {}, data.jobs.whole), copyButton(data.jobs.whole)),
        ...data.warnings.map(w => el('div', {class: 'warning'}, w)));
    };
    const drawRun = () => {
      drawHead();
      const by = data.by ? data.by.title : '';
      const best = Math.max(...data.arms.map(a => a.value && a.value.value !== undefined ? Math.abs(a.value.value) : 0));
      put(view.arms, el('h2', {}, 'Arms'), el('div', {class: 'scroll', role: 'region', 'aria-label': 'Arms', tabindex: '0'}, el('table', {class: 'arms'},
        el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'arm'), el('th', {scope: 'col', class: 'num'}, by ? by + (data.by.higher ? ' ↑' : ' ↓') : ''), el('th', {scope: 'col'}, ''), el('th', {scope: 'col', class: 'num'}, 'jobs over'), el('th', {scope: 'col'}, 'differs by'))),
        el('tbody', {}, ...data.arms.map((a, i) => {
          const swatch = el('span', {class: 'swatch'}); swatch.dataset.colour = i % colours.length;
          const size = el('span', {class: 'size'}); if (a.value && a.value.value !== undefined && best) { size.style.width = 100 * Math.abs(a.value.value) / best + '%'; size.dataset.colour = i % colours.length; }
          return el('tr', {class: a.leads ? 'leads' : ''}, el('th', {scope: 'row'}, swatch, a.label, a.leads ? el('span', {class: 'lead', title: 'the best mean so far; the table shows whether it is significant'}, ' ★ leads') : null),
            a.value ? el('td', {class: 'num'}, el('span', {class: 'mean'}, a.value.mean), el('span', {class: 'soft'}, a.value.spread), a.value.unfinished ? el('span', {class: 'note seeds'}, a.value.n + ' of ' + a.value.planned + ' seeds so far') : null, a.points ? el('span', {class: 'note'}, 'best of ' + a.points + ': ' + a.point) : null) : el('td', {class: 'num soft'}, '–'),
            el('td', {class: 'sizes'}, size), el('td', {class: 'num'}, a.done + ' / ' + a.jobs), el('td', {class: 'wide'}, el('code', {}, a.differs.join(' ') || 'as configured')));
        })))));
      put(view.tables, el('h2', {}, 'Tables'), ...data.tables.map(tableNode), data.tables.length ? null : el('p', {class: 'soft'}, 'none so far'));
      drawJobs();
      const open = view.config.querySelector('details')?.open;
      view.config.replaceChildren(el('h2', {}, 'Config'), el('details', {open: open || false}, el('summary', {}, 'config.yaml, with every default'), el('pre', {tabindex: '0'}, data.config)));
      document.title = name + ' · ' + stateText(data.states);
    };
    const load = async () => {
      try {
        const fresh = await ask('/api/run?run=' + q(name));
        if (heard !== hear) return;
        data = fresh;
        rows.clear();
        for (const r of data.jobs.rows) rows.set(r.dir, r);
        drawRun();
        if (!board) {
          board = new Board(groupsOf(data, '', 0), data.titles);
          gallery = new Gallery(name, data.figures);
          content.replaceChildren(view.asked, view.arms, view.tables, gallery.node, board.node, view.jobs, view.log, view.config);
          leave = () => { board.leave(); gallery.leave(); };
        }
        const ended = data.jobs.rows.filter(r => !['planned', 'running', 'submitted'].includes(r.state)).length;
        if (over_before >= 0 && ended !== over_before) gallery.again();
        over_before = ended;
        readLog();
      } catch (e) {
        if (heard !== hear) return;
        if (data) view.asked.prepend(failure(e)); else content.replaceChildren(failure(e), el('p', {}, el('a', {href: '#/'}, 'all runs')));
      }
    };
    const again = later(700, load);
    const hear = event => {
      if (event.again || event.runs) return again();
      if (event.run !== name || !data) return;
      const grown = new Set();
      let over = false;
      for (const job of event.jobs) {
        const row = rows.get(job.job);
        if (!row) { over = true; continue; }
        if (row.state !== job.state) over = true;
        if (job.bytes) grown.add(name + '\n' + job.job);
        for (const key of ['left_s', 'what', 'error']) delete row[key];
        Object.assign(row, job);
        const tr = view.jobs.querySelector('tr[data-dir="' + CSS.escape(job.job) + '"]');
        if (tr) { tr.cells[1].className = 'state ' + row.state; tr.cells[1].textContent = row.state === 'completed' ? 'done' : row.state; tr.cells[2].replaceChildren(progress(row)); }
      }
      const sure = view.asked.querySelector('[data-sure]');
      if (!sure) drawHead();
      if (board) board.more(grown);
      if (over) again();
    };
    heard = hear;
    load();
  };

  // ---- several runs ---------------------------------------------------------------------------------------------
  const showCompare = async names => {
    where.replaceChildren(el('span', {}, 'compare ' + names.length + ' runs'));
    document.title = 'compare · Yatlab';
    content.replaceChildren(el('p', {class: 'soft'}, 'reading'));
    let board = null;
    const hear = event => { if (board && names.includes(event.run)) board.more(new Set(event.jobs.map(j => event.run + '\n' + j.job))); };
    heard = hear;
    try {
      const all = await Promise.all(names.map(n => ask('/api/run?run=' + q(n))));
      const pair = names.length === 2 ? await ask('/api/compare?a=' + q(names[0]) + '&b=' + q(names[1])).catch(() => null) : null;
      if (heard !== hear) return;
      const groups = [], letter = i => String.fromCharCode(65 + i % 26) + (i > 25 ? Math.floor(i / 26) : '');
      const titles = {};
      all.forEach((d, i) => { groups.push(...groupsOf(d, letter(i) + ' · ', groups.length)); Object.assign(titles, d.titles); });
      groups.forEach((g, i) => { g.colour = i; });
      board = new Board(groups, titles);
      leave = () => board.leave();
      const metrics = [...new Set(all.map(d => d.by && d.by.metric).filter(Boolean))];
      const overview = el('section', {}, el('h2', {}, 'Arms'), el('div', {class: 'scroll', role: 'region', 'aria-label': 'Arms', tabindex: '0'}, el('table', {}, el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'run'), el('th', {scope: 'col'}, 'arm'), el('th', {scope: 'col', class: 'num'}, metrics.join(', ')), el('th', {scope: 'col', class: 'num'}, 'jobs over'))),
        el('tbody', {}, ...all.flatMap((d, k) => d.arms.map((a, i) => el('tr', {}, el('th', {scope: 'row'}, el('b', {}, letter(k) + ' '), i ? '' : el('a', {href: link(d.run)}, d.run)), el('td', {}, a.label), a.value ? el('td', {class: 'num'}, a.value.mean, el('span', {class: 'soft'}, a.value.spread)) : el('td', {}), el('td', {class: 'num'}, a.done + ' / ' + a.jobs))))))));
      const settings = all.map(d => new Set(d.config.split('\n')));
      const differences = el('section', {}, el('h2', {}, 'What differs'));
      const show = (title, lines) => { if (lines.length) differences.append(el('h3', {}, title), el('div', {class: 'scroll', role: 'region', 'aria-label': title, tabindex: '0'}, el('table', {}, el('thead', {}, el('tr', {}, el('th', {}, ''), el('th', {scope: 'col'}, 'A'), el('th', {scope: 'col'}, 'B'))), el('tbody', {}, ...lines.map(l => el('tr', {}, ...l.map((c, i) => el(i ? 'td' : 'th', {class: 'wide'}, c)))))))); };
      if (pair) {
        for (const [key, value] of Object.entries(pair)) {
          if (!Array.isArray(value) || !value.length || typeof value[0] !== 'object') continue;
          if (value[0].name !== undefined) show(key, value.map(v => [v.name + (v.where ? ' (' + v.where + ')' : ''), v.a ?? '', v.b ?? ''].map(x => typeof x === 'string' ? x : JSON.stringify(x))));
        }
      } else {
        all.forEach((d, i) => { const own = [...settings[i]].filter(l => settings.some((s, k) => k !== i && !s.has(l))); differences.append(el('details', {}, el('summary', {}, letter(i) + ' ' + d.run + ': ' + own.length + ' lines of config'), el('pre', {tabindex: '0'}, own.join('\n')))); });
      }
      put(content, el('h1', {}, names.length + ' runs'), names.length === 2 && el('p', {class: 'command'}, el('code', {}, './run.sh compare ' + names.map(shellWord).join(' ')), copyButton('./run.sh compare ' + names.map(shellWord).join(' '))), overview, board.node, differences.children.length > 1 ? differences : '');
    } catch (e) { if (heard === hear) content.replaceChildren(failure(e)); }
  };

  // ---- which page -----------------------------------------------------------------------------------------------
  let leave = null;
  const go = () => {
    if (leave) leave();
    leave = null;
    tip.hidden = true;
    scrollTo(0, 0);
    const parts = location.hash.split('/').slice(1);
    if (parts[0] === 'compare') parts.splice(1, parts.length, parts.slice(1).join('/'));
    try {
      if (parts[0] === 'run' && parts.length === 3) return showRun(parts.slice(1).map(decodeURIComponent).join('/'));
      if (parts[0] === 'compare' && parts[1]) return showCompare(parts[1].split(',').map(decodeURIComponent));
    } catch { /* an address that was cut off */ }
    showRuns();
  };
  // A verdict's reason, by mouse and keyboard.
  const reason = e => {
    const node = e.target.closest && e.target.closest('[data-tip]');
    if (!node) return;
    tip.textContent = node.dataset.tip; tip.hidden = false;
    const box = node.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(box.left, innerWidth - tip.offsetWidth - 8)) + 'px';
    tip.style.top = (box.bottom + tip.offsetHeight + 8 > innerHeight ? box.top - tip.offsetHeight - 4 : box.bottom + 4) + 'px';
  };
  const unreason = e => { if (e.target.closest && e.target.closest('[data-tip]')) tip.hidden = true; };
  for (const name of ['mouseover', 'focusin']) content.addEventListener(name, reason);
  for (const name of ['mouseout', 'focusout']) content.addEventListener(name, unreason);
  addEventListener('keydown', e => {
    if (e.key === 'Escape') tip.hidden = true;
    if (e.key === '/' && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) { const field = content.querySelector('input[type=search]'); if (field) { e.preventDefault(); field.focus(); } }
  });
  addEventListener('hashchange', go);
  themed();
  go();
  listen();
})();
