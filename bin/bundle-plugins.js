// What makes the bundle light to load, while the sources stay plain.
import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';

/**
 * An import of a built-in module reads every getter that it exports, and some of them load a great deal: node:http
 * costs 33 ms that way. Asked for as a value it costs what is used.
 */
export const lightBuiltins = {
  name: 'light-builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[a-z:_/0-9]+$/ }, ({ path, kind }) =>
      isBuiltin(path) && ['import-statement', 'require-call'].includes(kind)
        ? { path, namespace: 'builtin' }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
      loader: 'js',
    }));
  },
};

const late = (name, load) => `let $${name}; const ${name} = () => ($${name} ??= ${load});`;
const use = (text, name) => text.replaceAll(new RegExp(`(?<![.\\w$])${name}\\b`, 'g'), `(${name}())`);

const IMPORTED = /^var (import_\w+) = (__toESM\(require_\w+\(\)(?:, 1)?\));$/gm;

/** A module that is not an ES module, built-in ones among them, is loaded when something of it is first used. */
export function importLate(text) {
  const found = Array.from(text.matchAll(IMPORTED), ([, name, load]) => ({ name, load }));
  const kept = text.replaceAll(IMPORTED, (_, name) => `/*${name}*/`);
  return found.reduce(
    (now, { name, load }) => use(now, name).replace(`/*(${name}())*/`, () => late(name, load)),
    kept,
  );
}

/** In the words of CommonJS: chunks are required. What is left outside of the bundle may be an ES module. */
export const requireChunks = (text) =>
  text
    .replaceAll(/\bimport\(("\.[^"]+")\)/g, 'Promise.resolve().then(() => require($1))')
    .replaceAll(/\bimport\.meta\.url\b/g, 'require("node:url").pathToFileURL(__filename).href');

/** A file of ASCII alone takes half the room in memory, and V8 half the time to take it in. */
export const inAscii = (text) =>
  text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The modules of others that most commands run: what is compiled early and not run costs time too. */
const EARLY = [
  /^builtin:/,
  /@oclif\/core\/lib\/(args|cache|command|errors\/index|flags|logger|parser\/\w+|util\/util)\.js$/,
  /undici\/lib\/(core|util)\/[\w-]+\.js$/,
  /undici\/lib\/dispatcher\/(client|client-h1|dispatcher|dispatcher-base|fixed-queue|parser-h1|pool|pool-base)\.js$/,
  /undici\/lib\/llhttp\/(constants|utils)\.js$/,
];
const WRAPPED = /^(var \w+ = __commonJS\(\{\n {2}")([^"\n]+)"(\(.*\)) \{\n([^]*?)^ {2}\}\n\}\);$/gm;

/**
 * V8 compiles a function in parentheses together with the file that it is in, and Node keeps what was compiled then: the
 * rest is compiled anew at every start.
 */
export const compileEarly = (text) =>
  text.replaceAll(WRAPPED, (asIs, start, name, parameters, body) =>
    EARLY.some((module) => module.test(name))
      ? `${start}${name}": (function${parameters} {\n${body}  })\n});`
      : asIs,
  );

const REQUIRED = /^(?:const|var) (\w+_\d+) = ((?:__import\w+\()?require\("[^"]+"\)\)?);$/gm;

/**
 * oclif requires all of itself at the top of each file, whether it is used or not; here each part is loaded when it is
 * first used. And what our own sources require late is a file of its own `beside` the chunks, or part of the one file.
 */
export const lateRequires = ({ beside }) => ({
  name: 'late-requires',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^\.\/string-width\.js$/ }, ({ path }) => ({ path, external: true }));
    onLoad({ filter: /@oclif[/\\]core[/\\]lib[/\\].*\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const found = Array.from(text.matchAll(REQUIRED), ([, name, load]) => ({ name, load }));
      const used = found.reduce((now, { name }) => use(now, name), text.replaceAll(REQUIRED, ''));
      return {
        contents: `${found.map(({ name, load }) => late(name, load)).join('\n')}\n${used}`,
        loader: 'js',
      };
    });
    // Nothing here speaks HTTP/2.
    onLoad({ filter: /undici[/\\]lib[/\\]dispatcher[/\\]client\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const load = "require('./client-h2.js')";
      const without = text.replace(`const connectH2 = ${load}`, '');
      if (without === text) throw new Error(`${path} does not load HTTP/2 as it did`);
      return { contents: `${late('connectH2', load)}\n${use(without, 'connectH2')}`, loader: 'js' };
    });
    onLoad({ filter: /[/\\]src[/\\]output[/\\]text\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      return {
        contents: text.replaceAll(/createRequire\(import\.meta\.url\)\('(.*?)'\)/g, (_, name) =>
          beside ? `require('./${name}.js')` : `require('${name}')`,
        ),
        loader: 'ts',
      };
    });
  },
});
