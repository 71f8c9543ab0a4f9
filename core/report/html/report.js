// The page works without this script, but for curves and jobs.
(async () => {
  const held = JSON.parse(document.getElementById('data').textContent) || {};
  // The data of large runs is packed (zlib, base64).
  const unpacked = async text => {
    const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))).json();
  };
  dress(content);
  const openTarget = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target && target.tagName === 'DETAILS') target.open = true;
  };
  addEventListener('hashchange', openTarget);
  openTarget();
  const {curves, jobs} = held.packed ? await unpacked(held.packed) : held;

  const curvesApp = document.getElementById('curves-app');
  if (curvesApp && curves) {
    const metrics = new Map(curves.metrics.map(m => [m.name, m]));
    const logged = new Map(curves.groups.map((g, i) => [g.arm + '\n' + g.point.join('\n'), [g, i]]));
    // Epochs and tokens are known at a few steps; between them they grow evenly.
    const along = (known, axis) => x => {
      const from = known.step, to = known[axis];
      let i = Math.max(1, from.findIndex(s => s >= x));
      if (x > from[from.length - 1]) i = from.length - 1;
      return from.length < 2 ? to[0] : to[i - 1] + (x - from[i - 1]) / (from[i] - from[i - 1]) * (to[i] - to[i - 1]);
    };
    const groups = groupsOf(jobs).filter(g => logged.has(g.key));
    for (const group of groups) {
      const [own, index] = logged.get(group.key), kept = new Map();
      const paces = group.rows.map(secondsPerStep).filter(isFinite), pace = paces.reduce((a, b) => a + b, 0) / paces.length;
      group.timed = paces.length > 0;
      const read = (metric, axis) => {
        const s = metrics.get(metric).series.find(one => one.g === index);
        if (!s || (axis === 'time' ? !group.timed : axis !== 'step' && !own.at[axis])) return null;
        const move = axis === 'step' ? v => v : axis === 'time' ? v => v * pace : along(own.at, axis), x = s.x.map(move);
        const seeds = s.seeds || (own.seeds.length === 1 ? [s.m] : []);
        return {mean: {...s, x, bad: (s.bad || []).map(move)}, seeds: seeds.map((y, k) => ({label: 'seed ' + own.seeds[k], x, y}))};
      };
      group.curves = (metric, axis) => {
        const key = axis + ' ' + metric;
        if (!kept.has(key)) kept.set(key, read(metric, axis));
        return kept.get(key);
      };
    }
    const board = new Board(groups, jobs.params, name => metrics.get(name));
    const has = a => a === 'step' || (a === 'time' ? groups.some(g => g.timed) : curves.groups.some(g => g.at[a]));
    board.setAxes(['step', 'epoch', 'tokens', 'time'].filter(has));
    board.fill([...metrics.keys()]);
    const labels = new Map(groups.map(g => [logged.get(g.key)[1], g.label]));
    for (const m of curves.metrics) {
      const fewer = m.series.filter(s => s.left).map(s => (groups.length > 1 ? `${labels.get(s.g)}: ${s.left}` : s.left));
      if (fewer.length) board.charts.get(m.name).node.append(el('p', {class: 'small left'}, `Mean over ${fewer.join('; ')}.`));
    }
    const thin = curves.thinned ? 'Long curves are thinned: each stretch keeps its lowest and highest values. ' : '';
    const by = curves.by ? 'best by ' + curves.by : 'first';
    const best = curves.of_groups ? `Of ${curves.of_groups} curves these are the ${groups.length} ${by}. ` : '';
    const some = curves.seeds < curves.of_seeds ? `Of single seeds the first ${curves.seeds} are drawn. ` : '';
    put(curvesApp, board.node, el('p', {class: 'small'}, `${thin}${best}${some}Every logged value is in the jobs’ metrics.jsonl.`));
  }

  const jobsApp = document.getElementById('jobs-app');
  if (jobsApp && jobs) {
    const href = path => path.split('/').map(encodeURIComponent).join('/');
    const links = r => ['', ...r.files].map(f => el('a', {href: `${href(r.dir)}/${f}`}, f.split('.')[0] || 'folder'));
    const table = new JobTable(jobs, [{head: 'files', cell: r => el('td', {class: 'links'}, ...links(r))}]);
    put(jobsApp, table.node);
    const pointsApp = document.getElementById('points-app');
    if (pointsApp) put(pointsApp, sweptPoints(jobs, (rows, label) => table.pick(rows, label)));
  }
})();
