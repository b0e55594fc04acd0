// Loaded before a program that is measured: what it has used, as it ends. Plain JavaScript: loading what strips types
// would take 85 ms and 35 MB of what is measured.
import { readFileSync, writeFileSync } from 'node:fs';

const file = process.env['PAYDESK_BENCH_USAGE'];
if (file !== undefined) {
  process.once('exit', () => {
    const { userCPUTime, systemCPUTime } = process.resourceUsage();
    writeFileSync(file, JSON.stringify({ cpuMs: (userCPUTime + systemCPUTime) / 1000, peakMb: peakMb() }));
  });
}

/** Not `maxRSS`, which on Linux begins with the memory of the process that started this one. */
function peakMb() {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS / 1024;
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024;
}
