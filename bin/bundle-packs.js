// Puts chunks that a start needs together into one file: finding, reading and compiling a file costs Node a good quarter
// of a millisecond, and `payments get` would need seventy. What lies in a pack is still run only when it is asked for.
import { decode, encode } from '@jridgewell/sourcemap-codec';

const isChunk = (file) => /^[\w-]+-[A-Z0-9]{8}\.js$/.test(file);

/**
 * Which chunk is in which pack, from esbuild's own account of what it made. Chunks that the same starts need are a pack,
 * so none of these starts reads a chunk that it has no use for.
 */
export function packChunks(outputs, outdir, starts) {
  const nameOf = (path) => path.slice(outdir.length + 1);
  const files = new Map(Object.entries(outputs).map(([path, output]) => [nameOf(path), output]));
  const needs = (file, seen) => {
    if (seen.has(file)) return seen;
    seen.add(file);
    for (const { path, kind, external } of files.get(file).imports) {
      if (kind === 'import-statement' && !external) needs(nameOf(path), seen);
    }
    return seen;
  };
  const packOf = new Map();
  for (const [start, sources] of Object.entries(starts)) {
    const needed = new Set();
    for (const source of sources) {
      const found = [...files].find(([, { entryPoint }]) => entryPoint === source);
      if (!found) throw new Error(`${source} is not loaded by itself, so no pack can be made for it`);
      needs(found[0], needed);
    }
    for (const file of [...needed].filter(isChunk)) {
      packOf.set(file, packOf.has(file) ? `${packOf.get(file)}-${start}` : start);
    }
  }
  const packs = [...new Set(packOf.values())];
  if (new Set(packs.map(functionOf)).size < packs.length) throw new Error('two starts begin with one letter');
  return packOf;
}

/** The function that gives a part of a pack: `__vhg` of `version-help-get`. */
function functionOf(pack) {
  return `__${pack.replaceAll(/(\w)\w*-?/g, '$1')}`;
}

/** The same code, asking packs for what is in them. Nothing in it moves, so its map stays true. */
function askPacks(code, packOf) {
  return code.replaceAll(/\brequire\("(?:\.\.?\/)+([^"/]+\.js)"\)/g, (asIs, file) => {
    if (!packOf.has(file)) return asIs;
    const asking = `${functionOf(packOf.get(file))}("${file}")`;
    if (asking.length > asIs.length) throw new Error(`${asking} is longer than ${asIs}`);
    return asking.padEnd(asIs.length);
  });
}

/** How a file in that many folders gets at the packs that its code asks. */
function openPacks(code, packOf, folders) {
  const used = [...new Set(packOf.values())].filter((pack) => code.includes(`${functionOf(pack)}(`));
  const up = folders === 0 ? './' : '../'.repeat(folders);
  return used.map((pack) => `const ${functionOf(pack)}=name=>require("${up}${pack}.pack.js").part(name);`);
}

/** One map of files that come one after another, each from a line on. */
function joinMaps(parts) {
  const joined = { version: 3, sources: [], names: [], mappings: [] };
  for (const { from, map } of parts) {
    const { sources, names, mappings } = JSON.parse(map);
    const [firstSource, firstName] = [joined.sources.length, joined.names.length];
    const moved = decode(mappings).map((segments) =>
      segments.map(([column, source, line, at, name]) => [
        column,
        ...(source === undefined ? [] : [source + firstSource, line, at]),
        ...(name === undefined ? [] : [name + firstName]),
      ]),
    );
    while (joined.mappings.length < from) joined.mappings.push([]);
    joined.mappings.push(...moved);
    joined.sources.push(...sources);
    joined.names.push(...names);
  }
  return JSON.stringify({ ...joined, mappings: encode(joined.mappings) });
}

/** A file that is in no pack. */
export function besidePacks({ code, map }, packOf, folders) {
  const asking = askPacks(code, packOf);
  const before = openPacks(asking, packOf, folders);
  if (before.length === 0) return { code, map };
  return { code: `${before.join('')}\n${asking}`, map: joinMaps([{ from: 1, map }]) };
}

/** One file of all the chunks of a pack. */
export function writePack(pack, chunks, packOf) {
  const part = functionOf(pack);
  const others = new Map([...packOf].filter(([, other]) => other !== pack));
  const parts = chunks.map(({ file, code, map }) => ({ file, map, code: askPacks(code, packOf) }));
  const lines = [
    ...openPacks(parts.map(({ code }) => code).join(''), others, 0),
    'const made=new Map;',
    `function ${part}(name){`,
    'let module=made.get(name);',
    'if(module)return module.exports;',
    'made.set(name,module={exports:{}});',
    // As Node does: what failed is tried again by who asks again.
    'try{parts[name](module,module.exports)}catch(error){made.delete(name);throw error}',
    'return module.exports}',
    `exports.part=${part};`,
    'const parts={',
  ];
  const maps = [];
  for (const { file, code, map } of parts) {
    // In parentheses: see compileEarly.
    lines.push(`"${file}":(function(module,exports){`);
    maps.push({ from: lines.length, map });
    lines.push(...code.trimEnd().split('\n'), '}),');
  }
  return { code: [...lines, '};', ''].join('\n'), map: joinMaps(maps) };
}
