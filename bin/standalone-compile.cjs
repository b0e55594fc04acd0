// Writes the compiled code of modules, as the same Node will find it: node --hash-seed=1 standalone-compile.cjs FILE…
const { readFileSync, writeFileSync } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');
const { wrap } = require('./loader.cjs');

// The seed is fixed so that the same program gives the same bytes. Node takes compiled code only from a V8 with its own
// flags, and it runs without a seed.
setFlagsFromString('--hash-seed=0');
for (const file of process.argv.slice(2)) {
  writeFileSync(`${file}.compiled`, new Script(wrap(readFileSync(file, 'latin1'))).createCachedData());
}
