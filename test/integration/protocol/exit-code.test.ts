// What the model says of a line's exit code, against real shells: random lines of commands that are red or green, each run
// under every combination of these. Where the model says that a command decides, a line is never green without it.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ExitCode, exitCode } from '../../../src/protocol/shell/exit-code.ts';
import { runs } from '../../runs.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The first two are sure to run tests, as far as the model knows. */
const STUBS = ['pytest', 'rspec', 'build', 'lint'];

const { line: LINE } = fc.letrec<{
  line: string;
  list: string;
  andOr: string;
  pipe: string;
  command: string;
  stub: string;
}>((tie) => ({
  stub: fc.constantFrom(...STUBS, ...STUBS, 'true', 'false', 'echo x'),
  command: fc.oneof(
    { maxDepth: 2 },
    tie('stub'),
    tie('stub'),
    tie('stub'),
    fc.constantFrom('exit', 'exit 0', 'exit 3', 'exit $?', 'rc=$?', 'exit $rc', 'return 0', 'f', 'g'),
    fc.constantFrom('set -e', 'set +e', 'set -eu', 'set -o pipefail', 'x=1', ':', '> /dev/null'),
    fc.constantFrom('[ $? -eq 0 ]', '[ $? -ge 0 ]', '[ "$rc" = 0 ]', 'test $rc -ne 0', '[ 1 = 1 ]', '[ -n "$x" ]'),
    tie('stub').map((one) => `trap '${one}; exit 0' EXIT`),
    tie('stub').map((one) => `trap '${one}' 0`),
    tie('andOr').map((one) => `eval "${one.replace(/["$`\\]/g, '\\$&')}"`),
    tie('list').map((one) => `x=$( ${one})`),
    tie('list').map((one) => `test -z "$( ${one})"`),
    tie('list').map((one) => `echo "\`true\` $( ${one})"`),
    tie('list').map((one) => `( ${one} )`),
    tie('list').map((one) => `{ ${one}\n}`),
    tie('list').map((one) => `{ ${one}\n} > /dev/null 2>&1`),
    tie('list').map((one) => `f() { ${one}\n}`),
    tie('list').map((one) => `g() (${one})`),
    fc.tuple(tie('list'), tie('list')).map(([a, b]) => `if ${a}\nthen ${b}\nfi`),
    fc.tuple(tie('list'), tie('list'), tie('list')).map(([a, b, c]) => `if ${a}\nthen ${b}\nelse ${c}\nfi`),
    fc.tuple(fc.constantFrom('1', '1 2', '"$x"', ''), tie('list')).map(([a, b]) => `for i in ${a}\ndo ${b}\ndone`),
    fc
      .tuple(tie('list'), tie('list'), fc.constantFrom('while', 'until'))
      .map(([a, b, c]) => `${c} ${a}\ndo ${b}\nbreak\ndone`),
    fc.tuple(tie('list'), tie('list')).map(([a, b]) => `case $x in 1) ${a} ;; *) ${b} ;; esac`),
    tie('list').map((one) => `{ cat <<END | lint\n$x || true; exit\nEND\n${one}\n}`),
  ),
  pipe: fc.oneof(
    tie('command'),
    tie('command'),
    fc.tuple(tie('command'), tie('command')).map(([a, b]) => `${a} | ${b}`),
    tie('command').map((one) => `! ${one}`),
  ),
  andOr: fc.oneof(
    tie('pipe'),
    fc.tuple(tie('pipe'), tie('pipe')).map(([a, b]) => `${a} && ${b}`),
    fc.tuple(tie('pipe'), tie('pipe')).map(([a, b]) => `${a} || ${b}`),
    fc.tuple(tie('pipe'), tie('pipe'), tie('pipe')).map(([a, b, c]) => `${a} && ${b} || ${c}`),
  ),
  list: fc.oneof(
    tie('andOr'),
    tie('andOr'),
    fc.tuple(tie('andOr'), tie('andOr'), fc.constantFrom('; ', '\n')).map(([a, b, sign]) => a + sign + b),
    fc.tuple(tie('stub'), fc.constantFrom('wait', 'wait $!')).map(([a, b]) => `${a} & ${b}`),
  ),
  line: fc
    .tuple(
      fc.constantFrom('', '', 'set -e\n', 'set -e -o pipefail; '),
      fc.array(fc.oneof(tie('stub'), tie('list')), { minLength: 1, maxLength: 4 }),
      fc.constantFrom('\n', ' && ', ' && ', ' | '),
    )
    .map(([modes, lists, sign]) => modes + lists.join(sign))
    .filter((line) => line.length < 250),
}));

/** One bit per stub: which of them are red. */
const MASKS = Array.from({ length: 1 << STUBS.length }, (_none, mask) => mask);
const redIn = (mask: number): readonly string[] => STUBS.filter((_stub, at) => (mask & (1 << at)) !== 0);

interface Run {
  readonly line: string;
  readonly mask: number;
  readonly code: number;
  /** Each stub that ran, in order; the red ones with a sign before them. */
  readonly ran: readonly string[];
}

/** All of them in one process: each in a shell of its own, forked from it. What is printed late has its number, too. */
function runAll(shell: string, lines: readonly string[]): readonly Run[] {
  const folder = temporaryFolder();
  const stubs = STUBS.map(
    (stub, at) =>
      `${stub}() { case $RED in *${at}*) echo "$CASE -${stub}" >&3; return 1 ;; esac; echo "$CASE ${stub}" >&3; }`,
  );
  const cases = lines.flatMap((line) => MASKS.map((mask) => ({ line, mask })));
  const script = cases.map(({ line, mask }, at) => {
    const red = STUBS.flatMap((_stub, bit) => (mask & (1 << bit) ? [bit] : [])).join('');
    const quoted = `'${line.replaceAll("'", `'\\''`)}'`;
    return `CASE=${at} RED=_${red}\n( eval ${quoted} ) > /dev/null 2>&1 < /dev/null\necho "${at} = $?" >&3`;
  });
  const file = path.join(folder, 'cases.sh');
  fs.writeFileSync(file, [`exec 3> ${folder}/log`, ...stubs, ...script].join('\n'));
  execFileSync(shell, [file], { cwd: folder, stdio: 'ignore', timeout: 50_000 });
  const told = cases.map((): string[] => []);
  for (const text of fs.readFileSync(path.join(folder, 'log'), 'utf8').split('\n'))
    told[Number.parseInt(text, 10)]?.push(text.slice(text.indexOf(' ') + 1));
  return cases.map(({ line, mask }, at) => {
    const code = told[at]?.find((text) => text.startsWith('= ')) ?? '';
    return { line, mask, code: Number(code.slice(2)), ran: (told[at] ?? []).filter((text) => text !== code) };
  });
}

/** What the model says and the shell did otherwise; empty: they agree. */
function contradictions(model: ExitCode, { line, mask, code, ran }: Run): readonly string[] {
  const isGreen = code === 0;
  const decided = [...model.deciding].filter((one) => STUBS.includes(one));
  const passed = (stub: string): boolean => ran.includes(stub);
  const failed = (stub: string): boolean => ran.includes(`-${stub}`);
  const inverted = (stub: string): boolean => line.includes(`! ${stub}`);
  return [
    ...(isGreen && !model.mayBeGreen ? ['green, and it cannot be'] : []),
    ...(!isGreen && !model.mayBeRed ? ['red, and it cannot be'] : []),
    ...(isGreen ? decided.filter((one) => !passed(one) || failed(one)).map((one) => `green without ${one}`) : []),
    ...(isGreen
      ? STUBS.slice(0, 2).flatMap((one) =>
          failed(one) && !passed(one) && !model.hidden.has(one) && !inverted(one) ? [`it hides ${one}`] : [],
        )
      : []),
  ].map((what) => `${what} (red: ${redIn(mask).join(' ')}; ran: ${ran.join(' ')}; ended with ${code})`);
}

const has = (shell: string): boolean => {
  try {
    execFileSync(shell, ['-c', ':'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

test.each(['sh', 'bash'].filter(has))('no line that %s runs ends otherwise than the model says', (shell) => {
  const lines = fc.sample(LINE, { numRuns: runs(160), seed: Number(process.env['SHELL_SEED'] ?? 20260304) });
  const read = lines.flatMap((line) => {
    const model = exitCode(line, { trusting: false });
    return model === undefined ? [] : [{ line, model }];
  });
  expect(read.length).toBeGreaterThan(lines.length * 0.9);
  expect(read.filter(({ model }) => STUBS.some((stub) => model.deciding.has(stub))).length).toBeGreaterThan(
    lines.length / 10,
  );
  const models = new Map(read.map(({ line, model }) => [line, model]));
  const wrong = runAll(shell, [...models.keys()]).flatMap((run) => {
    const model = models.get(run.line);
    return model === undefined ? [] : contradictions(model, run).map((what) => `${run.line}\n  ${what}`);
  });
  expect(wrong.toSorted((a, b) => a.length - b.length).slice(0, 3)).toEqual([]);
});
