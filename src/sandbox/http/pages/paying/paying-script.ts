/**
 * For the pages that take a payment: the order is unfolded where there is room, a form that was sent says so and is not
 * sent twice, and the test outcomes can be searched. Everything works without it.
 */
export const payingScript = `(() => {
'use strict';
const at = (id) => document.getElementById(id);
const order = at('your-order');
if (order && matchMedia('(min-width: 52rem)').matches) order.open = true;

const field = at('find-outcome');
if (field) {
  const rows = [...document.querySelectorAll('.outcomes > li')];
  field.parentElement.hidden = false;
  field.addEventListener('input', () => {
    const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let found = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word) || text.replace(/\\s/g, '').includes(word));
      if (!row.hidden) found += 1;
    }
    at('no-outcome').textContent = found > 0 ? '' : 'No test outcome matches.';
  });
}

let sent;
document.addEventListener('submit', (event) => {
  if (sent) return event.preventDefault();
  const button = event.submitter || event.target.querySelector('button');
  sent = { button, html: button.innerHTML };
  // The form has been read by then, with the button's own name and value.
  setTimeout(() => {
    button.classList.add('busy');
    button.setAttribute('aria-disabled', 'true');
    button.textContent = button.dataset.busy || 'Sending …';
    at('busy').textContent = 'Sending your payment. Please wait.';
  });
});
// After the Back button the page is as it was.
addEventListener('pageshow', () => {
  if (!sent) return;
  const { button, html } = sent;
  sent = undefined;
  button.innerHTML = html;
  button.classList.remove('busy');
  button.removeAttribute('aria-disabled');
  at('busy').textContent = '';
});
})();`;
