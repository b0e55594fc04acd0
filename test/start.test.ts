import { describe, expect, it } from 'vitest';
import { globalFlags } from '../src/cli/flags/flags.js';
import { paydesk, paydeskInTurn, paydeskTty } from './helpers/run.js';
import { temporaryFolder } from './profiles/temporary-home.js';

describe('the program', () => {
  it('says its version', async () => {
    expect(await paydesk(['--version'])).toMatchObject({
      stdout: expect.stringMatching(/^paydesk\/\d+\.\d+\.\d+ \S+ node-v24/),
      stderr: '',
      code: 0,
    });
  });

  it('helps', async () => {
    const ran = await paydeskInTurn([[], ['--help'], ['help']]);
    for (const { stdout, code } of ran) {
      expect(stdout).toContain('USAGE\n  $ paydesk [COMMAND]');
      expect(code).toBe(0);
    }
  });

  it('does not know every command', async () => {
    expect(await paydesk(['fooo', 'bar'])).toEqual({
      stdout: '',
      stderr: 'Error: Unknown command: fooo bar.\n  Next:  paydesk --help\n',
      code: 2,
    });
    const json = await paydesk(['fooo', '--json']);
    expect(JSON.parse(json.stdout)).toEqual({
      error: {
        code: 'unknown-command',
        message: 'Unknown command: fooo.',
        exit: 2,
        next: ['paydesk --help'],
      },
    });
    expect(json).toMatchObject({ stderr: 'Error: Unknown command: fooo.\n', code: 2 });
  });

  it('suggests what was probably meant', async () => {
    const meant: Array<[string[], string]> = [
      [['profile', 'list'], 'Unknown command: profile list. Did you mean paydesk profiles list?'],
      [['profiles', 'lst'], 'Unknown command: profiles lst. Did you mean paydesk profiles list?'],
      [
        ['payments', 'gte', '1'],
        'Unknown command: payments gte 1. Did you mean paydesk payments get?\n  Next:  paydesk payments get 1\n',
      ],
      [['payments', 'foo'], 'Unknown command: payments foo.\n'],
      [['payments', 'search', 'ana'], '\n  Next:  paydesk payments find ana\n'],
      [['customers', 'search', 'ana'], '\n  Next:  paydesk customers find ana\n'],
      [['payments', 'history', 'inv-1'], '\n  Next:  paydesk history --payment inv-1\n'],
      [['payments', 'status', 'inv-1'], '\n  Next:  paydesk payments explain inv-1\n'],
      [['payments', 'ls'], '\n  Next:  paydesk payments list\n'],
      [['customers', 'retrieve', 'c_1'], '\n  Next:  paydesk customers get c_1\n'],
      [['refunds', 'create', 'inv-1'], '\n  Next:  paydesk payments refund inv-1\n'],
      [['events', 'list', '--all'], '\n  Next:  paydesk webhook events --all\n'],
      [['auth', 'login'], '\n  Next:  paydesk profiles add\n'],
      [['version'], '\n  Next:  paydesk --version\n'],
      [['webhook', 'resend', 'inv-1'], '\n  Next:  paydesk sandbox resend inv-1\n'],
      [['payments', 'capture', 'inv-1', '--amount', '5'], 'captures whole payments only; leave out --amount'],
      [['payments', 'charge', '--currency', 'EUR'], 'leave out --currency'],
      [['payments', 'find', '--date', 'yesterday'], 'did you mean --on?'],
      [['webhook', 'replay', '1', '--forward-to', 'http://127.0.0.1:1/'], 'did you mean --to?'],
      [['payments', 'refund', '1', '--yes'], 'did you mean --confirm?'],
      [['sandbox', 'start', '--background'], 'did you mean --detach?'],
      [['sandbox', 'fualt', 'add'], 'Did you mean paydesk sandbox fault'],
      [
        ['sandbox', 'clock', 'advnce', '1d'],
        'Unknown command: sandbox clock advnce. Did you mean paydesk sandbox clock\nadvance?\n  Next:  paydesk sandbox clock advance 1d\n',
      ],
      [['sandbox', 'fault', 'ad', 'latency'], '\n  Next:  paydesk sandbox fault add latency\n'],
      [['sandbox', 'apps', 'creat', 'foo'], '\n  Next:  paydesk sandbox apps create foo\n'],
      [['sandbox', 'clock', 'nonsense'], 'nonsense  unexpected argument'],
      [['whoamy'], 'Did you mean paydesk whoami?'],
      [['profiles', 'list', 'extra'], 'extra  unexpected argument'],
      [['whoami', '--jsn'], 'did you mean --json?'],
    ];
    const ran = await paydeskInTurn(meant.flatMap(([words]) => [words, [...words, '--json']]));
    for (const [index, [, message]] of meant.entries()) {
      const [plain, json] = ran.slice(2 * index);
      expect(plain).toEqual({ stdout: '', stderr: expect.stringContaining(message), code: 2 });
      expect(JSON.parse(json!.stdout)).toMatchObject({ error: { exit: 2 } });
      expect(json!.code).toBe(2);
    }
  });

  it('shows topics and commands', async () => {
    const [topic, inOrder, reconcile, fault, listen] = await paydeskInTurn([
      ['profiles'],
      ['sandbox', 'provider', '--help'],
      ['reconcile', '--help'],
      ['sandbox', 'fault', 'add', '--help'],
      ['webhook', 'listen', '--help'],
    ]);
    expect(topic).toMatchObject({ stdout: expect.stringContaining('profiles list'), code: 0 });
    // Arguments in the order in which they are typed.
    expect(inOrder!.stdout).toContain('$ paydesk sandbox provider PAYMENT ANSWER');
    // The flags of a command that has others below it, and the others.
    expect(reconcile!.stdout).toContain('$ paydesk reconcile FILE ');
    expect(reconcile!.stdout).toContain(
      '$ paydesk reconcile COMMAND\n\nCOMMANDS\n  reconcile map  Write a mapping',
    );
    expect(reconcile!.stdout).toMatch(/^  --map MAP.yaml /m);
    // The paragraphs and lists of a long description.
    expect(fault!.stdout).toContain(
      'DESCRIPTION\n  Kinds of fault:\n  latency              delays the request before it is',
    );
    expect(listen!.stdout).toMatch(/130\.\n\n {2}A --forward-to/);
  });

  it('takes the options of every command before it too', async () => {
    const home = { PAYDESK_HOME: temporaryFolder() };
    const leading = ['--no-input', '-p', 'nowhere', '--timeout=5s', '--json'];
    const { stdout, code } = await paydesk([...leading, 'payments', 'get', '1'], { env: home });
    expect(code).toBe(4);
    expect(stdout).toContain('nowhere');
    expect(await paydesk(['--json', 'profiles', 'list'], { env: home })).toMatchObject({
      code: 0,
      stdout: '[]\n',
    });
    // With --debug, bin/run.js loads the program in another way.
    expect((await paydesk(['--debug', 'fooo'])).stderr).toContain('Unknown command: fooo.');
    const flags = Object.entries(globalFlags).map(([name, { type }]) => [
      `--${name}`,
      ...(type === 'option' ? ['1s'] : []),
    ]);
    const [help, ...unknown] = await paydeskInTurn([
      ['-p', 'x', 'payments', 'get', '--help'],
      ...flags.map((flag) => [...flag, 'fooo']),
    ]);
    expect(help!.stdout).toContain('paydesk payments get');
    expect(unknown).toEqual(
      flags.map(() => expect.objectContaining({ stderr: expect.stringContaining('Unknown command: fooo.') })),
    );
  });

  it('takes them between a topic and its command', async () => {
    const env = { PAYDESK_HOME: temporaryFolder() };
    const [get, clock, shown] = await paydeskInTurn(
      [
        ['payments', '-p', 'nowhere', '--json', 'get', '1'],
        ['sandbox', 'clock', '--json', 'nonsense'],
        ['sandbox', 'clock', '--json', 'show', '--nonsense'],
      ],
      { env },
    );
    expect(get).toMatchObject({ code: 4, stdout: expect.stringContaining('nowhere') as string });
    expect(clock).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('Unexpected argument') as string,
    });
    expect(shown!.stdout).toContain('sandbox clock show --help');
  });

  it('wants the command before its own flags', async () => {
    const { stderr, code } = await paydesk(['--amount', 'fooo']);
    expect(stderr).toContain('Put the command first');
    expect(code).toBe(2);
  });

  it('colours errors on a terminal and not in a pipe', async () => {
    const tty = await paydeskTty(['fooo']);
    expect(await tty.ended()).toBe(2);
    expect(tty.raw()).toContain('\u001B[31mError:\u001B[39m Unknown command: fooo.');
    expect((await paydesk(['fooo'])).stderr).not.toContain('\u001B');
    const plain = await paydeskTty(['fooo'], { env: { NO_COLOR: '1' } });
    await plain.ended();
    expect(plain.raw()).not.toContain('\u001B[31m');
  });

  it('leaves a question quietly on Ctrl-C', async () => {
    const tty = await paydeskTty(['profiles', 'add']);
    await tty.waitFor('?');
    tty.press('ctrl-c');
    expect(await tty.ended()).toBe(130);
    expect(tty.text()).not.toContain('Error');
  });

  // A shell that sends the output of paydesk elsewhere; `$@` is paydesk.
  const under = (script: string) => ['bash', '--norc', '-c', script, '-'];

  it.each(['--version', '--help', 'whoami'])('%s says that a full disk took nothing', async (word) => {
    const env = { PAYDESK_BASE_URL: 'http://127.0.0.1:9', PAYDESK_APP_ID: 'a', PAYDESK_API_KEY: 'k123' };
    expect(await paydesk([word], { env, under: under('"$@" > /dev/full') })).toEqual({
      stdout: '',
      stderr: 'Error: The output could not be written: the disk is full.\n  Nothing was changed.\n',
      code: 10,
    });
  });

  it('ends quietly, and not with 0, when the reader of a list is gone', async () => {
    const script = 'exec 3> >(exec true); wait $!; "$@" >&3';
    expect(await paydesk(['completion', 'bash'], { under: under(script) })).toEqual({
      stdout: '',
      stderr: '',
      code: 10,
    });
  });

  it('does its work without a stderr', async () => {
    const ran = await paydesk(['fooo'], { under: under('"$@" 2> /dev/full') });
    expect(ran).toEqual({ stdout: '', stderr: '', code: 2 });
  });

  it('lets nothing that was typed reach the terminal raw', async () => {
    const { stderr } = await paydesk(['fo\u001B[31mo']);
    expect(stderr).toContain('fo\\u{1b}[31mo');
  });
});
