import type { Client } from '../client/client.js';
import type { JsonObject } from '../contract/json.js';

/** The first customers, one at a time, up to the limit; calls `more` when the app has others. */
export async function* listCustomers(
  client: Client,
  options: { params: Record<string, string>; limit: number | undefined; more: () => void },
): AsyncGenerator<JsonObject> {
  const { params, limit = Infinity, more } = options;
  let listed = 0;
  for await (const { object } of client.listCustomers(params)) {
    if (listed === limit) {
      more();
      return;
    }
    listed += 1;
    yield object;
  }
}
