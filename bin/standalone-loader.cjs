// What an executable runs first: finds the modules of the program among its assets, with their compiled code.
const { getAssetKeys, getRawAsset } = require('node:sea');
const { dirname, posix } = require('node:path');
const { constants, Script } = require('node:vm');

const names = new Set(getAssetKeys());
const modules = new Map();

function load(name) {
  const known = modules.get(name);
  if (known) return known.exports;
  const script = new Script(Buffer.from(getRawAsset(name)).latin1Slice(), {
    filename: name,
    cachedData: names.has(`${name}.compiled`) ? Buffer.from(getRawAsset(`${name}.compiled`)) : undefined,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const module = { exports: {} };
  modules.set(name, module);
  const requireFrom = (other) =>
    other.startsWith('.') ? load(posix.join(posix.dirname(name), other)) : require(other);
  script.runInThisContext()(module.exports, requireFrom, module, process.execPath, dirname(process.execPath));
  return module.exports;
}

load('standalone.js').startStandalone(load);
