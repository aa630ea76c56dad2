// The crew ends while a person is at the board: it does not vanish under their hands, and what they typed is not lost.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { LiveLook } from '../../../../src/cli/live/screen.ts';
import { openViewModel, type ViewModel } from '../../../../src/cli/live/view-model.ts';
import { type Fake, fakeCrew } from './fake-crew.ts';
import { NOW, textOf } from './scenes.ts';

const look: LiveLook = { color: true, unicode: true, width: 79, height: 23, zone: 0 };
const text = (): string => model.frame().lines.map(textOf).join('\n');
const ENDED = 'The crew has ended: the goal is complete: Greet\nmerge it into main: liza finish\n';

let crew: Fake;
let model: ViewModel;
const finish = vi.fn();
const leave = vi.fn();

beforeEach(() => {
  vi.useFakeTimers();
  vi.clearAllMocks();
  crew = fakeCrew(() => NOW, 45);
  model = openViewModel({ control: crew, access: crew, look: () => look, finish, leave });
});

afterEach(() => {
  model.close();
  vi.useRealTimers();
});

const settle = (ms = 0): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
async function end(): Promise<void> {
  crew.end({ code: 0, message: 'the goal is complete: Greet\nmerge it into main: liza finish' });
  await settle();
}

it('shows how it ended for some seconds where nobody has pressed a key, then ends with the crew', async () => {
  await settle(5000);
  await end();
  expect(text()).toContain(ENDED);
  await settle(7000);
  expect(finish).not.toHaveBeenCalled();
  await settle(2000);
  expect(finish).toHaveBeenCalledTimes(1);
});

it('stays for whoever presses a key in these seconds', async () => {
  await end();
  model.press('down');
  await settle(60_000);
  expect(finish).not.toHaveBeenCalled();
});

it('stays for whoever has pressed a key, however long ago, also one that means nothing', async () => {
  model.stray();
  await settle(60_000);
  await end();
  expect(finish).not.toHaveBeenCalled();
  expect(text()).toContain('q, enter or esc closes the board');
});

it.each(['help', 'note', 'quit', 'stop', 'filter', 'log'] as const)('stays while %s is open', async (key) => {
  model.press(key);
  await settle(60_000);
  await end();
  expect(finish).not.toHaveBeenCalled();
  expect(text()).toContain(ENDED);
});

it('covers no line of an open page: all of it can still be read', async () => {
  model.press('help');
  await end();
  for (let at = 0; at < 100; at += 1) model.press('down');
  expect(text()).toContain('rej 1/5');
  expect(text()).toContain(ENDED);
});

it.each(['quit', 'open', 'back'] as const)('closes on %s after the page', async (key) => {
  model.press('help');
  await end();
  model.press('back');
  expect(finish).not.toHaveBeenCalled();
  expect(text()).toContain(ENDED);
  expect(text()).toContain('q, enter or esc closes the board');
  model.press(key);
  expect(finish).toHaveBeenCalledTimes(1);
  expect(crew.asked).toEqual([]);
});

it('stays for hands that pressed a key a moment ago', async () => {
  model.press('down');
  await settle(1000);
  await end();
  expect(finish).not.toHaveBeenCalled();
  expect(text()).toContain(ENDED);
});

it.each(['log', 'stop'] as const)(
  'the question whether to leave is answered by %s, and the board closes',
  async (key) => {
    model.press('quit');
    await end();
    model.press(key);
    expect(finish).toHaveBeenCalledTimes(1);
    expect(leave).not.toHaveBeenCalled();
    expect(crew.asked).toEqual([]);
  },
);

it('sends a note that is typed to its end, and closes only when that is done', async () => {
  model.press('note');
  model.type({ kind: 'text', text: 'mind the ' });
  await end();
  model.type({ kind: 'text', text: 'total' });
  model.type({ kind: 'send' });
  model.press('quit');
  expect(finish).not.toHaveBeenCalled();
  await settle();
  expect(finish).toHaveBeenCalledTimes(1);
  expect(crew.asked.join()).toContain('mind the total');
  expect(model.unsent()).toEqual([]);
});

it('hands back a note that was refused, or never sent', async () => {
  vi.spyOn(crew, 'run').mockResolvedValue({ ok: false, said: 'the goal is over' });
  model.press('note');
  model.type({ kind: 'text', text: 'mind the total' });
  await end();
  model.type({ kind: 'send' });
  await settle();
  expect(text()).toContain('the goal is over');
  model.press('quit');
  expect(finish).toHaveBeenCalledTimes(1);
  expect(model.unsent()).toEqual(['mind the total']);
});

it('ends at once for whoever has just asked it to stop', async () => {
  model.press('interrupt');
  await end();
  expect(finish).toHaveBeenCalledTimes(1);
});
