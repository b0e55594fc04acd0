import type { Fail } from './xml-problem.js';
import type { Tag } from './xml-tag.js';

export interface XmlHandler {
  open(name: string, namespace: string, attributes: ReadonlyMap<string, string>): void;
  close(name: string, namespace: string): void;
  /** In pieces where comments or CDATA sections divide it. */
  text(text: string): void;
}

interface Element {
  qualifiedName: string;
  name: string;
  namespace: string;
  /** By prefix; the default one is that of the empty prefix. */
  namespaces: ReadonlyMap<string, string>;
}

const MAX_DEPTH = 64;

const outermost: ReadonlyMap<string, string> = new Map([
  ['', ''],
  ['xml', 'http://www.w3.org/XML/1998/namespace'],
]);

/** The elements that are open, each with its namespace. */
export function createElements(handler: XmlHandler, fail: Fail) {
  const stack: Element[] = [];
  let hasRoot = false;
  return {
    get isOutside() {
      return stack.length === 0;
    },
    open(tag: Tag): void {
      if (stack.length === 0 && hasRoot) fail('a second document begins here');
      if (stack.length === MAX_DEPTH) fail(`elements are nested more than ${MAX_DEPTH} deep`);
      hasRoot = true;
      const namespaces = namespacesOf(tag, stack.at(-1)?.namespaces ?? outermost);
      const colon = tag.name.indexOf(':');
      const prefix = tag.name.slice(0, Math.max(0, colon));
      const namespace = namespaces.get(prefix) ?? fail(`the prefix of ${tag.name} is not declared`);
      const element = { qualifiedName: tag.name, name: tag.name.slice(colon + 1), namespace, namespaces };
      handler.open(element.name, namespace, tag.attributes);
      if (tag.isEmpty) handler.close(element.name, namespace);
      else stack.push(element);
    },
    close(name: string): void {
      const element = stack.pop() ?? fail(`</${name}> closes nothing`);
      if (element.qualifiedName !== name) fail(`</${element.qualifiedName}> is expected, not </${name}>`);
      handler.close(element.name, element.namespace);
    },
    end(): void {
      const open = stack.at(-1);
      if (open) fail(`the file ends before </${open.qualifiedName}>`);
      if (!hasRoot) fail('there is no document');
    },
  };
}

function namespacesOf(tag: Tag, inherited: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  let own: Map<string, string> | undefined;
  for (const [name, value] of tag.attributes) {
    if (name === 'xmlns') (own ??= new Map(inherited)).set('', value);
    else if (name.startsWith('xmlns:')) (own ??= new Map(inherited)).set(name.slice(6), value);
  }
  return own ?? inherited;
}
