// The demo's last lines, where nothing is installed yet.

import { expect, test } from 'vitest';
import type { Io } from '../../../../src/cli/io.ts';
import { demoScreen } from '../../../../src/cli/render/demo.ts';

const io = { stdoutIsTty: true, columns: 80, color: false, unicode: true, host: { clock: { now: () => 0 } } };
const kept = { folder: '/tmp/liza-demo-1', root: '/tmp/liza-demo-1/tally' };
const next = (liza: string): readonly string[] =>
  demoScreen(io as unknown as Io, { liza, install: ['npm install -g /x'] }, true).next(kept);

test('no line calls liza before it is installed, `run` is among those after, and all fit on a small screen', () => {
  const lines = next('node /home/ada/liza/dist/liza.cjs');
  expect(lines.length).toBeLessThan(24);
  const install = lines.indexOf('Install Liza:');
  expect(lines.slice(0, install).filter((line) => /(^|\s)liza\b/.test(line))).toEqual([]);
  expect(lines.slice(0, install)).toContain('  the board          node /home/ada/liza/dist/liza.cjs status --all');
  expect(lines.slice(install).some((line) => line.endsWith('  liza run'))).toBe(true);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});

test('once it is installed, its name is enough', () => {
  expect(next('liza')).toContain('  the board          liza status --all');
});
