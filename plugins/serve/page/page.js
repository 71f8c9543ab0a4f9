// A live page of a folder of runs. Sections of a run are written by the server, as in its report; what else it says is shown as text.
(() => {
  const where = document.getElementById('where');
  const live = document.getElementById('live');
  const q = encodeURIComponent;

  // ---- talking to the server ------------------------------------------------------------------------------------------
  const ask = async (path, options) => {
    const answer = await fetch(path, options);
    const text = await answer.text();
    let json = null;
    try { json = JSON.parse(text); } catch { /* said below */ }
    if (answer.ok) return json;
    throw Object.assign(new Error((json && json.error) || text.trim() || answer.statusText), {more: json || {}});
  };
  const post = path => ask(path, {method: 'POST'});
  let heard = null;  // what the page shown does with an event
  let events = null;
  const listen = () => {
    events = new EventSource('/api/events');
    events.onopen = () => {
      live.textContent = 'live'; live.className = 'on';
      if (listen.lost && heard) heard({again: true});
      listen.lost = false;
    };
    events.onerror = () => {
      live.textContent = 'no connection; trying again'; live.className = 'off'; listen.lost = true;
      if (events.readyState === 2) setTimeout(listen, 3000);
    };
    events.onmessage = message => { if (heard) heard(JSON.parse(message.data)); };
  };

  // ---- words ----------------------------------------------------------------------------------------------------------
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
  const begun = id => {
    const m = /^(\d{4})-(\d\d)-(\d\d)_(\d\d)-(\d\d)-(\d\d)/.exec(id);
    return m ? new Date(m[1], m[2] - 1, m[3], m[4], m[5], m[6]) : null;
  };
  const ago = id => {
    const at = begun(id);
    if (!at) return '';
    const s = Math.max(0, (Date.now() - at) / 1000);
    const [unit, size] = s < 90 ? ['s', 1] : s < 5400 ? ['min', 60] : s < 129600 ? ['h', 3600] : ['d', 86400];
    return Math.round(s / size) + ' ' + unit;
  };
  const said = e => [e.message, e.more && e.more.why].filter(Boolean).join(': ');
  const failure = e => el('div', {class: 'warning', role: 'alert'}, el('b', {}, e.message), e.more && e.more.why ? ' ' + e.more.why : '',
    e.more && e.more.hint ? el('p', {}, 'try: ' + e.more.hint) : '');
  const shellWord = w => /^[\w@%+=:,.\/-]+$/.test(w) ? w : "'" + w.replace(/'/g, "'\\''") + "'";
  const link = run => '#/run/' + run.split('/').map(q).join('/');
  const table = (cls, heads, rows) => el('table', {class: cls}, el('thead', {}, el('tr', {}, ...heads)), el('tbody', {}, ...rows));
  const head = (text, cls) => el('th', {scope: 'col', class: cls}, text);

  // ---- the list of runs -----------------------------------------------------------------------------------------------
  const kept = {filter: '', sort: {}, chosen: new Set()};
  const showRuns = () => {
    where.replaceChildren();
    document.title = 'runs · Yatlab';
    const input = el('input', {type: 'search', id: 'filter', 'aria-label': 'Filter the runs', spellcheck: 'false',
      placeholder: 'words, state=failed, test/accuracy>0.92, tag=best'});
    input.value = kept.filter;
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
    const foundText = f => f.arm + ' ' + Object.entries(f.params).map(p => p.join('=')).join(' ') + ' ';
    const valueText = v => shownNumber(v.mean) + (v.std === null ? '' : ' ± ' + shownNumber(v.std)) + ' (n = ' + v.n + ')';
    const line = r => {
      const jobs = total(r.states), done = (r.states.completed || 0) + (r.states.diverged || 0) + (r.states.pruned || 0);
      const box = el('input', {type: 'checkbox', 'aria-label': 'compare ' + r.run, checked: kept.chosen.has(r.run),
        onchange: e => { if (e.target.checked) kept.chosen.add(r.run); else kept.chosen.delete(r.run); chosen(); }});
      const note = text => el('span', {class: 'note'}, text);
      const found = (r.found || []).flatMap(f => Object.entries(f.metrics).map(([m, v]) => note(foundText(f) + m + ' ' + valueText(v))));
      return el('tr', {'data-run': r.run}, el('td', {class: 'pick'}, box),
        el('th', {scope: 'row', 'data-key': r.run}, el('a', {href: link(r.run)}, r.experiment), el('span', {class: 'id'}, r.id),
          r.note && note(r.note), ...found),
        el('td', {'data-key': order.findIndex(s => s !== 'completed' && r.states[s])},
          r.problem ? el('span', {class: 'bad', title: r.problem}, 'cannot be read') : bar(r.states),
          el('span', {class: 'small'}, stateText(r.states))),
        el('td', {class: 'num', 'data-key': jobs ? done / jobs : 0}, done + ' / ' + jobs),
        el('td', {}, r.scale || ''),
        el('td', {class: 'tags'}, ...r.tags.map(t => el('code', {}, t))),
        el('td', {class: 'wide'}, r.overrides.join(' ')),
        el('td', {class: 'num', 'data-key': begun(r.id) ? -begun(r.id) : ''}, ago(r.id)));
    };
    const draw = () => {
      const words = kept.filter.toLowerCase().split(/\s+/).filter(w => w && !/[=<>]/.test(w));
      const text = r => [r.run, r.title, ...r.tags, ...r.overrides, r.note].join(' ').toLowerCase();
      const shown = all.filter(r => words.every(w => text(r).includes(w)));
      count.textContent = shown.length === 1 ? '1 run' : shown.length + ' runs';
      if (!shown.length) {
        const none = all.length ? 'No run matches.' : 'No runs in ' + results + ' yet. A run appears here when it starts: ';
        put(list, el('p', {}, none, all.length ? '' : el('code', {}, './run.sh xor')));
        return;
      }
      const heads = ['', 'run', 'state', 'done', 'scale', 'tags', 'overrides', 'age'].map(t => head(t, /done|age/.test(t) ? 'num' : ''));
      put(list, region('Runs', sortable(table('runs', heads, shown.map(line)), kept.sort)));
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

  // ---- curves ---------------------------------------------------------------------------------------------------------
  const axes = ['step', 'epoch', 'tokens'];
  /// Numbers without a box for each.
  class Numbers {
    constructor(Type) { this.room = new Type(64); this.length = 0; }
    /// Appends values, after `before` that are unknown.
    append(values, before = 0) {
      const length = this.length + before + values.length;
      if (length > this.room.length) {
        const more = new this.room.constructor(Math.max(length, 2 * this.room.length));
        more.set(this.room);
        this.room = more;
      }
      this.room.fill(NaN, this.length, this.length + before);
      this.room.set(values, this.length + before);
      this.length = length;
    }
    get all() { return this.room.subarray(0, this.length); }
    trim() { this.room = this.room.slice(0, Math.max(64, this.length)); }
  }
  /// The logged rows of one job, as far as they have come.
  class Log {
    constructor(run, row) {
      Object.assign(this, {run, row, dir: row.dir, label: 'seed ' + row.seed, next: 0, busy: null, wanted: false});
      this.clear();
    }
    clear() { this.metrics = new Map(); this.x = {}; this.rows = 0; }
    /// Adds what the server sends (plugins/serve/server/log_columns.h). Returns the number of rows.
    add(buffer) {
      const end = new Uint8Array(buffer).indexOf(10) + 1;
      const {rows, names} = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 0, end)));
      return this.append(rows, names.map((name, k) => [name, new Float64Array(buffer, end + 8 * rows * k, rows)]));
    }
    /// Adds the lines that an event brought. False if they do not continue the log: then it has to be requested.
    take({from, next, rows}) {
      if (this.busy || from !== this.next) return false;
      const read = [];
      for (const line of rows.split('\n')) try { if (line) read.push(JSON.parse(line)); } catch { /* not a row */ }
      // As in log_columns.h: NaN for a missing value, infinity for one that is not finite.
      const number = v => (v === undefined ? NaN : typeof v === 'number' ? v : Infinity);
      const names = new Set(read.flatMap(Object.keys));
      this.append(read.length, [...names].map(name => [name, Float64Array.from(read, row => number(row[name]))]));
      this.next = next;
      return true;
    }
    append(rows, columns) {
      for (const [name, values] of columns) {
        if (axes.includes(name)) {
          if (!this.x[name]) this.x[name] = new Numbers(Float64Array);
          this.x[name].append(values, this.rows - this.x[name].length);
          continue;
        }
        if (!this.metrics.has(name)) this.metrics.set(name, {at: new Numbers(Uint32Array), y: new Numbers(Float64Array)});
        const m = this.metrics.get(name), at = new Uint32Array(rows), y = new Float64Array(rows);
        let n = 0;
        values.forEach((v, i) => { if (!Number.isNaN(v)) { at[n] = this.rows + i; y[n++] = v; } });
        m.at.append(at.subarray(0, n));
        m.y.append(y.subarray(0, n));
      }
      this.rows += rows;
      return rows;
    }
    line(metric, axis) {
      const m = this.metrics.get(metric), x = this.x[axis === 'time' ? 'step' : axis], pace = secondsPerStep(this.row);
      if (!m || !x || (axis === 'time' && !isFinite(pace))) return null;
      return {label: this.label, x: axis === 'time' ? x.all.map(v => v * pace) : x.all, y: m.y.all, at: m.at.all};
    }
    /// Requests new rows; resolves to whether any came.
    async more() {
      if (this.busy) { this.wanted = true; return this.busy; }
      this.busy = (async () => {
        let came = false;
        do {
          this.wanted = false;
          for (;;) {
            const answer = await fetch('/api/rows?as=columns&run=' + q(this.run) + '&job=' + q(this.dir) + '&from=' + this.next);
            if (!answer.ok) return came;
            const buffer = await answer.arrayBuffer();
            const from = Number(answer.headers.get('X-From') || 0);
            if (from !== this.next) this.clear();  // the job was restarted
            this.next = Number(answer.headers.get('X-Next') || 0);
            if (!this.add(buffer)) break;
            came = true;
            if (this.next >= Number(answer.headers.get('X-Size'))) break;
          }
        } while (this.wanted);
        for (const numbers of [...Object.values(this.x), ...[...this.metrics.values()].flatMap(m => [m.at, m.y])]) numbers.trim();
        return came;
      })();
      try { return await this.busy; } finally { this.busy = null; }
    }
  }
  /// Charts of logs that are requested when they come into view, and as they grow.
  class LiveBoard extends Board {
    constructor(groups, params, info) {
      super(groups, params, info);
      this.logs = groups.flatMap(g => g.logs);
      this.asked = false;
      const begin = new IntersectionObserver(entries => {
        if (entries.some(e => e.isIntersecting) && !this.asked) { this.asked = true; begin.disconnect(); this.load(); }
      }, {rootMargin: '600px'});
      begin.observe(this.node);
    }
    async load() {
      this.count.textContent = 'reading';
      const todo = [...this.logs];
      // Drawing again and again would take longer than reading.
      let wait = 200, next = performance.now() + wait;
      const read = async () => {
        while (todo.length) {
          try { await todo.shift().more(); } catch { /* at the next change */ }
          if (performance.now() < next) continue;
          this.look();
          next = performance.now() + (wait *= 10);
        }
      };
      await Promise.all([0, 1, 2, 3].map(read));
      this.loaded = true;
      this.look();
    }
    look() {
      const names = new Set(this.logs.flatMap(log => [...log.metrics.keys()]));
      const has = a => a === 'step' || this.logs.some(log => (a === 'time' ? isFinite(secondsPerStep(log.row)) : log.x[a]));
      this.setAxes([...axes, 'time'].filter(has));
      this.fill(names);
      if (!names.size) this.count.textContent = this.loaded ? 'nothing was logged' : 'reading';
    }
    /// Takes an event's rows of a job. False if they have to be requested.
    take(job) {
      const log = this.asked && this.logs.find(l => l.dir === job.job);
      return !log || log.take(job);
    }
    async more(dirs) {
      if (!this.asked || !dirs.size) return;
      const came = await Promise.all(this.logs.filter(l => dirs.has(l.run + '\n' + l.dir)).map(l => l.more().catch(() => false)));
      if (came.some(Boolean)) this.look();
    }
  }
  const liveGroups = (data, prefix, first) => groupsOf(data.jobs, prefix, first).map(g => {
    g.logs = g.rows.map(row => new Log(data.run, row));
    g.curves = (metric, axis) => {
      const seeds = g.logs.map(log => log.line(metric, axis)).filter(Boolean);
      return seeds.length ? {seeds} : null;
    };
    return g;
  });
  const infoOf = metrics => name => ({title: name, ...metrics[name]});

  // ---- one run --------------------------------------------------------------------------------------------------------
  const progress = row => {
    if (row.state !== 'running') return null;
    const part = row.total_steps ? row.step / row.total_steps : 0;
    const fill = el('span', {}), share = Math.round(100 * part) + ' %';
    fill.style.width = 100 * part + '%';
    return el('span', {class: 'progress'}, el('span', {class: 'track', role: 'img', 'aria-label': share}, fill),
      row.total_steps ? share : row.what || '',
      row.left_s !== undefined && el('span', {class: 'soft'}, ' ' + duration(row.left_s) + ' left'));
  };
  /// A button that acts at the second click; then it shows what `act` returns.
  const sureButton = (text, sure, act) => el('button', {type: 'button', class: 'quiet', onclick: async e => {
    const button = e.currentTarget;
    if (!button.dataset.sure) {
      button.dataset.sure = '1'; button.textContent = sure;
      setTimeout(() => { if (!button.disabled) { delete button.dataset.sure; button.textContent = text; } }, 6000);
      return;
    }
    button.disabled = true;
    try { button.textContent = await act(); } catch (error) { button.textContent = said(error); }
  }}, text);
  /// The figures of a run's report, drawn by the server: each when it comes into view, and again when jobs have ended.
  class Gallery {
    constructor(run, figures) {
      this.run = run;
      this.seen = new IntersectionObserver(entries => {
        for (const e of entries) if (e.isIntersecting) { this.seen.unobserve(e.target); this.draw(e.target); }
      }, {rootMargin: '300px'});
      this.nodes = figures.map(f => el('div', {class: 'drawn', 'data-id': f.id}, el('p', {class: 'soft'}, f.caption || f.id)));
      this.nodes.forEach(node => this.seen.observe(node));
    }
    async draw(node) {
      try {
        const drawn = await ask('/api/figure?run=' + q(this.run) + '&id=' + q(node.dataset.id));
        if (drawn.error) throw Object.assign(new Error(drawn.error), {more: drawn});
        const picture = d => el('img', {src: 'data:image/svg+xml;charset=utf-8,' + q(d.svg), alt: d.caption || d.id});
        put(node, ...drawn.map(d => el('figure', {class: 'drawing'}, el('div', {class: 'paper-sheet'}, picture(d)),
          el('figcaption', {}, d.caption || d.id, ' ', d.note && el('span', {class: 'note'}, d.note)))));
      } catch (e) { put(node, el('p', {class: 'soft'}, node.dataset.id + ': ' + said(e))); }
      node.dataset.drawn = '1';
    }
    again() { for (const node of this.nodes) if (node.dataset.drawn) { delete node.dataset.drawn; this.seen.observe(node); } }
    leave() { this.seen.disconnect(); }
  }
  const showRun = name => {
    put(where, el('a', {class: 'name', href: link(name)}, name));
    document.title = name + ' · Yatlab';
    content.replaceChildren(el('p', {class: 'soft'}, 'reading ' + name));
    const now = el('div', {class: 'now'}), log = el('pre', {tabindex: '0'}), orders = new Map(), shown = new Map();
    let gallery = null, board = null, jobs = null, data = null, overBefore = -1;
    const readLog = async () => {
      if (!logBox.open) return;
      try {
        const text = await ask('/api/log?run=' + q(name));
        const below = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
        log.textContent = text.log + (text.resumed ? '\n---- printed when it was resumed from this page ----\n' + text.resumed : '');
        if (below) log.scrollTop = log.scrollHeight;
      } catch { /* at the next change */ }
    };
    const logBox = el('details', {ontoggle: readLog}, el('summary', {}, 'log.txt, its end'), log);
    const stopJob = row => row.state !== 'running' ? null : sureButton('stop', 'stop: sure?', async () => {
      const a = await post('/api/stop?run=' + q(name) + '&job=' + q(row.dir));
      return a.asked ? 'asked to stop' : 'it is not running';
    });
    const further = [
      {head: 'progress', first: true, key: r => (r.state === 'running' && r.total_steps ? r.step / r.total_steps : ''),
        cell: r => el('td', {}, progress(r), ' ', stopJob(r))},
      {head: 'host', key: r => r.host || '', cell: r => el('td', {class: 'soft'}, r.host || '')}];
    const drawNow = () => {
      const states = {};
      for (const r of data.jobs.rows) states[r.state] = (states[r.state] || 0) + 1;
      const left = data.jobs.rows.filter(r => r.state === 'running' && r.left_s !== undefined).map(r => r.left_s);
      const stop = async () => {
        const a = await post('/api/stop?run=' + q(name));
        return a.asked ? 'asked to stop' : 'none of its processes is on this machine';
      };
      const resume = async () => {
        await post('/api/resume?run=' + q(name));
        logBox.open = true;
        setTimeout(readLog, 1500);
        return 'started; its output is in the log below';
      };
      const button = states.running ? sureButton('stop', 'stop: sure? It saves, and resume continues', stop)
        : states.planned || states.interrupted || states.failed || states.preempted
          ? sureButton('resume', 'resume: sure? It runs the command of its jobs', resume) : null;
      const times = [left.length && `running jobs: ${duration(Math.max(...left))} left`, ago(data.id) && `begun ${ago(data.id)} ago`];
      put(now, bar(states), el('span', {}, stateText(states)), el('span', {class: 'soft'}, times.filter(Boolean).join(', ')), button);
      document.title = name + ' · ' + stateText(states);
    };
    const fill = (id, node) => document.getElementById(id + '-app')?.replaceChildren(...[].concat(node));
    /// Shows the sections that the server wrote, where they changed.
    const write = html => {
      for (const part of html) {
        if (shown.get(part.id) === part.html) continue;
        const fresh = document.createElement('template');
        fresh.innerHTML = part.html;
        dress(fresh.content, orders);
        const old = document.getElementById(part.id);
        if (old && shown.has(part.id)) old.replaceWith(fresh.content); else content.append(fresh.content);
        shown.set(part.id, part.html);
      }
    };
    const load = async () => {
      try {
        const fresh = await ask('/api/run?run=' + q(name));
        if (heard !== hear) return;
        const first = !data;
        data = fresh;
        if (first) content.replaceChildren();
        write(data.html);
        fill('now', now);
        drawNow();
        if (first) {
          const jump = id => e => { e.preventDefault(); document.getElementById(id).scrollIntoView(); };
          where.append(...[...content.querySelectorAll('section')].map(s =>
            el('a', {href: link(name), onclick: jump(s.id)}, s.querySelector('h2').textContent)));
          board = new LiveBoard(liveGroups(data, '', 0), data.jobs.params, infoOf(data.metrics));
          gallery = new Gallery(name, data.figures);
          jobs = new JobTable(data.jobs, further);
          fill('curves', board.node); fill('figures', gallery.nodes); fill('jobs', jobs.node); fill('log', logBox);
          leave = () => { board.leave(); gallery.leave(); };
        } else {
          jobs.set(data.jobs);
          const rows = new Map(data.jobs.rows.map(r => [r.dir, r]));
          for (const log of board.logs) log.row = rows.get(log.dir) || log.row;
        }
        fill('points', sweptPoints(data.jobs, (rows, label) => jobs.pick(rows, label)) || []);
        const ended = data.jobs.rows.filter(r => !['planned', 'running', 'submitted'].includes(r.state)).length;
        if (overBefore >= 0 && ended !== overBefore) gallery.again();
        overBefore = ended;
        readLog();
      } catch (e) {
        if (heard !== hear) return;
        if (data) now.prepend(failure(e)); else content.replaceChildren(failure(e), el('p', {}, el('a', {href: '#/'}, 'all runs')));
      }
    };
    const again = later(700, load);
    const hear = event => {
      if (event.again || event.runs) return again();
      if (event.run !== name || !data) return;
      const grown = new Set(), rows = new Map(data.jobs.rows.map(r => [r.dir, r]));
      let over = false, taken = false;
      for (const job of event.jobs) {
        const row = rows.get(job.job);
        if (!row || row.state !== job.state) over = true;
        if (!row) continue;
        if (job.rows && board && board.take(job)) taken = true;
        else if (job.bytes) grown.add(name + '\n' + job.job);
        for (const key of ['left_s', 'what', 'error']) delete row[key];
        const {arm, from, next, rows: lines, ...news} = job;
        Object.assign(row, news);
        if (!jobs.row(row.dir)?.querySelector('[data-sure]')) jobs.update(row);
      }
      if (!now.querySelector('[data-sure]')) drawNow();
      if (board && board.asked && taken) board.look();
      if (board) board.more(grown);
      if (over) again();
    };
    heard = hear;
    load();
  };

  // ---- several runs ---------------------------------------------------------------------------------------------------
  const showCompare = async names => {
    put(where, el('span', {}, 'compare ' + names.length + ' runs'));
    document.title = 'compare · Yatlab';
    content.replaceChildren(el('p', {class: 'soft'}, 'reading'));
    let board = null;
    const hear = event => { if (board && names.includes(event.run)) board.more(new Set(event.jobs.map(j => event.run + '\n' + j.job))); };
    heard = hear;
    try {
      const all = await Promise.all(names.map(n => ask('/api/run?run=' + q(n))));
      const pair = names.length === 2 ? await ask('/api/compare?a=' + q(names[0]) + '&b=' + q(names[1])).catch(() => null) : null;
      if (heard !== hear) return;
      const groups = [], metrics = {}, letter = i => String.fromCharCode(65 + i % 26) + (i > 25 ? Math.floor(i / 26) : '');
      all.forEach((d, i) => { groups.push(...liveGroups(d, letter(i) + ' · ', groups.length)); Object.assign(metrics, d.metrics); });
      groups.forEach((g, i) => { g.colour = i; });
      board = new LiveBoard(groups, [], infoOf(metrics));
      leave = () => board.leave();
      const by = [...new Set(all.map(d => d.by && d.by.metric).filter(Boolean))].join(', ');
      const armLine = (d, k) => (a, i) => el('tr', {},
        el('th', {scope: 'row'}, el('b', {}, letter(k) + ' '), i ? '' : el('a', {href: link(d.run)}, d.run)), el('td', {}, a.label),
        el('td', {class: 'num'}, a.mean, el('span', {class: 'soft'}, a.spread)), el('td', {class: 'num'}, a.done + ' / ' + a.jobs));
      const overview = el('section', {}, el('h2', {}, 'Arms'), region('Arms', table('', [head('run'), head('arm'), head(by, 'num'),
        head('jobs over', 'num')], all.flatMap((d, k) => d.arms.map(armLine(d, k))))));
      const settings = all.map(d => new Set(d.config.split('\n')));
      const differences = el('section', {}, el('h2', {}, 'What differs'));
      for (const [key, value] of Object.entries(pair || {})) {
        if (!Array.isArray(value) || !value.length || value[0].name === undefined) continue;
        const word = x => (typeof x === 'string' ? x : JSON.stringify(x));
        const words = v => [v.name + (v.where ? ' (' + v.where + ')' : ''), v.a ?? '', v.b ?? ''].map(word);
        const line = v => el('tr', {}, ...words(v).map((c, i) => el(i ? 'td' : 'th', {class: 'wide'}, c)));
        differences.append(el('h3', {}, key), region(key, table('', [head(''), head('A'), head('B')], value.map(line))));
      }
      if (!pair) all.forEach((d, i) => {
        const own = [...settings[i]].filter(l => settings.some((s, k) => k !== i && !s.has(l)));
        differences.append(el('details', {}, el('summary', {}, letter(i) + ' ' + d.run + ': ' + own.length + ' lines of config'),
          el('pre', {tabindex: '0'}, own.join('\n'))));
      });
      const command = './run.sh compare ' + names.map(shellWord).join(' ');
      put(content, el('h1', {}, names.length + ' runs'), names.length === 2 && el('p', {class: 'command'}, el('code', {}, command),
        copyButton(command)), overview, el('section', {id: 'curves'}, el('h2', {}, 'Learning curves'), board.node),
      differences.children.length > 1 && differences);
    } catch (e) { if (heard === hear) content.replaceChildren(failure(e)); }
  };

  // ---- which page -----------------------------------------------------------------------------------------------------
  let leave = null;
  const go = () => {
    if (leave) leave();
    leave = null;
    hideTip();
    scrollTo(0, 0);
    const parts = location.hash.split('/').slice(1);
    if (parts[0] === 'compare') parts.splice(1, parts.length, parts.slice(1).join('/'));
    try {
      if (parts[0] === 'run' && parts.length === 3) return showRun(parts.slice(1).map(decodeURIComponent).join('/'));
      if (parts[0] === 'compare' && parts[1]) return showCompare(parts[1].split(',').map(decodeURIComponent));
    } catch { /* an address that was cut off */ }
    showRuns();
  };
  addEventListener('keydown', e => {
    if (e.key !== '/' || /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) return;
    const field = content.querySelector('input[type=search]');
    if (field) { e.preventDefault(); field.focus(); }
  });
  addEventListener('hashchange', go);
  go();
  listen();
})();
