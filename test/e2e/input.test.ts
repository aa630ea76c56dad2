// Bad input, hostile files and odd places, with the built program: one clear sentence and a hint, the right exit code,
// and nothing changed on disk. Row by row in this process: test/integration/store/bad-input.test.ts.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { write } from '../support/core.mjs';
import { HANDWRITTEN } from '../support/handwritten-board.ts';
import { type BuiltProject, builtIn, builtProject, program, type Ran } from '../support/program.ts';
import { repository } from '../support/repository.ts';
import { fingerprint } from '../support/temporary-folder.ts';

function handwritten(): BuiltProject {
  const board = builtProject(HANDWRITTEN);
  board.ok(['note', 'the first']);
  return board;
}

/** One sentence, one hint, nothing else; a hint may take several lines, indented below its arrow. */
function expectSentence({ stdout, stderr }: Ran): void {
  expect(stderr).toMatch(/^liza: [^\n]+\n {2}→ [^\n]+\n( {4}[^\n]+\n)*$/);
  expect(stderr).not.toMatch(/Error:|at \S+ \(|undefined|\[object/);
  expect(stdout).toBe('');
}

/**
 * Neither the blackboard nor anything around it. A refused attempt of an agent is a line of refused.log; a section's text
 * is kept before the board could name it; Liza's private git directory is made by the first command that asks git.
 */
const everything = (board: BuiltProject): string =>
  fingerprint(board.root, ['.liza/cache', '.liza/refused.log', '.liza/specs', '.git/liza/git']);

describe('a bad argument', () => {
  test.each<[string, readonly string[], RegExp, Record<string, string>?]>([
    ['an id that climbs', ['add-task', '--desc', 'd', '--id', '../x'], /"\.\.\/x"/],
    [
      'text beyond all bounds',
      ['add-task', '--desc', 'd', '--id', 'x', '--done', 'x'.repeat(20_000)],
      /16384|16 KB|20000/,
    ],
    ['a command that is none', ['destroy'], /destroy/],
    ['another agent’s command', ['undo'], /operator/, { LIZA_AGENT_ID: 'coder-1' }],
  ])('%s: exit 1, one sentence and a hint, nothing changed; and as JSON', (_name, argv, fact, env = {}) => {
    const board = handwritten();
    const before = everything(board);
    const ran = board.liza(argv, { env });
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringMatching(fact) });
    expectSentence(ran);
    const json = board.liza([...argv, '--json'], { env });
    expect(json).toMatchObject({ code: 1, stderr: '' });
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: false,
      code: 1,
      message: expect.stringMatching(fact),
      hint: expect.any(String),
    });
    expect(everything(board)).toBe(before);
  });
});

describe('a bad file', () => {
  const deep = 10_000;
  const files: [string, () => string | Buffer, RegExp][] = [
    ['broken YAML', () => HANDWRITTEN.replace('priority: 4', 'priority: [4'), /line \d+, column \d+/],
    [
      'an alias bomb',
      () =>
        `${HANDWRITTEN}a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'.replace(/./g, (c) => `${c}: &${c} [${`*${String.fromCharCode(c.charCodeAt(0) - 1)},`.repeat(9)}]\n`)}`,
      /line \d+, column \d+: (anchors|aliases)/,
    ],
    [
      'blocks 10,000 deep',
      () => `${HANDWRITTEN}deep:\n${Array.from({ length: deep }, (_, at) => `${' '.repeat(at + 1)}a:\n`).join('')}`,
      /line \d+, column \d+: .*deeper/,
    ],
    ['100 MB', () => Buffer.alloc(100 * 1024 * 1024, '# x\n'), /64 MB/],
  ];

  test.each(files)(
    '%s: writes exit 4, validate exit 1, reads go on, the file stays',
    { timeout: 60_000 },
    (_name, make, fact) => {
      const board = handwritten();
      const bytes = Buffer.from(make());
      fs.writeFileSync(board.file('.liza/state.yaml'), bytes);
      const journal = board.read('.liza/journal.jsonl');
      const started = performance.now();
      const wrote = board.liza(['note', 'x']);
      expect(wrote).toMatchObject({ code: 4, stderr: expect.stringMatching(fact) });
      expectSentence(wrote);
      const checked = board.liza(['validate']);
      expect(checked).toMatchObject({ code: 1, stdout: expect.stringMatching(fact) });
      expect(checked.stdout).toMatch(/^INVALID: [^\n]+\n$/);
      expect(board.liza(['status'])).toMatchObject({ code: 0, stdout: expect.stringContaining('open-one') });
      expect(performance.now() - started).toBeLessThan(20_000);
      expect(fs.readFileSync(board.file('.liza/state.yaml')).equals(bytes)).toBe(true);
      expect(board.read('.liza/journal.jsonl')).toBe(journal);
    },
  );
});

describe('a bad folder', () => {
  test('init is refused without a git repository, without a commit, in a bare one, and inside .git', () => {
    const board = builtIn(repository());
    write(board.base, { 'unborn/specs/vision.md': 'v', 'plain/x': '' });
    const [plain, unborn, bare] = ['plain', 'unborn', 'bare'].map((name) => path.join(board.base, name));
    board.git('init', '-q', `${unborn}`);
    board.git('init', '-q', '--bare', `${bare}`);
    for (const [root = '', fact] of [
      [plain, /not in a git repository/],
      [unborn, /no commit yet/],
      [bare, /bare repository/],
      [board.file('.git'), /bare repository, or inside its git directory/],
    ] as const) {
      const before = fingerprint(root, []);
      const ran = board.liza(['init', 'G'], { cwd: root });
      expect(ran).toMatchObject({ code: 1, stderr: expect.stringMatching(fact) });
      expectSentence(ran);
      expect(fingerprint(root, [])).toBe(before);
    }
  });

  test('a command is refused without a project, init without a spec or a goal', () => {
    const board = builtIn(repository());
    const before = fingerprint(board.root, []);
    for (const argv of [
      ['status'],
      ['note', 'x'],
      ['init', ''],
      ['init', 'G', '--spec', 'specs/none.md'],
      ['init', 'G', '--spec', '../x'],
      ['init'],
    ]) {
      const ran = board.liza(argv);
      expect({ argv, code: ran.code }).toEqual({ argv, code: 1 });
      expectSentence(ran);
    }
    expect(fingerprint(board.root, [])).toBe(before);
  });

  test('a folder one may not write to: exit 1, the reason, nothing changed; reading works', () => {
    const board = handwritten();
    const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    // Root may write anywhere: the program is run as nobody, who may look but not touch.
    if (nobody.uid === undefined) spawnSync('chmod', ['-R', 'a-w', board.file('.liza')]);
    for (const folder of [board.base, board.root]) fs.chmodSync(folder, 0o755);
    const as = (argv: string[]) =>
      spawnSync(process.execPath, [program(), ...argv], {
        cwd: board.root,
        env: board.env,
        encoding: 'utf8',
        ...nobody,
      });
    const before = everything(board);
    for (const argv of [['note', 'x'], ['edit'], ['lock', 'modify', 'true']]) {
      const { status, signal, stdout, stderr } = as(argv);
      expect({ argv, status, stderr }).toMatchObject({
        argv,
        status: 1,
        stderr: expect.stringContaining('permission denied'),
      });
      expectSentence({ code: status, signal, stdout, stderr });
    }
    expect(as(['status'])).toMatchObject({ status: 0, stdout: expect.stringContaining('open-one') });
    expect(as(['show', 'open-one'])).toMatchObject({ status: 0 });
    expect(everything(board)).toBe(before);
  });
});

describe('output', () => {
  test('a reader that went away is no error', async () => {
    const board = handwritten();
    for (const words of ['log', 'status', 'lock read', 'log --json', 'help']) {
      // The reader has ended for certain before the first byte is written.
      const ended = await board.shell(
        `exec 3> >(:); wait $!; '${process.execPath}' '${program()}' ${words} >&3; echo "code $?"`,
      ).ended;
      expect({ words, ...ended }).toMatchObject({ words, stdout: 'code 0', stderr: '' });
    }
  });

  test('NO_COLOR and TERM=dumb: no escape sequence, even in a terminal', async () => {
    const board = handwritten();
    const terminal = async (env: string) =>
      (
        await board.shell(
          `env TERM=xterm ${env} script -qec "'${process.execPath}' '${program()}' status" /dev/null < /dev/null`,
        ).ended
      ).stdout;
    expect(await terminal('A=b')).toContain('\u001b[');
    expect(await terminal('NO_COLOR=1')).not.toContain('\u001b[');
    expect(await terminal('TERM=dumb')).not.toContain('\u001b[');
    expect(board.ok(['status']).stdout).not.toContain('\u001b[');
  });

  test('outside a UTF-8 locale all that is printed is ASCII; files and --json stay exact', () => {
    const board = handwritten();
    const env = { LANG: 'C', LC_ALL: undefined };
    const ascii = /^[\n\x20-\x7e]*$/;
    board.ok(['note', 'größer — schöner…'], { env });
    for (const argv of [['status'], ['show', 'open-one'], ['log'], ['help'], ['help', 'verdict'], ['metrics']]) {
      expect(board.liza(argv, { env }).stdout, argv.join(' ')).toMatch(ascii);
    }
    const refused = board.liza(['show', 'nö'], { env });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(ascii);
    expect(board.ok(['status']).stdout).not.toMatch(ascii);
    expect(board.read('.liza/state.yaml')).toContain('größer — schöner…');
    expect(board.ok(['lock', 'read', '--json'], { env }).stdout).toContain('größer — schöner…');
  });
});

describe('lock modify', () => {
  test('a liza that writes inside it fails at once', () => {
    const board = handwritten();
    const started = performance.now();
    const before = everything(board);
    const { code, stderr } = board.liza(['lock', 'modify', `'${process.execPath}' '${program()}' note inner`]);
    expect(code).toBe(1);
    expect(stderr).toContain('cannot run inside liza lock modify');
    expect(stderr).toContain('the command failed (exit 2)');
    expect(performance.now() - started).toBeLessThan(8_000);
    expect(everything(board)).toBe(before);
    board.ok(['lock', 'modify', `'${process.execPath}' '${program()}' show open-one >/dev/null`]);
  });
});
