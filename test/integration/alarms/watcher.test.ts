// The watcher on a real board: told once, whoever looks and however often it starts; what it does when the board,
// the disk or another watcher stands in its way.

import fs from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { LOG_LIMIT } from '../../../src/alarms/alerts-log.ts';
import { SETTLE_MS } from '../../../src/alarms/observe.ts';
import { watchBoard, watchOnce } from '../../../src/alarms/watcher.ts';
import { OPERATOR } from '../../../src/protocol/board.ts';
import type { Task } from '../../../src/protocol/state.ts';
import { QUESTIONS } from '../../../src/protocol/work/blocked.ts';
import { makeChangeSignal } from '../../../src/supervisor/change-signal.ts';
import { type Project, type ProjectOptions, project, START } from '../../support/project.ts';
import { eventually } from '../supervisor/harness.ts';
import { alarmContext, alerts, type Watching, watching } from './watching.ts';

let p: Project;
const watchers: Watching[] = [];
/** With a first transaction: a board without a journal is a story of its own. */
const open = async (options: ProjectOptions = {}): Promise<void> => {
  p = project(options);
  await change((task) => task);
};
const watch = (...args: Parameters<typeof watching> extends [Project, ...infer Rest] ? Rest : never): Watching => {
  const one = watching(p, ...args);
  watchers.push(one);
  return one;
};
afterEach(async () => {
  for (const one of watchers.splice(0)) await one.end();
});

const change = (edit: (task: Task) => Task) =>
  p.store.transact({ actor: OPERATOR, command: 'test' }, ({ state }) => ({
    ok: true,
    detail: 'changed by the test',
    state: { ...state, tasks: state.tasks.map(edit) },
  }));
const block = (id = 't', reason = 'no token') =>
  change((task) =>
    task.id === id
      ? { ...task, status: 'BLOCKED', blocked_reason: reason, blocked_questions: QUESTIONS.override }
      : task,
  );
const unblock = () => change((task) => (task.id === 't' ? { ...task, status: 'UNCLAIMED' } : task));
const BLOCKED = '⚠️ BLOCKED: t — no token';
/** As an editor does it: before the watcher would call the file broken. */
const savedSoon = (file: string, text: Buffer): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(() => {
      fs.writeFileSync(file, text);
      resolve();
    }, SETTLE_MS / 3);
  });
const texts = (one: Watching): readonly string[] => one.raised.map(({ alarm }) => alarm.text);

describe('told once', () => {
  test('when it begins and when it is over, however often it looks', async () => {
    await open();
    const w = watch();
    await w.look();
    expect(alerts(p)).toEqual([]);
    await block();
    await w.look(3);
    expect(alerts(p)).toEqual([BLOCKED]);
    expect(w.raised).toMatchObject([{ alarm: { text: BLOCKED }, known: false }]);
    await unblock();
    await w.look(3);
    expect(alerts(p)).toEqual([BLOCKED, `cleared: ${BLOCKED}`]);
    expect(w.cleared.map(({ text }) => text)).toEqual([BLOCKED]);
  });

  test('also when the watcher starts again: it shows what is on and tells what is new', async () => {
    await open();
    await block();
    const first = watch();
    await first.look();
    await first.end();
    expect(first.shown).toHaveLength(1);
    const second = watch();
    await second.look();
    expect(second.raised).toMatchObject([{ alarm: { text: BLOCKED }, known: true }]);
    await second.end();
    expect(second.shown).toEqual([]);
    await unblock();
    const third = watch();
    await third.look();
    expect(alerts(p)).toEqual([BLOCKED, `cleared: ${BLOCKED}`]);
  });

  test('also when it died between the log and its memory', async () => {
    await open({ tasks: ['t', 'u'] });
    const memory = (): string => p.file('.liza/cache/watch/alarms.json');
    const first = watch();
    await first.look();
    const before = fs.readFileSync(memory());
    await block();
    await first.look();
    await first.end();
    fs.writeFileSync(memory(), before);
    await block('u', 'no key');
    const second = watch();
    await second.look();
    expect(alerts(p)).toEqual([BLOCKED, '⚠️ BLOCKED: u — no key']);
  });

  test('also with two watchers: both show it, one tells; when that one ends, the other takes over', async () => {
    await open({ tasks: ['t', 'u'] });
    const first = watch();
    await first.look();
    const second = watch();
    await second.look();
    await block();
    await first.look();
    await second.look(20);
    expect(alerts(p)).toEqual([BLOCKED]);
    expect(texts(first)).toEqual([BLOCKED]);
    expect(texts(second)).toEqual([BLOCKED]);
    expect(second.shown).toEqual([]);
    await first.end();
    await block('u', 'no key');
    await second.look(20);
    expect(alerts(p)).toEqual([BLOCKED, '⚠️ BLOCKED: u — no key']);
  });

  test('by a look from cron as well, which says what is on every time', async () => {
    await open();
    const look = () => watchOnce(alarmContext(p), {}, 0);
    expect(await look()).toMatchObject({ alarms: [], told: true });
    await block();
    expect(await look()).toMatchObject({ alarms: [{ text: BLOCKED }], news: new Set(['BLOCKED:t']), told: true });
    expect(await look()).toMatchObject({ alarms: [{ text: BLOCKED }], news: new Set(), told: true });
    const w = watch();
    await w.look();
    expect(await look()).toMatchObject({ alarms: [{ text: BLOCKED }], told: false });
    expect(alerts(p)).toEqual([BLOCKED]);
  });
});

test('1,000 blocked tasks are 1,000 lines and one message', async () => {
  const blocked = { status: 'BLOCKED', blocked_reason: 'no token', blocked_questions: QUESTIONS.override } as const;
  await open({ tasks: Array.from({ length: 1000 }, (_, n) => ({ id: `t-${n}`, ...blocked })) });
  const w = watch();
  await w.look(5);
  expect(alerts(p)).toHaveLength(1000);
  expect(new Set(alerts(p)).size).toBe(1000);
  expect(w.shown.map(({ title }) => title)).toEqual(['Liza · project: 1000 alarms (1000 BLOCKED)']);
  expect(w.shown[0]?.lines).toHaveLength(6);
  await w.end();
  expect(w.shown).toHaveLength(1);
});

test('a notifier is given a moment, and ended with the watcher', async () => {
  await open();
  await block();
  const calls: string[] = [];
  const desktop = {
    show: () => void calls.push('show'),
    settled: () => {
      calls.push('settled?');
      return new Promise<void>(() => {});
    },
    close: () => void calls.push('close'),
  };
  await watchOnce(alarmContext(p), { desktop }, 20);
  expect(calls).toEqual(['show', 'settled?', 'close']);
});

test('what comes one after the other in a storm is gathered', async () => {
  await open({ tasks: ['t', 'u', 'v'] });
  const w = watch();
  for (const id of ['t', 'u', 'v']) {
    await block(id);
    await w.look();
  }
  await w.end();
  expect(alerts(p)).toHaveLength(3);
  expect(w.shown.map(({ title }) => title)).toEqual([
    'Liza · project: 1 alarm',
    'Liza · project: 2 alarms (2 BLOCKED)',
  ]);
});

describe('a board that cannot be read', () => {
  test('is an alarm of its own; the last good state is watched meanwhile', async () => {
    await open();
    await block();
    const w = watch();
    await w.look();
    const good = fs.readFileSync(p.file('.liza/state.yaml'));
    fs.writeFileSync(p.file('.liza/state.yaml'), 'tasks: [\n');
    await w.look();
    expect(texts(w)).toHaveLength(2);
    expect(texts(w)[1]).toMatch(/^🚨 INVALID STATE: line \d+, column \d+: /u);
    expect(w.cleared).toEqual([]);
    fs.writeFileSync(p.file('.liza/PAUSE'), '');
    fs.utimesSync(p.file('.liza/PAUSE'), START / 1000, START / 1000);
    p.pass(1800);
    await w.look();
    expect(texts(w)[2]).toBe('⚠️ STALE PAUSE: the PAUSE file has existed for 30min');
    fs.writeFileSync(p.file('.liza/state.yaml'), good);
    await w.look();
    expect(w.cleared.map(({ family }) => family)).toEqual(['INVALID STATE']);
  });

  test('is no alarm while an editor is about to save it', async () => {
    await open();
    const w = watch();
    await w.look();
    const file = p.file('.liza/state.yaml');
    const good = fs.readFileSync(file);
    fs.writeFileSync(file, good.subarray(0, good.length / 2));
    const saved = savedSoon(file, good);
    await w.look();
    await saved;
    await w.look();
    expect(texts(w)).toEqual([]);
  });

  test('from the start: nothing that was on is taken for over', async () => {
    await open();
    await block();
    const first = watch();
    await first.look();
    await first.end();
    const journal = p.file('.liza/journal.jsonl');
    const good = fs.readFileSync(journal, 'utf8');
    // A line cut out of the chain: neither the journal nor state.yaml can be trusted.
    const lines = good.trimEnd().split('\n');
    fs.writeFileSync(
      journal,
      `${[...lines.slice(0, -1), lines.at(-1)?.replace(/"prev":"./, '"prev":"x')].join('\n')}\n`,
    );
    fs.rmSync(p.file('.git/liza'), { recursive: true, force: true });
    fs.rmSync(p.file('.liza/cache/board.ndjson'), { force: true });
    const second = watch();
    await second.look();
    expect(texts(second)[0]).toMatch(/^🚨 INVALID STATE: /u);
    expect(alerts(p).filter((line) => line.startsWith('cleared'))).toEqual([]);
    fs.writeFileSync(journal, good);
    await second.look();
    expect(alerts(p).at(-1)).toMatch(/^cleared: 🚨 INVALID STATE: /u);
    expect(alerts(p).filter((line) => line === BLOCKED)).toHaveLength(1);
  });

  test('breaks a rule without breaking the file', async () => {
    await open({ tasks: [{ id: 't', depends_on: ['nowhere'] }] });
    const found = await watchOnce(alarmContext(p), {}, 0);
    expect(found.alarms.map(({ text }) => text)[0]).toMatch(/^🚨 INVALID STATE: .*nowhere/u);
  });

  describe('lies there and breaks a rule of liza validate', () => {
    const file = (): string => p.file('.liza/state.yaml');
    const edit = (from: string | RegExp, to: string): void =>
      fs.writeFileSync(file(), fs.readFileSync(file(), 'utf8').replace(from, to));
    const once = async (): Promise<readonly string[]> =>
      (await watchOnce(alarmContext(p), {}, 0)).alarms.map(({ text }) => text);

    test.each([
      ['a status that is none', () => edit('status: UNCLAIMED', 'status: FOO'), /tasks\.0\.status \(line \d+\): /],
      ['a priority out of range', () => edit(/priority: \d/, 'priority: 99'), /tasks\.0\.priority \(line \d+\): /],
      ['a status that needs more', () => edit('status: UNCLAIMED', 'status: MERGED'), /tasks\.0\..*task t: /],
      ['a field renamed', () => edit(/^( +)done_when:/m, '$1done_whne:'), /tasks\.0/],
      [
        'a deadline that is no time',
        () => edit(/^( +)timeline:.*\n( +started:)/m, '$1timeline:\n$1  deadline: "soonish"\n$2'),
        /deadline/,
      ],
      ['an emptied file', () => fs.writeFileSync(file(), ''), /./],
      ['a file that is not there', () => fs.rmSync(file()), /state\.yaml is missing/],
    ] as const)('%s', async (_what, harm, problem) => {
      await open();
      const good = fs.readFileSync(file());
      const w = watch();
      await w.look();
      expect(texts(w)).toEqual([]);
      harm();
      await w.look(3);
      expect(texts(w)).toHaveLength(1);
      expect(texts(w)[0]).toMatch(/^🚨 INVALID STATE: /u);
      expect(texts(w)[0]).toMatch(problem);
      expect(w.cleared).toEqual([]);
      await w.end();
      expect(await once()).toEqual(texts(w));
      fs.writeFileSync(file(), good);
      expect(await once()).toEqual([]);
    });

    test('another mistake is told while the first is on', async () => {
      await open();
      const w = watch();
      await w.look();
      edit(/priority: \d/, 'priority: 99');
      await w.look();
      edit('status: UNCLAIMED', 'status: FOO');
      edit('priority: 99', 'priority: 1');
      await w.look();
      expect(texts(w)).toEqual([expect.stringContaining('priority'), expect.stringContaining('status')]);
      expect(alerts(p)).toEqual([...texts(w), `cleared: ${texts(w)[0]}`]);
    });

    test('is no alarm while it is being saved', async () => {
      await open();
      const w = watch();
      await w.look();
      const good = fs.readFileSync(file());
      fs.rmSync(file());
      const saved = savedSoon(file(), good);
      await w.look();
      await saved;
      await w.look();
      expect(texts(w)).toEqual([]);
    });

    test('it is not read again as long as it stays so', async () => {
      await open();
      let reads = 0;
      const read = () => {
        reads += 1;
        return p.store.read();
      };
      const w = watch({ store: { ...p.store, read } });
      for (const harm of [() => edit('status: UNCLAIMED', 'status: FOO'), () => fs.rmSync(file())]) {
        harm();
        await w.look();
        const before = reads;
        await w.look(5);
        expect(reads).toBe(before);
      }
    });
  });

  test('is gone: nothing is made in its place', async () => {
    await open();
    const w = watch();
    await w.look();
    fs.rmSync(p.file('.liza'), { recursive: true });
    fs.rmSync(p.file('.git/liza'), { recursive: true });
    await w.look(20);
    expect(texts(w)[0]).toMatch(/^🚨 INVALID STATE: /u);
    await w.end();
    expect(fs.existsSync(p.file('.liza'))).toBe(false);
  });
});

test('an unchanged state is not read again, but switches are seen', async () => {
  await open();
  await block();
  let reads = 0;
  const store = {
    ...p.store,
    read: () => {
      reads += 1;
      return p.store.read();
    },
  };
  const w = watch({ store });
  await w.look();
  const before = reads;
  await w.look(10);
  expect(reads).toBe(before);
  fs.writeFileSync(p.file('.liza/CHECKPOINT'), '');
  fs.utimesSync(p.file('.liza/CHECKPOINT'), START / 1000, START / 1000);
  p.pass(1800);
  await w.look();
  expect(texts(w)).toContain('⚠️ CHECKPOINT STALE: waiting for human');
  expect(reads).toBe(before);
  await unblock();
  await w.look();
  expect(reads).toBe(before + 1);
});

test('CHECKPOINT: 30 min, 2 h, 8 h, and ESCALATION until it is over', async () => {
  await open({ tasks: ['t', 'u'] });
  await block('u', 'which header?');
  const w = watch();
  const escalation = (): string | undefined =>
    fs.existsSync(p.file('.liza/ESCALATION')) ? fs.readFileSync(p.file('.liza/ESCALATION'), 'utf8') : undefined;
  fs.writeFileSync(p.file('.liza/CHECKPOINT'), '');
  fs.utimesSync(p.file('.liza/CHECKPOINT'), START / 1000, START / 1000);
  const told = (): readonly string[] => alerts(p).filter((line) => line.includes('CHECKPOINT'));
  const at = async (seconds: number, total: number): Promise<void> => {
    p.pass(seconds);
    await w.look();
    expect(told()).toHaveLength(total);
  };
  await at(1799, 0);
  await at(1, 1);
  await at(5399, 1);
  expect(escalation()).toBeUndefined();
  await at(1, 3);
  expect(escalation()).toBe(
    [
      '🚨 CHECKPOINT STUCK: waiting for human',
      'CHECKPOINT since 2026-03-01T09:00:00Z',
      '',
      'No work starts until you decide: liza resume continues, liza abort ends it, liza status shows the board.',
      '',
      'Waiting for an answer:',
      '- u: which header?',
      '  ? What should be done differently, and why?',
      '',
    ].join('\n'),
  );
  await at(21_599, 3);
  await at(1, 5);
  expect(escalation()).toMatch(/^🚨 CHECKPOINT ABANDONED\?: waiting for human\n/u);
  expect(told()).toEqual([
    '⚠️ CHECKPOINT STALE: waiting for human',
    '🚨 CHECKPOINT STUCK: waiting for human',
    'cleared: ⚠️ CHECKPOINT STALE: waiting for human',
    '🚨 CHECKPOINT ABANDONED?: waiting for human',
    'cleared: 🚨 CHECKPOINT STUCK: waiting for human',
  ]);
  expect(w.cleared).toEqual([]);
  fs.rmSync(p.file('.liza/CHECKPOINT'));
  await w.look();
  expect(escalation()).toBeUndefined();
  expect(told().at(-1)).toBe('cleared: 🚨 CHECKPOINT ABANDONED?: waiting for human');
});

test('a record that an edit by hand did not get lasts until its file is gone', async () => {
  await open();
  const file = p.file('.liza/state.yaml');
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('status: UNCLAIMED', 'status: MERGED'));
  await change((task) => task);
  const w = watch();
  await w.look();
  const aside = texts(w).filter((text) => text.startsWith('🚨 EXTERNAL EDIT: tasks/t was set aside: '));
  expect(aside).toHaveLength(1);
  p.pass(3 * 3600);
  await w.look();
  expect(w.cleared.map(({ text }) => text).filter((text) => text.includes('set aside: '))).toEqual([]);
  for (const name of fs.readdirSync(p.file('.liza/rejected'))) fs.rmSync(p.file('.liza/rejected', name));
  await w.look();
  expect(w.cleared.map(({ text }) => text)).toContain(aside[0]);
});

test('an edit by hand is told once, with what it was, when a command has taken it in', async () => {
  await open();
  const w = watch();
  await w.look();
  const file = p.file('.liza/state.yaml');
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(/priority: \d/, 'priority: 5'));
  await w.look(2);
  expect(texts(w)).toEqual([]);
  await change((task) => task);
  await w.look(2);
  expect(alerts(p)).toEqual([expect.stringMatching(/^⚠️ EXTERNAL EDIT: entry \d+ — .*\bt\b.*priority/u)]);
  p.pass(1800);
  await w.look();
  expect(w.cleared).toHaveLength(1);
});

test('a rejected task waits for nobody while PAUSE is on, and has 30 s after that', async () => {
  await open();
  const history = [{ time: '2026-03-01T08:00:00Z', event: 'rejected', agent: 'code-reviewer-1' }];
  await change((task) => ({ ...task, status: 'REJECTED', assigned_to: 'coder-1', history }));
  fs.writeFileSync(p.file('.liza/PAUSE'), '');
  const w = watch();
  const orphans = (): readonly string[] => texts(w).filter((text) => text.includes('ORPHANED'));
  await w.look();
  fs.rmSync(p.file('.liza/PAUSE'));
  p.pass(29);
  await w.look();
  expect(orphans()).toEqual([]);
  p.pass(1);
  await w.look();
  expect(orphans()).toEqual([expect.stringMatching(/^🚨 ORPHANED REJECTED: t — assigned to coder-1 but agent is /u)]);
});

test('a goal that a long PAUSE held back is stalled 30 min after its end, not at once', async () => {
  await open();
  fs.writeFileSync(p.file('.liza/PAUSE'), '');
  const w = watch();
  await w.look();
  const stalled = (): readonly string[] => texts(w).filter((text) => text.includes('STALLED'));
  p.pass(3 * 3600);
  await w.look();
  fs.rmSync(p.file('.liza/PAUSE'));
  await w.look();
  p.pass(1799);
  await w.look();
  expect(stalled()).toEqual([]);
  p.pass(1);
  await w.look();
  expect(stalled()).toEqual(['⚠️ STALLED: no progress for 30m']);
});

test('nor is it for a look from cron, which remembers that it saw PAUSE', async () => {
  await open();
  fs.writeFileSync(p.file('.liza/PAUSE'), '');
  const stalled = async (): Promise<boolean> => {
    const { alarms } = await watchOnce(alarmContext(p), {}, 0);
    return alarms.some(({ key }) => key === 'STALLED');
  };
  p.pass(3 * 3600);
  expect(await stalled()).toBe(false);
  fs.rmSync(p.file('.liza/PAUSE'));
  p.pass(300);
  expect(await stalled()).toBe(false);
  p.pass(1500);
  expect(await stalled()).toBe(true);
});

describe('what stands in the way of telling', () => {
  test('a full alerts.log begins anew, and one before it is kept', async () => {
    await open({ tasks: ['t', 'u'] });
    const w = watch();
    await w.look();
    fs.writeFileSync(p.file('.liza/alerts.log'), `${'x'.repeat(LOG_LIMIT - 1)}\n`);
    await block();
    await w.look();
    expect(alerts(p)).toEqual([BLOCKED]);
    expect(fs.statSync(p.file('.liza/alerts.log.1')).size).toBe(LOG_LIMIT);
    await block('u');
    await w.look();
    expect(alerts(p)).toHaveLength(2);
  });

  test('a log that cannot be written is told once, the watching goes on, and the lines come later', async () => {
    await open({ tasks: ['t', 'u'] });
    fs.mkdirSync(p.file('.liza/alerts.log'));
    const w = watch();
    await block();
    await w.look();
    await block('u');
    await w.look();
    expect(texts(w)).toHaveLength(2);
    expect(w.troubles).toHaveLength(1);
    expect(w.troubles[0]).toMatch(/^alerts\.log could not be written: EISDIR/);
    fs.rmdirSync(p.file('.liza/alerts.log'));
    await w.look();
    expect(alerts(p)).toEqual([BLOCKED, '⚠️ BLOCKED: u — no token']);
  });

  test('a log that cannot be read is told once, and the watching goes on', async () => {
    await open({ tasks: ['t', 'u'] });
    await block();
    const first = watch();
    await first.look();
    await first.end();
    fs.rmSync(p.file('.liza/alerts.log'));
    fs.mkdirSync(p.file('.liza/alerts.log'));
    const w = watch();
    await w.look();
    await block('u');
    await w.look();
    expect(texts(w)).toEqual([BLOCKED, '⚠️ BLOCKED: u — no token']);
    expect(w.troubles).toEqual([expect.stringMatching(/^alerts\.log could not be read: EISDIR/)]);
    expect(await watchOnce(alarmContext(p), {}, 0)).toMatchObject({
      told: false,
    });
    await w.end();
  });

  test('whatever breaks it, another watcher can take over', async () => {
    await open();
    await block();
    const broken = watchBoard(
      alarmContext(p),
      {
        wait: () => Promise.resolve(),
        changed: () => {
          throw new Error('the terminal is gone');
        },
      },
      new AbortController().signal,
    );
    await expect(broken).rejects.toThrow('the terminal is gone');
    expect(await watchOnce(alarmContext(p), {}, 0)).toMatchObject({
      told: true,
    });
  });

  test('secrets and control characters do not reach the log', async () => {
    await open();
    const w = watch({ env: { SOME_API_KEY: 'hunter2-hunter2' } });
    await block('t', 'curl -H "Authorization: Bearer abcdefghijklmnop" with hunter2-hunter2 \u001b[2J');
    await w.look();
    expect(alerts(p)).toEqual(['⚠️ BLOCKED: t — curl -H "Authorization: Bearer [redacted]" with [redacted] [2J']);
    expect(texts(w)).toEqual(alerts(p));
  });
});

test('an alarm is raised within a second of the change that causes it', async () => {
  await open();
  const over = new AbortController();
  const clock = {
    ...p.context.clock,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        signal?.addEventListener('abort', () => {
          clearTimeout(timer);
          resolve();
        });
      }),
  };
  const changeSignal = makeChangeSignal(clock);
  const unwatch = p.store.watch(() => changeSignal.notify());
  const raised: number[] = [];
  let looked = false;
  const done = watchBoard(
    alarmContext(p),
    {
      wait: (ms, signal) => {
        looked = true;
        return changeSignal.wait(changeSignal.count(), ms, signal);
      },
      changed: (changes) => raised.push(...changes.raised.map(() => performance.now())),
    },
    over.signal,
  );
  await eventually('the first look', () => looked);
  await block();
  const changed = performance.now();
  await eventually('the alarm', () => raised.length === 1);
  expect((raised[0] ?? Number.POSITIVE_INFINITY) - changed).toBeLessThan(1000);
  over.abort();
  unwatch();
  await done;
});
