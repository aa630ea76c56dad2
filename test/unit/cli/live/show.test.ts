// The board on a pretended terminal.

import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, it, vi } from 'vitest';
import { showLive } from '../../../../src/cli/live/show.ts';
import { fakeCrew } from './fake-crew.ts';
import { NOW } from './scenes.ts';

class Screen extends EventEmitter {
  columns = 80;
  rows = 24;
  written: string[] = [];
  write = (text: string): boolean => this.written.push(text) > 0;
}

function start() {
  const screen = new Screen();
  const keys = Object.assign(new PassThrough(), { isTTY: true, setRawMode: vi.fn(), ref: vi.fn(), unref: vi.fn() });
  const restores: (() => void)[] = [];
  const crew = fakeCrew(() => NOW, 45);
  const done = showLive(
    { control: crew, access: crew },
    {
      stdin: keys as unknown as NodeJS.ReadStream,
      stdout: screen as unknown as NodeJS.WriteStream,
      color: true,
      unicode: true,
      onExit: (restore) => {
        restores.push(restore);
        return () => void restores.splice(restores.indexOf(restore), 1);
      },
    },
  );
  return { screen, keys, restores, crew, done };
}

const all = (screen: Screen): string => screen.written.join('');
/** On a busy machine a second is not enough; the test's own time limit ends what never comes. */
const PATIENCE = { timeout: 30_000 };
const drawn = (screen: Screen, words: string): Promise<void> =>
  vi.waitFor(() => expect(all(screen)).toContain(words), PATIENCE);

it('takes the terminal, obeys keys, draws only rows that changed, and gives the terminal back', async () => {
  const { screen, keys, restores, crew, done } = start();
  await drawn(screen, 'q leave or stop');
  expect(screen.written[0]).toMatch(/^\x1b\[\?1049h/);
  expect(keys.setRawMode).toHaveBeenCalledWith(true);
  expect(restores).toHaveLength(1);

  screen.written = [];
  keys.write('p');
  await drawn(screen, 'no new work starts');
  screen.written = [];
  keys.write('j');
  await drawn(screen, '› ');
  expect(all(screen)).toContain('planner-1');
  expect(all(screen)).not.toContain('coder-2');
  expect(all(screen)).not.toContain('Happened');

  keys.write('qsq');
  await done;
  expect(crew.asked).toEqual(['pause', 'stop', 'stop']);
  expect(keys.setRawMode).toHaveBeenLastCalledWith(false);
  expect(all(screen)).toMatch(/\x1b\[\?2004l\x1b\[\?7h\x1b\[\?25h\x1b\[\?1049l$/);
  expect(restores).toHaveLength(0);
});

it('moves a row for each of the arrows that arrive in one piece', async () => {
  const { screen, keys, done } = start();
  await drawn(screen, 'q leave or stop');
  keys.write('jjjj');
  await drawn(screen, '› ');
  const four = /› (\S+)/.exec(stripVTControlCharacters(all(screen)))?.[1];
  keys.write('kkkk');
  await vi.waitFor(
    () => expect(stripVTControlCharacters(screen.written.at(-1) ?? '')).toContain(`  ${four}`),
    PATIENCE,
  );
  screen.written = [];
  keys.write('\x1b[B'.repeat(3));
  await drawn(screen, '› ');
  expect(/› (\S+)/.exec(stripVTControlCharacters(all(screen)))?.[1]).toBe(four);
  keys.write('qsq');
  await done;
});

it('is drawn as a whole after a resize, and never clears what was scrolled out', async () => {
  const { screen, keys, done } = start();
  await drawn(screen, 'q leave or stop');
  screen.written = [];
  Object.assign(screen, { columns: 120, rows: 30 });
  screen.emit('resize');
  await drawn(screen, '\x1b[2J');
  await drawn(screen, 'Happened');
  screen.written = [];
  Object.assign(screen, { columns: 60, rows: 10 });
  screen.emit('resize');
  await drawn(screen, '\x1b[2J');
  expect(all(screen)).not.toContain('\x1b[3J');
  keys.write('\x03\x03');
  await done;
});

it('gives the terminal back when the program dies', async () => {
  const { screen, keys, restores, done } = start();
  await drawn(screen, 'q leave or stop');
  restores[0]?.();
  expect(all(screen)).toMatch(/\x1b\[\?1049l$/);
  keys.write('qsq');
  await done;
  expect(all(screen).match(/\x1b\[\?1049l/g)).toHaveLength(1);
});

it('lets the crew end in order when the window is closed', async () => {
  const { screen, crew, done } = start();
  await drawn(screen, 'q leave or stop');
  screen.emit('error', new Error('write EIO'));
  screen.written = [];
  crew.play(5);
  crew.stop();
  crew.stop();
  await done;
  expect(all(screen)).not.toContain('Agents');
  expect(all(screen)).not.toContain('1049l');
});
