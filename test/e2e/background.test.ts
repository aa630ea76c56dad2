// `liza run --detach`, `attach` and `stop` as processes, without a terminal (with one: live-board.test.ts): what a forged or
// stale record of a crew can do, and that nothing of a crew is left when it has ended.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { inFull, ways } from '../runs.ts';
import { agentsOf, atWork, crewOf, DETACHED, isAlive, rehearsedCrew } from '../support/background-crew.ts';
import { until } from '../support/program.ts';

const RECORD = '.liza/cache/crew/status.json';
const LOG = '.liza/crew.log';

describe('a crew in the background', () => {
  test('works without a terminal; a second one is refused; stop ends it and leaves nothing', async () => {
    const p = rehearsedCrew();
    const started = p.ok(DETACHED);
    const pid = crewOf(p);
    expect(started.stdout).toContain(`the crew works in the background (process ${pid})`);
    await atWork(p);
    for (const words of [DETACHED, ['run', '--plain', '--agent', 'rehearsal']]) {
      const second = p.liza(words);
      expect([second.code, second.stderr]).toEqual([
        1,
        expect.stringContaining(`already running here (process ${pid})`),
      ]);
    }
    expect(p.liza(['attach']).stderr).toContain('the live board needs a terminal');
    expect(p.ok(['stop']).stdout).toContain(`the crew has ended (process ${pid})`);
    expect(isAlive(pid)).toBe(false);
    expect(agentsOf(p)).toEqual([]);
    expect(p.ok(['stop']).stdout).toContain('no crew is running here');
    expect(p.liza(['attach'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/no crew is running here[\s\S]*liza show <task>[\s\S]*\.liza\/agent-logs/),
    });
  });

  test('a step under an agent’s id from outside its session raises an alarm at once', async () => {
    const p = rehearsedCrew();
    p.ok(DETACHED);
    const pid = crewOf(p);
    await atWork(p);
    // As through a tmux server that was there before: no session is above this process.
    p.ok(['plan', 'done'], { as: 'planner-1' });
    expect(p.ok(['status']).stdout.replace(/\s+/g, ' ')).toContain('STEP WITHOUT SESSION: entry');
    await until(() =>
      fs.readFileSync(p.file('.liza/alerts.log'), 'utf8').includes('plan done under the id of planner-1'),
    );
    p.ok(['stop']);
    expect(isAlive(pid)).toBe(false);
  });

  test.runIf(inFull)(
    'says once how its agents are confined: to the starter, and in its log (in test:all)',
    async () => {
      const p = rehearsedCrew();
      const started = p.ok(DETACHED, { env: { LIZA_SANDBOX: 'off' } });
      const told = (text: string): number => text.split('sandbox: off, ').length - 1;
      expect(started.stderr).toMatch(/^checking document, agent CLIs and disk, then starting/);
      expect(told(started.stderr)).toBe(1);
      await atWork(p);
      expect(told(p.read(LOG))).toBe(1);
      p.ok(['stop', '--now']);
    },
  );

  test.runIf(inFull)('stop --now ends it, too, and the work is kept (in test:all)', async () => {
    const p = rehearsedCrew();
    p.ok(DETACHED);
    const pid = crewOf(p);
    await atWork(p);
    p.ok(['stop', '--now']);
    expect(isAlive(pid)).toBe(false);
    expect(agentsOf(p)).toEqual([]);
    expect(fs.existsSync(p.folder('a', 'src/a.mjs'))).toBe(true);
  });

  test.runIf(inFull)('killed -9, it is no crew at work: the next run takes its place (in test:all)', async () => {
    const p = rehearsedCrew();
    p.ok(DETACHED);
    const first = crewOf(p);
    await atWork(p);
    process.kill(first, 'SIGKILL');
    await until(() => !isAlive(first));
    expect(p.ok(['stop']).stdout).toContain('no crew is running here');
    p.ok(DETACHED);
    const second = crewOf(p);
    expect(second).not.toBe(first);
    p.ok(['stop']);
    expect(isAlive(second)).toBe(false);
    expect(agentsOf(p)).toEqual([]);
  });

  test('is neither attached to nor stopped by an agent', async () => {
    const p = rehearsedCrew();
    p.ok(DETACHED);
    const pid = crewOf(p);
    for (const name of ['attach', 'stop', 'run'])
      expect(p.liza([name], { as: 'coder-1' })).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`liza ${name} is for the operator, not for coder-1`),
      });
    expect(isAlive(pid)).toBe(true);
    p.ok(['stop']);
  });
});

describe('a crew that cannot start', () => {
  test('says why once, and as JSON in the message', () => {
    const p = rehearsedCrew();
    const words = ['run', '--detach', '--agent', 'nosuch'];
    const refused = p.liza(words);
    expect(refused.code).toBe(1);
    expect(refused.stderr.match(/there is no provider "nosuch"/g)).toHaveLength(1);
    expect(refused.stderr).not.toContain('the crew did not start');
    const { code, stdout, stderr } = p.liza([...words, '--json']);
    expect([code, stderr]).toEqual([1, '']);
    expect(JSON.parse(stdout)).toMatchObject({ message: expect.stringContaining('there is no provider "nosuch"') });
  });

  test('because its log is a pipe or a link is refused at once, and nothing is written elsewhere', () => {
    const p = rehearsedCrew();
    spawnSync('mkfifo', [p.file(LOG)]);
    expect(p.liza(DETACHED)).toMatchObject({ code: 1, stderr: expect.stringContaining('where a file should be') });
    fs.rmSync(p.file(LOG));
    p.write({ elsewhere: 'mine\n' });
    fs.symlinkSync(p.file('elsewhere'), p.file(LOG));
    expect(p.liza(DETACHED).code).toBeGreaterThan(0);
    expect(p.read('elsewhere')).toBe('mine\n');
  });
});

describe('a record that no crew wrote', () => {
  /** As a program without a sandbox could leave it. */
  const forge = (p: ReturnType<typeof rehearsedCrew>, text: string): void => {
    fs.mkdirSync(p.file('.liza/cache/crew'), { recursive: true });
    fs.writeFileSync(p.file(RECORD), text);
  };
  const boot = (): string => fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const startOf = (pid: number): string =>
    fs
      .readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')[19] ?? '';

  test.each(
    ways([
      ['is no JSON', () => '{'],
      ['names no process', () => '{"process":"../../etc","members":7}'],
      ['names a pid that was given out again', () => JSON.stringify({ process: `${boot()}/${process.pid}/1` })],
      ['is of another boot', () => JSON.stringify({ process: `other/${process.pid}/${startOf(process.pid)}` })],
      [
        'says how the crew ended',
        () =>
          JSON.stringify({
            process: `${boot()}/${process.pid}/${startOf(process.pid)}`,
            end: { code: 0, message: 'done' },
          }),
      ],
      ['is longer than any crew writes', () => ' '.repeat(5_000_000)],
    ]),
  )('and %s is no crew at work', (_what, text) => {
    const p = rehearsedCrew();
    forge(p, text());
    expect(p.ok(['stop']).stdout).toContain('no crew is running here');
  });

  test('and is a pipe or a folder holds nobody up', () => {
    const p = rehearsedCrew();
    fs.mkdirSync(p.file('.liza/cache/crew'), { recursive: true });
    spawnSync('mkfifo', [p.file(RECORD)]);
    expect(p.ok(['stop']).stdout).toContain('no crew is running here');
    fs.rmSync(p.file(RECORD));
    fs.mkdirSync(p.file(RECORD));
    expect(p.ok(['stop']).stdout).toContain('no crew is running here');
  });

  test.runIf(inFull)('and names a living process gets it no signal; stop says what to do (in test:all)', () => {
    const p = rehearsedCrew();
    forge(p, JSON.stringify({ process: `${boot()}/${process.pid}/${startOf(process.pid)}` }));
    const stopped = p.liza(['stop', '--now']);
    expect(stopped.code).toBe(1);
    expect(stopped.stderr).toContain(`process ${process.pid} did not end`);
    expect(stopped.stderr).toContain(`rm ${p.file(RECORD)}`);
  });
});
