// People who edit while Liza runs: stale saves, broken files, `liza edit`, boards
// without a journal, boards of other versions. The rules for each kind of record are in
// test/unit/store/hand-edits.test.ts; here the built program is told about them on stderr and by exit codes.

import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { inFull } from '../runs.ts';
import { COMMENTS, HANDWRITTEN } from '../support/handwritten-board.ts';
import { type BuiltProject, builtIn, builtProject, program, until } from '../support/program.ts';
import { repository } from '../support/repository.ts';
import { fingerprint } from '../support/temporary-folder.ts';

type Save = (board: BuiltProject, text: string) => void;

/** Opens the path again: O_TRUNC and write on whatever inode is there now. */
const inPlace: Save = (board, text) => fs.writeFileSync(board.file('.liza/state.yaml'), text);

const byRename: Save = (board, text) => {
  fs.writeFileSync(board.file('.liza/.state.yaml.swp'), text);
  fs.renameSync(board.file('.liza/.state.yaml.swp'), board.file('.liza/state.yaml'));
};

const note = (text: string, message: string): string =>
  text.replace(/^spec_changes:/m, `- message: ${message}\nspec_changes:`);
const messages = (board: BuiltProject): string[] => board.board().human_notes.map(({ message }) => message);

/** The fixture, adopted, with a journal. */
function handwritten(): BuiltProject {
  const board = builtProject(HANDWRITTEN);
  board.ok(['note', 'the first']);
  return board;
}

const SAVES: readonly [string, Save][] = [
  ['in place', inPlace],
  ['by rename', byRename],
];

describe.each(inFull ? SAVES : SAVES.slice(1))('an editor that saves a stale copy %s', (_name, save) => {
  test('loses nobody’s write, and its own change is adopted', () => {
    const board = handwritten();
    const stale = board.read('.liza/state.yaml');
    board.ok(['amend', 'open-one', '--desc', 'by liza']);
    board.ok(['note', 'by liza']);
    save(board, note(stale.replace('priority: 4', 'priority: 5'), 'by the editor'));
    const { stderr } = board.ok(['note', 'afterwards']);
    expect(messages(board)).toEqual(
      expect.arrayContaining([
        'the first',
        'by liza',
        'by the editor',
        'afterwards',
        'Ask Ada before you touch the ping',
      ]),
    );
    expect(messages(board)).toHaveLength(5);
    expect(board.task('open-one')['description']).toBe('by liza');
    expect(board.task('draft-one')['priority']).toBe(5);
    expect(stderr).toMatch(/^liza: note: edited outside liza: .*draft-one: priority/);
    expect(fs.readdirSync(board.file('.liza/rejected'))).toEqual([]);
    board.ok(['log', 'verify']);
  });

  test('has a conflicting change set aside, and is told what, where and how', () => {
    const board = handwritten();
    const stale = board.read('.liza/state.yaml');
    board.ok(['amend', 'open-one', '--desc', 'by liza']);
    save(board, stale.replace('Retry the login', 'by the editor'));
    const { stderr } = board.ok(['note', 'afterwards']);
    expect(board.task('open-one')['description']).toBe('by liza');
    const told = stderr.split('\n').find((line) => line.startsWith('liza: ALARM: EXTERNAL EDIT')) ?? '';
    expect(told).toContain('tasks/open-one was set aside');
    expect(told).toContain('description was changed here in the meantime');
    expect(told).toContain('make the change again on the current record');
    const kept = /kept in (\S+\.yaml)/.exec(told)?.[1] ?? '';
    expect(board.read(kept)).toContain('by the editor');
  });

  test('of something long gone by brings nothing back', () => {
    const board = handwritten();
    const stale = board.read('.liza/state.yaml');
    board.ok(['abandon', 'draft-one', '--reason', 'not needed']);
    board.ok(['block', 'claimed-one', '--reason', 'r', '--question', 'q?'], { as: 'coder-1' });
    save(board, stale);
    const entries = board.journal().length;
    const { stderr } = board.ok(['note', 'afterwards']);
    expect(stderr).toBe('');
    expect(board.journal()).toHaveLength(entries + 1);
    expect(board.task('draft-one').status).toBe('ABANDONED');
    expect(board.task('claimed-one').status).toBe('BLOCKED');
  });
});

describe('an editor that keeps the file open', () => {
  test('saves through a descriptor from before liza’s rename: nothing is lost', () => {
    const board = handwritten();
    const stale = board.read('.liza/state.yaml');
    const descriptor = fs.openSync(board.file('.liza/state.yaml'), 'r+');
    board.ok(['note', 'by liza']);
    fs.ftruncateSync(descriptor, 0);
    fs.writeSync(descriptor, note(stale, 'by the editor'), 0);
    fs.closeSync(descriptor);
    const seen = board.ok(['status']).stderr + board.ok(['status']).stdout;
    expect(seen).toContain('edited outside liza');
    expect(board.ok(['note', 'afterwards']).stderr).toContain('edited outside liza');
    expect(messages(board)).toEqual(expect.arrayContaining(['by liza', 'by the editor', 'afterwards']));
    const { stderr } = board.ok(['note', 'once more']);
    expect(stderr).toBe('');
    expect(messages(board)).toHaveLength(6);
  });

  test('saves in two writes with a command between them: the second half is not lost', () => {
    const board = handwritten();
    const wanted = note(board.read('.liza/state.yaml').replace('Retry the login', 'by the editor'), 'at the end');
    const half = wanted.indexOf('    - id: claimed-one');
    const descriptor = fs.openSync(board.file('.liza/state.yaml'), 'w');
    fs.writeSync(descriptor, wanted.slice(0, half));
    board.ok(['note', 'between the halves']);
    fs.writeSync(descriptor, wanted.slice(half));
    fs.closeSync(descriptor);
    board.ok(['note', 'afterwards']);
    expect(messages(board)).toEqual(expect.arrayContaining(['between the halves', 'at the end', 'afterwards']));
    expect(board.task('open-one')['description']).toBe('by the editor');
    expect(board.board().tasks.map(({ id }) => id)).toHaveLength(6);
    for (const comment of COMMENTS) expect(board.read('.liza/state.yaml')).toContain(comment);
    expect(board.ok(['note', 'once more']).stderr).toBe('');
    board.ok(['log', 'verify']);
  });
});

describe('settings that execute, spend or loosen', () => {
  test('wait, are told, and are adopted by liza edit --adopt', () => {
    const board = handwritten();
    inPlace(
      board,
      board
        .read('.liza/state.yaml')
        .replace('  lease_duration: 300', '  lease_duration: 300\n  post_worktree_cmd: npm ci\n  poll_interval: 9'),
    );
    const { stderr } = board.ok(['note', 'next']);
    expect(stderr).toContain('config/post_worktree_cmd waits for your approval');
    expect(stderr).toContain('to adopt it: liza edit --adopt');
    expect(board.board().config).toMatchObject({ poll_interval: 9 });
    expect(board.board().config).not.toHaveProperty('post_worktree_cmd');
    const adopted = board.ok(['edit', '--adopt'], { env: { EDITOR: 'false' } });
    expect(adopted.stdout).toContain('adopted 1 setting');
    expect(board.board().config).toMatchObject({ post_worktree_cmd: 'npm ci' });
    expect(board.liza(['edit', '--adopt'], { as: 'coder-1' }).code).toBe(1);
  });
});

describe('a file that cannot be read', () => {
  const broken = (text: string): string =>
    text.replace('    # between two tasks', '    - id: [unclosed\n    # between two tasks');

  test('is never replaced; writes exit 4 with line and column, reads show the last state; mended, all goes on', () => {
    const board = handwritten();
    const good = board.read('.liza/state.yaml');
    inPlace(board, broken(good));
    const lost = broken(good);
    const at = lost.split('\n').findIndex((line) => line.includes('[unclosed')) + 1;
    const before = fingerprint(board.file('.liza'));
    for (const argv of [
      ['note', 'x'],
      ['add-task', '--id', 'x'],
      ['queue', 'hold'],
      ['undo'],
      ['lock', 'write', '.config.poll_interval', '3'],
    ]) {
      const { code, stderr } = board.liza(argv);
      expect({ argv, code }).toEqual({ argv, code: 4 });
      const line = Number(/line (\d+), column \d+/.exec(stderr)?.[1]);
      expect(line).toBeGreaterThanOrEqual(at);
      expect(line).toBeLessThanOrEqual(at + 2);
      expect(stderr).toContain('liza edit');
    }
    const status = board.ok(['status']);
    expect(status.stdout + status.stderr).toContain('INVALID STATE');
    expect(status.stdout).toContain('open-one');
    expect(board.ok(['show', 'open-one']).stdout).toContain('Retry the login');
    expect(board.liza(['validate'])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^INVALID: line \d+, column \d+/),
    });
    expect(fingerprint(board.file('.liza'))).toBe(before);
    expect(board.read('.liza/state.yaml')).toBe(lost);
    inPlace(board, note(good, 'typed meanwhile'));
    board.ok(['note', 'all goes on']);
    expect(messages(board)).toEqual(expect.arrayContaining(['typed meanwhile', 'all goes on']));
  });

  test.each<[string, (text: string) => string | Buffer]>([
    ['a list', () => '- a\n- b\n'],
    ['not UTF-8', (text) => Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0xfe])])],
    ['a key twice', (text) => `${text}goal: {id: other}\n`],
    ['binary', () => Buffer.from([0, 1, 2, 3])],
  ])('%s: as it lies there, exit 4', (_name, make) => {
    const board = handwritten();
    const bytes = Buffer.from(make(board.read('.liza/state.yaml')));
    fs.writeFileSync(board.file('.liza/state.yaml'), bytes);
    const { code, stderr } = board.liza(['note', 'x']);
    expect({ code, stderr }).toMatchObject({ code: 4 });
    expect(stderr.split('\n').filter((line) => line !== '')).toHaveLength(2);
    expect(fs.readFileSync(board.file('.liza/state.yaml')).equals(bytes)).toBe(true);
    expect(board.ok(['status']).stdout).toContain('open-one');
  });

  test('empty: every record was deleted, and deletions are never adopted', () => {
    const board = handwritten();
    const good = board.read('.liza/state.yaml');
    inPlace(board, '');
    expect(board.ok(['status']).stdout).toContain('open-one');
    board.ok(['note', 'next']);
    expect(board.read('.liza/state.yaml').replace(/- id: note-\d+\n {2}timestamp: .*\n {2}message: next\n/, '')).toBe(
      good,
    );
  });

  test('liza edit opens it, and the mended file counts', () => {
    const board = handwritten();
    const good = board.read('.liza/state.yaml');
    inPlace(board, broken(good).replace('priority: 4', 'priority: 5'));
    const editor = script(board, `grep -q unclosed "$1" && sed -i '/unclosed/d' "$1"`);
    expect(board.ok(['edit'], { env: { EDITOR: editor } }).stdout).toContain('draft-one: priority');
    expect(board.task('draft-one')['priority']).toBe(5);
    expect(board.ok(['note', 'all goes on']).stderr).toBe('');
  });
});

describe('liza edit', () => {
  test('adopts what was changed, keeps comments and layout, and says so', () => {
    const board = handwritten();
    const editor = script(
      board,
      `sed -i -e 's/priority: 4/priority: 5 # later/' -e 's/# between two tasks/# between/' "$1"`,
    );
    const { stdout } = board.ok(['edit'], { env: { VISUAL: editor } });
    expect(stdout).toContain('adopted: tasks/draft-one: priority');
    expect(board.read('.liza/state.yaml')).toContain('priority: 5 # later');
    expect(board.read('.liza/state.yaml')).toContain('    # between\n');
    expect(board.ok(['edit'], { env: { EDITOR: 'true' } }).stdout).toBe('nothing changed\n');
    expect(leftovers(board)).toEqual([]);
  });

  test('holds no lock while the editor is open: what is written meanwhile stays', () => {
    const board = handwritten();
    const liza = `${process.execPath} ${program()}`;
    const editor = script(
      board,
      `${liza} note 'during the edit' && ${liza} amend open-one --desc 'by liza' >/dev/null && ` +
        `sed -i -e 's/priority: 4/priority: 5/' "$1"`,
    );
    board.ok(['edit'], { env: { EDITOR: editor } });
    expect(messages(board)).toContain('during the edit');
    expect(board.task('open-one')['description']).toBe('by liza');
    expect(board.task('draft-one')['priority']).toBe(5);
  });

  test('an edit that somebody else saved meanwhile is told, its own edit is told once', () => {
    const board = handwritten();
    const editor = script(
      board,
      `sed -i -e 's/priority: 4/priority: 5/' "$1" && printf '%s' "$OTHER" > '${board.file('.liza/state.yaml')}'`,
    );
    const OTHER = note(board.read('.liza/state.yaml'), 'by somebody else');
    const { stdout, stderr } = board.ok(['edit'], { env: { EDITOR: editor, OTHER } });
    expect(stdout).toBe('adopted: tasks/draft-one: priority\n');
    expect(stderr).toMatch(/^liza: note: edited outside liza: .*human_notes/);
    expect(stderr).not.toContain('draft-one');
    expect(messages(board)).toContain('by somebody else');
    expect(board.task('draft-one')['priority']).toBe(5);
  });

  test('a record changed on both sides is set aside: exit 1, told, kept', () => {
    const board = handwritten();
    const liza = `${process.execPath} ${program()}`;
    const editor = script(
      board,
      `${liza} amend open-one --desc 'by liza' >/dev/null && sed -i 's/Retry the login/by the editor/' "$1"`,
    );
    const { code, stderr } = board.liza(['edit'], { env: { EDITOR: editor } });
    expect(code).toBe(1);
    expect(stderr).toContain('tasks/open-one was set aside');
    expect(stderr).toContain('set aside: 1 record');
    const kept = /kept in (\S+\.yaml)/.exec(stderr)?.[1] ?? '';
    expect(board.read(kept)).toContain('by the editor');
    expect(board.task('open-one')['description']).toBe('by liza');
  });

  test('a file that cannot be read: outside a terminal exit 1, nothing changed, the text is kept', () => {
    const board = handwritten();
    const before = board.read('.liza/state.yaml');
    const editor = script(board, `printf 'tasks: [unclosed\\n' >> "$1"`);
    const { code, stderr } = board.liza(['edit'], { env: { EDITOR: editor } });
    expect(code).toBe(1);
    expect(stderr).toMatch(/cannot be read: line \d+, column \d+/);
    expect(board.read('.liza/state.yaml')).toBe(before);
    const kept = /kept in (\S+)/.exec(stderr)?.[1] ?? '';
    expect(board.read(kept)).toContain('unclosed');
    expect(leftovers(board)).toEqual([]);
  });

  test('in a terminal it goes back to the editor until it can be read', async () => {
    const board = handwritten();
    const editor = script(
      board,
      `if [ -e seen ]; then sed -i -e '/unclosed/d' -e 's/priority: 4/priority: 5/' "$1"; else touch seen; echo 'x: [unclosed' >> "$1"; fi`,
    );
    const session = board.shell(
      `EDITOR='${editor}' exec script -qec '${process.execPath} ${program()} edit' /dev/null`,
    );
    const asked = await session.line('liza: the file cannot be read');
    session.child.stdin.end('\n');
    const { stdout } = await session.ended;
    expect(asked).toMatch(/line \d+, column \d+/);
    expect(stdout).toContain('back to the editor');
    expect(stdout).toContain('adopted: tasks/draft-one: priority');
    expect(board.task('draft-one')['priority']).toBe(5);
  });

  test('a second one at the same time: exit 2, and the first goes on', async () => {
    const board = handwritten();
    const editor = script(
      board,
      `touch editing; while ! [ -e go ]; do sleep 0.02; done; sed -i 's/priority: 4/priority: 5/' "$1"`,
    );
    const first = board.start(['edit'], { env: { EDITOR: editor } });
    await until(() => fs.existsSync(board.file('editing')));
    const second = board.liza(['edit'], { env: { EDITOR: 'false' } });
    expect(second.code).toBe(2);
    expect(second.stderr).toContain('someone is already editing the blackboard');
    expect(second.stderr).toContain(String(first.pid));
    fs.writeFileSync(board.file('go'), '');
    expect((await first.ended).code).toBe(0);
    expect(board.task('draft-one')['priority']).toBe(5);
  });

  test.each([
    ['an editor that fails', 'false', 1],
    ['an editor that is not there', 'no-such-editor', 5],
  ])('%s changes nothing', (_name, EDITOR, code) => {
    const board = handwritten();
    const before = fingerprint(board.file('.liza'));
    expect(board.liza(['edit'], { env: { EDITOR } }).code).toBe(code);
    expect(fingerprint(board.file('.liza'))).toBe(before);
  });

  test('is not for agents', () => {
    const board = handwritten();
    const { code, stderr } = board.liza(['edit'], { env: { EDITOR: 'true', LIZA_AGENT_ID: 'coder-1' } });
    expect(code).toBe(1);
    expect(stderr).toContain('liza edit is for the operator');
  });
});

describe('lock write under an agent’s id', () => {
  const as = (id: string) => ({ as: id });
  test('its own lease, discoveries, anomalies and handoff; nothing else', () => {
    const board = handwritten();
    const write = (where: string, value: string) => board.liza(['lock', 'write', where, value], as('coder-1'));
    expect(write('.agents.coder-1.lease_expires', '"2099-02-01T00:00:00Z"')).toMatchObject({ code: 0 });
    expect(
      write('.handoff["claimed-one"]', '{timestamp: "2026-03-01T00:00:00Z", summary: s, next_action: n}'),
    ).toMatchObject({ code: 0 });
    expect(write('.discovered[0]', '{id: odd, description: d, severity: low}')).toMatchObject({ code: 0 });
    const before = fingerprint(board.file('.liza'), ['cache', 'rejected']);
    for (const [where, value] of [
      ['.agents.coder-2.lease_expires', '"2099-02-01T00:00:00Z"'],
      ['.agents.coder-1.status', 'IDLE'],
      ['.tasks[open-one].priority', '1'],
      ['.tasks[claimed-one].status', 'APPROVED'],
      ['.config.poll_interval', '5'],
      ['.human_notes[0].message', 'ha'],
      ['.our_own', '1'],
    ] as const) {
      const { code, stderr } = write(where, value);
      expect({ where, code }).toEqual({ where, code: 1 });
      expect(stderr).toContain('the blackboard is unchanged');
      expect(stderr).toMatch(/kept in \.liza\/rejected\//);
    }
    expect(fingerprint(board.file('.liza'), ['cache', 'rejected'])).toBe(before);
  });
});

describe('a board without a journal', () => {
  test('is adopted whole by the first write: every byte, comments and all', () => {
    const board = builtProject(HANDWRITTEN);
    const reading = board.ok(['status']);
    expect(reading.stdout + reading.stderr).toContain('has no journal yet');
    expect(fs.existsSync(board.file('.liza/journal.jsonl'))).toBe(false);
    board.ok(['pause']); // changes no byte of state.yaml but its record of the pause
    expect(board.journal().map(({ command }) => command)).toEqual(['imported', 'pause']);
    board.ok(['note', 'added']);
    for (const comment of COMMENTS) expect(board.read('.liza/state.yaml')).toContain(comment);
    expect(board.read('.liza/state.yaml').replace(/- id: note-\d+\n {2}timestamp: .*\n {2}message: added\n/, '')).toBe(
      HANDWRITTEN,
    );
    expect(board.read('.liza/log.yaml')).toContain('action: imported');
    board.ok(['log', 'verify']);
  });

  test.each<[string, (text: string) => string, RegExp]>([
    ['breaks a rule', (text) => text.replace('priority: 4', 'priority: 9'), /priority/],
    ['has an unknown status', (text) => text.replace('status: DRAFT', 'status: DONE'), /DONE/],
    ['has no goal', (text) => text.replace(/^goal:\n( .*\n)*/m, ''), /goal/],
    ['is no YAML', (text) => `${text}  : [\n`, /line \d+, column \d+/],
  ])('that %s is refused with exit 4 and left alone', (_name, spoil, reason) => {
    const board = builtProject(spoil(HANDWRITTEN));
    const before = fingerprint(board.root, ['.liza/cache', '.liza/state.yaml.lock']);
    const { code, stderr } = board.liza(['note', 'x']);
    expect(code).toBe(4);
    expect(stderr).toMatch(reason);
    expect(stderr).toContain('cannot be adopted');
    expect(fingerprint(board.root, ['.liza/cache', '.liza/state.yaml.lock'])).toBe(before);
  });

  test('whose journal is still in the git directory is an external edit, not an import', () => {
    const board = handwritten();
    fs.rmSync(board.file('.liza/journal.jsonl'));
    inPlace(board, board.read('.liza/state.yaml').replace('status: UNCLAIMED', 'status: MERGED'));
    const { stderr } = board.ok(['note', 'next']);
    expect(stderr).toContain('tasks/open-one was set aside');
    expect(board.task('open-one').status).toBe('UNCLAIMED');
    expect(board.journal().map(({ command }) => command)).toEqual(['imported', 'note', 'external_edit', 'note']);
    board.ok(['log', 'verify']);
  });
});

describe('a board of another version', () => {
  const newer = HANDWRITTEN.replace('version: 1 ', 'version: 7 ');

  test.each<[string, () => BuiltProject]>([
    ['without a journal', () => builtProject(newer)],
    [
      'saved over one with a journal',
      () => {
        const board = handwritten();
        inPlace(board, board.read('.liza/state.yaml').replace('version: 1 ', 'version: 7 '));
        return board;
      },
    ],
  ])('newer, %s: exit 4 naming both, untouched', (_name, make) => {
    const board = make();
    const before = fingerprint(board.root, ['.liza/cache', '.liza/state.yaml.lock']);
    for (const argv of [['note', 'x'], ['status'], ['validate'], ['lock', 'write', '.config.poll_interval', '3']]) {
      const { code, stderr } = board.liza(argv);
      expect({ argv, code, stderr }).toMatchObject({ argv, code: 4 });
      expect(stderr).toMatch(/version 7.*version 1/);
    }
    expect(fingerprint(board.root, ['.liza/cache', '.liza/state.yaml.lock'])).toBe(before);
  });

  test.each([
    ['older', HANDWRITTEN.replace('version: 1 ', 'version: 0 ')],
    ['without any version, as the shell scripts wrote it', HANDWRITTEN.replace(/^version.*\n/m, '')],
  ])('%s: migrated by the first write, journalled, the old file kept', (_name, old) => {
    const board = builtProject(old);
    expect(board.ok(['status']).stdout).toContain('open-one');
    expect(board.read('.liza/state.yaml')).toBe(old);
    board.ok(['note', 'first']);
    expect(board.board()['version']).toBe(1);
    const kept = fs.readdirSync(board.file('.liza/archive')).filter((name) => name.startsWith('state-version-0-'));
    expect(kept).toHaveLength(1);
    expect(board.read(`.liza/archive/${kept[0]}`)).toBe(old);
    for (const comment of COMMENTS.filter((one) => one !== '# do not touch')) {
      expect(board.read('.liza/state.yaml')).toContain(comment);
    }
    expect(board.ok(['validate']).stdout).toBe('VALID\n');
    expect(board.journal()).toHaveLength(2);
    board.ok(['log', 'verify']);
  });

  test('a fresh one names the version it has', () => {
    const board = builtIn(repository());
    board.ok(['init', 'G']);
    expect(board.board()['version']).toBe(1);
  });
});

/** A little program that stands in for the editor; `$1` is the file. */
function script(board: BuiltProject, body: string): string {
  const file = board.file('editor.sh');
  fs.writeFileSync(file, `#!/bin/bash\ncd '${board.root}'\n${body}\n`, { mode: 0o755 });
  return file;
}

const leftovers = (board: BuiltProject): string[] =>
  fs.readdirSync(board.file('.liza/cache')).filter((name) => name.startsWith('edit-'));
