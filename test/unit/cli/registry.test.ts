import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readArgs } from '../../../src/cli/args.ts';
import { REGISTRY } from '../../../src/cli/registry.ts';
import { project } from './fixtures.ts';

const CLI = resolve(import.meta.dirname, '../../../src/cli');
const loaded = Object.entries(REGISTRY).filter(([, { load }]) => load !== undefined);
const here = project();

test('verbs/ has a file for each first word, and each file has the verbs that begin with it and no others', async () => {
  const found = await Promise.all(
    readdirSync(join(CLI, 'verbs')).map(async (file) => {
      const first = file.replace(/\.ts$/, '');
      const { verbs = { [first]: true } } = (await import(join(CLI, 'verbs', file))) as { verbs?: object };
      return Object.keys(verbs).map((name) => [first, name]);
    }),
  );
  expect(found.flat().sort()).toEqual(loaded.map(([name]) => [name.split(' ')[0], name]).sort());
});

describe.each(loaded.map(([name]) => name))('liza %s', (name) => {
  test('is the verb its file defines', async () => {
    const entry = REGISTRY[name];
    expect((await entry?.load?.())?.name).toBe(name);
    expect(entry?.summary).toMatch(/^[A-Z].*\.$/);
  });

  test('refuses an empty text among those that are given one by one, and stores nothing', async () => {
    const { options = {} } = (await REGISTRY[name]?.load?.()) ?? {};
    const before = await here.state();
    for (const [option, { repeat, kind }] of Object.entries(options)) {
      if (repeat !== true || kind === 'tasks') continue;
      const ran = await here.liza([...name.split(' '), `--${option}`, 'good one', `--${option}`, '']);
      expect(ran.code).toBe(1);
      expect(ran.stderr).toContain(`--${option} number 2 of 2 is empty`);
    }
    expect(await here.state()).toBe(before);
  });

  test('--help tells usage, summary and an example, and does nothing', async () => {
    const before = await here.state();
    const ran = await here.liza([...name.split(' '), '--help']);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain(`Usage: liza ${name}`);
    expect(ran.stdout).toContain(REGISTRY[name]?.summary);
    expect(ran.stdout).toMatch(/Examples?:\n {2}\S/);
    expect(await here.state()).toBe(before);
    expect((await here.liza([...name.split(' '), '-h'])).stdout).toBe(ran.stdout);
    expect((await here.liza(['help', ...name.split(' ')])).stdout).toBe(ran.stdout);
  });

  test('its examples are accepted as they stand', async () => {
    const verb = await REGISTRY[name]?.load?.();
    if (verb === undefined) throw new Error('not loaded');
    for (const example of verb.examples) {
      const [words] = (await callsIn).get(example) ?? [];
      expect(words?.slice(0, name.split(' ').length).join(' '), example).toBe(name);
      expect(readArgs(verb, words?.slice(name.split(' ').length) ?? [])).not.toHaveProperty('ok', false);
    }
  });

  test('options have descriptions and no two share a letter', async () => {
    const options = Object.values((await REGISTRY[name]?.load?.())?.options ?? {});
    expect(options.filter(({ description }) => !/[.)]$/.test(description))).toEqual([]);
    const letters = options.flatMap(({ short }) => short ?? []);
    expect(new Set([...letters, 'h']).size).toBe(letters.length + 1);
  });
});

/** The calls of liza in every example. */
const callsIn = Promise.all(loaded.map(async ([, { load }]) => (await load?.())?.examples ?? [])).then((examples) => {
  const lines = examples.flat();
  const calls = shellWords(lines);
  expect(calls).toHaveLength(lines.length);
  return new Map(lines.map((line, at) => [line, calls[at] ?? []]));
});

/** The words bash would call liza with in each line, once for each call in the line. */
function shellWords(lines: readonly string[]): string[][][] {
  const setup = `exec 3>&1 >/dev/null 2>/dev/null </dev/null\nd=$(mktemp -d); trap 'rm -r "$d"' EXIT; cd "$d"; touch decision.md verdict.txt
liza() { printf '%s\\0' "$@" $'\\n' >&3; }; source() { cat "\${1:--}"; }\n`;
  // One bash for all of them, and a shell of its own for each.
  const each = lines.map((line) => `( ${line}\n)\nprintf '%s\\0' $'\\f' >&3\n`);
  const out = execFileSync('bash', ['-c', `${setup}${each.join('')}`], { encoding: 'utf8' });
  const calls = (printed: string) => printed.split('\0\n\0').filter((call) => call !== '');
  return out
    .split('\f\0')
    .slice(0, -1)
    .map((printed) => calls(printed).map((call) => call.split('\0')));
}

/** What is loaded with these files, without what they load later. */
function loadedWith(...files: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    if (!file.startsWith('/')) return;
    // Type-only imports vanish; `await import()` is loaded only when reached.
    const statics = /^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm;
    for (const [statement, target = ''] of readFileSync(file, 'utf8').matchAll(statics)) {
      const names = /\{([^}]*)\}/.exec(statement)?.[1];
      if (names?.split(',').every((name) => name.trim() === '' || name.trim().startsWith('type '))) continue;
      visit(target.startsWith('.') ? resolve(dirname(file), target) : target);
    }
  };
  for (const file of files) visit(join(CLI, file));
  expect(seen.size).toBeGreaterThan(10);
  return seen;
}

test('show loads neither valibot nor the table nor the decisions', () => {
  const seen = loadedWith('main.ts', 'verbs/show.ts');
  expect(
    [...seen].filter((file) => /valibot|protocol\/(decide|commands|config|state|table)\b|^yaml$/.test(file)),
  ).toEqual([]);
});

test('a heartbeat loads node:crypto only to hash', () => {
  const asking = ['../identity/gather.ts', '../identity/agent-sessions.ts', '../process/ancestors.ts'];
  expect([...loadedWith('main.ts', 'verbs/heartbeat.ts', ...asking)]).not.toContain('node:crypto');
});

test('help of a setting says what it means; config alone shows what is in force', async () => {
  const { liza } = here;
  const help = (await liza(['help', 'isolation'])).stdout.replace(/\s+/g, ' ');
  expect(help).toContain('How a task’s work is kept apart.');
  expect(help).toContain('liza config get isolation');
  expect(await liza(['help', 'isolatoin'])).toMatchObject({ code: 1 });
  const alone = await liza(['config']);
  expect(alone).toMatchObject({ code: 0, stdout: (await liza(['config', 'get'])).stdout });
  expect(await liza(['config', 'isolation'])).toMatchObject({ code: 1 });
});
