import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { followLog, readLogTail } from '../../../../src/cli/live/log-file.ts';
import type { LiveLook } from '../../../../src/cli/live/screen.ts';
import { openViewModel, type ViewModel } from '../../../../src/cli/live/view-model.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { type Fake, fakeCrew } from './fake-crew.ts';
import { NOW, textOf } from './scenes.ts';

const look: LiveLook = { color: true, unicode: true, width: 79, height: 23, zone: 0 };
const text = (model: ViewModel): string => model.frame().lines.map(textOf).join('\n');

let now = NOW;
let crew: Fake;
let model: ViewModel;
let frames = 0;

beforeEach(() => {
  vi.useFakeTimers();
  now = NOW;
  frames = 0;
  crew = fakeCrew(() => now, 45, '/nowhere/session.log');
  model = openViewModel({ control: crew, access: crew, look: () => look });
  model.onFrame(() => {
    frames += 1;
  });
});

afterEach(() => {
  model.close();
  vi.useRealTimers();
});

describe('drawing', () => {
  it('draws a burst of changes once', () => {
    for (let i = 0; i < 100; i += 1) crew.play(1);
    vi.advanceTimersByTime(300);
    expect(frames).toBe(1);
  });

  it('draws nothing while nothing happens but time that nobody sees', () => {
    vi.advanceTimersByTime(60_000);
    expect(frames).toBe(0);
  });

  it('moves its clock without being told of a change', () => {
    now += 60_000;
    vi.advanceTimersByTime(5000);
    expect(frames).toBe(1);
    expect(text(model)).toContain('14:03');
  });

  it('forgets the answer to a key after some seconds', () => {
    model.close();
    const early = fakeCrew(() => now, 0);
    model = openViewModel({ control: early, access: early, look: () => look });
    model.press('questions');
    expect(text(model)).toContain('There are no open questions');
    vi.advanceTimersByTime(10_000);
    expect(text(model)).not.toContain('There are no open questions');
  });

  it('lets go of everything when it is closed', () => {
    model.press('log');
    model.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('keys', () => {
  it('passes them on to the crew and shows the answer for a while', async () => {
    model.press('pause');
    await vi.advanceTimersByTimeAsync(300);
    expect(text(model)).toContain('PAUSE is on: no new work starts');
    expect(text(model)).toContain('r resumes');
    await vi.advanceTimersByTimeAsync(8000);
    expect(text(model)).not.toContain('no new work starts');
    model.press('resume');
    model.press('interrupt');
    expect(text(model)).toContain('q again: at once');
    model.press('quit');
    expect(crew.asked).toEqual(['pause', 'resume', 'stop', 'stop']);
  });

  it('shows why something could not be done', async () => {
    vi.spyOn(crew, 'run').mockRejectedValue(new Error('the lock is taken'));
    model.press('pause');
    await vi.advanceTimersByTimeAsync(0);
    expect(text(model)).toContain('the lock is taken');
  });
});

it('tells whoever asked when a person begins to answer, and when that has ceased', () => {
  const turns: boolean[] = [];
  model.close();
  model = openViewModel({ control: crew, access: crew, look: () => look, onAnswering: (is) => turns.push(is) });
  model.press('help');
  model.press('back');
  expect(turns).toEqual([]);
  model.press('answer');
  model.type({ kind: 'text', text: 'No' });
  expect(turns).toEqual([true]);
  model.type({ kind: 'leave' });
  expect(turns).toEqual([true, false]);
});

it.each(['note', 'open', 'actions', 'questions'] as const)('waits for a person who is in %s, too', (key) => {
  const turns: boolean[] = [];
  model.close();
  model = openViewModel({ control: crew, access: crew, look: () => look, onAnswering: (is) => turns.push(is) });
  model.press(key);
  expect(turns).toEqual([true]);
});

describe('a log', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });

  it('has no lines before it is there, and the new ones when it grew', async () => {
    const file = join(folder, 'log');
    const none = await readLogTail(file);
    expect(none.lines).toEqual([]);
    writeFileSync(file, 'one\ntwo\nthr');
    const some = await readLogTail(file, none);
    expect(some.lines).toEqual(['one', 'two', 'thr']);
    expect(await readLogTail(file, some)).toBe(some);
    appendFileSync(file, 'ee\n');
    expect((await readLogTail(file, some)).lines).toEqual(['one', 'two', 'three']);
  });

  it('is read from its end, beginning with a whole line', async () => {
    const file = join(folder, 'log');
    writeFileSync(file, Array.from({ length: 50_000 }, (_, i) => `line ${i}\n`).join(''));
    const { lines } = await readLogTail(file);
    expect(lines).toHaveLength(2000);
    expect(lines.at(-1)).toBe('line 49999');
    expect(lines[0]).toBe('line 48000');
  });

  it('of a session that has said nothing yet: the last one’s is shown until then', async () => {
    const [now, before] = [join(folder, 'now'), join(folder, 'before')];
    writeFileSync(before, 'what it said last\n');
    const shown: string[] = [];
    vi.useRealTimers();
    const quiet = followLog(
      () => [now, before],
      ({ lines }) => shown.push(...lines),
    );
    try {
      await vi.waitFor(() => expect(shown).toEqual(['what it said last']), 30_000);
      writeFileSync(now, 'hello\n');
      await vi.waitFor(() => expect(shown).toEqual(['what it said last', 'hello']), 30_000);
    } finally {
      quiet();
    }
  });

  it('is followed while its page is open', async () => {
    vi.useRealTimers();
    model.close();
    const file = join(folder, 'log');
    writeFileSync(file, 'the first line\n');
    const followedCrew = fakeCrew(() => now, 45, file);
    const followed = openViewModel({ control: followedCrew, access: followedCrew, look: () => look });
    try {
      followed.press('log');
      await vi.waitFor(() => expect(text(followed)).toContain('the first line'), 30_000);
      appendFileSync(file, 'the second line\n');
      await vi.waitFor(() => expect(text(followed)).toContain('the second line'), 30_000);
      followed.press('back');
      expect(text(followed)).toContain('Agents');
    } finally {
      followed.close();
    }
  });
});
