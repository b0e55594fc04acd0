import { custom as argument, string } from '@oclif/core/args';
import { BaseCommand } from '../cli/runtime/base-command.js';
import { chosenProfile } from '../cli/desk/chosen-profile.js';
import { sendBody } from '../cli/create-payment.js';
import { liveLedgerReady, openDesk } from '../cli/desk/desk.js';
import { apiFlags } from '../cli/flags/api-flags.js';
import { askToConfirm } from '../cli/desk/live-guard.js';
import { runMoves } from '../cli/money-move.js';
import { keepSeen } from '../cli/desk/keep-seen.js';
import { openSession } from '../cli/desk/session.js';
import type { JsonValue } from '../contract/json.js';
import {
  type ApiRequest,
  parseMethod,
  planApiRequest,
  queryOfPages,
  refuseFlagsWithoutEffect,
} from '../payments/api-request.js';
import { followCharge } from '../payments/charge-outcome.js';
import { endingOf } from '../payments/endings.js';
import { participles } from '../payments/move/words.js';
import type { PlannedRequest } from '../payments/planned-request.js';
import { sendApiRequest } from '../payments/send-api-request.js';
import { type MoveJson, moveJson } from '../output/views/moves.js';
import type { MoneyFlags } from '../cli/flags/payment-flags.js';

const dryRunJson = (request: PlannedRequest) => ({ dryRun: true, request }) as const;

export default class Api extends BaseCommand {
  static override summary = 'Send a request to the API and print the answer.';
  static override description =
    'Fields go into the query of a GET and into the JSON body of other methods. In a body, true, false, ' +
    'null and numbers are sent as such, and everything else as text; write "123" in double quotes to ' +
    'send text. A dot in a name makes it nested (customer.customerId=c_881), and [] at its end adds to a ' +
    'list (tags[]=a). On a live app, every method except GET must be confirmed. Capture, cancel, refund and ' +
    'unhold work as the payments commands do, and print the same JSON. Creates and charges work as payments ' +
    'create and payments charge do, and print the payment.';
  static override examples = [
    '<%= config.bin %> api GET /customers --field limit=5',
    "<%= config.bin %> api GET /customers --paginate --jq '.[].customerId'",
    '<%= config.bin %> api PATCH /customers/c_881 --field firstName=Ada',
    '<%= config.bin %> api POST /payments --body payment.json',
  ];
  static override args = {
    method: argument({ parse: async (text) => parseMethod(text) })({
      required: true,
      ignoreStdin: true,
      description: 'GET, POST, PUT, PATCH or DELETE.',
    }),
    path: string({ required: true, ignoreStdin: true, description: 'Path after /api/apps/APP_ID.' }),
  };
  static override flags = apiFlags;

  async run(): Promise<JsonValue | ReturnType<typeof dryRunJson> | MoveJson | undefined> {
    const { args, flags } = await this.parse(Api);
    if (args.method === 'GET') this.onlyReads();
    const { appId } = chosenProfile(this.context);
    const typed = { ...args, fields: flags.field ?? [], body: flags.body?.value };
    const request = planApiRequest(typed, appId);
    refuseFlagsWithoutEffect(request, flags);
    if (flags.paginate) return this.#readPages(queryOfPages(request));
    if (request.kind === 'move') return this.#move(request, flags);
    return request.kind === 'make' ? this.#make(request, flags) : this.#send(request, flags);
  }

  async #readPages(params: Record<string, string>): Promise<JsonValue> {
    const { client } = await openSession(this.context);
    return this.showJson(await Array.fromAsync(client.listCustomers(params), ({ object }) => object));
  }

  async #send(request: Extract<ApiRequest, { kind: 'request' }>, flags: MoneyFlags) {
    const { method, path, body } = request;
    if (method === 'GET') {
      const { client, profile } = await openSession(this.context);
      const answer = await sendApiRequest(client, request);
      const printed = this.#print(answer);
      const seen = answer && 'json' in answer && answer.payment ? [answer.payment] : [];
      await keepSeen(this.streams.env, profile, seen, this.now().getTime());
      return printed;
    }
    const { desk, guard } = await openDesk(this.context, flags);
    const planned = { method, path, ...(body === undefined ? {} : { body }) };
    if (flags['dry-run']) return this.showJson(dryRunJson(planned));
    const ledgerReady = liveLedgerReady(desk, guard);
    await askToConfirm(guard, { lines: [`${method} ${path} on app ${desk.client.appId}?`] });
    await ledgerReady;
    return this.#print(await sendApiRequest(desk.client, request));
  }

  async #make({ of, body }: Extract<ApiRequest, { kind: 'make' }>, flags: MoneyFlags) {
    const opened = await openDesk(this.context, flags);
    const request = { kind: of, body, isNew: false, flags, wasAsked: false };
    const made = await sendBody(this.context, opened, request);
    if ('request' in made) return this.showJson(dryRunJson(made.request));
    if (of !== 'charge') return this.showJson(made.read.object);
    const wanted = { autoCapture: body['autoCapture'] === true, wait: flags.wait };
    const { read, error } = await followCharge(opened.desk, made.read, wanted);
    if (error) this.endAs(error);
    return this.showJson(read.object);
  }

  #print(answer: Awaited<ReturnType<typeof sendApiRequest>>): JsonValue | undefined {
    if (answer === undefined) return undefined;
    if ('json' in answer) return this.showJson(answer.json);
    return this.show(answer.text, (text) => text.split(/\r?\n/));
  }

  async #move(
    { operation, paymentId, description }: Extract<ApiRequest, { kind: 'move' }>,
    flags: MoneyFlags & { 'local-ledger': boolean },
  ): Promise<MoveJson | undefined> {
    const desk = await openDesk(this.context, flags);
    const names = [{ typed: paymentId, key: { paymentId } }];
    const results = await runMoves(this.context, desk, { ...flags, operation, names, description });
    const ending = endingOf(results, participles[operation]);
    if (ending) this.endAs(ending);
    const [result] = results;
    return this.showJson(result && moveJson(result, this.profileName));
  }
}
