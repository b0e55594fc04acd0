// The least that a Node program can do to make the same read: node:http the cheap way, parse, print.
const http = require('node:http');

const headers = { 'x-api-key': 'key_bench', accept: 'application/json' };
http.get(process.argv[2], { headers }, (answer) => {
  let text = '';
  answer.setEncoding('utf8').on('data', (part) => (text += part));
  answer.on('end', () => process.stdout.write(`${JSON.stringify(JSON.parse(text), null, 2)}\n`));
});
