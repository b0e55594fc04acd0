// Loaded before a program that is measured: what it has used, as it ends. Plain JavaScript: loading what strips types
// would take 85 ms and 35 MB of what is measured.
import { writeFileSync } from 'node:fs';

const file = process.env['PAYDESK_BENCH_USAGE'];
if (file !== undefined) {
  process.once('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    writeFileSync(
      file,
      JSON.stringify({ cpuMs: (userCPUTime + systemCPUTime) / 1000, peakMb: maxRSS / 1024 }),
    );
  });
}
