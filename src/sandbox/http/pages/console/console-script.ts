import { fillCommand } from '../../../console/commands.js';

/** Copying, commands that follow the choices of their form, and live updates. Everything else works without it. */
export const consoleScript = `(() => {
'use strict';
const fill = ${fillCommand.toString()};
const all = (where, what) => [...where.querySelectorAll(what)];
const said = document.getElementById('said');
const live = document.getElementById('live');

const follow = (form) => {
  const values = Object.fromEntries(new FormData(form));
  for (const code of all(document, '[data-form="' + form.id + '"]')) {
    code.textContent = fill(code.dataset.template, values);
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

const swap = (region, html) => {
  const keyed = (where) => new Map(all(where, '[data-key]').map((row) => [row.dataset.key, row.textContent]));
  const before = keyed(region);
  const open = all(region, 'details[open]').map((details) => details.id);
  const fields = all(region, 'select[id], input[id]').map(({ id, value }) => [id, value]);
  const focused = region.contains(document.activeElement) && document.activeElement.id;
  region.innerHTML = html;
  for (const id of open) if (document.getElementById(id)) document.getElementById(id).open = true;
  for (const [id, value] of fields) {
    const field = document.getElementById(id);
    if (field) field.value = value;
    if (field && field.selectedIndex < 0) field.selectedIndex = 0;
  }
  prepare(region);
  if (focused && document.getElementById(focused)) document.getElementById(focused).focus({ preventScroll: true });
  for (const [key, text] of keyed(region)) {
    if (before.get(key) !== text) region.querySelector('[data-key="' + key + '"]').classList.add('fresh');
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
      swap(region, now.innerHTML);
    }
    if (document.title !== fresh.title) said.textContent = document.title = fresh.title;
  } catch {
    // The stream says when there is something to read again.
  } finally {
    busy = false;
    if (again) refresh();
  }
};

let source;
const show = (text, tone) => {
  live.textContent = text;
  live.className = 'badge tone-' + tone;
  live.hidden = false;
};
const connect = () => {
  if (source || document.hidden) return;
  source = new EventSource(live.dataset.url);
  source.onopen = () => { show('Live', 'good'); refresh(); };
  source.addEventListener('change', refresh);
  source.onerror = () => {
    const over = source.readyState === EventSource.CLOSED;
    show(over ? 'Not live: reload the page' : 'Reconnecting …', 'waiting');
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
