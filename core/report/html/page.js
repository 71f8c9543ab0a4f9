// The page works without this script, but for curves and jobs; nothing here computes a result.
'use strict';
(async () => {
  const held = JSON.parse(document.getElementById('data').textContent) || {};
  // Of large runs it is packed (zlib, base64).
  const unpacked = async text => {
    const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))).json();
  };
  const data = held.packed ? await unpacked(held.packed) : held;
  const make = (tag, properties = {}, ...children) => {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(properties)) {
      if (key === 'class') node.className = value;
      else if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
      else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value === true ? '' : value);
    }
    node.append(...children);
    return node;
  };
  const draw = (tag, attributes = {}, ...children) => {
    const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  };
  const minus = text => text.replace(/-/g, '\u2212');

  // ---- dark and light -------------------------------------------------------------------------------------------
  const root = document.documentElement;
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const themeButton = document.getElementById('theme');
  const isDark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : dark.matches);
  const showTheme = () => {
    themeButton.textContent = isDark() ? 'Light' : 'Dark';
    themeButton.setAttribute('aria-label', `Switch to ${isDark() ? 'light' : 'dark'} colours`);
  };
  const stored = (() => { try { return localStorage.getItem('yatlab-theme'); } catch { return null; } })();
  if (stored === 'dark' || stored === 'light') root.dataset.theme = stored;
  themeButton.addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    try { localStorage.setItem('yatlab-theme', root.dataset.theme); } catch { /* a page without storage */ }
    showTheme();
    redrawAll();
  });
  dark.addEventListener('change', () => { showTheme(); redrawAll(); });
  themeButton.hidden = false;
  showTheme();

  // ---- what stands behind a number -------------------------------------------------------------------------------
  const tooltip = document.getElementById('tooltip');
  const tipOf = target => {
    const owner = target.closest && target.closest('[data-tip], .why');
    if (!owner) return null;
    const source = owner.classList.contains('why') ? document.getElementById(owner.getAttribute('aria-describedby')) : null;
    return { owner, fill: () => { source ? tooltip.replaceChildren(...[...source.childNodes].map(n => n.cloneNode(true))) : (tooltip.textContent = owner.dataset.tip); } };
  };
  const hideTip = () => { tooltip.hidden = true; };
  const showTip = target => {
    const tip = tipOf(target);
    if (!tip) return hideTip();
    tip.fill();
    tooltip.hidden = false;
    const at = tip.owner.getBoundingClientRect(), box = tooltip.getBoundingClientRect();
    const width = root.clientWidth;
    tooltip.style.left = `${Math.max(8, Math.min(width - box.width - 8, at.right - box.width))}px`;
    const below = at.bottom + 8;
    tooltip.style.top = `${below + box.height > innerHeight && at.top > box.height + 8 ? at.top - box.height - 8 : below}px`;
  };
  document.addEventListener('pointerover', e => showTip(e.target));
  document.addEventListener('focusin', e => showTip(e.target));
  document.addEventListener('focusout', hideTip);
  document.addEventListener('click', e => { if (tipOf(e.target)) showTip(e.target); });
  document.addEventListener('keydown', e => { if (e.key === 'Escape') hideTip(); });
  document.addEventListener('scroll', hideTip, true);

  // ---- sorting ---------------------------------------------------------------------------------------------------
  const sortable = (table, keyOf, order) => {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      if (head.classList.contains('unsorted')) return;
      const button = make('button', { type: 'button', title: 'sort' }, ...head.childNodes);
      head.replaceChildren(button);
      button.addEventListener('click', () => {
        const up = head.getAttribute('aria-sort') !== 'ascending';
        heads.forEach(h => h.removeAttribute('aria-sort'));
        head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
        order(column, up);
      });
    });
  };
  const compare = (a, b) => {
    if (a === b) return 0;
    if (a === null || a === '') return 1;  // what is missing comes last, either way
    if (b === null || b === '') return -1;
    const x = Number(a), y = Number(b);
    if (!Number.isNaN(x) && !Number.isNaN(y)) return x - y;
    return String(a).localeCompare(String(b), 'en', { numeric: true });
  };
  const directed = (a, b, up) => {
    const missing = v => v === null || v === '';
    return missing(a) || missing(b) ? compare(a, b) : up ? compare(a, b) : compare(b, a);
  };
  const cellKey = cell => {
    if (cell.dataset.mean !== undefined) return cell.dataset.mean;
    const text = cell.textContent.trim().replace(/\u2212/g, '-');
    const number = /^[-+]?\d[\d.]*(e[-+]?\d+)?/.exec(text);
    return cell.classList.contains('num') && number ? number[0] : text;
  };
  for (const table of document.querySelectorAll('table.sortable')) {
    const body = table.tBodies[0], rows = [...body.rows];
    sortable(table, cellKey, (column, up) => {
      const keyed = rows.map(row => [cellKey(row.cells[column]), row]);
      keyed.sort((a, b) => directed(a[0], b[0], up));
      body.append(...keyed.map(k => k[1]));
    });
  }

  // ---- statements ------------------------------------------------------------------------------------------------
  for (const button of document.querySelectorAll('[data-open-claims]')) {
    const all = () => [...button.closest('section').querySelectorAll('.claim')];
    button.addEventListener('click', () => {
      const open = all().some(c => !c.open);
      all().forEach(c => { c.open = open; });
      button.textContent = open ? 'Close all' : 'Open all';
    });
  }
  const openTarget = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target && target.tagName === 'DETAILS') target.open = true;
  };
  addEventListener('hashchange', openTarget);
  openTarget();
  addEventListener('beforeprint', () => document.querySelectorAll('.claim').forEach(c => { c.open = true; }));

  // ---- curves ----------------------------------------------------------------------------------------------------
  // Okabe and Ito's order, as the drawn figures have it; black is white in the dark.
  const palette = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000', '#f0e442'];
  const darkPalette = ['#4aa3df', '#ff8a3d', '#2cc79a', '#e49cc4', '#f0b429', '#8fd0f7', '#e3e4e1', '#f0e442'];
  const dashes = ['', '6 3', '2 2.5', '8 3 2 3'];
  let redrawAll = () => {};

  const curvesApp = document.getElementById('curves-app');
  if (curvesApp && data.curves) {
    const c = data.curves;
    const color = g => (isDark() ? darkPalette : palette)[g % palette.length];
    const dash = g => dashes[Math.floor(g / palette.length) % dashes.length];
    const label = g => {
      const group = c.groups[g];
      const point = group.point.map((value, i) => (value === '' ? '' : `${c.swept[i].lead}${value}`)).filter(Boolean).join(', ');
      if (!point) return c.arms[group.arm];
      return c.arms.length > 1 ? `${c.arms[group.arm]}, ${point}` : point;
    };
    const preferred = ['test/accuracy', 'train/loss', 'test/loss', 'train/batch_loss', 'validation/loss'];
    const names = c.metrics.map(m => m.name);
    const chosen = new Set(preferred.filter(n => names.includes(n)).slice(0, 2));
    for (const n of names) if (chosen.size < Math.min(2, names.length)) chosen.add(n);
    const shown = new Set(c.groups.map((_, g) => g).slice(0, c.groups.length > 12 ? 6 : 12));
    const view = { band: true, seeds: false, logX: false, logY: false };

    // Controls
    const controls = make('div', { class: 'controls' });
    const check = (key, text, enabled = true) => {
      if (!enabled) return;
      const box = make('input', { type: 'checkbox', name: key, checked: view[key] });
      box.addEventListener('change', () => { view[key] = box.checked; redrawAll(); });
      controls.append(make('label', {}, box, text));
    };
    const anySpread = c.metrics.some(m => m.series.some(s => s.s));
    check('band', 'band of ± one standard deviation', anySpread);
    check('seeds', c.seeds < c.of_seeds ? `single seeds (the first ${c.seeds})` : 'single seeds', c.seeds > 1);
    check('logY', 'logarithmic values');
    check('logX', 'logarithmic steps');
    const chips = make('div', { class: 'chips', role: 'group', 'aria-label': 'Metrics to draw' });
    for (const metric of c.metrics) {
      const chip = make('button', { type: 'button', class: 'chip', 'data-metric': metric.name, 'aria-pressed': String(chosen.has(metric.name)), title: metric.title }, metric.name);
      chip.addEventListener('click', () => {
        chosen.has(metric.name) ? chosen.delete(metric.name) : chosen.add(metric.name);
        chip.setAttribute('aria-pressed', String(chosen.has(metric.name)));
        redrawAll();
      });
      chips.append(chip);
    }
    // In a sweep: only the points with these values.
    const keys = make('div', { class: 'keys', role: 'group', 'aria-label': 'Arms to draw' });
    const boxes = [];
    const narrow = c.swept.map(() => '');
    const pick = () => {
      if (narrow.every(v => v === '')) return;
      shown.clear();
      c.groups.forEach((group, g) => { if (narrow.every((v, i) => v === '' || group.point[i] === v)) shown.add(g); });
      boxes.forEach((box, g) => { box.checked = shown.has(g); });
      redrawAll();
    };
    c.swept.forEach((parameter, i) => {
      const values = [...new Set(c.groups.map(g => g.point[i]))];
      if (values.length < 2) return;
      const select = make('select', { name: parameter.name }, make('option', { value: '' }, 'any'), ...values.map(v => make('option', { value: v }, v)));
      select.addEventListener('change', () => { narrow[i] = select.value; pick(); });
      controls.append(make('label', {}, parameter.short, select));
    });
    const swatches = [];
    c.groups.forEach((_, g) => {
      const box = make('input', { type: 'checkbox', checked: shown.has(g), 'data-group': g });
      box.addEventListener('change', () => { box.checked ? shown.add(g) : shown.delete(g); redrawAll(); });
      const line = draw('line', { x1: 0, x2: 28, y1: 6, y2: 6, 'stroke-width': 2.5, 'stroke-dasharray': dash(g) });
      swatches.push(line);
      boxes.push(box);
      keys.append(make('label', {}, box, draw('svg', { viewBox: '0 0 28 12', 'aria-hidden': 'true' }, line), label(g)));
    });
    const charts = make('div', { class: 'charts' });
    const kept = c.thinned ? ' Long curves are thinned: of each stretch the lowest and the highest mean are kept.' : '';
    const best = c.of_groups ? ` Of ${c.of_groups} curves these are the ${c.groups.length} ${c.by ? `best by ${c.by}` : 'first'}.` : '';
    curvesApp.append(chips, controls, c.groups.length > 1 ? keys : '', charts,
      make('p', { class: 'small' }, `Lines are means over the seeds that are still under way.${kept}${best} Every logged value is in the jobs’ metrics.jsonl. With the keyboard: focus a chart, then arrow keys, Home and End.`));

    // Numbers
    const digits = (value, percent) => {
      if (value === null || value === undefined) return 'not finite';
      const v = percent ? value * 100 : value, size = Math.abs(v);
      // Five digits are what the page holds: to round again could round another way.
      const text = size !== 0 && (size < 1e-3 || size >= 1e6) ? v.toExponential(4) : String(Number(v.toPrecision(5)));
      return minus(text) + (percent ? ' %' : '');
    };
    const niceTicks = (low, high, count) => {
      const raw = (high - low) / count, power = 10 ** Math.floor(Math.log10(raw));
      const step = [1, 2, 2.5, 5, 10].map(k => k * power).find(s => s >= raw * 0.999);
      const out = [];
      for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) out.push(Number((i * step).toPrecision(12)));
      return out;
    };
    const logTicks = (low, high) => {
      const out = [];
      const decades = Math.log10(high / low);
      const factors = decades > 4 ? [1] : decades > 1.5 ? [1, 3] : [1, 2, 5];
      const every = Math.max(1, Math.ceil(decades / 8));
      for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); ++e) {
        if (e % every !== 0) continue;
        for (const f of factors) { const v = f * 10 ** e; if (v >= low * 0.999 && v <= high * 1.001) out.push(v); }
      }
      return out.length > 1 ? out : niceTicks(low, high, 4).filter(v => v > 0);
    };
    const tickText = (v, percent) => {
      const scaled = percent ? v * 100 : v, size = Math.abs(scaled);
      if (size >= 1e6 || (size > 0 && size < 1e-3)) return minus(scaled.toExponential().replace('e+', 'e'));
      return minus(String(Number(scaled.toPrecision(6)))) + (percent ? ' %' : '');
    };

    const announce = document.getElementById('announce');
    const drawChart = metric => {
      const series = metric.series.filter(s => shown.has(s.g));
      const box = make('div', { class: 'chart', 'data-metric': metric.name });
      box.append(make('h3', {}, metric.title === metric.name ? metric.name : `${metric.title} `, metric.title === metric.name ? '' : make('code', {}, metric.name)));
      charts.append(box);
      if (!series.length) { box.append(make('p', { class: 'small' }, 'No selected arm has logged it.')); return; }
      const W = Math.max(260, box.clientWidth), H = 272, left = 58, right = 20, top = 8, bottom = 40;
      // Limits
      const xs = [], ys = [], bands = [];
      for (const s of series) {
        s.x.forEach((x, i) => {
          if (view.logX && x <= 0) return;
          const m = s.m[i];
          if (m !== null) {
            xs.push(x); ys.push(m);
            if (view.band && s.s && s.s[i] !== null) bands.push(m + s.s[i], m - s.s[i]);
          }
          if (view.seeds && s.seeds) for (const line of s.seeds) if (line[i] !== null && line[i] !== undefined) { xs.push(x); ys.push(line[i]); }
        });
      }
      if (ys.length) {
        // Wide bands (one seed far off, at the start) are cut rather than let to flatten the curves.
        const low = ys.reduce((p, q) => Math.min(p, q)), high = ys.reduce((p, q) => Math.max(p, q));
        const room = high > low ? (high - low) * 0.4 : Infinity;
        for (const b of bands) ys.push(Math.min(high + room, Math.max(low - room, b)));
      }
      const usable = view.logY ? ys.filter(y => y > 0) : ys;
      if (!usable.length || !xs.length) { box.append(make('p', { class: 'small' }, view.logY ? 'No value above zero.' : 'No finite value.')); return; }
      const least = a => a.reduce((p, q) => Math.min(p, q)), most = a => a.reduce((p, q) => Math.max(p, q));
      let x0 = least(xs), x1 = most(xs), y0 = least(usable), y1 = most(usable);
      if (x0 === x1) { x0 = view.logX ? x0 / 2 : x0 - 1; x1 = view.logX ? x1 * 2 : x1 + 1; }
      if (view.logY) {
        // A band that reaches zero must not stretch the axis without end.
        const floor = least(series.flatMap(s => s.m.filter(m => m !== null && m > 0)).concat(y1));
        y0 = Math.max(y0, floor / 3);
        if (y0 >= y1) { y0 = y1 / 2; y1 *= 2; }
        y0 /= 1.05; y1 *= 1.05;
      } else {
        const pad = y0 === y1 ? Math.abs(y0) * 0.05 || 1 : (y1 - y0) * 0.04;
        y0 -= pad; y1 += pad;
      }
      const fx = view.logX ? v => Math.log(v) : v => v, fy = view.logY ? v => Math.log(v) : v => v;
      const px = v => left + (W - left - right) * (fx(v) - fx(x0)) / (fx(x1) - fx(x0));
      const py = v => top + (H - top - bottom) * (1 - (fy(v) - fy(y0)) / (fy(y1) - fy(y0)));
      const clampY = v => py(view.logY ? Math.max(v, y0 / 10) : v);
      const svg = draw('svg', { viewBox: `0 0 ${W} ${H}`, tabindex: '0', role: 'application', 'aria-roledescription': 'chart',
        'aria-label': `${metric.title}: ${series.length} lines over steps ${x0} to ${x1}. Arrow keys read the values.` });
      const clip = `clip-${metric.name.replace(/[^a-zA-Z0-9]/g, '-')}`;
      svg.append(draw('clipPath', { id: clip }, draw('rect', { x: left, y: top - 1, width: W - left - right + 1, height: H - top - bottom + 2 })));
      // Axes
      for (const v of view.logY ? logTicks(y0, y1) : niceTicks(y0, y1, 5)) {
        const y = py(v).toFixed(1);
        svg.append(draw('line', { class: 'grid', x1: left, x2: W - right, y1: y, y2: y }), draw('text', { x: left - 7, y: Number(y) + 4, 'text-anchor': 'end' }, tickText(v, metric.percent)));
      }
      const xTicks = (view.logX ? logTicks(x0, x1) : niceTicks(x0, x1, W < 400 ? 4 : 6));
      for (const v of xTicks) {
        const x = px(v).toFixed(1);
        svg.append(draw('line', { class: 'axis', x1: x, x2: x, y1: H - bottom, y2: H - bottom + 4 }), draw('text', { x, y: H - bottom + 17, 'text-anchor': 'middle' }, tickText(v, false)));
      }
      svg.append(draw('line', { class: 'axis', x1: left, x2: W - right, y1: H - bottom, y2: H - bottom }), draw('text', { x: (left + W - right) / 2, y: H - 6, 'text-anchor': 'middle' }, 'step'));
      // A line breaks where there is no value; a value alone between two breaks is a dot.
      const gap = (v, w) => w === null || w === undefined || (view.logX && v <= 0) || (view.logY && w <= 0);
      const alone = (x, y) => x.map((v, i) => i).filter(i => !gap(x[i], y[i]) && (i === 0 || gap(x[i - 1], y[i - 1])) && (i + 1 === x.length || gap(x[i + 1], y[i + 1])));
      const path = (x, y) => {
        let d = '', pen = false;
        x.forEach((v, i) => {
          const w = y[i];
          if (gap(v, w)) { pen = false; return; }
          d += `${pen ? 'L' : 'M'}${px(v).toFixed(1)},${clampY(w).toFixed(1)}`;
          pen = true;
        });
        return d;
      };
      const plot = draw('g', { 'clip-path': `url(#${clip})` });
      for (const s of series) {
        if (!view.band || !s.s) continue;
        const points = s.x.map((x, i) => [x, s.m[i], s.s[i]]).filter(([x, m, sd]) => m !== null && sd !== null && !(view.logX && x <= 0) && !(view.logY && m <= 0));
        if (points.length < 2) continue;
        const up = points.map(([x, m, sd]) => `${px(x).toFixed(1)},${clampY(m + sd).toFixed(1)}`);
        const down = points.reverse().map(([x, m, sd]) => `${px(x).toFixed(1)},${clampY(m - sd).toFixed(1)}`);
        plot.append(draw('path', { class: 'band', d: `M${up.join('L')}L${down.join('L')}Z`, fill: color(s.g), 'fill-opacity': 0.16 }));
      }
      for (const s of series) {
        if (!view.seeds || !s.seeds) continue;
        for (const line of s.seeds) {
          plot.append(draw('path', { class: 'seed', d: path(s.x, line), fill: 'none', stroke: color(s.g), 'stroke-width': 0.8, 'stroke-opacity': 0.55 }));
          for (const i of alone(s.x, line)) plot.append(draw('circle', { class: 'seed', cx: px(s.x[i]).toFixed(1), cy: py(line[i]).toFixed(1), r: 1.2, fill: color(s.g), 'fill-opacity': 0.55 }));
        }
      }
      for (const s of series) {
        plot.append(draw('path', { class: 'line', 'data-group': s.g, d: path(s.x, s.m), fill: 'none', stroke: color(s.g), 'stroke-width': 2, 'stroke-dasharray': dash(s.g), 'stroke-linejoin': 'round' }));
        const dots = s.x.length < 14 ? s.x.map((x, i) => i).filter(i => !gap(s.x[i], s.m[i])) : alone(s.x, s.m);
        for (const i of dots) plot.append(draw('circle', { cx: px(s.x[i]).toFixed(1), cy: py(s.m[i]).toFixed(1), r: s.x.length < 14 ? 2.6 : 2, fill: color(s.g) }));
      }
      svg.append(plot);
      // Reading values
      const cross = draw('line', { class: 'cross', y1: top, y2: H - bottom, visibility: 'hidden' });
      const marks = draw('g');
      svg.append(cross, marks);
      const reading = make('div', { class: 'reading', hidden: true });
      const fewer = series.filter(s => s.left).map(s => (c.groups.length > 1 ? `${label(s.g)}: ${s.left}` : s.left));
      box.append(svg, reading, fewer.length ? make('p', { class: 'small left' }, `Mean over ${fewer.join('; ')}.`) : '');
      const steps = [...new Set(series.flatMap(s => s.x))].filter(x => !view.logX || x > 0).sort((a, b) => a - b);
      let at = -1;
      const read = (index, aloud) => {
        at = Math.max(0, Math.min(steps.length - 1, index));
        const x = steps[at], X = px(x);
        cross.setAttribute('x1', X); cross.setAttribute('x2', X); cross.setAttribute('visibility', 'visible');
        marks.replaceChildren();
        const rows = [];
        for (const s of series) {
          const i = s.x.indexOf(x);
          if (i < 0 || s.m[i] === null) continue;
          const n = Array.isArray(s.n) ? s.n[i] : s.n;
          rows.push({ g: s.g, m: s.m[i], sd: s.s ? s.s[i] : null, n });
          if (!view.logY || s.m[i] > 0) marks.append(draw('circle', { cx: X, cy: py(s.m[i]), r: 3.5, fill: color(s.g) }));
        }
        rows.sort((a, b) => b.m - a.m);
        const spread = r => (r.sd === null || r.sd === undefined ? '' : ` ± ${digits(r.sd, metric.percent)}`);
        reading.replaceChildren(make('div', {}, make('i', {}, `step ${x}`)), ...rows.slice(0, 10).map(r =>
          make('div', { 'data-group': r.g }, make('span', { class: 'swatch', 'data-color': color(r.g) }), `${label(r.g)} `, make('b', {}, digits(r.m, metric.percent)), make('i', {}, `${spread(r)}, n = ${r.n}`))));
        if (rows.length > 10) reading.append(make('div', {}, make('i', {}, `and ${rows.length - 10} more`)));
        for (const swatch of reading.querySelectorAll('.swatch')) swatch.style.background = swatch.dataset.color;
        reading.hidden = false;
        const scale = svg.clientWidth / W;
        const wide = reading.offsetWidth, X1 = X * scale;
        reading.style.left = `${Math.max(0, Math.min(box.clientWidth - wide, X1 + 14 + wide > box.clientWidth ? X1 - wide - 14 : X1 + 14))}px`;
        reading.style.top = `${svg.offsetTop + 6}px`;
        if (aloud) announce.textContent = `step ${x}: ${rows.map(r => `${label(r.g)} ${digits(r.m, metric.percent)}`).join('; ')}`;
      };
      const leave = () => { reading.hidden = true; cross.setAttribute('visibility', 'hidden'); marks.replaceChildren(); };
      svg.addEventListener('pointermove', e => {
        const r = svg.getBoundingClientRect(), X = (e.clientX - r.left) * W / r.width;
        let best = 0;
        steps.forEach((s, i) => { if (Math.abs(px(s) - X) < Math.abs(px(steps[best]) - X)) best = i; });
        read(best, false);
      });
      svg.addEventListener('pointerleave', leave);
      svg.addEventListener('blur', leave);
      svg.addEventListener('keydown', e => {
        const move = { ArrowRight: at + 1, ArrowLeft: at - 1, PageDown: at + 10, PageUp: at - 10, Home: 0, End: steps.length - 1 }[e.key];
        if (e.key === 'Escape') leave();
        if (move === undefined) return;
        e.preventDefault();
        read(at < 0 ? (e.key === 'End' ? steps.length - 1 : 0) : move, true);
      });
    };
    redrawAll = () => {
      swatches.forEach((line, g) => line.setAttribute('stroke', color(g)));
      charts.replaceChildren();
      for (const metric of c.metrics) if (chosen.has(metric.name)) drawChart(metric);
      if (!chosen.size) charts.append(make('p', { class: 'small' }, 'Choose a metric above.'));
    };
    redrawAll();
    let width = curvesApp.clientWidth;
    new ResizeObserver(() => {
      if (curvesApp.clientWidth === width) return;
      width = curvesApp.clientWidth;
      requestAnimationFrame(redrawAll);
    }).observe(curvesApp);
  }

  // ---- jobs ------------------------------------------------------------------------------------------------------
  const jobsApp = document.getElementById('jobs-app');
  if (jobsApp && data.jobs) {
    const d = data.jobs, first = 100;
    const href = path => path.split('/').map(encodeURIComponent).join('/');
    const duration = s => (s === null ? '' : s < 100 ? `${s.toFixed(s < 10 ? 2 : 1)} s` : s < 6000 ? `${(s / 60).toFixed(1)} min` : `${(s / 3600).toFixed(1)} h`);
    // As the tables have it: what lies halfway between two roundings goes to the even one, and zero has no sign.
    const even = (size, places, write) => {
      const up = write(size, places), [digits, exponent] = write(size, Math.min(100, places + 40)).split('e');
      const cut = digits.length - Math.min(100 - places, 40);
      if (!/^50*$/.test(digits.slice(cut))) return up;
      const down = digits.slice(0, cut).replace(/\.$/, '') + (exponent === undefined ? '' : `e${exponent}`);
      return /[02468]$/.test(down.split('e')[0]) ? down : up;
    };
    const shortExponent = text => text.replace(/e\+?(-?)0*$/, '').replace('e+', 'e');
    const value = (v, m) => {
      if (v === null) return '–';
      const number = m.percent ? v * 100 : v, size = Math.abs(number);
      const text = m.scientific ? shortExponent(even(size, m.decimals, (x, n) => x.toExponential(n))) : size < 1e21 ? even(size, m.decimals, (x, n) => x.toFixed(n)) : String(size);
      const sign = !/[1-9]/.test(text.split('e')[0]) ? '' : number < 0 ? '\u2212' : m.signed ? '+' : '';
      return sign + text + (m.percent ? ' %' : '');
    };
    const oneArm = d.arms.length < 2;
    const rows = d.rows.map(row => {
      const terms = [d.arms[row.arm].name, d.arms[row.arm].label, row.state, `seed=${row.seed}`];
      row.params.forEach((v, i) => terms.push(`${d.params[i].name}=${v}`, `${d.params[i].short}=${v}`, `${d.params[i].title}=${v}`, v));
      return { ...row, terms: terms.map(t => t.toLowerCase()) };
    });
    const columns = [
      { head: 'state', key: r => r.state, cell: r => make('td', {}, make('span', { class: `badge state-${r.state}` }, r.state)) },
      ...(oneArm ? [] : [{ head: 'arm', key: r => d.arms[r.arm].label, cell: r => make('th', { scope: 'row' }, d.arms[r.arm].label) }]),
      ...d.params.map((p, i) => ({ head: p.title, title: p.name, key: r => r.params[i], cell: r => make('td', {}, r.params[i]) })),
      { head: 'seed', number: true, key: r => r.seed, cell: r => make('td', { class: 'num' }, String(r.seed)) },
      ...d.metrics.map((m, i) => ({ head: m.title, title: m.name, number: true, key: r => r.values[i], cell: r => make('td', { class: 'num', 'data-metric': m.name, 'data-value': r.values[i] }, value(r.values[i], m)) })),
      ...(rows.some(r => r.steps) ? [{ head: 'steps', number: true, key: r => r.steps, cell: r => make('td', { class: 'num' }, String(r.steps)) }] : []),
      { head: 'time', number: true, key: r => r.wall, cell: r => make('td', { class: 'num' }, duration(r.wall)) },
      { head: 'files', unsorted: true, cell: r => make('td', { class: 'links' }, make('a', { href: `${href(r.dir)}/` }, 'folder'), ...r.files.map(f => make('a', { href: `${href(r.dir)}/${f}` }, f.split('.')[0]))) },
      { head: 'command', unsorted: true, cell: r => {
        const button = make('button', { type: 'button', class: 'quiet copy', title: d.command + r.command, 'aria-label': `Copy the command for ${d.arms[r.arm].label} seed ${r.seed}` }, 'copy');
        button.addEventListener('click', () => copy(button, d.command + r.command));
        return make('td', {}, button);
      } },
    ];
    const copy = async (button, text) => {
      let done = false;
      try { await navigator.clipboard.writeText(text); done = true; } catch { /* pages from disk may not */ }
      if (!done) {
        const area = make('textarea', { class: 'hidden' });
        area.value = text;
        document.body.append(area);
        area.select();
        try { done = document.execCommand('copy'); } catch { done = false; }
        area.remove();
      }
      const before = button.textContent;
      button.textContent = done ? 'copied' : 'could not copy';
      document.getElementById('announce').textContent = button.textContent;
      setTimeout(() => { button.textContent = before; }, 1500);
    };
    let order = null, all = false;
    const filter = make('input', { type: 'search', id: 'jobs-filter', placeholder: d.params.length ? `filter: ${d.params[0].short}=… seed=0 completed` : 'filter: yat seed=0 completed', 'aria-label': 'Filter jobs by arm, seed, parameters and state', autocomplete: 'off', spellcheck: 'false' });
    const count = make('span', { id: 'jobs-count', class: 'small', role: 'status' });
    const table = make('table', { class: 'sortable' }, make('thead', {}, make('tr', {}, ...columns.map(col => make('th', { scope: 'col', class: `${col.number ? 'num ' : ''}${col.unsorted ? 'unsorted' : ''}`.trim() || null, title: col.title }, col.head)))), make('tbody'));
    const more = make('button', { type: 'button', class: 'quiet', onclick: () => { all = true; show(); } });
    const matching = () => {
      const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean).map(word => {
        // "seed=1" means seed 1 when there is one, else whatever begins so.
        const exact = word.includes('=') && rows.some(r => r.terms.includes(word));
        return exact ? r => r.terms.includes(word) : word.includes('=') ? r => r.terms.some(t => t.startsWith(word)) : r => r.terms.some(t => t.includes(word));
      });
      const found = rows.filter(r => words.every(test => test(r)));
      if (order) found.sort((a, b) => directed(columns[order.column].key(a), columns[order.column].key(b), order.up));
      return found;
    };
    const show = () => {
      const found = matching(), visible = all ? found : found.slice(0, first);
      table.tBodies[0].replaceChildren(...visible.flatMap(r => {
        const line = make('tr', { 'data-dir': r.dir }, ...columns.map(col => col.cell(r)));
        return r.error ? [line, make('tr', {}, make('td', { class: 'error', colspan: columns.length }, r.error))] : [line];
      }));
      count.textContent = found.length === rows.length ? `${rows.length} jobs` : `${found.length} of ${rows.length} jobs`;
      more.hidden = visible.length === found.length;
      more.textContent = `Show all ${found.length}`;
    };
    sortable(table, null, (column, up) => { order = { column, up }; show(); });
    filter.addEventListener('input', show);
    const whole = make('button', { type: 'button', class: 'quiet copy', onclick: () => copy(whole, d.whole) }, 'copy command');
    jobsApp.append(
      make('p', {}, 'The whole run again: ', make('code', { id: 'run-command' }, d.whole), ' ', whole),
      make('div', { class: 'controls' }, filter, count),
      make('div', { class: 'scroll', role: 'region', 'aria-label': 'Jobs', tabindex: '0' }, table), make('p', {}, more));
    show();
  }
})();
