// `liza setup` in a home folder of its own: what it writes, what it leaves alone, and that it can go again.

import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { GLOBAL_FILES } from '../../../src/project/home-manifest.ts';
import {
  homeFindings,
  type Installed,
  install,
  installedVersion,
  isOlder,
  uninstall,
} from '../../../src/project/setup.ts';
import type { RefusalName } from '../../../src/protocol/refusal-names.ts';
import { refusedBy } from '../../refused-by.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { project } from '../../unit/cli/fixtures.ts';

let folder: string;
let home: string;
let source: string;

beforeEach(() => {
  folder = temporaryFolder();
  home = join(folder, 'home');
  source = join(folder, 'package');
  mkdirSync(home);
  for (const part of ['contracts', 'templates', 'scripts'])
    cpSync(join(import.meta.dirname, '../../..', part), join(source, part), { recursive: true });
});

const at = (path: string): string => join(home, path);
const read = (path: string): string => readFileSync(at(path), 'utf8');
function write(path: string, text: string): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
}
const ship = (path: string, text: string): void => writeFileSync(join(source, path), text);
/** Every file of the home folder with its text. */
const everything = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(home, { recursive: true, encoding: 'utf8' })
      .filter((path) => lstatSync(at(path)).isFile())
      .sort()
      .map((path) => [path, read(path)]),
  );

function installed(version = '1.0.0', ...providers: readonly string[]): Installed {
  const done = install(home, source, version, providers);
  if ('ok' in done) throw new Error(done.message);
  return done;
}

describe('installing', () => {
  test('brings contracts, templates and shims that run', () => {
    const done = installed();
    for (const path of ['contracts/CORE.md', 'contracts/roles/coder.md', 'templates/vision.md', 'scripts/liza-init.sh'])
      expect(done.written).toContain(path);
    expect(statSync(at('.liza/scripts/liza-init.sh')).mode & 0o111).toBe(0o111);
    expect(statSync(at('.liza/contracts/CORE.md')).mode & 0o111).toBe(0);
    expect(installedVersion(home)).toBe('1.0.0');
  });

  test('a second setup changes nothing', () => {
    installed();
    const before = everything();
    expect(installed()).toMatchObject({ written: [], kept: [], removed: [], former: '1.0.0' });
    expect(everything()).toEqual(before);
  });

  test('a newer version replaces what is as it was written, and removes what it no longer has', () => {
    installed();
    ship('contracts/CORE.md', 'newer\n');
    rmSync(join(source, 'templates/adr.md'));
    expect(installed('1.1.0')).toMatchObject({
      former: '1.0.0',
      written: ['contracts/CORE.md'],
      removed: ['templates/adr.md'],
    });
    expect(read('.liza/contracts/CORE.md')).toBe('newer\n');
    expect(existsSync(at('.liza/templates/adr.md'))).toBe(false);
  });

  test('what a person changed stays, and the newer text is offered once', () => {
    installed();
    write('.liza/contracts/CORE.md', 'mine\n');
    expect(installed().kept).toEqual([{ file: 'contracts/CORE.md' }]);
    expect(existsSync(at('.liza/contracts/CORE.md.new'))).toBe(false);
    ship('contracts/CORE.md', 'newer\n');
    expect(installed('1.1.0').kept).toEqual([{ file: 'contracts/CORE.md', offered: 'contracts/CORE.md.new' }]);
    expect(read('.liza/contracts/CORE.md')).toBe('mine\n');
    expect(read('.liza/contracts/CORE.md.new')).toBe('newer\n');
    rmSync(at('.liza/contracts/CORE.md.new'));
    expect(installed('1.1.0').kept).toEqual([{ file: 'contracts/CORE.md' }]);
    expect(existsSync(at('.liza/contracts/CORE.md.new'))).toBe(false);
  });

  test('an offer that a person works on is not replaced', () => {
    write('.liza/contracts/CORE.md', 'mine\n');
    installed();
    write('.liza/contracts/CORE.md.new', 'half merged\n');
    ship('contracts/CORE.md', 'newer\n');
    expect(installed('1.1.0').kept).toEqual([{ file: 'contracts/CORE.md' }]);
    expect(read('.liza/contracts/CORE.md.new')).toBe('half merged\n');
    uninstall(home, source);
    expect(read('.liza/contracts/CORE.md.new')).toBe('half merged\n');
  });

  test('a file that was there before the first setup is a person’s, too', () => {
    write('.liza/templates/spec.md', 'ours for years\n');
    expect(installed().kept).toEqual([{ file: 'templates/spec.md', offered: 'templates/spec.md.new' }]);
    expect(read('.liza/templates/spec.md')).toBe('ours for years\n');
  });

  test('an interrupted one is finished by the next', () => {
    installed();
    rmSync(at('.liza/VERSION'));
    rmSync(at('.liza/.setup.json'));
    rmSync(at('.liza/scripts'), { recursive: true });
    const done = installed();
    expect(done.kept).toEqual([]);
    expect(done.written.every((path) => path.startsWith('scripts/'))).toBe(true);
    expect(installedVersion(home)).toBe('1.0.0');
  });

  test('an older Liza does not overwrite a newer one', () => {
    installed('2.0.0');
    const before = everything();
    expect(install(home, source, '1.9.9', [])).toMatchObject(refusedBy('older', { ok: false }));
    expect(everything()).toEqual(before);
    expect([isOlder('1.9.9', '1.10.0'), isOlder('1.10.0', '1.9.9'), isOlder('1.0.0', '1.0.0')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('an incomplete package is refused', () => {
    rmSync(join(source, 'templates'), { recursive: true });
    expect(install(home, source, '1.0.0', [])).toMatchObject(refusedBy('package', { ok: false, code: 5 }));
    expect(readdirSync(home)).toEqual([]);
  });

  test('a damaged manifest leaves a person’s files as they are', () => {
    installed();
    write('.liza/.setup.json', '{"files": {"../../etc/passwd": "x"');
    write('.liza/contracts/CORE.md', 'mine\n');
    expect(installed('1.1.0').kept).toHaveLength(1);
    expect(read('.liza/contracts/CORE.md')).toBe('mine\n');
  });
});

test('doctor reports a home folder of an older or newer version', () => {
  const env = { HOME: home };
  expect(homeFindings(env, '1.0.0')).toEqual([]);
  installed('1.0.0');
  expect(homeFindings(env, '1.0.0')).toMatchObject([{ level: 'ok' }]);
  expect(homeFindings(env, '1.1.0')).toMatchObject([
    { level: 'warning', remedy: expect.stringContaining('liza setup') },
  ]);
  expect(homeFindings(env, '0.9.0')).toMatchObject([
    { level: 'warning', remedy: expect.stringContaining('update Liza') },
  ]);
  expect(homeFindings({}, '1.0.0')).toEqual([]);
});

describe('links', () => {
  test('one that leads out of the home folder is refused before anything is written', () => {
    const outside = join(folder, 'outside');
    mkdirSync(outside);
    symlinkSync(outside, at('.liza'));
    expect(install(home, source, '1.0.0', [])).toMatchObject(refusedBy('link', { ok: false }));
    expect(readdirSync(outside)).toEqual([]);
    rmSync(at('.liza'));
    mkdirSync(at('.claude'));
    symlinkSync(join(outside, 'CLAUDE.md'), at('.claude/CLAUDE.md'));
    expect(install(home, source, '1.0.0', ['claude'])).toMatchObject(refusedBy('link', { ok: false }));
    expect(existsSync(at('.liza'))).toBe(false);
    expect(readdirSync(outside)).toEqual([]);
  });

  test('one that stays inside stays a link', () => {
    write('dotfiles/CLAUDE.md', 'be kind\n');
    mkdirSync(at('.claude'));
    symlinkSync('../dotfiles/CLAUDE.md', at('.claude/CLAUDE.md'));
    installed('1.0.0', 'claude');
    expect(lstatSync(at('.claude/CLAUDE.md')).isSymbolicLink()).toBe(true);
    expect(read('dotfiles/CLAUDE.md')).toMatch(/^be kind\n\n<!-- liza:begin/);
    uninstall(home, source);
    expect(read('dotfiles/CLAUDE.md')).toBe('be kind\n');
  });

  test('a file where a folder is needed is refused', () => {
    write('.liza', 'not a folder');
    expect(install(home, source, '1.0.0', [])).toMatchObject(refusedBy('place', { ok: false }));
    expect(read('.liza')).toBe('not a folder');
  });
});

describe('activation', () => {
  test.each(Object.entries(GLOBAL_FILES))(
    '%s: a marked block, the rest untouched, a backup, and back',
    (name, file) => {
      write(file, 'be kind');
      chmodSync(at(file), 0o600);
      const [one] = installed('1.0.0', name).activated;
      expect(one).toMatchObject({ provider: name, backup: at(`${file}.bak-1`) });
      expect(read(`${file}.bak-1`)).toBe('be kind');
      expect(read(file)).toMatch(/^be kind\n\n<!-- liza:begin[\s\S]*<!-- liza:end -->\n$/);
      expect(read(file)).toContain(name === 'claude' ? '@~/.liza/contracts/PAIRING_MODE.md' : '# Pairing mode');
      expect(statSync(at(file)).mode & 0o777).toBe(0o600);
      expect(installed('1.0.0', name).activated).toEqual([{ provider: name, file: at(file), already: true }]);
      uninstall(home, source);
      expect(everything()).toEqual({ [file]: 'be kind' });
    },
  );

  test('a file that was not there goes again', () => {
    installed('1.0.0', 'codex', 'gemini');
    uninstall(home, source);
    expect(readdirSync(home)).toEqual([]);
  });

  test('what a person wrote meanwhile stays, and the backup with it', () => {
    write('.codex/AGENTS.md', 'be kind\n');
    installed('1.0.0', 'codex');
    write('.codex/AGENTS.md', `${read('.codex/AGENTS.md')}\nand brief\n`);
    const gone = uninstall(home, source);
    expect(read('.codex/AGENTS.md')).toBe('be kind\n\nand brief\n');
    expect(gone).toMatchObject({ deactivated: [{ provider: 'codex', backup: at('.codex/AGENTS.md.bak-1') }] });
    expect(read('.codex/AGENTS.md.bak-1')).toBe('be kind\n');
  });

  test('an active one follows a newer contract', () => {
    installed('1.0.0', 'codex');
    ship('contracts/CORE.md', 'the newer core\n');
    expect(installed('1.1.0').activated).toEqual([{ provider: 'codex', file: at('.codex/AGENTS.md') }]);
    expect(read('.codex/AGENTS.md')).toContain('the newer core');
  });

  test.each<[string, string | Buffer, RefusalName]>([
    ['a mark without its other half', 'x\n<!-- liza:begin -->\ny\n', 'marks'],
    ['text that is not UTF-8', Buffer.from([0x61, 0xff, 0x0a]), 'encoding'],
  ])('%s is refused, and nothing is written', (_what, text, guard) => {
    mkdirSync(at('.claude'));
    writeFileSync(at('.claude/CLAUDE.md'), text);
    const before = readFileSync(at('.claude/CLAUDE.md'));
    expect(install(home, source, '1.0.0', ['claude'])).toMatchObject(refusedBy(guard, { ok: false }));
    expect(readFileSync(at('.claude/CLAUDE.md'))).toEqual(before);
    expect(existsSync(at('.liza'))).toBe(false);
  });
});

describe('uninstalling', () => {
  test('takes away exactly what was written', () => {
    write('.liza/own.txt', 'mine\n');
    installed();
    write('.liza/contracts/CORE.md', 'changed\n');
    expect(uninstall(home, source)).toMatchObject({ kept: ['contracts/CORE.md'] });
    expect(everything()).toEqual({ '.liza/own.txt': 'mine\n', '.liza/contracts/CORE.md': 'changed\n' });
    expect(existsSync(at('.liza/scripts'))).toBe(false);
  });

  test('leaves no folder behind, also without its manifest, and may be repeated', () => {
    installed();
    rmSync(at('.liza/.setup.json'));
    uninstall(home, source);
    expect(readdirSync(home)).toEqual([]);
    expect(uninstall(home, source)).toMatchObject({ removed: [], kept: [], deactivated: [] });
  });

  test('a forged manifest removes nothing outside ~/.liza', () => {
    installed();
    write('precious', 'x');
    const digest = createHash('sha256').update('x').digest('hex');
    write(
      '.liza/.setup.json',
      JSON.stringify({ files: { '../precious': digest, 'contracts/../../precious': digest } }),
    );
    uninstall(home, source);
    expect(read('precious')).toBe('x');
  });
});

describe('liza setup', () => {
  test('says what it did, as text and as JSON', async () => {
    const here = project();
    const env = { HOME: home };
    const first = await here.liza(['setup', '--activate', 'claude'], { env });
    expect(first.stdout).toMatch(/has Liza \d+\.\d+\.\d+\n\d+ files written, 0 unchanged\nclaude is active: /);
    expect((await here.liza(['setup'], { env })).stdout).toMatch(/is up to date: Liza /);
    const json = await here.liza(['setup', '--json', '--activate', 'claude'], { env });
    expect(json.json).toMatchObject({ ok: true, written: [], activated: [{ provider: 'claude', already: true }] });
    const gone = await here.liza(['setup', '--uninstall'], { env });
    expect(gone.stdout).toMatch(/files removed from .*\.liza\nclaude is no longer active/);
    expect((await here.liza(['setup', '--uninstall'], { env })).stdout).toBe('nothing of liza setup is left\n');
    expect(everything()).toEqual({});
  });

  test.each([
    [['--activate', 'cursor'], {}, /must be one of claude, codex, gemini, opencode/],
    [['--activate', 'claude', '--uninstall'], {}, /use --uninstall alone/],
    [['--completion', 'bash', '--uninstall'], {}, /use --uninstall alone/],
    [['--completion', 'tcsh'], {}, /must be one of bash, zsh, fish/],
    [[], { HOME: '/nowhere/at/all' }, /home folder \/nowhere\/at\/all is not there/],
    [[], { HOME: '' }, /HOME does not name a folder/],
    [[], { LIZA_AGENT_ID: 'coder-1' }, /for the operator/],
  ])('%j %j is refused in one sentence', async (argv, env, said) => {
    const here = project();
    const ran = await here.liza(['setup', ...argv], { env: { HOME: home, ...env } });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(said);
    expect(everything()).toEqual({});
  });
});

describe('completion', () => {
  const BASH = '.local/share/bash-completion/completions/liza';
  const FISH = '.config/fish/completions/liza.fish';
  const setup = (...argv: readonly string[]) => project().liza(['setup', ...argv], { env: { HOME: home } });

  test('is the script of the shell asked for, and goes again with --uninstall', async () => {
    write('.bashrc', 'mine\n');
    const ran = await setup('--completion', 'bash', '--completion', 'fish');
    expect(ran.stdout).toMatch(/completion for bash: .*\n {2}bash loads it by itself where .*\n.*fish: /);
    expect(`${read(BASH).trimEnd()}\n`).toBe((await project().liza(['completion', 'bash'])).stdout);
    expect(read(FISH)).toContain('complete -c liza');
    expect(read('.bashrc')).toBe('mine\n');
    expect(Object.keys(everything()).sort()).toEqual(['.bashrc', FISH, '.liza/.setup.json', BASH].sort());
    expect((await setup('--uninstall')).stdout).toMatch(/completion for bash is removed: /);
    expect(everything()).toEqual({ '.bashrc': 'mine\n' });
  });

  test('a later setup brings it up to date, but neither what a person changed nor what a person deleted', async () => {
    await setup('--completion', 'bash', '--completion', 'fish', '--completion', 'zsh');
    const record = JSON.parse(read('.liza/.setup.json')) as { completions: Record<string, string> };
    const script = read(BASH);
    write(BASH, 'older');
    record.completions['bash'] = createHash('sha256').update('older').digest('hex');
    write('.liza/.setup.json', JSON.stringify(record));
    write(FISH, 'mine');
    rmSync(at('.local/share/zsh/site-functions/_liza'));
    const ran = await setup();
    expect(read(BASH)).toBe(script);
    expect(read(FISH)).toBe('mine');
    expect(existsSync(at('.local/share/zsh/site-functions/_liza'))).toBe(false);
    expect(ran.stdout).toMatch(/kept, Liza did not write it: .*liza\.fish/);
    await setup('--uninstall');
    expect(everything()).toEqual({ [FISH]: 'mine' });
  });

  test('the file that another program wrote there is not replaced', async () => {
    write(BASH, 'theirs');
    expect((await setup('--completion', 'bash')).stdout).toMatch(/kept, Liza did not write it/);
    await setup('--uninstall');
    expect(read(BASH)).toBe('theirs');
  });

  test.each([
    [['maybe', 'yes'], true],
    [[''], false],
    [[], false],
  ])('a person at a terminal who answers %j gets it: %s', async (answers, wanted) => {
    const left = [...answers];
    const asked: string[] = [];
    const dialogue = {
      say: () => {},
      close: () => {},
      ask: async (question: string) => {
        asked.push(question);
        return left.shift();
      },
    };
    const env = { HOME: home, SHELL: '/bin/bash' };
    await project().liza(['setup'], { env, io: { openDialogue: async () => dialogue } });
    expect(asked[0]).toContain('Install completion for bash (~/.local/share/bash-completion/completions/liza)?');
    expect(existsSync(at(BASH))).toBe(wanted);
  });
});
