import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createXmlParser } from '../../../src/reconcile/camt/xml.js';
import { XmlProblem } from '../../../src/reconcile/camt/xml-problem.js';

/** What a document says, with neighbouring texts joined. */
function read(pieces: Iterable<string>): string[] {
  const events: string[] = [];
  let text = '';
  const flush = () => {
    if (text !== '') events.push(`text ${text}`);
    text = '';
  };
  const parser = createXmlParser({
    open(name, namespace, attributes) {
      flush();
      events.push(`open {${namespace}}${name} ${JSON.stringify([...attributes])}`);
    },
    close(name, namespace) {
      flush();
      events.push(`close {${namespace}}${name}`);
    },
    text: (piece) => (text += piece),
  });
  for (const piece of pieces) parser.write(piece);
  parser.end();
  return events;
}

/** Bytes in pieces of any size, as a file or a socket gives them. */
function decoded(bytes: Uint8Array, cuts: readonly number[]): string[] {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
  const pieces = places
    .slice(1)
    .map((to, index) => decoder.decode(bytes.subarray(places[index], to), { stream: true }));
  return [...pieces, decoder.decode()];
}

function problem(text: string, pieceLength = text.length): string {
  const pieces = Array.from({ length: Math.ceil(text.length / pieceLength) }, (_, index) =>
    text.slice(index * pieceLength, (index + 1) * pieceLength),
  );
  try {
    read(pieces);
  } catch (error) {
    if (!(error instanceof XmlProblem)) throw error;
    return `${error.line}:${error.column} ${error.message}`;
  }
  return 'nothing';
}

interface Node {
  name: string;
  attributes: Array<[string, string]>;
  children: Array<Node | string>;
}

// Text that XML can hold: no controls, and no carriage returns, which a reader may take for line breaks.
const anyText = fc
  .string({
    unit: fc.constantFrom('a', '<', '>', '&', '"', "'", ']', '-', ' ', '\n', 'ü', '漢', '😀', ';', '#'),
  })
  .filter((text) => text !== '');
const anyName = fc.constantFrom('a', 'Ntry', 'x-1', '_y', 'ü', 'b.c');

const { tree } = fc.letrec<{ tree: Node }>((tie) => ({
  tree: fc.record({
    name: anyName,
    attributes: fc.uniqueArray(fc.tuple(anyName, anyText), { maxLength: 3, selector: ([name]) => name }),
    children: fc.array(fc.oneof({ maxDepth: 4 }, anyText, tie('tree')), { maxLength: 4 }),
  }),
}));

const escapes: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Written in one of the ways that XML has for the same thing; `choose` decides. */
function write({ name, attributes, children }: Node, choose: (count: number) => number): string {
  const reference = (mark: string) => {
    const code = mark.codePointAt(0)!;
    return [escapes[mark]!, `&#${code};`, `&#x${code.toString(16)};`][choose(3)]!;
  };
  const quoted = (text: string) => text.replaceAll(/[<>&"']/g, reference);
  const space = () => ['', ' ', '\n\t'][choose(3)]!;
  const attributeTexts = attributes.map(
    ([key, value]) => ` ${space()}${key}${space()}=${space()}"${quoted(value)}"`,
  );
  const contents = children.map((child) => {
    const between = ['', '<!-- a > comment -->', '<?style this?>', '<![CDATA[]]>'][choose(4)]!;
    if (typeof child !== 'string') return between + write(child, choose);
    const isVerbatim = choose(3) === 0 && !child.includes(']]>');
    return between + (isVerbatim ? `<![CDATA[${child}]]>` : quoted(child));
  });
  const body = contents.join('');
  const begin = `<${name}${attributeTexts.join('')}${space()}`;
  return body === '' && choose(2) ? `${begin}/>` : `${begin}>${body}</${name}${space()}>`;
}

function eventsOf(node: Node): string[] {
  const events = [`open {}${node.name} ${JSON.stringify(node.attributes)}`];
  let text = '';
  for (const child of node.children) {
    if (typeof child === 'string') {
      text += child;
      continue;
    }
    if (text !== '') events.push(`text ${text}`);
    text = '';
    events.push(...eventsOf(child));
  }
  if (text !== '') events.push(`text ${text}`);
  return [...events, `close {}${node.name}`];
}

describe('any document', () => {
  test('says the same, however it is written and wherever its bytes are cut', () => {
    fc.assert(
      fc.property(
        tree,
        fc.array(fc.nat(11), { minLength: 1, maxLength: 40 }),
        fc.array(fc.nat()),
        (root, choices, cuts) => {
          let turn = 0;
          const choose = (count: number) => choices[turn++ % choices.length]! % count;
          const bytes = new TextEncoder().encode(
            `\uFEFF<?xml version="1.0" encoding="UTF-8"?>\n${write(root, choose)}\n<!-- end -->\n`,
          );
          expect(
            read(
              decoded(
                bytes,
                cuts.map((cut) => cut % bytes.length),
              ),
            ),
          ).toEqual(eventsOf(root));
        },
      ),
    );
  });

  test('says the same with one cut at every byte, and byte by byte', () => {
    const text =
      '\uFEFF<?xml version="1.0"?>\n<n:a xmlns:n="urn:x" b=\'1 > 0\' c="&lt;ü&#x1F600;"><!-- 漢 -->t&amp;😀' +
      '<![CDATA[<&]] >]]><n:d/>\r\n</n:a  ><?x y?>';
    const bytes = new TextEncoder().encode(text);
    const whole = read(decoded(bytes, []));
    expect(whole).toEqual([
      'open {urn:x}a [["xmlns:n","urn:x"],["b","1 > 0"],["c","<ü😀"]]',
      'text t&😀<&]] >',
      'open {urn:x}d []',
      'close {urn:x}d',
      'text \r\n',
      'close {urn:x}a',
    ]);
    for (let cut = 1; cut < bytes.length; cut += 1) expect(read(decoded(bytes, [cut]))).toEqual(whole);
    expect(
      read(
        decoded(
          bytes,
          Array.from({ length: bytes.length }, (_, at) => at),
        ),
      ),
    ).toEqual(whole);
  });

  test('cut short is refused at every byte', () => {
    const text = '<a b="c">d<e/><!-- f --><![CDATA[g]]></a>';
    for (let end = 0; end < text.length; end += 1) expect(problem(text.slice(0, end))).not.toBe('nothing');
  });

  test('of random marks is read or refused with a place, and never fails otherwise', () => {
    const marks = fc.string({
      unit: fc.constantFrom(
        '<',
        '>',
        '/',
        '!',
        '?',
        '-',
        '[',
        ']',
        'CDATA',
        '&',
        ';',
        '#',
        'x',
        'a',
        '"',
        "'",
        '=',
        ' ',
        '\n',
        ':',
      ),
    });
    fc.assert(
      fc.property(marks, fc.integer({ min: 1, max: 7 }), (text, size) => {
        const found = problem(`<a>${text}</a>`);
        expect(found).toMatch(/^(nothing|\d+:\d+ .+)$/);
        expect(problem(`<a>${text}</a>`, size)).toBe(found);
      }),
      { numRuns: 500 },
    );
  });
});

const nested = (depth: number) => '<a>'.repeat(depth) + '</a>'.repeat(depth);

describe('what is refused, with its line and column', () => {
  const refused: Array<[text: string, expected: unknown]> = [
    ['<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', '1:1 a document type is not allowed'],
    [
      '<?xml version="1.0"?>\n  <!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>',
      '2:3 a document type is not allowed',
    ],
    ['<a>&lol9;</a>', '1:4 the reference &lol9; is not allowed'],
    ['<a b="x&nbsp;"/>', '1:8 the reference &nbsp; is not allowed'],
    ['<a>&#0;</a>', '1:4 the reference &#0; is not allowed'],
    ['<a>&#xD800;</a>', '1:4 the reference &#xD800; is not allowed'],
    ['<a>&#x110000;</a>', '1:4 the reference &#x110000; is not allowed'],
    ['<a>\nfish & chips</a>', '2:6 write & as &amp;'],
    ['<a>x\u0001</a>', '1:5 a control character is not allowed'],
    ['<a>\n<b>\n</a>', '3:1 </b> is expected, not </a>'],
    ['<a></a></a>', '1:8 </a> closes nothing'],
    ['<a/><b/>', '1:5 a second document begins here'],
    ['<a/>x', '1:5 text is not allowed outside the document'],
    ['x<a/>', '1:1 text is not allowed outside the document'],
    ['<a/><![CDATA[]]>', '1:5 text is not allowed outside the document'],
    ['', '1:1 there is no document'],
    ['<a>', '1:4 the file ends before </a>'],
    ['<a', '1:1 the file ends in the middle of a tag'],
    ['<a b="1" b="2"/>', '1:9 the attribute b is there twice'],
    ['<a b=1/>', '1:3 the tag a is not well-formed'],
    ['<a b="<"/>', '1:3 the tag a is not well-formed'],
    ['< a/>', '1:2 a tag needs a name'],
    ['<a:b/>', '1:1 the prefix of a:b is not declared'],
    ['<a>]]></a>', '1:4 ]]> is not allowed in text'],
    ['<a><!-- b -- c --></a>', '1:4 -- is not allowed in a comment'],
    [' <?xml version="1.0"?><a/>', '1:2 the XML declaration must come first'],
    ['<?xml version="1.1"?><a/>', '1:1 XML 1.1 is not supported: use 1.0'],
    [
      '<?xml version="1.0" encoding="ISO-8859-1"?><a/>',
      '1:1 the encoding ISO-8859-1 is not supported: use UTF-8',
    ],
    [`\n${nested(65)}`, '2:193 elements are nested more than 64 deep'],
    [
      `<a ${Array.from({ length: 33 }, (_, index) => `b${index}=""`).join(' ')}/>`,
      expect.stringContaining('more than 32 attributes'),
    ],
    [`<a b="${'x'.repeat(4_097)}"/>`, '1:3 the attribute b is longer than 4096 characters'],
    [`<a b="${'x'.repeat(70_000)}"/>`, '1:1 a tag is longer than 64 KiB'],
    [`<a>${'x'.repeat(70_000)}</a>`, '1:4 a text is longer than 64 KiB'],
    [`<a><!--${'x'.repeat(70_000)}--></a>`, '1:4 a comment is longer than 64 KiB'],
  ];

  test.each(
    refused.map(([text, expected]) => ({ text, expected, title: JSON.stringify(text).slice(0, 60) })),
  )('$title', ({ text, expected }) => {
    expect(problem(text)).toEqual(expected);
    expect(problem(text, 7)).toEqual(expected);
  });

  test('what never ends is refused before it is held in memory', () => {
    for (const begin of ['<a b="', '<a>', '<a><!--', '<a><![CDATA[', '<?x ', '<a', '</a']) {
      let taken = 0;
      const endless = function* () {
        yield begin;
        for (; taken < 1_000; taken += 1) yield 'x'.repeat(1_024);
      };
      expect(() => read(endless()), begin).toThrow('is longer than 64 KiB');
      expect(taken).toBeLessThan(70);
    }
  });

  test('nested as deep as allowed is read', () => {
    expect(problem(nested(64))).toBe('nothing');
  });
});
