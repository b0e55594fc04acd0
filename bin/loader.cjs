// Loads the files of the program with the compiled code that earlier runs kept. V8 compiles most functions when they are
// first called, and Node's compile cache keeps only what is compiled before that.
const { closeSync, fstatSync, openSync, readFileSync } = require('node:fs');
const { dirname, join, posix } = require('node:path');
const { Script } = require('node:vm');
const { openKept } = require('./kept-code.cjs');

/** A file as the function that Node makes of it. */
exports.wrap = (code) => `(function (exports, require, module, __filename, __dirname) {${code}\n})`;

/**
 * `read` gives a file by its name: its code, its path, a mark that is another one when the file is, and the compiled code
 * that ships with it, if any. `build` and `place` tell the program from every other. The loader takes the name of an
 * entry: the code of all that is loaded from then on is kept with it.
 */
exports.createLoader = ({ build, place, read }) => {
  const modules = new Map();
  let kept;

  function load(name) {
    const known = modules.get(name);
    if (known) return known.exports;
    const { code, path, mark, shipped } = read(name);
    const script = new Script(exports.wrap(code), {
      filename: path,
      cachedData: kept?.codeOf(name, mark) ?? shipped,
    });
    kept?.add(name, mark, script);
    const module = { exports: {} };
    modules.set(name, module);
    const requireFrom = (other) =>
      other.startsWith('.') ? load(posix.join(posix.dirname(name), other)) : require(other);
    script.runInThisContext()(module.exports, requireFrom, module, path, dirname(path));
    return module.exports;
  }

  return (entry) => {
    kept = build === undefined ? undefined : openKept({ build, place, entry });
    return load(entry);
  };
};

/** The files of an installation: what `bin/bundle.js` wrote to this folder. */
exports.installed = (folder) => ({
  build: textOf(join(folder, 'build-id')),
  place: folder,
  read(name) {
    const path = join(folder, name);
    const handle = openSync(path);
    try {
      const { ctimeMs, ino, size } = fstatSync(handle);
      // The bundle is plain ASCII. The time of the last change cannot be set back.
      return { code: readFileSync(handle, 'latin1'), path, mark: `${ino} ${size} ${ctimeMs}` };
    } finally {
      closeSync(handle);
    }
  },
});

function textOf(file) {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return undefined;
  }
}
