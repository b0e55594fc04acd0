// `webhook listen`: opens a tunnel, receives webhooks and shows them until it ends.

import type { PaydeskError } from '../../errors.js';
import { type Line, plainLine } from '../../output/lines.js';
import { describeError } from '../../output/report.js';
import { loadTheme } from '../../output/theme.js';
import { waitingElsewhereLines } from '../../output/views/webhook.js';
import { liveBanner } from '../../output/views/live.js';
import { requestLines, webhookRequest } from '../../output/views/webhook-request.js';
import { createInbox, findDelivery } from '../../webhooks/inbox/inbox.js';
import type { Delivery } from '../../webhooks/inbox/delivery.js';
import type { ListenEvent } from '../../webhooks/start-listener.js';
import { createSender } from '../../webhooks/forwarding/sender.js';
import { type Filter, needsRead, passes } from '../../webhooks/forwarding/targets.js';
import type { Tunnel } from '../../webhooks/tunnels/tunnel.js';
import { type RunListenerOptions, type RunningListener, runListener } from '../../webhooks/run-listener.js';
import type { CommandContext } from '../runtime/context.js';
import { openDatabase } from '../desk/desk-database.js';
import {
  createJsonPresenter,
  createLogPresenter,
  createTablePresenter,
  type Presenter,
} from './listen-presenter.js';
import { createGuard } from '../desk/live-guard.js';
import { chosenTunnel } from './chosen-tunnel.js';
import { findConnectCommand } from './connect-command.js';
import type { ScreenOutput } from './live-screen.js';
import { replayDelivery } from './replay-delivery.js';
import { verifyKind, type Session } from '../desk/session.js';

interface ListenRequest extends Pick<
  RunListenerOptions,
  'tunnel' | 'targets' | 'filter' | 'port' | 'orAnother' | 'ack' | 'chaos' | 'expectation'
> {
  inspect: boolean;
}

/** On a live app the banner is shown, and somebody confirms a tunnel of a third party. */
export async function listenTunnel(
  context: CommandContext,
  session: Session,
  { tunnel: text, confirm }: { tunnel?: string | undefined; confirm?: string | undefined },
): Promise<Tunnel> {
  const tunnel = await chosenTunnel(context, {
    text,
    baseUrl: session.profile.baseUrl,
    async openGuard() {
      const { profile } = await verifyKind(session, context.note);
      return createGuard(context, profile, { confirm });
    },
  });
  if (!tunnel.thirdParty) context.note(...liveBanner(session.profile));
  return tunnel;
}

/** Listens and shows what arrives; rejects with the error to end with. */
export async function listen(
  context: CommandContext,
  { profile, client }: Session,
  request: ListenRequest,
): Promise<void> {
  const { store } = await openDatabase(context);
  const app = { baseUrl: profile.baseUrl, appId: profile.appId };
  const inbox = createInbox(store);
  const sender = createSender(Date.now);
  context.atEnd(() => sender.close());
  let listening: RunningListener | undefined;
  let ending: PaydeskError | undefined;
  const find = async (id: number) => {
    const found = await findDelivery(inbox, app, id);
    return { ...found, secret: listening?.listener.secret ?? '' };
  };
  const desk = { store, inbox, app, sender, now: Date.now };
  const { width } = context.streams.stdout;
  const presenter = await openPresenter(context, request, {
    details: async (id) => webhookRequest(await find(id), { terminal: true, width, now: context.now() }),
    request: async (id) => requestLines(await find(id)).map((line) => ['    ', plainLine(line)]),
    replay: async (id) => replayDelivery(desk, await find(id), request, context.profileName),
    quit: () => listening?.quit(),
  });
  try {
    listening = await runListener({
      ...request,
      // A run that waits for something forwards only what belongs to it, and nothing of an earlier run.
      retriesFailed: request.expectation?.waits !== true,
      store,
      client,
      app,
      interactive: context.interactive,
      signal: context.signal,
      note: context.note,
      onEvent: (event) => present(event, request, presenter),
      onError: (error) => presenter.trouble(describeError(error).message),
    });
    await announce(context, listening, { ...request, app }, presenter);
    ending = await listening.ended;
  } finally {
    presenter.close();
    await listening?.stop();
    await presenter.printed();
  }
  if (ending) throw ending;
}

async function announce(
  context: CommandContext,
  { listener, chaos }: RunningListener,
  { targets, app }: Pick<ListenRequest, 'targets'> & { app: { baseUrl: string; appId: string } },
  presenter: Presenter,
): Promise<void> {
  const { secret, url, localUrl } = listener;
  context.secrets.add(secret);
  const connect = context.interactive ? await findConnectCommand(context, app) : undefined;
  context.note(...waitingElsewhereLines(await listener.waitingElsewhere()));
  await presenter.ready({
    url,
    localUrl,
    secret,
    targets: targets.map((target) => target.url),
    chaos: chaos && `${chaos.kinds.join(', ')}   --chaos-seed ${chaos.seed}`,
    chaosSeed: chaos?.seed,
    connect,
  });
}

interface PresenterSource {
  details(id: number): Promise<Line[]>;
  request(id: number): Promise<Line[]>;
  replay(id: number): Promise<Line>;
  quit(): void;
}

async function openPresenter(
  context: CommandContext,
  { inspect }: ListenRequest,
  source: PresenterSource,
): Promise<Presenter> {
  const { json, interactive, streams, print, note } = context;
  const { terminal, width } = streams.stdout;
  const viewContext = () => ({ terminal, width, now: context.now() });
  if (json) return createJsonPresenter((value) => context.emit(value), note);
  if (!interactive || !terminal || inspect) {
    return createLogPresenter({ print, note, viewContext, inspect: inspect ? source.request : undefined });
  }
  const { input, output } = context.prompts();
  return createTablePresenter(
    {
      input,
      output: output as unknown as ScreenOutput,
      theme: await loadTheme(streams.stderr.colour),
      details: source.details,
      replay: source.replay,
      quit: source.quit,
      interrupt: () => context.interrupt(),
    },
    { print, note, viewContext },
  );
}

/** Deliveries that do not match the filters are saved, but not shown; nor is what does not count for an expectation. */
function present(event: ListenEvent, { filter, expectation }: ListenRequest, presenter: Presenter): void {
  if (!showsEvent(event, filter)) return;
  const counts = !('isEarlier' in event && event.isEarlier) || expectation?.waits !== true;
  if (counts) presenter.event(event);
  else if (event.type === 'settled') presenter.trouble(earlierText(event.delivery));
}

function showsEvent(event: ListenEvent, filter: Filter): boolean {
  if (!('delivery' in event) || !needsRead(filter)) return true;
  return event.delivery.verdict !== null && passes(filter, { path: '', ...event.delivery });
}

const earlierText = ({ id }: Delivery): string =>
  `Webhook ${id} arrived before this listener started, so it does not count.`;
