// Without the sandbox another process can write into the checkout of a proof or a merge while commands run there. Whoever
// exchanges a file and puts it back leaves other times, or another inode.

import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Config } from '../../../src/protocol/state.ts';
import { submitForReview } from '../../../src/tasks/submit.ts';
import { refusedBy } from '../../refused-by.ts';
import { type Project, project, succeeded } from '../../support/project.ts';

let p: Project;
const TEST = 'test/real.test.mjs';
const RED = 'process.exit(1);\n';
const GREEN = 'process.exit(0);\n';
/** A command that tells when it runs, and waits for whoever attends it. */
const attended = (command: string): string =>
  `touch .started; until test -e .go; do sleep 0.02; done; ${command}; e=$?; touch .done; until test -e .back; do sleep 0.02; done; exit $e`;
const SLOW = attended(`node ${TEST}`);

async function begun(
  config: Partial<Config>,
  validation: string,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  p = project({
    config: { tdd: 'off', sandbox: 'off', ...config },
    tasks: [{ id: 't', validation: [validation], scope: 'IN: src, test, lock.txt, gradlew' }],
    files: { 'src/value': '1\n', 'lock.txt': 'locked\n', 'src/plain.mjs': 'export const a = 1;\n', ...more },
  });
  await p.begun('t');
}
const checkouts = (kind: string): readonly string[] =>
  fs.readdirSync(p.file('.worktrees')).filter((name) => name.startsWith(`.${kind}-`));

type Exchange = (at: (...parts: readonly string[]) => string) => () => void;

/** By renaming it: inode, size and the time of its content are those of before when it is back. */
const file =
  (name: string, text: string): Exchange =>
  (at) => {
    fs.renameSync(at(name), at(`${name}.kept`));
    fs.writeFileSync(at(name), text);
    return () => fs.renameSync(at(`${name}.kept`), at(name));
  };
const nothing: Exchange = () => () => {};

/** What a process does that was left behind: waits for checkouts, exchanges something in each, and puts it back. */
async function attending<T>(kind: string, exchange: Exchange, work: () => Promise<T>): Promise<T> {
  const over = new AbortController();
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!over.signal.aborted && !isSo()) await sleep(5);
  };
  const seen = new Set<string>();
  const isNew = (name: string): boolean => !seen.has(name) && fs.existsSync(p.file('.worktrees', name, '.started'));
  const forging = (async () => {
    while (!over.signal.aborted) {
      await until(() => checkouts(kind).some(isNew));
      const name = checkouts(kind).find(isNew);
      if (name === undefined) continue;
      seen.add(name);
      const at = (...parts: readonly string[]): string => p.file('.worktrees', name, ...parts);
      const putBack = exchange(at);
      fs.writeFileSync(at('.go'), '');
      await until(() => fs.existsSync(at('.done')));
      putBack();
      fs.writeFileSync(at('.back'), '');
    }
  })();
  try {
    return await work();
  } finally {
    over.abort();
    await forging;
  }
}

const alarm = async (): Promise<string> => (await p.ok(['status'])).stdout;

describe('a file that another process exchanges while a commit is proven', () => {
  test('and puts back: the proof is not believed, names the file, and raises an alarm', async () => {
    await begun({}, SLOW);
    p.work('t', { [TEST]: RED });
    expect(await attending('proof', file(TEST, GREEN), () => p.submit('t'))).toMatchObject(
      refusedBy('exchanged', {
        message: `what ran in the checkout is not believed: ${TEST} changed while it was tested`,
      }),
    );
    expect(await alarm()).toContain(`CHANGED WHILE TESTED: ${TEST} in a checkout of t`);
    expect((await p.task('t')).status).toBe('CLAIMED');
    // Nothing is held against the commit: without the forger it is proven as it is.
    expect(await attending('proof', nothing, () => p.submit('t'))).toMatchObject(refusedBy('validation'));
  });

  test('and puts back with its folder', async () => {
    await begun({}, SLOW);
    p.work('t', { [TEST]: RED });
    const folder: Exchange = (at) => {
      fs.renameSync(at('test'), at('kept'));
      fs.mkdirSync(at('test'));
      fs.writeFileSync(at(TEST), GREEN);
      return () => {
        fs.rmSync(at('test'), { recursive: true });
        fs.renameSync(at('kept'), at('test'));
      };
    };
    expect(await attending('proof', folder, () => p.submit('t'))).toMatchObject(refusedBy('exchanged'));
  });

  test('before a command starts, whatever file it is: nothing is run', async () => {
    await begun({}, 'touch ../../ran; grep -q 1 src/value');
    p.work('t', { 'src/value': '2\n', [TEST]: GREEN });
    const say = (line: string): void => {
      const [name] = checkouts('proof');
      if (line.startsWith('validation of t') && name !== undefined)
        fs.writeFileSync(p.file('.worktrees', name, 'src/value'), '1\n');
    };
    expect(await submitForReview(p.as('coder-1', { say }), 't', 'HEAD')).toMatchObject(
      refusedBy('exchanged', { message: expect.stringContaining('src/value changed while it was tested') }),
    );
    expect(fs.existsSync(p.file('ran'))).toBe(false);
    expect(await alarm()).toContain('CHANGED WHILE TESTED: src/value in a checkout of t');
  });

  test('that is no test: the reviewer is told', async () => {
    await begun({}, attended('grep -q 1 src/value'));
    p.work('t', { 'src/value': '2\n', [TEST]: GREEN });
    succeeded(await attending('proof', file('src/value', '1\n'), () => p.submit('t')));
    expect(await p.last('t', 'submitted')).toMatchObject({
      proof: { runs: [{ ok: true, rewritten: { paths: ['src/value'] } }] },
    });
    expect((await p.ok(['show', 't'])).stdout.replace(/\s+/g, ' ')).toContain(
      'or another process wrote tracked files, which are as before again: src/value',
    );
  });

  test('while a merge is tested: it does not land', async () => {
    await begun({}, 'true', { 'scripts/integration-test.sh': `${SLOW}\n`, [TEST]: GREEN });
    p.work('t', { [TEST]: RED });
    succeeded(await p.submit('t'));
    await p.approve('t');
    const merged = await attending('merge', file(TEST, GREEN), () => p.merge('t'));
    expect(JSON.stringify(merged)).toContain(`${TEST} changed while it was tested`);
    expect((await p.task('t')).status).not.toBe('MERGED');
  });
});

describe('what commands do themselves', () => {
  test('snapshots, lock files, formatters, other rights: told or not, and believed', async () => {
    const honest = [
      'echo new > lock.txt',
      'cp src/value x && cp x src/value && chmod 600 src/plain.mjs',
      'touch src/plain.mjs && mkdir -p src/made && echo x > src/made/x && rm -r src/made',
    ];
    await begun(
      { test_command: `${honest.join(' && ')} && node ${TEST} && chmod 755 gradlew && chmod 644 src/plain.mjs` },
      `node ${TEST} && chmod 644 src/plain.mjs`,
    );
    p.work('t', { [TEST]: GREEN, gradlew: (file) => fs.writeFileSync(file, '#!/bin/sh\n', { mode: 0o755 }) });
    succeeded(await p.submit('t'));
    const { proof } = (await p.last('t', 'submitted')) as { proof: { runs: readonly Record<string, unknown>[] } };
    expect(proof.runs.map(({ ok }) => ok)).toEqual([true, true]);
    expect(proof.runs[1]).toMatchObject({ changed: { paths: ['lock.txt'] } });
    expect(await alarm()).not.toContain('CHANGED WHILE TESTED');
  });
});
