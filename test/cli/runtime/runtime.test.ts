import { expect, it, vi } from 'vitest';
import { processRuntime } from '../../../src/cli/runtime/runtime.js';

it('takes a closed terminal for an interruption, and for one only, however often it is told', () => {
  const interrupted = vi.fn<() => void>();
  const stop = processRuntime.onInterrupt(interrupted);
  process.emit('SIGHUP', 'SIGHUP');
  process.emit('SIGHUP', 'SIGHUP');
  expect(interrupted).toHaveBeenCalledTimes(1);
  process.emit('SIGTERM', 'SIGTERM');
  expect(interrupted).toHaveBeenCalledTimes(2);
  stop();
  process.emit('SIGHUP', 'SIGHUP');
  expect(interrupted).toHaveBeenCalledTimes(2);
});
