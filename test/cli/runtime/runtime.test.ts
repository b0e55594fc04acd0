import { expect, it, onTestFinished, vi } from 'vitest';
import { processRuntime, wantsDebug, wantsJson } from '../../../src/cli/runtime/runtime.js';

it('takes a closed terminal for an interruption, and for one only, however often it is told', () => {
  const interrupted = vi.fn<() => void>();
  const stop = processRuntime.onInterrupt(interrupted);
  onTestFinished(() => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      for (const ours of process.listeners(signal).filter(({ name }) => name === 'onSignal'))
        process.off(signal, ours);
  });
  process.emit('SIGHUP', 'SIGHUP');
  process.emit('SIGHUP', 'SIGHUP');
  expect(interrupted).toHaveBeenCalledTimes(1);
  process.emit('SIGTERM', 'SIGTERM');
  expect(interrupted).toHaveBeenCalledTimes(2);
  // Somebody still listens, so that a signal does not end the process while it prints.
  stop();
  process.emit('SIGTERM', 'SIGTERM');
  expect(interrupted).toHaveBeenCalledTimes(2);
  expect(process.listeners('SIGTERM').some(({ name }) => name === 'onSignal')).toBe(true);
});

it.each([
  ['--json', (argv: string[]) => wantsJson(argv)],
  ['--debug', (argv: string[]) => wantsDebug(argv, {})],
])('takes %s for an argument after --', (flag, isWanted) => {
  expect(isWanted(['payments', 'get', flag])).toBe(true);
  expect(isWanted(['payments', 'get', '--', flag])).toBe(false);
});
