// The least that a Node program can do to make the requests of `payments refund`: start-bare-refund.cjs URL PAYMENT
const http = require('node:http');

const [app, id] = process.argv.slice(2);
const headers = { authorization: 'Bearer key_bench', accept: 'application/json' };
const kept = new http.Agent({ keepAlive: true });

function ask(path, options = {}) {
  return new Promise((resolve, reject) => {
    const request = http.request(app + path, { headers, agent: kept, ...options }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part) => (text += part));
      answer.on('end', () => resolve(JSON.parse(text)));
    });
    request.on('error', reject).end();
  });
}

async function refund() {
  // A number may be an id or a reference.
  const [payment] = await Promise.all([ask(`/payments/${id}`), ask(`/payments/referenceId:${id}`)]);
  await ask(`/customers/${payment.customerId}`);
  await ask(`/payments/${id}`);
  const refunded = await ask(`/payments/${id}/refund`, { method: 'POST', agent: false });
  process.stdout.write(`${JSON.stringify(refunded, null, 2)}\n`);
  kept.destroy();
}

void refund();
