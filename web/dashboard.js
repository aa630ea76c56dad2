// What a page of the dashboard does besides being read: it hears of news and puts them in, sends forms without leaving the
// page, and says how long ago things were. Everything works without it, but for the news. It takes no markup but the
// server's own, loads nothing from elsewhere, and keeps nothing in the browser's stores.

const { base, view, after, form } = document.body.dataset;
const at = (id) => document.getElementById(id);
/** Watches which long lists come near; see below. */
let near;
let isGoing = false;
/** The last entry of the journal that came. */
let last = Number(after);
/** How far news have scrolled the page since a person did. */
let scrolled = 0;
let touched = Date.now();
let saying;
/** Over before the next news come. */
const GLIDE = { duration: 80, easing: 'ease-out' };
const AWAY_MS = 60_000;
const SAID_MS = 10_000;
const MOST_ENTRIES = 400;
const KEYS = { n: 'now', b: 'board', q: 'queue', a: 'agents', c: 'account', o: 'cost', l: 'log' };

if (base === undefined) signIn();
else {
  openStream();
  document.addEventListener('submit', sendForm);
  document.addEventListener('keydown', jump);
  document.addEventListener('click', beginWriting);
  tellAges(document.body);
  setInterval(() => {
    if (document.visibilityState === 'visible') tellAges(document.body);
    if (Date.now() - touched > AWAY_MS) rest();
  }, 15_000);
  for (const name of ['pointermove', 'pointerdown', 'keydown', 'wheel', 'touchmove'])
    addEventListener(name, () => (touched = Date.now()), { passive: true });
  for (const name of ['wheel', 'touchmove'])
    addEventListener(
      name,
      () => {
        scrolled = 0;
        tidy();
      },
      { passive: true },
    );
  addEventListener('scroll', tellAbove, { passive: true });
  scrollJournal();
  waitForRows();
}

/** The code is behind the # of the link: it never was in a request. */
async function signIn() {
  const code = location.hash.slice(1);
  if (!/^[a-z0-9-]{16,40}$/i.test(code) || at('login') === null) return;
  history.replaceState(null, '', location.pathname);
  const answer = await fetch('/login', {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams({ code }),
  });
  const { ok, to, said } = await answer.json();
  if (ok) return location.replace(to);
  const told = document.createElement('p');
  told.className = 'card alarm';
  told.setAttribute('role', 'alert');
  told.textContent = said;
  at('login').before(told);
}

// ---- news

/** One stream for a page that is seen; none for one that is not. */
function openStream() {
  let stream;
  let lost;
  const tell = (text) => {
    const link = at('link');
    if (link.textContent !== text) link.textContent = text;
  };
  const close = () => {
    clearTimeout(lost);
    stream?.close();
    stream = undefined;
  };
  const open = () => {
    if (stream !== undefined || document.visibilityState !== 'visible') return;
    stream = new EventSource(`${base}/events?${new URLSearchParams({ view, after: String(last) })}`);
    stream.addEventListener('open', () => {
      clearTimeout(lost);
      tell('Live');
    });
    stream.addEventListener('error', () => {
      tell('Not connected');
      // A browser gives up for good when it is refused; the server may be another one by now.
      if (stream?.readyState === EventSource.CLOSED) {
        close();
        lost = setTimeout(open, 3000);
      }
    });
    stream.addEventListener('entry', ({ data }) => {
      const entry = JSON.parse(data);
      if (entry.seq <= last) return;
      last = entry.seq;
      addEntry(entry);
    });
    stream.addEventListener('stand', ({ data }) => void compare(JSON.parse(data).parts));
    stream.addEventListener('parts', ({ data }) => {
      const { parts, html, whole } = JSON.parse(data);
      keepingPlaces((seen) => {
        if (whole) arrange(parts, seen);
        putIn(parts, html);
      });
    });
    stream.addEventListener('anew', () => location.reload());
  };
  document.addEventListener('visibilitychange', () => (document.visibilityState === 'visible' ? open() : close()));
  addEventListener('pagehide', close);
  addEventListener('pageshow', open);
  open();
}

/** Fetches what looks different here from how it stands now. */
async function compare(parts) {
  if (parts.length > 2) keepingPlaces((seen) => arrange(parts, seen));
  const stale = parts
    .filter(([id, version, , rows]) => {
      const there = at(`p-${id}`);
      return there !== null && there.dataset.v !== version && !(rows > 0 && there.dataset.v === '');
    })
    .map(([id]) => id);
  for (let from = 0; from < stale.length; from += 40) await fetchParts(stale.slice(from, from + 40));
}

async function fetchParts(ids) {
  const answer = await fetch(`${base}/parts?${new URLSearchParams({ view, ids: ids.join(',') })}`);
  if (!answer.ok) return;
  const { parts, html } = await answer.json();
  keepingPlaces(() => putIn(parts, html));
}

/**
 * What is on view stays where it is, or a person would press what came in its place: what left or shrank leaves its room,
 * what comes above it is scrolled past. Where there is no other way, what they point at, or are in, stays, and the others
 * glide to their new places, so that an eye can follow.
 */
function keepingPlaces(change) {
  const all = [...at('parts').children, ...at('main').querySelectorAll(':scope > section')];
  for (const glide of document.getAnimations()) glide.cancel();
  const before = new Map(all.map((one) => [one, one.getBoundingClientRect()]));
  const seen = all.filter((one) => isOnView(before.get(one)));
  const held = [...document.querySelectorAll('#parts [id]:hover'), ...seen.filter((one) => one.matches(':hover'))];
  if (held.length === 0) held.push(...seen.filter((one) => one.contains(document.activeElement)));
  const places = held.reverse().map((one) => [one, topOf(one)]);
  const now = (one) => (one.isConnected ? one : at(one.id));
  change(seen);
  const still = seen.filter((one) => one.isConnected);
  const [first, ...others] = still;
  if (first === undefined) return;
  const shift = topOf(first) - before.get(first).top;
  for (const one of others) makeRoom(one, before.get(one).top + shift - topOf(one));
  const [kept, top] = places.find(([one]) => now(one) !== null) ?? [first, before.get(first).top];
  const off = () => topOf(now(kept)) - top;
  // Where nothing asks for a person yet, what comes is seen at once.
  const isHeld = places.length > 0 || scrollY > 0 || seen.some((one) => one.matches('.need'));
  if (isHeld) scrollOn(off());
  if (isHeld && off() >= 1) {
    // The page is too short to be scrolled that far.
    at('main').style.paddingBlockEnd = `${(parseFloat(at('main').style.paddingBlockEnd) || 0) + off()}px`;
    scrollOn(off());
  } else if (isHeld) makeRoom(first, -off());
  tellAbove();
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  for (const one of still) {
    const by = before.get(one).top - topOf(one);
    if (Math.abs(by) >= 1) one.animate([{ transform: `translateY(${by}px)` }, { transform: 'none' }], GLIDE);
  }
}

const topOf = (one) => one.getBoundingClientRect().top;
const isOnView = ({ top, bottom }) => bottom > 0 && top < innerHeight;

function scrollOn(by) {
  if (Math.abs(by) < 1) return;
  const from = scrollY;
  scrollBy({ top: by, behavior: 'instant' });
  scrolled += scrollY - from;
}

/** Sets it lower, or takes back some of that. */
function makeRoom(one, by) {
  const room = parseFloat(one.style.marginBlockStart) || 0;
  if (Math.abs(by) < 1 || (by < 0 && room === 0)) return;
  const wanted = topOf(one) + by;
  const give = (px) => (one.style.marginBlockStart = px > 0 ? `${px}px` : '');
  give(room + by);
  // Margins that touch are one.
  const lacks = wanted - topOf(one);
  if (lacks >= 1) give(Math.max(0, room + by) + lacks);
}

/** The room of what is gone is taken back when nothing can be missed by that: while somebody scrolls, or is away. */
function tidy() {
  const main = at('main');
  const wide = [main, ...at('parts').children].filter(({ style }) => style.marginBlockStart || style.paddingBlockEnd);
  if (wide.length === 0) return;
  const first = [...at('parts').children].find((one) => isOnView(one.getBoundingClientRect()));
  const top = first && topOf(first);
  for (const { style } of wide) style.marginBlockStart = style.paddingBlockEnd = '';
  if (first) scrollBy({ top: topOf(first) - top, behavior: 'instant' });
}

/** Nobody is about to press anything: what came is shown. */
function rest() {
  tidy();
  if (Math.abs(scrolled) >= 1) scrollBy({ top: -scrolled, behavior: 'instant' });
  scrolled = 0;
}

function tellAbove() {
  const news = [...document.querySelectorAll('#parts > [data-fresh]')];
  for (const one of news) if (topOf(one) >= 0) delete one.dataset.fresh;
  const count = news.filter((one) => one.dataset.fresh).length;
  const link = at('above') ?? Object.assign(document.createElement('a'), { id: 'above', href: '#main' });
  link.textContent = `\u2191 ${count} new above`;
  if (count === 0) link.remove();
  else if (!link.isConnected) at('main').append(link);
}

/**
 * The list of parts as it is now: what is new gets a place, what is gone leaves, unless somebody writes there. What needs
 * a person and would come between others that are on view comes above them.
 */
function arrange(parts, seen) {
  const list = at('parts');
  const own = parts.filter(([id]) => at(`p-${id}`)?.parentElement === list || at(`p-${id}`) === null);
  const ids = new Set(own.map(([id]) => `p-${id}`));
  for (const child of [...list.children]) {
    child.classList.toggle('gone', !ids.has(child.id));
    removeIfGone(child);
  }
  const first = seen.find((one) => one.parentElement === list);
  let before = list.firstElementChild;
  for (const [id, , className, rows] of own) {
    while (before?.matches('.gone, [data-apart]')) before = before.nextElementSibling;
    const there = at(`p-${id}`);
    if (there?.dataset.apart) continue;
    if (there !== null && there === before) before = before.nextElementSibling;
    else if (there?.matches('.need')) there.dataset.apart = 'yes';
    else if (there !== null) list.insertBefore(there, before);
    else {
      const made = newPart(id, className, rows);
      const isNeed = made.matches('.need');
      const isBetween = isNeed && before !== first && seen.includes(before);
      list.insertBefore(made, isBetween ? first : before);
      if (isBetween) made.dataset.apart = 'yes';
      if (isNeed) made.dataset.fresh = 'yes';
    }
  }
}

function removeIfGone(part) {
  if (part.classList.contains('gone') && !isInUse(part)) part.remove();
}

function newPart(id, className, rows) {
  const made = document.createElement('section');
  made.id = `p-${id}`;
  made.className = className;
  made.dataset.v = '';
  if (rows > 0) {
    made.dataset.rows = rows;
    reserve(made);
    near.observe(made);
  }
  return made;
}

function putIn(parts, html) {
  const missing = [];
  for (const [id, version, className, rows] of parts) {
    const there = at(`p-${id}`);
    if (there === null || there.dataset.v === version) continue;
    if (rows > 0) there.dataset.rows = rows;
    const isFarAway = rows > 0 && there.dataset.v === '';
    if (isFarAway) {
      reserve(there);
      continue;
    }
    if (html[id] === undefined) missing.push(id);
    else replace(there, version, className, html[id]);
  }
  if (missing.length > 0) void fetchParts(missing.slice(0, 40));
}

function replace(there, version, className, html) {
  if (isInUse(there)) {
    there.classList.add('old');
    there.dataset.next = version;
    return;
  }
  const folds = [...there.querySelectorAll('details[id]')].map(({ id, open }) => [id, open]);
  const focused = there.contains(document.activeElement) ? keyOf(document.activeElement) : undefined;
  there.className = className;
  there.dataset.v = version;
  there.dataset.seq = last;
  there.innerHTML = html;
  there.style.blockSize = '';
  for (const [id, open] of folds) at(id)?.toggleAttribute('open', open);
  if (focused !== undefined)
    [...there.querySelectorAll('a,button,summary,textarea')]
      .find((one) => keyOf(one) === focused)
      ?.focus({ preventScroll: true });
  tellAges(there);
}

const keyOf = (element) =>
  `${element.tagName} ${element.getAttribute('href') ?? element.closest('form,details')?.id} ${element.textContent.trim()}`;

/** Whoever has begun to write there is not overtaken: the server compares what they saw. */
const isInUse = (element) => [...element.querySelectorAll('textarea')].some((one) => one.value !== one.defaultValue);

// ---- long lists: rows of one height, loaded as somebody comes near

function waitForRows() {
  const wanted = new Set();
  let isWaiting = false;
  near = new IntersectionObserver(
    (found) => {
      for (const { isIntersecting, target } of found) {
        if (isIntersecting && target.dataset.v === '') wanted.add(target.id.slice(2));
        else wanted.delete(target.id.slice(2));
      }
      if (isWaiting) return;
      isWaiting = true;
      setTimeout(() => {
        isWaiting = false;
        const ids = [...wanted].slice(0, 40);
        for (const id of ids) wanted.delete(id);
        for (const id of ids) if (at(`p-${id}`) !== null) at(`p-${id}`).dataset.v = 'wanted';
        if (ids.length > 0) void fetchParts(ids);
      }, 30);
    },
    { rootMargin: '800px 0px' },
  );
  for (const list of document.querySelectorAll('.rows[data-v=""]')) {
    reserve(list);
    near.observe(list);
  }
}

/** The room that its rows will take: what is below does not move when they come. */
function reserve(list) {
  list.style.blockSize = `calc(${Number(list.dataset.rows)} * var(--row))`;
  list.replaceChildren();
}

// ---- the journal

function addEntry({ seq, time, actor, command, task, detail }) {
  const list = at('journal');
  if (list === null || Number(list.dataset.last) >= seq || new URLSearchParams(view.split('?')[1]).has('before'))
    return;
  const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
  const row = document.createElement('li');
  row.dataset.seq = seq;
  const add = (tag, text, more = {}) =>
    row.append(Object.assign(document.createElement(tag), { textContent: text, ...more }), ' ');
  add('time', time.slice(11, 19), { dateTime: time });
  add('b', actor);
  add('span', command, { className: 'cmd' });
  if (task !== undefined) add('a', task, { href: `${base}/task/${task}` });
  add('span', plain(detail), { className: 'said' });
  list.append(row);
  list.dataset.last = seq;
  tellAges(row);
  if (!isAtEnd) return;
  while (list.children.length > MOST_ENTRIES) list.firstElementChild.remove();
  list.scrollTop = list.scrollHeight;
}

/** Without what reorders or hides what a person reads. */
const plain = (text) =>
  text.replace(/[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, '');

function scrollJournal() {
  const list = at('journal');
  if (list !== null) list.scrollTop = list.scrollHeight;
}

// ---- forms

/** Whoever opens a form goes on to write, and the first letter may come before the browser has said that it is open. */
function beginWriting(event) {
  const form = event.target.closest('.asks > summary')?.parentElement;
  const field = form?.querySelector('textarea');
  if (!field || form.open) return;
  event.preventDefault();
  form.open = true;
  field.focus();
}

async function sendForm(event) {
  const sent = event.target;
  if (!(sent instanceof HTMLFormElement) || sent.getAttribute('action') !== `${base}/act`) return;
  event.preventDefault();
  const body = new URLSearchParams(new FormData(sent));
  body.delete('form');
  const button = event.submitter ?? sent.querySelector('button');
  const part = sent.closest('section');
  // What is sent of a page later has no number.
  if (!/^\d+$/.test(body.get('seq'))) body.set('seq', part?.dataset.seq ?? after);
  // What changes now is what the form does.
  part?.classList.add('sending');
  const send = async (sure) => {
    tell('Sending…');
    if (sure) body.set('sure', 'yes');
    button.disabled = true;
    try {
      const headers = { accept: 'application/json', 'x-liza-form': form };
      const answer = await fetch(`${base}/act`, { method: 'POST', headers, body });
      return await answer.json();
    } catch {
      return { kind: 'refused', said: 'The dashboard could not be reached. Nothing was done.' };
    } finally {
      button.disabled = false;
    }
  };
  let outcome = await send(false);
  if (outcome.kind === 'ask') tell('');
  if (outcome.kind === 'ask') outcome = (await ask(outcome.question)) ? await send(true) : undefined;
  part?.classList.remove('sending');
  tell(outcome?.said ?? '', outcome?.kind === 'done');
  if (outcome === undefined) return button.focus();
  if (outcome.kind === 'news') return showNews(outcome.html);
  if (outcome.kind !== 'done') return button.focus();
  sent.reset();
  const details = sent.closest('details.asks');
  keepingPlaces(() => {
    if (details !== null) details.open = false;
    // Its end may have been told before the answer to the form came.
    if (part !== null) removeIfGone(part);
  });
  if (part?.dataset.next !== undefined) {
    delete part.dataset.next;
    part.classList.remove('old');
    void fetchParts([part.id.slice(2)]);
  }
  at('main').focus({ preventScroll: true });
}

/** What was done is said for a while: soon it may be so no longer. */
function tell(text, isGood) {
  const said = at('said');
  said.className = `told ${isGood === undefined ? '' : isGood ? 'yes' : 'no'}`;
  said.textContent = text;
  clearTimeout(saying);
  if (isGood) saying = setTimeout(() => said.replaceChildren(), SAID_MS);
}

function ask(question) {
  return new Promise((done) => {
    const box = dialog(question);
    const [yes, no] = ['Yes, do it', 'No'].map((text) =>
      Object.assign(document.createElement('button'), { textContent: text }),
    );
    yes.className = 'careful';
    yes.addEventListener('click', () => box.close('yes'));
    no.addEventListener('click', () => box.close());
    box.append(yes, ' ', no);
    box.addEventListener('close', () => {
      box.remove();
      done(box.returnValue === 'yes');
    });
    box.showModal();
    no.focus();
  });
}

function showNews(html) {
  const box = dialog('It changed meanwhile');
  const text = document.createElement('div');
  text.innerHTML = html;
  const close = Object.assign(document.createElement('button'), { textContent: 'Close' });
  close.addEventListener('click', () => box.close());
  box.addEventListener('submit', () => box.close());
  box.addEventListener('close', () => box.remove());
  box.append(text, close);
  box.showModal();
}

function dialog(title) {
  const box = document.createElement('dialog');
  const heading = Object.assign(document.createElement('h2'), { textContent: title, id: 'dialog-title' });
  box.setAttribute('aria-labelledby', heading.id);
  box.append(heading);
  document.body.append(box);
  return box;
}

// ---- times, keys

function tellAges(within) {
  const now = Date.now();
  for (const time of within.querySelectorAll('time[datetime]')) {
    const then = Date.parse(time.dateTime);
    if (Number.isNaN(then)) continue;
    if (time.title === '') time.textContent = localText(then, time.textContent.length);
    const title = `${time.dateTime.slice(0, 19).replace('T', ' ')} UTC · ${age(now - then)}`;
    if (time.title !== title) time.title = title;
  }
}

/** By the reader's own clock, in the form and length in which the server wrote it: `14:02:11`, `2026-01-31 14:02:11`. */
function localText(then, length) {
  const text = new Date(then - 60_000 * new Date(then).getTimezoneOffset()).toISOString();
  return length === 8 ? text.slice(11, 19) : text.slice(0, length).replace('T', ' ');
}

function age(ms) {
  const [amount, unit] =
    ms < 90_000
      ? [ms / 1000, 'second']
      : ms < 5_400_000
        ? [ms / 60_000, 'minute']
        : ms < 172_800_000
          ? [ms / 3_600_000, 'hour']
          : [ms / 86_400_000, 'day'];
  const whole = Math.max(0, Math.round(amount));
  return `${whole} ${unit}${whole === 1 ? '' : 's'} ago`;
}

/** `g` and a letter, as people know it from elsewhere; never while somebody writes. */
function jump({ key, target, ctrlKey, metaKey, altKey }) {
  if (ctrlKey || metaKey || altKey || target.closest('input,textarea,select,dialog') !== null) return;
  if (key === 'g') {
    isGoing = true;
    setTimeout(() => (isGoing = false), 1500);
    return;
  }
  if (isGoing) document.querySelector(`nav a[href^="${base}/${KEYS[key] ?? '-'}"]`)?.click();
  isGoing = false;
}
