// A small streaming reader of XML for files that come from elsewhere. It knows no document types, no entities but the five
// and numbers, and opens nothing else: a document that needs more is refused, with the line and the column.

import { createElements, type XmlHandler } from './xml-elements.js';
import type { XmlPosition } from './xml-problem.js';
import { createXmlSource, type XmlSource } from './xml-source.js';
import { parseTag } from './xml-tag.js';
import { decodeReferences } from './xml-text.js';

interface XmlParser {
  /** Where the current tag begins. */
  readonly position: XmlPosition;
  write(piece: string): void;
  end(): void;
}

export function createXmlParser(handler: XmlHandler): XmlParser {
  const source = createXmlSource();
  const { fail } = source;
  const elements = createElements(handler, fail);

  function text(content: string): void {
    const forbidden = content.indexOf(']]>');
    if (forbidden >= 0) fail(']]> is not allowed in text', forbidden);
    const stray = elements.isOutside ? content.search(/[^ \t\r\n]/) : -1;
    if (stray >= 0) fail('text is not allowed outside the document', stray);
    if (!elements.isOutside) handler.text(decodeReferences(content, fail));
  }

  function verbatim(content: string): void {
    if (elements.isOutside) fail('text is not allowed outside the document');
    handler.text(content);
  }

  /** One token, or false while it has not arrived whole. */
  function step(): boolean {
    const begin = source.peek(CDATA.length);
    if (!begin.startsWith('<')) {
      const next = source.upTo('<');
      return consume(source, next < 0 ? -1 : next - 1, 'a text', text);
    }
    if (begin === '<') return false;
    if (begin.startsWith('<?'))
      return consume(source, source.upTo('?>', 2), 'an instruction', (whole) =>
        checkInstruction(whole.slice(2, -2), source),
      );
    if (begin.startsWith('<!--'))
      return consume(source, source.upTo('-->', 4), 'a comment', (whole) => {
        const content = whole.slice(4, -3);
        if (content.includes('--') || content.endsWith('-')) fail('-- is not allowed in a comment');
      });
    if (begin === CDATA)
      return consume(source, source.upTo(']]>', CDATA.length), 'a CDATA section', (whole) =>
        verbatim(whole.slice(CDATA.length, -3)),
      );
    if (begin.startsWith('<!')) {
      if ('<!--'.startsWith(begin) || CDATA.startsWith(begin)) return false;
      return fail('a document type is not allowed');
    }
    if (begin.startsWith('</'))
      return consume(source, source.upTo('>'), 'a tag', (whole) =>
        elements.close(/^<\/([^\s>]+)\s*>$/.exec(whole)?.[1] ?? fail('the closing tag is not well-formed')),
      );
    return consume(source, source.upToTagEnd(), 'a tag', (whole) => elements.open(parseTag(whole, fail)));
  }

  return {
    get position() {
      return source.position;
    },
    write(piece) {
      source.write(piece);
      while (!source.isEmpty && step());
    },
    end() {
      if (source.peek(1) === '<') fail('the file ends in the middle of a tag');
      // What is left has no tag in it, and is shorter than any limit.
      const rest = source.peek(Number.MAX_SAFE_INTEGER);
      if (elements.isOutside) consume(source, rest.length, 'a text', text);
      elements.end();
    },
  };
}

const CDATA = '<![CDATA[';

/** Reads a token of this length; false while it has not arrived. */
function consume(source: XmlSource, length: number, what: string, read: (token: string) => void): boolean {
  const token = source.token(length, what);
  if (token === undefined) return false;
  read(token);
  source.take(length);
  return true;
}

/** Instructions are for other programs; the declaration says what is to be read. */
function checkInstruction(content: string, { fail, isAtStart }: XmlSource): void {
  if (/^xml\s/.test(content)) {
    if (!isAtStart) fail('the XML declaration must come first');
    const problem = declarationProblem(content);
    if (problem !== undefined) fail(problem);
  } else if (/^(xml$|[^\p{L}_])/iu.test(content)) fail('the instruction is not well-formed');
}

const DECLARATION =
  /^xml\s+version\s*=\s*["']([^"']*)["'](?:\s+encoding\s*=\s*["']([^"']*)["'])?(?:\s+standalone\s*=\s*["'](?:yes|no)["'])?\s*$/;

function declarationProblem(content: string): string | undefined {
  const [, version, encoding] = DECLARATION.exec(content) ?? [];
  if (version === undefined) return 'the XML declaration is not well-formed';
  if (version !== '1.0') return `XML ${version} is not supported: use 1.0`;
  return encoding === undefined || /^(utf-8|us-ascii)$/i.test(encoding)
    ? undefined
    : `the encoding ${encoding} is not supported: use UTF-8`;
}
