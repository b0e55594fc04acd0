import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import openapiTs, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydesk-types-'));
  const made = await openapiTs(new URL('../../docs/openapi.json', import.meta.url));
  await writeFile(join(folder, 'service.ts'), astToString(made));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What the compiler says to this file, beside the generated one. */
async function compile(source: string): Promise<string> {
  await writeFile(join(folder, 'shop.ts'), source);
  const args = [tsc, '--noEmit', '--strict', '--target', 'es2024', '--module', 'nodenext', 'shop.ts'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  );
  return stdout;
}

const use = `
import type { components, operations, paths, webhooks } from './service.js';

type Create = operations['createHostedPayment'];
export const body: Create['requestBody']['content']['application/json'] = {
  referenceId: 'order-17',
  amount: 10.23,
  currency: 'EUR',
  returnUrl: 'https://shop.example/done',
  autoCapture: true,
  showPayRecurringInCheckout: false,
  customerOrder: { customer: { customerId: 'c1' } },
};
// @ts-expect-error -- a create without its reference
export const incomplete: typeof body = { ...body, referenceId: undefined };
type Created = Create['responses'][200 | 201]['content']['application/json'];
export const state = (payment: Created): string => payment.paymentState;
export const id = (payment: components['schemas']['Payment']): number => payment.paymentId;
export const read: keyof paths = '/api/apps/{appId}/payments/{payment}';
type Hook = webhooks['paymentStateChanged']['post'];
export const hook = (event: NonNullable<Hook['requestBody']>['content']['application/json']): string => event.eventId;
`;

it('generated types compile, and know what is required', async () => {
  expect(await compile(use)).toBe('');
});
