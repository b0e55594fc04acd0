// Compiled code between runs: a file for each command, in a folder of the user for each version of the program. V8 runs
// what it is given without a look, so nothing is taken that another user may have written, or that is not whole.
const fs = require('node:fs');
const { dirname, isAbsolute, join } = require('node:path');
const { Script } = require('node:vm');

/** The first runs of a command are kept: each may call functions that the ones before it did not. */
const KEPT_RUNS = 3;
const DAY_MS = 24 * 60 * 60 * 1000;
const UNUSED_MS = 30 * DAY_MS;
/** Writing takes less. What is older was left by a process that was killed. */
const LEFT_BEHIND_MS = 60 * 60 * 1000;
const FOLDER = 'paydesk-compiled';
const FOLDER_OF_A_VERSION = /^[0-9a-f]{16}-v[\d.]+-\w+-[0-9a-f]{8}$/;

/** What is kept for an entry of the program; undefined where nothing can be. */
exports.openKept = ({ build, place, entry }) => {
  const caches = cachesFolder(process);
  if (caches === undefined) return undefined;
  const { arch, version } = process;
  const folder = join(caches, FOLDER, `${build}-${version}-${arch}-${hashed(place)}`);
  const file = join(folder, entry.replaceAll('/', '-'));
  const { runs, parts } = readKept(file);
  const loaded = new Map();
  // V8 takes compiled code only with the flags that it was compiled with, and a command may change them.
  const probe = new Script('0');
  const flags = probe.createCachedData();
  let isComplete = true;
  atEnd(() => {
    if ((isComplete && runs >= KEPT_RUNS) || !probe.createCachedData().equals(flags)) return;
    for (const [name, { mark, script }] of loaded) parts.set(name, { mark, code: script.createCachedData() });
    if (makeFolder(folder)) write(file, runs + 1, parts);
  });
  return {
    codeOf(name, mark) {
      const part = parts.get(name);
      return part?.mark === mark ? part.code : undefined;
    },
    add(name, mark, script) {
      if (!parts.has(name) || script.cachedDataRejected !== false) isComplete = false;
      loaded.set(name, { mark, script });
    },
  };
};

const INTERRUPTED = 130;
const endings = [];

/**
 * Of a run that succeeded, or that Ctrl-C ended: that is how a server ends at a terminal. One listener for all: the demo
 * runs many commands, and Node warns about many listeners.
 */
function atEnd(work) {
  endings.push(work);
  if (endings.length > 1) return;
  process.on('exit', (code) => {
    if (code !== 0 && code !== INTERRUPTED) return;
    for (const each of endings) {
      try {
        each();
      } catch {
        // Without what is kept, the next start takes longer. Nothing else may go wrong.
      }
    }
  });
}

/** As XDG has it on Linux, and elsewhere the one of the platform. A relative one would be another one in each folder. */
function cachesFolder({ env, platform }) {
  if (env.NODE_DISABLE_COMPILE_CACHE) return undefined;
  const home = env.HOME ?? homeOfUser();
  const own = { darwin: join(home, 'Library', 'Caches'), win32: env.LOCALAPPDATA ?? '' };
  const usual = own[platform] ?? join(home, '.cache');
  return [env.XDG_CACHE_HOME ?? '', usual].find((path) => isAbsolute(path));
}

function homeOfUser() {
  try {
    return process.getBuiltinModule('node:os').homedir();
  } catch {
    // In a container, a user may have no name and no home.
    return '';
  }
}

const uid = process.getuid?.();
/** Nobody else can write to it; where a system has no such owners, the folders of a user are the user's. */
const isOwn = (stats) => uid === undefined || (stats.uid === uid && (stats.mode & 0o022) === 0);
/** Nobody else can replace what is ours in it. */
const isSafeParent = (stats) =>
  uid === undefined ||
  ([0, uid].includes(stats.uid) && ((stats.mode & 0o022) === 0 || (stats.mode & 0o1000) !== 0));

function isTrusted(folder) {
  const parent = dirname(folder);
  const owned = [folder, parent].map((path) => fs.lstatSync(path));
  return (
    owned.every((stats) => stats.isDirectory() && isOwn(stats)) && isSafeParent(fs.statSync(dirname(parent)))
  );
}

const nothing = () => ({ runs: 0, parts: new Map() });

/** A line that says what follows, then the code of each file. */
function readKept(file) {
  let handle;
  try {
    const folder = dirname(file);
    if (!isTrusted(folder)) return nothing();
    // Windows has only the first of these.
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
    handle = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stats = fs.fstatSync(handle);
    if (!stats.isFile() || !isOwn(stats)) return nothing();
    const bytes = fs.readFileSync(handle);
    const start = bytes.indexOf('\n') + 1;
    const { runs, parts, check } = JSON.parse(bytes.latin1Slice(0, start));
    if (checksum(bytes.subarray(start)) !== check) return nothing();
    let at = start;
    const found = parts.map(([name, mark, length]) => [
      name,
      { mark, code: bytes.subarray(at, (at += length)) },
    ]);
    keepFromTidying(folder);
    return { runs, parts: new Map(found) };
  } catch {
    // Not there yet, or not readable.
    return nothing();
  } finally {
    if (handle !== undefined) fs.closeSync(handle);
  }
}

/** On the disk before it has its name. */
function write(file, runs, parts) {
  const all = [...parts];
  const code = Buffer.concat(all.map(([, part]) => part.code));
  const list = all.map(([name, part]) => [name, part.mark, part.code.length]);
  const line = JSON.stringify({ runs, parts: list, check: checksum(code) });
  // V8 copies what does not begin at a multiple of eight.
  const header = `${line.padEnd(Math.ceil((line.length + 1) / 8) * 8 - 1)}\n`;
  const bytes = Buffer.concat([Buffer.from(header, 'latin1'), code]);
  const made = `${file}.${Math.random().toString(36).slice(2)}`;
  const handle = fs.openSync(made, 'wx', 0o600);
  try {
    try {
      // A full disk takes a part of it without an error.
      if (fs.writeSync(handle, bytes) < bytes.length) throw new Error('The disk is full.');
      fs.fsyncSync(handle);
    } finally {
      fs.closeSync(handle);
    }
    fs.renameSync(made, file);
  } catch (error) {
    fs.rmSync(made, { force: true });
    throw error;
  }
}

/**
 * Of four bytes in each 256: it shows blocks that the disk has lost, which are larger. Of all of them it would take 5 ms.
 */
function checksum(bytes) {
  let total = bytes.length;
  for (let at = 0; at + 4 <= bytes.length; at += 256)
    total = (Math.imul(total, 31) + bytes.readInt32LE(at)) | 0;
  return total;
}

/** Of a path, for a name. */
function hashed(text) {
  let total = 0;
  for (let at = 0; at < text.length; at += 1) total = (Math.imul(total, 31) + text.charCodeAt(at)) | 0;
  return (total >>> 0).toString(16).padStart(8, '0');
}

/** Makes what is missing of it, in a folder of the user. False where it cannot be trusted. */
function makeFolder(folder) {
  const parent = dirname(folder);
  const caches = dirname(parent);
  if (!fs.existsSync(caches)) {
    if (!isOwn(fs.statSync(dirname(caches)))) return false;
    fs.mkdirSync(caches, { mode: 0o700 });
  }
  // Node's own `recursive` would try for ever where nothing can be made, such as below /proc.
  for (const path of [parent, folder]) if (!fs.existsSync(path)) fs.mkdirSync(path, { mode: 0o700 });
  if (!isTrusted(folder)) return false;
  const own = folder.slice(parent.length + 1);
  for (const name of fs.readdirSync(parent))
    if (FOLDER_OF_A_VERSION.test(name) && name !== own) removeUnused(join(parent, name));
  removeLeftBehind(folder);
  return true;
}

/** A folder of another version, with the files that we make. */
function removeUnused(folder) {
  try {
    const stats = fs.lstatSync(folder);
    if (!stats.isDirectory() || Date.now() - stats.mtimeMs < UNUSED_MS) return;
    for (const name of fs.readdirSync(folder))
      if (/\.js(\.\w+)?$/.test(name)) fs.unlinkSync(join(folder, name));
    fs.rmdirSync(folder);
  } catch {
    // Somebody else is removing it, or it holds more than ours.
  }
}

/** Files that were not given their name. */
function removeLeftBehind(folder) {
  for (const name of fs.readdirSync(folder).filter((each) => !each.endsWith('.js'))) {
    const file = join(folder, name);
    if (Date.now() - fs.lstatSync(file).mtimeMs > LEFT_BEHIND_MS) fs.unlinkSync(file);
  }
}

/** A folder that is read is in use. */
function keepFromTidying(folder) {
  const { mtimeMs } = fs.statSync(folder);
  const now = Date.now();
  if (now - mtimeMs > DAY_MS) fs.utimesSync(folder, now / 1000, now / 1000);
}
