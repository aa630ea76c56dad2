// Goals one after another in a real repository: each is counted, reported, archived and audited by itself.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Discovery } from '../../../src/protocol/state.ts';
import { openYamlStore } from '../../../src/store/open.ts';
import { questionAnswered } from '../../../src/supervisor/prompts/question-triggers.ts';
import { openWakes } from '../../../src/supervisor/rules/wakes.ts';
import { type PlayedProject, playedProject } from '../../support/by-verbs.ts';
import { snapshotOf } from '../../support/project.ts';

/** A first goal with one merge, the task greet. */
let here: PlayedProject;
let putBack: () => void;
beforeAll(async () => {
  here = playedProject();
  await here.ok(['init', 'Greet people']);
  await here.merge('greet');
  putBack = snapshotOf(here);
});
beforeEach(() => putBack());

const discover = (text: string, severity: string): Promise<unknown> =>
  here.ok(['discover', text, '--severity', severity], { as: 'coder-1' });

/** The first goal ends with two discoveries, and the next goal is open. */
async function secondGoal(): Promise<void> {
  await discover('nobody is thanked', 'high');
  await discover('a typo', 'low');
  await here.ok(['anomaly', '--type', 'spec_ambiguity', '--task', 'greet', '--detail', 'what=whom?'], {
    as: 'coder-1',
  });
  await here.ok(['goal', 'complete', '--carry-over', '--summary', 'people are greeted']);
  here.pass(5);
  await here.ok(['init', 'Thank people']);
}

interface Listed {
  readonly current: string;
  readonly goals: readonly Readonly<Record<string, unknown>>[];
}
const goals = async (): Promise<Listed> => (await here.liza(['goals', '--json'])).json as unknown as Listed;
const out = async (...argv: readonly string[]): Promise<string> => (await here.liza(argv)).stdout;

describe('the second goal', () => {
  test('does not run on the first one’s document, unless the person changes it or says that it fits', async () => {
    await here.ok(['config', 'set', 'default_provider', 'player']);
    await here.ok([
      ...['add-task', '--id', 'bow', '--desc', 'bow to people', '--spec', 'specs/vision.md', '--ready'],
      ...['--done', 'bow() gives "bows"', '--scope', 'IN: src/', '--validate', 'test -d .'],
    ]);
    await here.ok(['abandon', 'bow', '--reason', 'greeting is enough']);
    await here.ok(['goal', 'complete']);
    await here.ok(['init', 'Thank people']);
    const check = async (): Promise<string> => (await here.liza(['run', '--check'])).stdout;
    expect(await check()).toMatch(/STOP vision .*specs\/vision\.md has not changed since the last goal was completed/);
    const next =
      'say in specs/vision.md what is wanted now, commit it .git add specs/vision.md && git commit -m "The goal"., then: liza run';
    expect((await out('status')).replace(/\s+/g, ' ')).toMatch(
      new RegExp(`Nothing moves: nothing is planned.*${next}`),
    );
    const run = await here.liza(['run', '--plain']);
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining('liza goal edit --spec specs/vision.md') });
    const fresh = snapshotOf(here);
    writeFileSync(`${here.root}/specs/vision.md`, '# Thank people\n\nThank everybody by name.\n');
    expect(await check()).not.toContain('STOP vision');
    expect(await out('status')).not.toContain(next);
    fresh();
    await here.ok(['goal', 'edit', '--spec', 'specs/vision.md']);
    expect(await check()).toMatch(/ok +vision/);
  });

  test('is not completed on the merge of the first, nor does its report count the first one’s tasks', async () => {
    await secondGoal();
    const refused = await here.liza(['goal', 'complete', '--carry-over']);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('no task of goal-2 was ever merged') });
    const report = await out('report', '--md');
    expect(report).toContain('# Thank people');
    expect(report).not.toContain('greet');
    const status = (await here.liza(['status', '--json'])).json as Readonly<Record<string, unknown>>;
    expect(status).toMatchObject({ counts: [], anomalies: [] });
    const metrics = (await here.liza(['metrics', '--json'])).json as Readonly<Record<string, unknown>>;
    expect(metrics).toMatchObject({ metrics: { tasks_total: 0, tasks_merged: 0 } });
    await here.merge('thank');
    await here.ok(['goal', 'complete', '--carry-over']);
    expect(await out('report', '--md')).toContain('1 of 1 task');
  });

  test('a PAUSE stays on, and is told', async () => {
    await here.ok(['goal', 'complete', '--summary', 'people are greeted']);
    await here.ok(['pause']);
    expect((await here.ok(['init', 'Thank people'])).stdout).toContain(
      'PAUSE stays on, so nothing starts: liza resume',
    );
    expect((await here.ok(['status'])).stdout).toContain('PAUSE');
    await here.ok(['resume']);
  });

  test('begins with what the first one left undecided, and says so', async () => {
    await discover('nobody is thanked', 'high');
    await here.ok(['goal', 'complete', '--carry-over']);
    const { stdout } = await here.ok(['init', 'Thank people']);
    expect(stdout).toContain('carried over: disc-1, high, by coder-1, from goal-1: nobody is thanked');
    expect(await out('discovery', 'list')).toBe('disc-1 high nobody is thanked (from goal-1)\n');
    expect(await out('status')).toContain('disc-1, high, by coder-1, from goal-1: nobody is thanked');
  });

  test('an open note for everyone, a role or an agent goes on into it; one for a task ends with the task, one that the planner handled with its plan, and all are told', async () => {
    await here.ok(['note', 'Keep it small']);
    await here.ok(['note', 'No new files', '--for', 'coder']);
    await here.ok(['note', 'You are quick', '--for', 'coder-1']);
    await here.ok(['note', 'Louder', '--for', 'greet']);
    await here.ok(['note', 'Go on']);
    await here.ok(['note', 'done', 'note-5', '--why', 'it went on']);
    await here.ok(['note', 'No jokes']);
    await here.ok(['note', 'done', 'note-6', '--why', 'it is in the plan'], { as: 'planner-1' });
    await here.ok(['goal', 'complete']);
    const { stdout } = await here.ok(['init', 'Thank people']);
    expect(stdout).toContain('carried over: note-1, for everyone: Keep it small\n');
    expect(stdout).toContain('carried over: note-2, for coder: No new files\n');
    expect(stdout).toContain('carried over: note-3, for coder-1: You are quick\n');
    expect(stdout).toContain('closed: note-4, for greet, which ended with goal-1: Louder\n');
    expect(stdout).not.toContain('note-5');
    expect(stdout).toContain('closed: note-6, for everyone, handled by planner-1: No jokes\n');
    expect(await out('show', 'note-6')).toContain('planner-1 handled it in goal-1: it is in the plan');
    for (const id of ['note-1', 'note-2', 'note-3']) expect(await out('show', id)).not.toContain('handled');
    expect(await out('show', 'note-4')).toContain('greet ended with goal-1');
    await here.ok(['note', 'done', 'note-1', '--why', 'it is small']);
    expect(await out('show', 'note-1')).toContain('it is small');
  });

  test('a question that nobody answered comes along, and the report of each goal has its own', async () => {
    await here.ok(['ask', 'Whom first?', '--assume', 'the eldest'], { as: 'coder-1' });
    await here.ok(['ask', 'How loud?', '--assume', 'softly'], { as: 'coder-1' });
    await here.ok(['answer', 'q-1', 'the youngest']);
    expect((await here.liza(['goal', 'complete'])).stderr).toContain('q-2, asked by coder-1: How loud?');
    await here.ok(['goal', 'complete', '--carry-over']);
    here.pass(5);
    const { stdout } = await here.ok(['init', 'Thank people']);
    expect(stdout).toContain('carried over: q-2, asked by coder-1: How loud?');
    const shown = await out('show', 'q-1');
    expect(shown).toContain('Answer:\n  the youngest');
    expect(shown).toContain('Of goal-1, which has ended.');
    expect(await out('show', 'q-2')).not.toContain('which has ended');
    const first = await out('report', '--md', '--goal', 'goal-1');
    expect(first).toContain('- **q-1** (answered by human, asked by coder-1): Whom first? → the youngest');
    expect(first).toContain('- **q-2** (open, asked by coder-1): How loud? → meanwhile: softly');
    const next = await out('report', '--md');
    expect(next).not.toContain('Whom first?');
    expect(next).toContain('- **q-2** (open, asked by coder-1, from goal-1): How loud?');
    expect((await goals()).goals).toMatchObject([
      { id: 'goal-1', questions: 2, open_questions: 1, undecided: 1 },
      { id: 'goal-2', questions: 0, open_questions: 1, undecided: 1 },
    ]);
    expect(here.read('.liza/archive/goals.yaml')).toContain('Whom first?');
  });

  test('an answer given between the goals reaches its first planner, with the task that was built on the assumption', async () => {
    await here.ok(['ask', 'Comma?', '--task', 'greet', '--assume', 'a comma'], { as: 'coder-1' });
    await here.ok(['ask', 'Loud?', '--assume', 'softly'], { as: 'coder-1' });
    await here.ok(['ask', 'Shy?', '--assume', 'no'], { as: 'coder-1' });
    await here.ok(['answer', 'q-3', 'very']);
    await here.ok(['goal', 'complete', '--carry-over']);
    const answered = await here.ok(['answer', 'q-1', 'No comma at all']);
    expect(answered.stdout).toContain(
      'built on the assumption "a comma": greet (MERGED); the next goal’s planner reads it',
    );
    await here.ok(['answer', 'q-2', '--accept']);
    const { stdout } = await here.ok(['init', 'Hum']);
    expect(stdout).toContain('carried over: q-1, asked by coder-1: Comma?; answered since: No comma at all\n');
    expect(stdout).toContain('carried over: q-2, asked by coder-1: Loud?; assumed since: softly\n');
    expect(stdout).not.toContain('q-3');
    const { board } = await openYamlStore(here.context).read();
    const wakes = openWakes(board, 0).map(({ trigger, record }) => `${trigger} ${record}`);
    expect(wakes).toEqual(['INITIAL_PLANNING goal-2', 'QUESTION_ANSWERED q-1', 'ASSUMPTION_ACCEPTED q-2']);
    const told = questionAnswered(board, 'q-1').join('\n');
    expect(told).toContain('No comma at all');
    expect(told).toContain('BUILT ON THE ASSUMPTION: greet (MERGED under goal-1)');
  });

  test('a carried question that is answered in it names the archived task that was built on the assumption', async () => {
    await here.ok(['ask', 'Comma?', '--task', 'greet', '--assume', 'a comma'], { as: 'coder-1' });
    await here.ok(['goal', 'complete', '--carry-over']);
    await here.ok(['init', 'Hum']);
    const { stdout } = await here.ok(['answer', 'q-1', 'No comma at all']);
    expect(stdout).toContain('built on the assumption "a comma": greet (MERGED under goal-1); the planner is woken');
  });

  test('goals lists both, with state, dates and counts of each alone', async () => {
    await secondGoal();
    await here.merge('thank');
    const { current, goals: listed } = await goals();
    expect(current).toBe('goal-2');
    expect(listed).toMatchObject([
      {
        id: 'goal-1',
        status: 'COMPLETED',
        tasks: 1,
        merged: 1,
        sprints: 1,
        anomalies: 1,
        discoveries: 2,
        undecided: 1,
      },
      {
        id: 'goal-2',
        status: 'IN_PROGRESS',
        tasks: 1,
        merged: 1,
        sprints: 1,
        anomalies: 0,
        discoveries: 0,
        carried: 2,
      },
    ]);
    expect(listed[0]?.ended).toMatch(/^2026-/);
    const text = await out('goals');
    expect(text).toContain('goal-1 COMPLETED Greet people');
    expect(text).toContain('1 of 1 task merged, 1 sprint, 2 discoveries, 2 open, 1 anomaly');
  });

  test('the report of the first goal stays what it was', async () => {
    await discover('nobody is thanked', 'high');
    await here.ok(['goal', 'complete', '--carry-over', '--summary', 'people are greeted']);
    const before = await out('report', '--md');
    here.pass(5);
    await here.ok(['init', 'Thank people']);
    await here.merge('thank');
    const after = await out('report', '--md', '--goal', 'goal-1');
    const made = /Made by .*/;
    // Only its tasks have moved to the archive since.
    expect(after.replace(made, '').replaceAll(', archived', '')).toBe(before.replace(made, ''));
    expect(after).toContain('## Discoveries left to the next goal');
    expect(await here.liza(['report', '--md', '--goal', 'goal-9'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no goal goal-9'),
    });
  });
});

describe('the archive', () => {
  test('says whole what a goal was', async () => {
    await secondGoal();
    const text = here.read('.liza/archive/goals.yaml');
    for (const part of [
      '- id: goal-1',
      'description: Greet people',
      'status: COMPLETED',
      'people are greeted',
      'sprints:',
      'tasks_merged: 1',
      'nobody is thanked',
      'a typo',
      'spec_ambiguity',
      '- greet',
    ])
      expect(text).toContain(part);
    expect(here.read('.liza/archive/index.jsonl')).toContain('"goal":"goal-1"');
  });

  test('a lost .liza comes back with the goal whole', async () => {
    await secondGoal();
    const before = (await goals()).goals;
    const kept = readFileSync(here.file('.liza/archive/goals.yaml'), 'utf8');
    rmSync(here.file('.liza'), { recursive: true });
    await here.ok(['doctor', '--fix']);
    expect((await goals()).goals).toEqual(before);
    const without = (text: string): string => text.replace(/archived_at: .*/, '');
    expect(without(readFileSync(here.file('.liza/archive/goals.yaml'), 'utf8'))).toBe(without(kept));
    expect(await here.liza(['audit', '--goal', 'all'])).toMatchObject({ code: 0 });
  });

  test('a goal that an earlier version archived is read from the journal', async () => {
    await secondGoal();
    const before = (await goals()).goals;
    // As that version left it: no record of the goal, no goal in the index of tasks.
    for (const name of ['goals.yaml', 'goals.jsonl']) rmSync(here.file('.liza/archive', name));
    const index = here.file('.liza/archive/index.jsonl');
    writeFileSync(index, readFileSync(index, 'utf8').replaceAll(',"goal":"goal-1"', ''));
    expect((await goals()).goals).toEqual(before);
    expect(await out('report', '--md', '--goal', 'goal-1')).toContain('greet');
    expect((await here.liza(['goal', 'complete', '--carry-over'])).stderr).toContain(
      'no task of goal-2 was ever merged',
    );
  });

  test('doctor writes a lost record of a goal again', async () => {
    await secondGoal();
    for (const name of ['goals.yaml', 'goals.jsonl']) rmSync(here.file('.liza/archive', name));
    expect((await here.liza(['doctor'])).stdout).toContain('goal-1');
    await here.liza(['doctor', '--fix']);
    expect(here.read('.liza/archive/goals.yaml')).toContain('nobody is thanked');
  });
});

describe('the audit', () => {
  const audited = async (...argv: readonly string[]) => {
    const { code, json } = await here.liza(['audit', ...argv, '--json']);
    const { goal, tasks } = json as unknown as {
      goal: readonly { what: string; mark: string; why: string }[];
      tasks: readonly { task: string }[];
    };
    return { code, goal, tasks: tasks.map(({ task }) => task) };
  };

  test('is of the current goal, of an earlier one, or of all', async () => {
    await secondGoal();
    await here.merge('thank');
    const now = await audited();
    expect(now).toMatchObject({ code: 0, tasks: ['thank'] });
    expect(now.goal.map(({ what }) => what).join('\n')).not.toContain('goal complete');
    const former = await audited('--goal', 'goal-1');
    expect(former).toMatchObject({ code: 0, tasks: ['greet'] });
    expect(former.goal.map(({ what }) => what).join('\n')).toContain('a person: goal complete');
    expect(await audited('--goal', 'all')).toMatchObject({ code: 0, tasks: ['greet', 'thank'] });
    expect((await here.liza(['audit', '--goal', 'goal-7'])).stderr).toContain('there is no goal goal-7');
    const what = now.goal.find((fact) => fact.what.startsWith('goal-1, COMPLETED'));
    expect(what).toMatchObject({ mark: 'verified' });
  });

  test('finds a forged record of an archived goal', async () => {
    await secondGoal();
    const file = here.file('.liza/archive/goals.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('nobody is thanked', 'nobody is hugged.'));
    const { code, goal } = await audited();
    expect(code).toBe(4);
    expect(goal.filter(({ mark }) => mark === 'contradicted')).toMatchObject([
      { what: 'the board: goals/goal-1', why: 'the archive differs from the journal' },
    ]);
  });

  test('a commit that was accepted under an earlier goal is accounted for', async () => {
    here.git('checkout', '-q', 'integration');
    const own = here.commit({ 'NOTES.md': 'mine\n' }, 'by hand');
    here.git('checkout', '-q', 'main');
    await here.liza(['doctor', '--accept-integration']);
    await here.ok(['goal', 'complete']);
    here.pass(5);
    await here.ok(['init', 'Thank people']);
    await here.merge('thank');
    const { code, goal } = await audited();
    expect({ code, told: goal.find(({ what }) => what.includes(own.slice(0, 12)))?.why }).toMatchObject({
      code: 0,
      told: expect.stringContaining('accepted by'),
    });
  });
});

describe('what was found is shown to whoever decides', () => {
  test('goal complete refuses, naming each with the command that decides it', async () => {
    const made = await here.liza(['discover', 'nobody is thanked', '--severity', 'critical', '--json'], {
      as: 'coder-1',
    });
    const { id } = made.json as { id?: string };
    expect(id).toBe('disc-1');
    const refused = await here.liza(['goal', 'complete']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('disc-1 (critical): nobody is thanked');
    expect(refused.stderr).toContain(`liza discovery dismiss ${id} --reason`);
    await here.ok(['discovery', 'dismiss', 'disc-1', '--reason', 'later']);
    await here.ok(['goal', 'complete']);
  });

  test('status and the checkpoint’s summary have it whole', async () => {
    const long = `nobody is thanked ${'and this matters '.repeat(20)}at the end`;
    await here.ok(['discover', long, '--severity', 'medium', '--recommendation', 'thank them'], { as: 'coder-1' });
    const squeezed = (text: string): string => text.replace(/\s+/g, ' ');
    expect(squeezed(await out('status'))).toContain(`${long}; recommends: thank them`);
    const { discovered } = await here.state();
    expect(discovered as readonly Discovery[]).toHaveLength(1);
    const { stdout } = await here.ok(['checkpoint']);
    const file = /\.liza\/checkpoints\/\S+\.md/.exec(stdout)?.[0] ?? '';
    const summary = here.read(file);
    expect(summary).toContain('## Open discoveries');
    expect(summary).toContain('at the end');
  });
});
