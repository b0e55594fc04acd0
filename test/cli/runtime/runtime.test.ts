import { expect, it, onTestFinished, vi } from 'vitest';
import { processRuntime, wantsDebug, wantsJson } from '../../../src/cli/runtime/runtime.js';

it('takes a closed terminal for an interruption, and for one only, however often it is told', () => {
  const interrupted = vi.fn<() => void>();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const before = signals.map((signal) => process.listeners(signal));
  onTestFinished(() => {
    for (const [index, signal] of signals.entries()) {
      for (const added of process.listeners(signal).filter((each) => !before[index]!.includes(each)))
        process.off(signal, added);
    }
  });
  const stop = processRuntime.onInterrupt(interrupted);
  process.emit('SIGHUP', 'SIGHUP');
  process.emit('SIGHUP', 'SIGHUP');
  expect(interrupted).toHaveBeenCalledTimes(1);
  process.emit('SIGTERM', 'SIGTERM');
  expect(interrupted).toHaveBeenCalledTimes(2);
  // Somebody still listens, so that a signal does not end the process while it prints.
  stop();
  process.emit('SIGTERM', 'SIGTERM');
  expect(interrupted).toHaveBeenCalledTimes(2);
  expect(process.listenerCount('SIGTERM')).toBe(before[1]!.length + 1);
});

it.each([
  ['--json', (argv: string[]) => wantsJson(argv)],
  ['--debug', (argv: string[]) => wantsDebug(argv, {})],
])('takes %s for an argument after --', (flag, isWanted) => {
  expect(isWanted(['payments', 'get', flag])).toBe(true);
  expect(isWanted(['payments', 'get', '--', flag])).toBe(false);
});
