/** The first so many of a long list, and whether there were more. */
export function take<T>(
  items: AsyncIterable<T>,
  limit: number,
): { items: AsyncGenerator<T>; more(): boolean } {
  let more = false;
  async function* first(): AsyncGenerator<T> {
    let given = 0;
    for await (const item of items) {
      if (given++ === limit) {
        more = true;
        return;
      }
      yield item;
    }
  }
  return { items: first(), more: () => more };
}
