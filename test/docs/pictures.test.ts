import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { expect, it } from 'vitest';
import { findChromium } from '../helpers/browser.js';
import { createReader } from './reader.js';
import type { Cell } from '../helpers/screen.js';

// The pictures of the README, made from a real run: UPDATE_DOCS=1 npx vitest run test/docs/pictures.test.ts

const folder = fileURLToPath(new URL('../../docs/images/', import.meta.url));
const [terminalPicture, consolePicture] = [`${folder}terminal.svg`, `${folder}console.png`];

it.runIf(process.env['UPDATE_DOCS'])('are made', async () => {
  mkdirSync(folder, { recursive: true });
  const reader = await createReader();
  try {
    await reader.type('paydesk sandbox start --detach');
    const consoleUrl = /http\S+\/console\S+/.exec((await reader.type('paydesk sandbox status')).text)?.[0];
    await reader.type('paydesk sandbox seed');
    const commands = [
      'paydesk payments explain seed-held',
      'paydesk payments unhold seed-held --reason "known customer" --wait',
    ];
    const rows: Cell[][] = [];
    for (const command of commands) {
      const { cells } = await reader.type(command);
      rows.push(prompt(command), ...cells.filter((_, index, all) => index < all.length - 1), []);
    }
    writeFileSync(terminalPicture, svgOf(rows.slice(0, -1)));
    const browser = await chromium.launch({
      executablePath: findChromium() ?? '',
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    });
    const page = await browser.newPage({ viewport: { width: 1100, height: 640 }, colorScheme: 'light' });
    await page.goto(consoleUrl ?? '');
    await page.screenshot({ path: consolePicture });
    await browser.close();
  } finally {
    await reader.close();
  }
});

it('are there, small, and a picture each', () => {
  for (const path of [terminalPicture, consolePicture]) {
    expect(existsSync(path), path).toBe(true);
    expect(statSync(path).size).toBeLessThan(150 * 1024);
  }
  expect(readFileSync(terminalPicture, 'utf8')).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
  expect(readFileSync(consolePicture).subarray(1, 4).toString()).toBe('PNG');
});

const prompt = (command: string): Cell[] =>
  Array.from(`$ ${command}`, (text, index) => ({ text, style: index < 2 ? '2' : '1' }));

const COLOURS: Readonly<Record<string, string>> = {
  31: '#ff7b72',
  32: '#7ee787',
  33: '#e3b341',
  36: '#79c0ff',
};
const [WIDTH, HEIGHT, MARGIN] = [8.4, 19, 16];

/** Text stays text, each piece at its column, whatever font the reader has. */
function svgOf(rows: Cell[][]): string {
  const size = { width: 80 * WIDTH + 2 * MARGIN, height: rows.length * HEIGHT + 2 * MARGIN };
  const lines = rows.map((cells, row) => {
    const y = MARGIN + row * HEIGHT + 14;
    const pieces = runsOf(cells).map(({ text, style, column }) => {
      const styles = style.split(';');
      const colour =
        styles.map((one) => COLOURS[one]).find(Boolean) ?? (styles.includes('2') ? '#8b949e' : '#e6edf3');
      const weight = styles.includes('1') ? ' font-weight="bold"' : '';
      const length = ` textLength="${(Array.from(text).length * WIDTH).toFixed(1)}"`;
      const place = `x="${(MARGIN + column * WIDTH).toFixed(1)}" y="${y}"`;
      return `<text ${place}${length} fill="${colour}"${weight}>${escapeXml(text).replaceAll(' ', '\u00A0')}</text>`;
    });
    return pieces.join('');
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" width="${size.width}" height="${size.height}" role="img">`,
    `<rect width="100%" height="100%" rx="8" fill="#0d1117"/>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" xml:space="preserve">`,
    ...lines,
    '</g>',
    '</svg>\n',
  ].join('\n');
}

/** Cells of one style side by side; gaps are left out. */
function runsOf(cells: Cell[]): Array<{ text: string; style: string; column: number }> {
  const runs: Array<{ text: string; style: string; column: number }> = [];
  for (const [column, { text, style }] of cells.entries()) {
    const last = runs.at(-1);
    if (last && last.style === style && last.column + Array.from(last.text).length === column)
      last.text += text;
    else if (text !== ' ') runs.push({ text, style, column });
  }
  return runs.map((run) => ({ ...run, text: run.text.trimEnd() })).filter(({ text }) => text !== '');
}

const escapeXml = (text: string): string =>
  text.replaceAll(
    /[&<>"]/g,
    (mark) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[mark] ?? '',
  );
