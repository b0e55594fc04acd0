import { shellWord } from '../../../../next-command.js';
import { fillCommand } from '../../../console/commands.js';

/** How often a page reads itself again that gets no stream. */
export const SLOW_MS = 15_000;

/** Copying, commands that follow the choices of their form, and live updates. Everything else works without it. */
const source = `(() => {
'use strict';
const shellWord = ${shellWord.toString()};
const fill = ${fillCommand.toString()};
const all = (where, what) => [...where.querySelectorAll(what)];
const said = document.getElementById('said');
const live = document.getElementById('live');

const follow = (form) => {
  const values = Object.fromEntries(new FormData(form));
  for (const code of all(document, '[data-form="' + form.id + '"]')) {
    const words = fill(JSON.parse(code.dataset.template), values).map((word) => {
      const span = document.createElement('span');
      span.textContent = shellWord(word);
      return span;
    });
    code.replaceChildren(...words.flatMap((word) => [' ', word]).slice(1));
  }
};
const prepare = (where) => {
  for (const button of all(where, '[data-copy]')) button.hidden = false;
  for (const form of all(where, 'form[id]')) follow(form);
};
for (const kind of ['input', 'change']) {
  document.addEventListener(kind, (event) => event.target.form && event.target.form.id && follow(event.target.form));
}
document.addEventListener('click', async (event) => {
  const button = event.target.closest('[data-copy]');
  if (!button) return;
  const code = button.parentElement.querySelector('code');
  try {
    await navigator.clipboard.writeText(code.textContent);
    said.textContent = 'Copied.';
    const text = button.firstChild;
    text.data = 'Copied';
    setTimeout(() => { text.data = 'Copy'; }, 1500);
  } catch {
    getSelection().selectAllChildren(code);
    said.textContent = 'The command is selected.';
  }
});

const regions = () => all(document, '[data-live]');
const seen = new Map(regions().map((region) => [region.id, region.innerHTML]));
prepare(document);
if (!live) return;

const keyOf = (node) => (node.nodeType === 1 ? node.id || node.dataset.key || '' : '');
// What somebody opened, and what this script itself changes.
const isOwn = (element, name) =>
  (name === 'open' && element.localName === 'details') || (name === 'hidden' && element.matches('[data-copy]'));
// Changes only what differs: an element that stays keeps the focus and what was typed into it.
const morph = (old, now) => {
  if (old.nodeType !== 1) {
    if (old.data !== now.data) old.data = now.data;
    return;
  }
  for (const { name } of [...old.attributes]) {
    if (!now.hasAttribute(name) && !isOwn(old, name)) old.removeAttribute(name);
  }
  for (const { name, value } of now.attributes) {
    if (old.getAttribute(name) !== value && !isOwn(old, name)) old.setAttribute(name, value);
  }
  const known = new Map([...old.children].filter(keyOf).map((child) => [keyOf(child), child]));
  const wanted = new Set([...now.children].map(keyOf).filter(Boolean));
  let at = old.firstChild;
  for (const next of now.childNodes) {
    while (at && keyOf(at) && !wanted.has(keyOf(at))) {
      const gone = at;
      at = at.nextSibling;
      gone.remove();
    }
    const key = keyOf(next);
    const same = key ? known.get(key) : at && !keyOf(at) && at.nodeName === next.nodeName ? at : undefined;
    if (!same || same.nodeName !== next.nodeName) {
      old.insertBefore(document.importNode(next, true), at);
      continue;
    }
    if (same === at) at = at.nextSibling;
    else old.insertBefore(same, at);
    morph(same, next);
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    gone.remove();
  }
};

const update = (region, now) => {
  const texts = (where) => new Map(all(where, '[data-key]').map((row) => [row.dataset.key, row.textContent]));
  const before = texts(region);
  const focused = region.contains(document.activeElement) && document.activeElement;
  morph(region, now);
  prepare(region);
  if (focused && focused !== document.activeElement) {
    // Its place is gone: the next Tab continues from here, not from the top of the page.
    const next = focused.isConnected ? focused : region;
    if (next === region) region.tabIndex = -1;
    next.focus({ preventScroll: true });
  }
  for (const row of all(region, '[data-key]')) {
    if (before.get(row.dataset.key) !== row.textContent) row.classList.add('fresh');
  }
};

let busy = false, again = false;
const refresh = async () => {
  again = busy;
  if (busy) return;
  busy = true;
  try {
    const answer = await fetch(location.href, { cache: 'no-store' });
    if (!answer.ok) throw new Error(String(answer.status));
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
    for (const region of regions()) {
      const now = fresh.getElementById(region.id);
      if (!now || seen.get(region.id) === now.innerHTML) continue;
      seen.set(region.id, now.innerHTML);
      update(region, now);
    }
    if (document.title !== fresh.title) said.textContent = document.title = fresh.title;
    return true;
  } catch {
    // The stream says when there is something to read again.
    return false;
  } finally {
    busy = false;
    if (again) refresh();
  }
};

let source, slow;
const show = (text, tone) => {
  live.textContent = text;
  live.className = 'badge tone-' + tone;
  live.hidden = false;
};
// More consoles are open than the sandbox keeps streams for: this one reads the page again now and then instead.
const crawl = async () => {
  if (document.hidden) return;
  if (!(await refresh())) return show('Not updating: reload the page', 'waiting');
  show('Updates every ${SLOW_MS / 1000} s: many consoles are open', 'neutral');
  slow = setTimeout(connect, ${SLOW_MS});
};
const connect = () => {
  clearTimeout(slow);
  if (source || document.hidden) return;
  source = new EventSource(live.dataset.url);
  source.onopen = () => { show('Updating', 'good'); refresh(); };
  source.addEventListener('change', refresh);
  source.onerror = () => {
    if (source.readyState !== EventSource.CLOSED) return show('Reconnecting …', 'waiting');
    source = undefined;
    crawl();
  };
};
// A browser has few connections to one host: a tab that nobody looks at gives its own back.
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) return connect();
  if (source) source.close();
  source = undefined;
});
addEventListener('pagehide', () => { if (source) source.close(); source = undefined; });
addEventListener('pageshow', connect);
connect();
})();`;

/** Without its comments and indents: it is in every page. */
export const consoleScript = source
  .replaceAll(/\n\s*(?:\/\/[^\n]*)?(?=\n|\S)/g, '\n')
  .replaceAll(/\n+/g, '\n');
