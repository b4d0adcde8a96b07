/**
 * The script of an exported page: chooses sessions, searches, moves by keys. It makes elements of the page's own markup and text of everything
 * else. A session that isn't shown is the text of its <noscript> (session.ts) until it is chosen.
 */
(() => {
  'use strict';
  const root = document.documentElement;
  const texts = JSON.parse(document.body.dataset.texts);
  const part = (name) => document.querySelector(`[data-part="${name}"]`);
  const [query, form, hits, list, side, veil, menu] = ['query', 'form', 'hits', 'list', 'side', 'veil', 'menu'].map(part);
  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_all, name) => values[name].toLocaleString('en'));
  const pause = () => new Promise((resolve) => setTimeout(resolve));

  /** Laid out at once, besides the one that is shown. */
  const mostLaidOut = 6;
  /** Marked at once in one session; all are counted. */
  const mostMarked = 5000;
  /** Milliseconds the search works before it lets keys and frames through. */
  const slice = 12;

  // ── sessions

  const sessions = Array.from(document.querySelectorAll('main > .session'), (element) => ({
    element,
    id: element.id,
    body: element.querySelector('.body'),
    name: element.querySelector('h2').textContent,
    found: 0,
  }));
  const byId = new Map(sessions.map((session) => [session.id, session]));
  const laidOut = [];
  let shown = sessions[0];

  /** Elements for a session that is a text so far; the oldest one laid out becomes a text again. */
  function layOut(session) {
    const source = session.body.querySelector(':scope > noscript');
    if (source === null) return;
    const at = laidOut.indexOf(session);
    if (at !== -1) laidOut.splice(at, 1);
    else {
      const template = document.createElement('template');
      template.innerHTML = source.textContent;
      session.body.append(template.content);
    }
    session.body.open = true;
    laidOut.push(session);
    if (laidOut.length > mostLaidOut) laidOut.shift().body.querySelector('.messages').remove();
  }

  function show(session) {
    if (session !== shown) {
      shown.element.classList.remove('shown');
      shown.link?.removeAttribute('aria-current');
      shown = session;
      scrollTo(0, 0);
    }
    layOut(session);
    session.element.classList.add('shown');
    if (sessions.length > 1) document.title = session.name;
    session.link?.setAttribute('aria-current', 'true');
    session.link?.scrollIntoView({ block: 'nearest' });
    mark();
  }

  const unfold = (node) => {
    for (let at = node; at !== null && at !== shown.element; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
  };

  /** Follows the address: a session, or a message of one. */
  function follow() {
    let address = location.hash.slice(1);
    try {
      address = decodeURIComponent(address);
    } catch {
      // Typed by hand with a stray %: taken as it is.
    }
    const session = address === '' ? sessions[0] : (byId.get(address) ?? byId.get(address.slice(0, Math.max(0, address.lastIndexOf('/')))));
    if (session === undefined) return;
    show(session);
    draw(false);
    if (address === '' || session.id === address) return;
    const message = document.getElementById(address);
    if (message === null) return;
    unfold(message);
    message.scrollIntoView();
  }

  // ── the list

  /** The same steps as in the terminal's picker; against the time the page was opened. */
  function age(time) {
    const minutes = (performance.timeOrigin - Date.parse(time)) / 60000;
    if (!(minutes >= 1)) return texts.now;
    const steps = [
      [60, 1, 'm'],
      [1440, 60, 'h'],
      [10080, 1440, 'd'],
      [43200, 10080, 'w'],
      [525600, 43833, 'mo'],
      [Infinity, 525960, 'y'],
    ];
    const [, unit, sign] = steps.find(([below]) => minutes < below);
    return Math.max(1, Math.floor(minutes / unit)) + sign;
  }

  const textElement = (tag, name, text) => {
    const element = document.createElement(tag);
    element.className = name;
    element.textContent = text;
    return element;
  };

  function fillList() {
    for (const session of sessions) {
      const { source, messages, active, when: fullTime } = session.element.dataset;
      const link = document.createElement('a');
      link.href = `#${encodeURIComponent(session.id)}`;
      link.append(textElement('span', 'name', session.name));
      link.firstChild.dir = 'auto';
      if (active !== undefined) {
        const when = textElement('time', 'age', age(active));
        when.dateTime = active;
        when.title = fullTime;
        link.append(when);
      }
      const more = textElement('span', 'more', `${source} · ${messages}`);
      more.append(textElement('span', 'found', ''));
      link.append(more);
      session.item = document.createElement('li');
      session.item.append(link);
      session.link = link;
    }
    list.append(...sessions.map((session) => session.item));
  }

  const visible = () => sessions.filter((session) => !session.item?.hidden);

  /** The session `steps` further down the list. */
  function step(from, steps) {
    const all = visible();
    const at = all.indexOf(from);
    return all[Math.min(all.length - 1, Math.max(0, at === -1 ? 0 : at + steps))];
  }

  function draw(isOpen) {
    side.classList.toggle('drawn', isOpen);
    menu.setAttribute('aria-expanded', String(isOpen));
    document.getElementById('main').inert = isOpen;
    if (isOpen) (shown.link ?? list).focus();
  }

  // ── search

  const fold = (text) => text.normalize('NFC').toLowerCase();
  const entities = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };

  /** The text nodes that were said, not those of the page itself: <i class="c">. */
  function textNodes(element) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT, (node) =>
      node.parentElement.closest('i.c') === null ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_REJECT,
    );
    const nodes = [];
    while (walker.nextNode()) nodes.push(walker.currentNode);
    return nodes;
  }

  const joined = (nodes) => nodes.map((node) => node.data).join('');

  /** What was said in a session, folded for comparing; made once. From its markup when it isn't laid out: content has no < of its own. */
  function wordsOf(session) {
    if (session.words !== undefined) return session.words;
    const source = session.body.querySelector(':scope > noscript');
    const said =
      source === null
        ? joined(textNodes(session.body.querySelector('.messages')))
        : source.textContent
            .replace(/<i class="c[^>]*>[^<]*<\/i>|<[^>]*>/g, '')
            .replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity]);
    return (session.words = fold(`${joined(textNodes(session.element.querySelector('h2')))}\n${said}`));
  }

  /** Words, and "several words" that stand together. */
  const parse = (text) =>
    Array.from(fold(text).matchAll(/"([^"]+)"?|([^\s"]+)/g), ([, together, word]) => (together ?? word).trim()).filter(Boolean);

  /** Every place of every word, or none when a word is missing. */
  function places(text, words) {
    const found = [];
    for (const word of words) {
      const before = found.length;
      for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) found.push([at, at + word.length]);
      if (found.length === before) return [];
    }
    return found.sort(([one], [other]) => one - other);
  }

  const hitCount = (count) => fill(count === 1 ? texts.oneHit : texts.hits, { n: count });

  let words = [];
  let current = -1;
  let marked = [];
  let turn = 0;

  /** Where each unit of the folded text stands in the text itself; folding seldom moves any. */
  function foldPlaces(text) {
    const folded = fold(text);
    if (folded.length === text.length) return { folded, place: (at) => at };
    const starts = [];
    let all = '';
    for (const { 0: piece, index } of text.matchAll(/[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]+|\P{M}\p{M}*|\p{M}+/gsu)) {
      const part = fold(piece);
      for (let unit = 0; unit < part.length; unit++) starts.push(index + Math.floor((unit * piece.length) / part.length));
      all += part;
    }
    starts.push(text.length);
    return { folded: all, place: (at) => starts[at] };
  }

  /** Marks the hits of the session that is shown, without touching its elements. */
  function mark() {
    current = -1;
    marked = [];
    if (words.length > 0 && CSS.highlights !== undefined) {
      const nodes = [shown.element.querySelector('h2'), shown.body.querySelector('.messages')].map(textNodes);
      const text = `${joined(nodes[0])}\n${joined(nodes[1])}`;
      const { folded, place } = foldPlaces(text);
      marked = rangesAt(
        nodes,
        places(folded, words)
          .slice(0, mostMarked)
          .map((ends) => ends.map(place)),
      );
    }
    if (CSS.highlights === undefined) return;
    CSS.highlights.set('hit', new Highlight(...marked));
    CSS.highlights.delete('hit-now');
  }

  function rangesAt([head, body], ends) {
    const starts = [];
    let at = 0;
    for (const node of head) {
      starts.push({ node, at });
      at += node.length;
    }
    at += 1;
    for (const node of body) {
      starts.push({ node, at });
      at += node.length;
    }
    const spot = (offset, isEnd) => {
      let low = 0;
      let high = starts.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (starts[middle].at < offset || (!isEnd && starts[middle].at === offset)) low = middle;
        else high = middle - 1;
      }
      return [starts[low].node, Math.min(starts[low].node.length, offset - starts[low].at)];
    };
    return ends.map(([from, to]) => {
      const range = new Range();
      range.setStart(...spot(from, false));
      range.setEnd(...spot(to, true));
      return range;
    });
  }

  /** Looks through all sessions, the shown one first, giving way to keys in between. A newer search ends an older one. */
  async function search() {
    const mine = ++turn;
    words = parse(query.value);
    const isIdle = words.length === 0;
    root.classList.toggle('searching', !isIdle);
    for (const session of sessions) session.found = 0;
    let until = performance.now() + slice;
    for (const session of isIdle ? [] : [shown, ...sessions.filter((each) => each !== shown)]) {
      session.found = places(wordsOf(session), words).length;
      if (session === shown) mark();
      if (performance.now() < until) continue;
      say(true);
      await pause();
      if (mine !== turn) return;
      until = performance.now() + slice;
    }
    if (isIdle) mark();
    for (const session of sessions) {
      if (session.item === undefined) continue;
      session.item.hidden = !isIdle && session.found === 0;
      session.link.querySelector('.found').textContent = session.found === 0 ? '' : ` · ${hitCount(session.found)}`;
    }
    say(false);
  }

  function say(isSearching) {
    const all = sessions.reduce((sum, session) => sum + session.found, 0);
    for (const name of ['earlier', 'later']) part(name).hidden = all === 0;
    if (words.length === 0) hits.value = '';
    else if (isSearching) hits.value = texts.searching;
    else if (all === 0) hits.value = texts.noHits;
    else if (current !== -1) hits.value = fill(texts.hitOf, { n: current + 1, of: shown.found });
    else hits.value = sessions.length > 1 ? fill(texts.hitsHere, { n: shown.found, of: all }) : hitCount(all);
  }

  /** The next hit, or the one before; past the last one of a session comes the first of the next. */
  function goToHit(direction) {
    let next = current + direction;
    if (current === -1) next = direction > 0 ? 0 : marked.length - 1;
    if (next < 0 || next >= marked.length) {
      const all = sessions.filter((session) => session.found > 0);
      if (all.length === 0) return;
      const at = all.indexOf(shown);
      const other = at === -1 ? all[0] : all[(at + direction + all.length) % all.length];
      if (other !== shown) {
        history.replaceState(null, '', `#${encodeURIComponent(other.id)}`);
        show(other);
      }
      next = direction > 0 ? 0 : marked.length - 1;
    }
    const range = marked[next];
    if (range === undefined) return;
    current = next;
    CSS.highlights.set('hit-now', new Highlight(range));
    say(false);
    reveal(range);
  }

  function reveal(range) {
    const element = range.startContainer.parentElement;
    unfold(element);
    element.closest('.m, .tool, h2')?.scrollIntoView({ block: 'nearest' });
    // What was far away has its real height only now.
    requestAnimationFrame(() => {
      const frame = element.closest('pre, .wide');
      if (frame !== null) {
        const [inner, outer] = [range.getBoundingClientRect(), frame.getBoundingClientRect()];
        frame.scrollBy(inner.left > outer.right ? inner.left - outer.left - 40 : 0, inner.top - outer.top - frame.clientHeight / 2);
      }
      scrollBy(0, range.getBoundingClientRect().top - innerHeight / 2.5);
    });
  }

  // ── keys

  function moveMessage(direction) {
    const all = [...shown.element.querySelectorAll('.messages > .m, .messages > .tool')];
    const top = 90;
    const from = all.indexOf(document.activeElement?.closest('.m, .tool'));
    const inView = all.findIndex((element) => element.getBoundingClientRect().bottom > top);
    const next = all[from !== -1 ? from + direction : direction > 0 ? inView : inView - 1];
    if (next === undefined) return;
    const target = next.matches('details') ? next.querySelector('summary') : next;
    if (target === next) next.tabIndex = -1;
    target.focus({ preventScroll: true });
    next.scrollIntoView({ block: 'start' });
  }

  const inList = () => document.activeElement === query || side.contains(document.activeElement);

  const keys = {
    '/': () => query.select(),
    j: () => moveMessage(1),
    k: () => moveMessage(-1),
    // The same keys of a Korean keyboard.
    ㅓ: () => moveMessage(1),
    ㅏ: () => moveMessage(-1),
  };

  function moveInList(steps) {
    const isInSide = side.contains(document.activeElement);
    const from = isInSide ? sessions.find((session) => session.link === document.activeElement) : shown;
    const next = step(from ?? shown, steps);
    if (next === undefined) return;
    if (isInSide) next.link.focus();
    history.replaceState(null, '', `#${encodeURIComponent(next.id)}`);
    show(next);
  }

  function escape() {
    if (side.classList.contains('drawn')) {
      draw(false);
      menu.focus();
    } else if (query.value !== '') {
      query.value = '';
      search();
    } else document.activeElement?.blur();
  }

  addEventListener('keydown', (event) => {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    let action;
    if (event.key === 'Escape') action = escape;
    else if (event.key === 'Enter' && event.target === query) action = () => goToHit(event.shiftKey ? -1 : 1);
    else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && inList() && sessions.length > 1)
      action = () => moveInList(event.key === 'ArrowDown' ? 1 : -1);
    else if (event.target !== query) action = keys[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  });

  // ── what is clicked

  form.addEventListener('submit', (event) => event.preventDefault());
  query.addEventListener('input', search);
  part('earlier').addEventListener('click', () => goToHit(-1));
  part('later').addEventListener('click', () => goToHit(1));
  menu.addEventListener('click', () => draw(true));
  veil.addEventListener('click', () => draw(false));
  list.addEventListener('click', (event) => {
    // The address may be the same already: then nothing else would close the drawer.
    const session = sessions.find((each) => each.link === event.target.closest('a'));
    if (session === shown) draw(false);
  });
  addEventListener('hashchange', follow);

  // ── colours

  const colours = part('colours');
  const isDark = () => (root.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
  const nameColours = () => {
    const label = isDark() ? texts.lightColours : texts.darkColours;
    colours.title = label;
    colours.setAttribute('aria-label', label);
  };
  colours.addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    nameColours();
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', nameColours);
  nameColours();

  if (sessions.length < 2) root.classList.add('single');
  else {
    fillList();
    part('count').textContent = document.title;
  }
  if (shown !== undefined) show(shown);
  follow();
})();
