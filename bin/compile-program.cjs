// Writes the compiled code of a program, as the same Node will find it: node --hash-seed=1 compile-program.cjs IN OUT
const { readFileSync, writeFileSync } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');

const [, , program, compiled] = process.argv;
// The seed is fixed so that the same program gives the same bytes; Node takes compiled code only from a V8 with the
// flags of its own, and it runs without that one.
setFlagsFromString('--hash-seed=0');
const script = new Script(readFileSync(program, 'latin1'), { filename: 'paydesk.cjs' });
writeFileSync(compiled, script.createCachedData());
