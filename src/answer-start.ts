/**
 * The first bytes of an answer as text. The rest is not read, a character that is cut in two is left out, and zero
 * characters, which a database does not take, are replaced.
 */
export async function startOf(
  body: AsyncIterable<Buffer> & { destroy(): unknown },
  maxBytes: number,
): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= maxBytes) {
      body.destroy();
      break;
    }
  }
  const bytes = Buffer.concat(chunks).subarray(0, maxBytes);
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: size >= maxBytes });
  return text.replaceAll('\0', '\uFFFD');
}
