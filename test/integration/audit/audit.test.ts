// `liza audit` on real histories: what is in order is verified, and every kind of forgery is found and named.

import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Fact } from '../../../src/audit/rules/facts.ts';
import { sha256 } from '../../../src/store/hash.ts';
import { GENESIS } from '../../../src/store/journal.ts';
import { inFull, ways } from '../../runs.ts';
import { type PlayedProject, playedProject, REJECTION } from '../../support/by-verbs.ts';
import { snapshotOf } from '../../support/project.ts';

let here: PlayedProject;
const begin = async (): Promise<void> => {
  here = playedProject();
  await here.ok(['init', 'Greet people']);
};

const file = (name: string): string => here.file('.liza', name);
const read = (name: string): string => readFileSync(file(name), 'utf8');
const edit = (name: string, change: (text: string) => string): void => {
  const text = read(name);
  const changed = change(text);
  if (changed === text) throw new Error(`${name}: nothing was forged`);
  writeFileSync(file(name), changed);
};

interface Audited {
  readonly code: number;
  /** All facts that are not verified, as one line each. */
  readonly against: readonly string[];
  readonly facts: readonly Fact[];
}

async function audited(...argv: readonly string[]): Promise<Audited> {
  const { code, json } = await here.liza(['audit', ...argv, '--json']);
  const { goal = [], tasks = [] } = json as { goal?: Fact[]; tasks?: { facts: Fact[] }[] };
  const facts = [...goal, ...tasks.flatMap((one) => one.facts)];
  return {
    code,
    facts,
    against: facts.filter(({ mark }) => mark === 'contradicted').map(({ what, why }) => `${what}: ${why}`),
  };
}

/** Two tasks begun at the same point: the second is merged by a merge commit. */
async function twoMerges(): Promise<void> {
  for (const [id, coder] of [
    ['greet', 'coder-1'],
    ['bow', 'coder-2'],
  ] as const) {
    await here.add(id);
    await here.claim(id, coder);
  }
  await here.submit('greet', 'src/greet.ts', 'greet\n', 'coder-1');
  await here.submit('bow', 'src/bow.ts', 'bow\n', 'coder-2');
  for (const id of ['greet', 'bow']) {
    await here.verdict(id, 'APPROVED', 'good');
    await here.ok(['wt', 'merge', id]);
  }
}

describe('what is in order', () => {
  beforeEach(begin);

  test('planned, claimed, begun, rejected, reworked, approved, merged: every fact is verified', async () => {
    await here.add('greet');
    await here.claim('greet');
    await here.submit('greet', 'src/greet.ts', 'one\n');
    await here.verdict('greet', 'REJECTED', REJECTION);
    await here.claim('greet');
    await here.submit('greet', 'src/greet.ts', 'two\n');
    await here.verdict('greet', 'APPROVED', 'good');
    await here.ok(['wt', 'merge', 'greet']);
    await here.ok(['note', 'well done']);
    const { code, facts, against } = await audited('greet');
    expect({ code, against }).toEqual({ code: 0, against: [] });
    const said = facts.map(({ what }) => what).join('\n');
    for (const part of [
      'created, by human',
      'claimed, by coder-1, iteration 2',
      'the checkpoint came before the code',
      'pinned as refs/liza/review/greet/2',
      'rejected, by code-reviewer-1',
      'the verdict is on what was submitted',
      'the reviewer never coded the task',
      'what was merged is what was approved',
      'is on the integration branch',
      'a person: note',
    ])
      expect(said).toContain(part);
  });

  test.runIf(inFull)(
    'a merge commit: its parents and its tree are looked at; an unfinished task; the whole goal (in test:all)',
    async () => {
      await twoMerges();
      await here.add('wave');
      await here.claim('wave');
      const { code, against, facts } = await audited();
      expect({ code, against }).toEqual({ code: 0, against: [] });
      expect(facts.filter(({ what }) => what.startsWith('the files of')).map(({ mark }) => mark)).toEqual(['verified']);
      expect(facts.find(({ what }) => what === 'every step of the integration branch')?.why).toContain(
        '2 recorded merges',
      );
    },
  );

  test.runIf(inFull)(
    'main went on, finish and sync: the branch goes forward over the merge, and each task’s merge is still a step (in test:all)',
    async () => {
      await twoMerges();
      here.commit({ 'mine.txt': 'mine\n' });
      await here.ok(['finish', '--yes']);
      expect((await here.ok(['sync', '--json'])).json).toMatchObject({ how: 'fast-forward' });
      const { code, against, facts } = await audited();
      expect({ code, against }).toEqual({ code: 0, against: [] });
      expect(facts.find(({ what }) => what === 'every step of the integration branch')?.why).toContain(
        '2 recorded merges, 1 of a person’s branch',
      );
    },
  );

  test('a person who plays coder and reviewer by hand: no step of theirs passes for a supervised one', async () => {
    await here.merge('greet');
    const { code, facts } = await audited('greet');
    expect(code).toBe(0);
    const alone = facts.filter(({ why }) => why.endsWith('no session of a supervisor is recorded for this step'));
    expect(new Set(alone.map(({ mark }) => mark))).toEqual(new Set(['unverifiable']));
    expect(alone.map(({ what }) => what.split(',')[0])).toEqual(
      expect.arrayContaining(['claimed', 'checkpoint', 'submitted', 'review claimed', 'approved']),
    );
    // What they did as themselves is theirs, and said so.
    expect(facts.find(({ what }) => what.startsWith('created'))).toMatchObject({ mark: 'verified' });
    const { stdout } = await here.liza(['audit']);
    expect(stdout).toMatch(
      /NOT FULLY VERIFIED: \d+ steps under an agent’s id, without a recorded session of a supervisor/,
    );
    expect((await here.liza(['show', 'greet'])).stdout).toContain('code-reviewer-1 (the CLI is unknown)');
  });

  test.runIf(inFull)(
    'what an edition wrote that noted no sessions is unknown, also once this one goes on; no doubt about anybody (in test:all)',
    async () => {
      await here.merge('greet');
      await here.add('bow');
      await here.claim('bow');
      const lines = read('journal.jsonl').split('\n').slice(0, -1);
      let prev = GENESIS;
      const older = lines.map((line) => {
        const { session: _unknownThen, ...entry } = JSON.parse(line);
        const text = JSON.stringify({ ...entry, prev });
        prev = sha256(text);
        return `${text}\n`;
      });
      for (const name of ['journal.jsonl', '../.git/liza/journal.jsonl']) writeFileSync(file(name), older.join(''));
      const steps = async () => {
        const { code, facts } = await audited();
        const why = facts.map((fact) => fact.why);
        const unknown = why.filter((one) => one.includes('the session is unknown: it was recorded before')).length;
        return { code, unknown, doubted: why.filter((one) => one.includes('no session of a supervisor')).length };
      };
      const before = await steps();
      expect(before).toMatchObject({ code: 0, doubted: 0 });
      expect(before.unknown).toBe(6);
      expect((await here.ok(['audit'])).stdout).not.toContain('NOT FULLY VERIFIED');
      await here.submit('bow', 'src/bow.ts', 'bow\n');
      expect(await steps()).toEqual({ code: 0, unknown: before.unknown, doubted: 2 });
    },
  );

  test.runIf(inFull)(
    'the same commit, run again by other commands: neither run takes the files of the other (in test:all)',
    async () => {
      await here.add('greet');
      await here.claim('greet');
      const commit = await here.submit('greet', 'src/greet.ts', 'one\n');
      const green = read('evidence/greet/1.json');
      await here.ok(['replan', 'greet', '--reason', 'more to show']);
      await here.ok(['amend', 'greet', '--validate', 'test -d .', '--validate', 'test -e src/x']);
      await here.ok(['unblock', 'greet', '--keep-worktree']);
      await here.claim('greet');
      await here.begin('greet', 'src/greet.ts');
      expect(await here.liza(['submit-for-review', 'greet', commit], { as: 'coder-1' })).toMatchObject({ code: 1 });
      expect(read('evidence/greet/1.json')).toBe(green);
      expect(readdirSync(file('evidence/greet'))).toEqual(expect.arrayContaining(['1-1.log', '2-2.log', '2.json']));
      const { code, against, facts } = await audited('greet');
      expect({ code, against }).toEqual({ code: 0, against: [] });
      const kept = facts.filter(({ what }) => what.includes('.liza/evidence/'));
      expect(kept.map(({ mark, what }) => `${mark} ${what.slice(-8)}`)).toEqual([
        'verified t/1.json',
        'verified t/2.json',
      ]);
      edit('evidence/greet/2-2.log', (text) => `${text}green\n`);
      expect((await audited('greet')).against.join()).toContain('2-2.log: it has changed since it was written');
      // The next commit's own number is taken.
      const next = here.work('greet', { 'src/x': 'x\n' });
      await here.liza(['submit-for-review', 'greet', next], { as: 'coder-1' });
      expect(readdirSync(file('evidence/greet'))).toContain('3.json');
      expect(JSON.parse(read('evidence/greet/3.json'))).toMatchObject({ commit: next });
    },
  );

  test.runIf(inFull)('evidence of a task that is not finished: its newest never makes room (in test:all)', async () => {
    await here.add('greet');
    await here.claim('greet');
    await here.submit('greet', 'src/greet.ts', 'one\n');
    const kept = async () => (await audited('greet')).facts.find(({ what }) => what.includes('.liza/evidence/'));
    const text = read('evidence/greet/1.json');
    rmSync(file('evidence/greet/1.json'));
    expect(await kept()).toMatchObject({ mark: 'unverifiable', why: expect.stringContaining('it is missing, and') });
    writeFileSync(file('elsewhere'), text);
    symlinkSync(file('elsewhere'), file('evidence/greet/1.json'));
    expect(await kept()).toMatchObject({ mark: 'contradicted', why: 'it has changed since it was written' });
    rmSync(file('evidence/greet/1.json'));
    writeFileSync(file('evidence/greet/1.json'), text);
    expect(await kept()).toMatchObject({ mark: 'verified' });
    // Once there is a newer one it may go.
    await here.verdict('greet', 'REJECTED', REJECTION);
    await here.claim('greet');
    await here.submit('greet', 'src/greet.ts', 'two\n');
    rmSync(file('evidence/greet/1.json'));
    expect(await kept()).toMatchObject({ why: expect.stringContaining('old ones are deleted') });
  });

  test.runIf(inFull)('archived tasks too (in test:all)', async () => {
    await here.ok(['config', 'set', 'archive_after', '0']);
    await twoMerges();
    await here.ok(['archive']);
    expect((await here.ok(['show', 'greet', '--json'])).json).toMatchObject({ archived: true });
    expect(await audited('greet')).toMatchObject({ code: 0, against: [] });
    edit('archive/tasks.yaml', (text) => text.replace(/^( *)good$/m, '$1goof'));
    expect((await audited('greet')).against.join()).toContain('the archive differs from the journal: history');
  });

  test('a state.yaml that lags behind is not held against anybody; text that moves the cursor is shown, not obeyed', async () => {
    const earlier = read('state.yaml');
    await here.ok(['note', 'red \u001b[31m herring']);
    await here.add('greet');
    writeFileSync(file('state.yaml'), earlier);
    expect(await audited('greet')).toMatchObject({ code: 0, against: [] });
    const { stdout } = await here.liza(['audit']);
    expect(stdout).not.toContain('\u001b');
  });

  test('a task that is not there; a journal that is not there', async () => {
    expect(await here.liza(['audit', 'nowhere'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no task nowhere'),
    });
    rmSync(file('journal.jsonl'));
    const lost = await here.liza(['audit']);
    expect(lost).toMatchObject({ code: 4, stderr: expect.stringContaining('no journal') });
    expect(lost.stderr).toContain('liza doctor --fix');
    rmSync(file('../.git/liza/journal.jsonl'));
    const all = await here.liza(['audit']);
    expect(all).toMatchObject({ code: 4, stderr: expect.stringContaining('nothing can be verified without it') });
    expect(all.stderr).not.toContain('doctor');
  });
});

describe('forged', () => {
  let putBack: () => void;
  beforeAll(async () => {
    await begin();
    await twoMerges();
    putBack = snapshotOf(here);
  });
  beforeEach(() => putBack());
  const found = async (...parts: readonly string[]): Promise<void> => {
    const { code, against } = await audited();
    expect(code).toBe(4);
    for (const part of parts) expect(against.join('\n')).toContain(part);
  };

  test('the state: a field of a task, a task that nobody added, a setting', async () => {
    edit('state.yaml', (text) => text.replaceAll('approved_by: code-reviewer-1', 'approved_by: code-reviewer-9'));
    await found('the record of greet (MERGED): state.yaml was edited outside Liza: history, approved_by');
    edit('state.yaml', (text) =>
      text.replace(/^agents:/m, '  - id: sneaked\n    status: MERGED\n    priority: 1\nagents:'),
    );
    edit('state.yaml', (text) => text.replace('integration_branch: integration', 'integration_branch: main'));
    await found('tasks/sneaked', 'the board: config');
  });

  test('a line of the journal', async () => {
    edit('journal.jsonl', (text) => text.replace('"actor":"code-reviewer-1"', '"actor":"code-reviewer-9"'));
    await found('the journal’s chain: ');
  });

  test('the verdict is moved to another commit, and the whole journal is written anew for it', async () => {
    const { merge_commit: other = '' } = await here.task('greet');
    const { review_commit: judged = '' } = await here.task('bow');
    const text = read('state.yaml').replace(
      new RegExp(`(event: approved\\n\\s+agent: code-reviewer-1\\n\\s+commit: )"${judged}"`),
      `$1"${other}"`,
    );
    expect(text).not.toBe(read('state.yaml'));
    const ins = text.split('\n').slice(0, -1);
    const entry = {
      ...{ seq: 1, time: '2026-03-01T09:00:00Z', command: 'init', detail: 'goal', change: [{ at: 0, del: [], ins }] },
      ...{ records: ['tasks/greet', 'tasks/bow'], actor: 'human', prev: GENESIS, state: sha256(text) },
    };
    writeFileSync(file('state.yaml'), text);
    writeFileSync(file('journal.jsonl'), `${JSON.stringify(entry)}\n`);
    writeFileSync(here.file('.git/liza/journal.jsonl'), `${JSON.stringify(entry)}\n`);
    await found(
      `the verdict is on what was submitted: it names ${other.slice(0, 12)}, submitted was ${judged.slice(0, 12)}`,
      'what was merged is what was approved: merged was',
      'the journal has no entry that made it',
    );
  });

  test('the end of the journal is cut off, and the board put back to where it was then', async () => {
    const [text, journal] = [read('state.yaml'), read('journal.jsonl')];
    await here.add('wave');
    writeFileSync(file('state.yaml'), text);
    writeFileSync(file('journal.jsonl'), journal);
    await found('the journal’s copy in the git directory: it continues after the end of the journal');
    // With the copy gone, too, there is nothing to hold it against: that is said.
    rmSync(here.file('.git/liza/journal.jsonl'));
    const { facts } = await audited();
    expect(facts.find(({ what }) => what.startsWith('the journal’s copy'))).toMatchObject({ mark: 'unverifiable' });
    expect(facts.map(({ why }) => why).join()).not.toContain('its copy agrees');
  });

  test('the archive: a task that nobody did, an end that it did not have', async () => {
    await here.ok(['config', 'set', 'archive_after', '0']);
    await here.ok(['archive']);
    const archived = read('archive/tasks.yaml');
    const sneaked = '- id: sneaked\n  status: MERGED\n  priority: 1\n';
    writeFileSync(file('archive/tasks.yaml'), archived + sneaked);
    const line = { id: 'sneaked', status: 'MERGED', offset: Buffer.byteLength(archived), length: sneaked.length };
    edit('archive/index.jsonl', (text) => `${text}${JSON.stringify(line)}\n`);
    expect((await here.ok(['show', 'sneaked', '--json'])).json).toMatchObject({ archived: true });
    await found('tasks/sneaked: the archive has it, the journal does not');
    edit('archive/index.jsonl', (text) =>
      text.replace('"id":"greet","status":"MERGED"', '"id":"greet","status":"ABANDONED"'),
    );
    await found('the archive’s index says ABANDONED, its record MERGED');
  });

  test('the evidence: a log of a run, and what was written down of it', async () => {
    const facts = (await audited('greet')).facts.filter(({ what }) => what.includes('.liza/evidence/'));
    expect(facts.map(({ mark }) => mark)).toEqual(['verified']);
    const [log = ''] = readdirSync(file('evidence/greet')).filter((name) => name.endsWith('.log'));
    const was = read(`evidence/greet/${log}`);
    writeFileSync(file(`evidence/greet/${log}`), `${was}13 tests passed\n`);
    await found(`.liza/evidence/greet/${log}: it has changed since it was written`);
    writeFileSync(file(`evidence/greet/${log}`), was);
    edit('evidence/greet/1.json', (text) => text.replace('"ok": true', '"ok": false'));
    await found('.liza/evidence/greet/1.json: it has changed since it was written');
    rmSync(file('evidence/greet/1.json'));
    expect(await audited('greet')).toMatchObject({ code: 0, against: [] });
  });

  test('the activity log: who did it', async () => {
    const log = read('log.yaml');
    edit('log.yaml', (text) => text.replace('agent: code-reviewer-1', 'agent: code-reviewer-9'));
    await found('the activity log, log.yaml: it does not show entry');
    // One that a crash cut short is completed by the next command.
    writeFileSync(file('log.yaml'), log.slice(0, log.lastIndexOf('\n- ') + 1));
    expect(await audited()).toMatchObject({ code: 0, against: [] });
  });

  describe('a record of the activity log that the journal does not have', () => {
    const forged = (entry: number): string =>
      `- timestamp: "2026-03-01T09:00:00Z"\n  agent: human\n  action: submit-verdict\n  detail: forged\n  entry: ${entry}\n`;
    const head = (): number => read('journal.jsonl').split('\n').length - 1;
    const logged = (): readonly number[] =>
      [...read('log.yaml').matchAll(/^ {2}entry: (\d+)$/gm)].map((one) => Number(one[1]));
    const whole = (): readonly number[] => Array.from({ length: head() }, (_, n) => n + 1);

    test.each(
      ways<[string, () => string]>([
        ['far beyond the journal', () => forged(999_999)],
        ['the next one', () => forged(head() + 1)],
        ['one that is told already', () => forged(head() - 1)],
        ['more than is read at a time', () => Array.from({ length: 400 }, (_, n) => forged(9000 + n)).join('')],
      ]),
    )('%s: found, in nobody’s way, and mended', async (_name, record) => {
      const told = read('log.yaml');
      const text = record();
      writeFileSync(file('log.yaml'), told + text);
      await found('the activity log, log.yaml: it has entries that the journal does not');
      await here.ok(['note', 'after it']);
      expect((await here.ok(['log'])).stdout).toContain(` #${head()} `);
      expect(logged().slice(-1)).toEqual([head()]);
      await found('the activity log, log.yaml: it has entries that the journal does not');
      const seen = await here.liza(['doctor']);
      expect(seen).toMatchObject({ code: 4 });
      expect(seen.stdout).toContain('log.yaml has entries that the journal does not');
      const { stdout } = await here.ok(['doctor', '--fix']);
      const [kept = ''] = /\.liza\/rejected\/\S+-log\.yaml/.exec(stdout) ?? [];
      expect(readFileSync(here.file(kept), 'utf8')).toContain(told + text);
      expect(logged()).toEqual(whole());
      expect(await audited()).toMatchObject({ code: 0, against: [] });
      expect((await here.ok(['doctor'])).stdout).not.toContain('log.yaml has');
    });

    test('fields added to a record that is told', async () => {
      edit('log.yaml', (text) => `${text}  detail: forged\n`);
      await found('the activity log, log.yaml: it has entries that the journal does not');
    });

    test('what a person noted there, in lines of their own, is no record', async () => {
      edit('log.yaml', (text) => `${text}# looked through on Monday\n`);
      await here.ok(['note', 'after it']);
      expect(await audited()).toMatchObject({ code: 0, against: [] });
    });

    /** Another journal beside the log of the one before, which it answers. */
    const begunAnew = async (): Promise<string> => {
      const told = read('log.yaml');
      rmSync(file('../.git/liza'), { recursive: true });
      rmSync(file('journal.jsonl'));
      await here.ok(['note', 'a new beginning']);
      return told;
    };

    test('the whole log is another journal’s: kept aside, and begun anew', async () => {
      const told = await begunAnew();
      expect(logged()).toEqual(whole());
      const [kept = ''] = readdirSync(file('rejected')).filter((name) => name.endsWith('-log.yaml'));
      expect(read(`rejected/${kept}`)).toBe(told);
      expect((await here.ok(['log'])).stdout).toMatch(
        /had no journal; the log of the board before is kept in \.liza\/rejected\//,
      );
      expect(await audited()).toMatchObject({ code: 0, against: [] });
    });

    test('so it was left by an edition before: the next command tells all of this one, and doctor mends it', async () => {
      const told = await begunAnew();
      writeFileSync(file('log.yaml'), told);
      await found('the activity log, log.yaml: ');
      await here.ok(['note', 'after it']);
      expect(logged().slice(-3)).toEqual([1, 2, 3]);
      await here.ok(['doctor', '--fix']);
      expect(logged()).toEqual([1, 2, 3]);
      expect(await audited()).toMatchObject({ code: 0, against: [] });
    });
  });

  test('the merge commit is amended', async () => {
    const { merge_commit: merged = '' } = await here.task('bow');
    const [tree, ...parents] = here.git('show', '-s', '--format=%T %P', merged).split(' ');
    const amended = here.git('commit-tree', tree ?? '', ...parents.flatMap((one) => ['-p', one]), '-m', 'nicer');
    here.git('update-ref', 'refs/heads/integration', amended);
    await found(
      `the integration branch is at ${amended.slice(0, 12)}: Liza left it at ${merged.slice(0, 12)}`,
      `${amended.slice(0, 12)} on the integration branch: no task accounts for it`,
      `the merge of bow, ${merged.slice(0, 12)}: the branch does not have it`,
    );
  });

  test('a commit that no task accounts for', async () => {
    const head = here.git('rev-parse', 'integration');
    const sneaked = here.git('commit-tree', `${head}^{tree}`, '-p', head, '-m', 'sneaked in');
    here.git('update-ref', 'refs/heads/integration', sneaked);
    await found(`${sneaked.slice(0, 12)} on the integration branch: no task accounts for it`);
    // Accepted by a person it is no contradiction any more, and is still told.
    await here.ok(['doctor', '--accept-integration']);
    const { code, facts } = await audited();
    expect(code).toBe(0);
    expect(
      facts
        .filter(({ mark }) => mark === 'unverifiable')
        .map(({ why }) => why)
        .join(),
    ).toContain('accepted by');
  });

  test('a pin is deleted, or points elsewhere', async () => {
    here.git('update-ref', '-d', 'refs/liza/review/greet/1');
    await found('pinned as refs/liza/review/greet/1: the ref is gone');
    here.git('update-ref', 'refs/liza/review/greet/1', 'main');
    await found('pinned as refs/liza/review/greet/1: it points to');
  });

  test('the integration branch is set back, or gone', async () => {
    const { merge_commit: merged = '' } = await here.task('bow');
    here.git('update-ref', 'refs/heads/integration', `${merged}^1`);
    await found(`the merge of bow, ${merged.slice(0, 12)}: the branch does not have it`, 'Liza left it at');
    here.git('update-ref', '-d', 'refs/heads/integration');
    await found('the integration branch: it is gone');
  });
});

test('what makes plain git show other content is found, until a person has accepted it', async () => {
  await begin();
  await here.merge('greet');
  const other = here.git('commit-tree', '-m', 'unreviewed', 'integration~1^{tree}');
  here.git('tag', 'integration', other);
  expect((await audited()).against).toEqual([
    expect.stringContaining(`what plain git shows: refs/tags/integration hides integration: your git takes ${other}`),
  ]);
  const { stdout } = await here.liza(['doctor', '--fix']);
  expect(stdout).toContain('refs/tags/integration hides integration');
  const [found] = (await here.state()).anomalies;
  await here.ok(['anomaly', 'processed', found?.id ?? '']);
  expect((await audited()).against).toEqual([]);
});
