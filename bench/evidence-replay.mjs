// One real commit replayed as a task, and what of its evidence is a false alarm. By construction everything in it is
// declared and in scope; what really became of its tests and of their set-up is found here by other means than Liza's.

import { execFile } from 'node:child_process';
import { basename, dirname, extname } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A git directory that is only read; `objects` and `ask` are all that Liza asks of its own one. */
export function openRepository(gitDirectory) {
  const asked = async (args, input = '') => {
    const running = run('git', ['--git-dir', gitDirectory, ...args], { maxBuffer: 1 << 28 });
    running.child.stdin.on('error', () => {}).end(input);
    return (await running).stdout;
  };
  const git = (...args) => asked(args);
  const objects = async (args, input) => {
    try {
      return { status: 0, stdout: await asked(args, input), stderr: '' };
    } catch (error) {
      return { status: error.code, stdout: error.stdout, stderr: error.stderr };
    }
  };
  const answer = async ({ name, content }) => {
    const [, id, type, size] =
      /^([0-9a-f]{40,64}) (\w+) (\d+)/.exec(await asked(['cat-file', '--batch-check'], `${name}\n`)) ?? [];
    if (id === undefined) return undefined;
    const args = ['--git-dir', gitDirectory, 'cat-file', type, id];
    const bytes = content
      ? (await run('git', args, { maxBuffer: 1 << 28, encoding: 'buffer' })).stdout
      : Buffer.alloc(0);
    return { id, type, size: Number(size), bytes };
  };
  const known = new Map();
  const ask = (questions) =>
    Promise.all(
      questions.map((question) => {
        const key = JSON.stringify(question);
        if (!known.has(key)) known.set(key, answer(question));
        return known.get(key);
      }),
    );
  const host = { clock: { nextTurn: () => new Promise((done) => setImmediate(done)) } };
  return { git, gitDir: { objects, ask, host } };
}

/** Evenly over the history, so that no habit of one year decides. */
export async function chooseCommits({ git }, many) {
  const all = (await git('rev-list', '--no-merges', '--min-parents=1', 'HEAD')).trim().split('\n');
  const step = Math.max(1, all.length / many);
  return [...new Set(Array.from({ length: Math.min(many, all.length) }, (_, n) => all[Math.floor(n * step)]))];
}

const STRAY = 'elsewhere/stray.dat';

/** How planners write a scope: each spelling means exactly the given files. */
export const SPELLINGS = {
  'plain paths': (files) => `IN: ${files.join(', ')}\nOUT: everything else`,
  'path: what in it': (files) => `IN: ${files.map((file) => `${file}: the part named above`).join(', ')}`,
  'folder (what in it)': (files) =>
    `IN: ${folders(files)
      .map((place) => `${place} (only what the spec names)`)
      .join(', ')}`,
  globs: (files) => `IN: ${[...new Set(files.map(globOf))].join(', ')}. OUT: releases`,
  'list with descriptions': (files) =>
    `IN:\n${files.map((file) => `- ${file} — the change, its errors and names`).join('\n')}\nOUT:\n- the rest`,
  'quoted, joined by and': (files) => `IN: ${files.map((file) => `\`${file}\``).join(' and ')}`,
  'names in braces': (files) =>
    `IN: ${folders(files)
      .map((place) => inBraces(place, files))
      .join(', ')}`,
  'with lines': (files) => `IN: ${files.map((file) => `${file}:10-40`).join(', ')}; OUT: nothing else`,
  'with prose': (files) => `IN: parser, only ${files.join(', ')} and their tests.`,
};

const folders = (files) => [...new Set(files.map((file) => (file.includes('/') ? `${dirname(file)}/` : file)))];
const globOf = (file) =>
  `${file.includes('/') ? `${dirname(file)}/` : ''}${extname(file) === '' ? basename(file) : `*${extname(file)}`}`;
function inBraces(place, files) {
  const names = files.filter((file) => `${dirname(file)}/` === place).map((file) => basename(file));
  return names.length > 1 ? `${place}{${names.join(',')}}` : names.length === 1 ? `${place}${names[0]}` : place;
}

/** In its second iteration: the first plan named every file, the second the one that had to be mended. */
function taskOf(files, spelling) {
  const plan = (named) => ({ event: 'pre_execution_checkpoint', checkpoint: { files_to_modify: named } });
  return {
    id: 'replayed',
    status: 'CLAIMED',
    scope: SPELLINGS[spelling](files),
    history: [
      { event: 'claimed' },
      plan(files),
      { event: 'submitted' },
      { event: 'rejected' },
      { event: 'claimed', from: 'REJECTED' },
      plan(files.slice(0, 1)),
    ],
  };
}

/** What a planner lets prove it: the documents by a search, a test by its runner, and the project's own tests. */
function commandsFor(files, testCommand, isTest) {
  const document = files.find((file) => /\.(md|rst|txt)$/i.test(file));
  const test = files.find(isTest);
  return [
    ...(document === undefined ? [] : [`grep -q usage ${document}`]),
    ...(test === undefined ? [] : [`node ${test}`]),
    testCommand,
  ];
}

/** `parts`: readDiff, diffFacts, isTest and the patterns, of the Liza that is measured. */
export async function replay(parts, repository, commit, { spelling, testCommand }) {
  const { git, gitDir } = repository;
  const base = (await git('rev-parse', `${commit}^`)).trim();
  const files = (await git('diff-tree', '-r', '-z', '--name-only', '--no-renames', base, commit))
    .split('\0')
    .filter((name) => name !== '');
  if (files.length === 0 || files.some((file) => /[\s,;{}]/.test(file))) return undefined;
  const isTest = (path) => parts.isTest(path, parts.patterns);
  const commands = commandsFor(files, testCommand, isTest);
  const settings = { test_patterns: parts.patterns, test_command: testCommand };
  const task = { ...taskOf(files, spelling), validation: commands.slice(0, -1) };
  const read = await parts.readDiff({ gitDir, task, settings }, base, commit);
  // A word of the scope is a path only where the base has it, as at a submission.
  const on_base = (await git('ls-tree', '-r', '-z', '--name-only', base)).split('\0');
  const facts = (changes) => parts.diffFacts(task, { ...read, changes, on_base }, parts.patterns, commands);
  const told = facts(read.changes);
  const strayed = facts([...read.changes, { path: STRAY, kind: 'added' }]);
  const seen = await lookAt(git, base, commit, files, isTest);
  return { commit, files: files.length, ...judge(told, strayed, seen, testCommand) };
}

const pathsOf = (list) => list?.paths ?? [];

/** What was shown, what of it is false, and what is true and was not shown; each with its paths or lines. */
function judge(told, strayed, seen, testCommand) {
  const lines = told.test_edits?.lines ?? [];
  const isFalse = (line) => seen.isStillThere(line) || isHarmless(line);
  const kinds = {
    'NOT DECLARED': { shown: pathsOf(told.undeclared), isFalse: () => true },
    'OUTSIDE SCOPE': { shown: pathsOf(told.beyond_scope), isFalse: () => true },
    'EXISTING TESTS CHANGED': {
      shown: pathsOf(told.tests_changed),
      isFalse: (path) => (path.includes(' › ') ? !seen.lostFrom(path.split(' › ')[0]) : !seen.lost.has(path)),
    },
    'TESTS REMOVED': {
      shown: pathsOf(told.tests_removed),
      isFalse: (path) => (path.includes(' › ') ? seen.declares(path) : seen.moved.has(path)),
    },
    'TESTS MOVED AND CHANGED': {
      shown: pathsOf(told.tests_moved_changed),
      isFalse: (path) => !path.includes(' › ') && !seen.moved.has(path.split(' → ')[0]) && !sameName(path),
    },
    'LINES OF TESTS': { shown: lines, isFalse },
    'NEW TESTS WITH A SKIP': {
      shown: pathsOf(told.tests_new_off),
      isFalse: (path) => lines.filter((line) => line.startsWith(`${path}:`)).every(isFalse),
    },
    'INSTRUCTION FILES': { shown: pathsOf(told.instructions), isFalse: (path) => !REALLY_STEERS.test(path) },
    'HOW TESTS ARE RUN': {
      shown: pathsOf(told.test_setup),
      isFalse: (path) => !seen.steers(path, testCommand),
    },
    'TODO, SKIP, IGNORE': { shown: told.marks?.lines ?? [], isFalse: (line) => seen.isStillThere(line) },
  };
  const missed = {
    'NOT DECLARED': pathsOf(strayed.undeclared).includes(STRAY) ? [] : [STRAY],
    'OUTSIDE SCOPE': pathsOf(strayed.beyond_scope).includes(STRAY) ? [] : [STRAY],
    'EXISTING TESTS CHANGED': [
      ...[...seen.lost].filter((path) => !pathsOf(told.tests_changed).includes(path)),
      ...seen.lostWithin.filter((path) => !withinTold(told).some((name) => name.startsWith(`${path} › `))),
    ],
    'HOW TESTS ARE RUN': seen.files
      .filter((path) => seen.steers(path, testCommand))
      .filter((path) => !pathsOf(told.test_setup).includes(path)),
    'TODO, SKIP, IGNORE': seen.marked.filter(
      (place) =>
        ![...(told.marks?.lines ?? []), ...(told.test_edits?.lines ?? [])].some((line) => line.startsWith(place)),
    ),
  };
  return {
    shown: Object.fromEntries(Object.entries(kinds).map(([kind, { shown }]) => [kind, shown])),
    false: Object.fromEntries(Object.entries(kinds).map(([kind, { shown, isFalse }]) => [kind, shown.filter(isFalse)])),
    missed,
  };
}

/** A line that came to a test and has no word of those that switch one off, end the runner or replace an assertion. */
const isHarmless = (line) =>
  /^.*?:\d+ \+ /s.test(line) &&
  !/skip|only|todo|fail|\b[xf](it|describe|test)|pending|ignore|disabled|exit|retr|flaky|mock|rerun|inconclusive|LIZA_|=>|function/i.test(
    line.replace(/^.*?:\d+ /s, ''),
  );

const withinTold = (told) =>
  [told.tests_changed, told.tests_removed, told.tests_moved_changed].flatMap((list) => pathsOf(list));
const sameName = (fromTo) => new Set(fromTo.split(' → ').map((path) => basename(path))).size === 1;

const REALLY_STEERS =
  /(^|\/)(\.gitattributes|\.gitmodules|\.pre-commit-config\.yaml|(CLAUDE|AGENTS|GEMINI)\.md|\.mcp\.json)$|^(\.github\/(workflows|actions|copilot-instructions)|\.travis\.yml|\.circleci|\.gitlab-ci\.yml|azure-pipelines\.yml|\.cursor|\.claude|\.husky)/i;

const squeezed = (line) => line.replace(/\s+/g, '');
const MARK =
  /\b(TODO|FIXME|XXX)\b|eslint-disable|@ts-(ignore|nocheck|expect-error)|#\s*noqa|type:\s*ignore|\bnolint\b|#\[ignore|\b(it|test|describe)\.(skip|only)\b|pytest\.(mark\.)?(skip|xfail)|\bt\.Skip\b/;

/** The diff as git tells it, line by line. */
async function lookAt(git, base, commit, files, isTest) {
  const patch = await git('diff-tree', '-r', '-p', '-U0', '--no-renames', '--no-color', base, commit);
  const gone = new Map();
  const came = [];
  let [path, before, after, isNew, inHunk] = ['', 0, 0, false, false];
  for (const line of patch.split('\n')) {
    if (line.startsWith('diff --git ')) inHunk = false;
    else if (!inHunk && line.startsWith('--- ')) {
      isNew = line === '--- /dev/null';
      if (!isNew) path = line.slice(6);
    } else if (!inHunk && line.startsWith('+++ b/')) path = line.slice(6);
    else if (line.startsWith('@@')) {
      const [, old, now] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line);
      [before, after, inHunk] = [Number(old), Number(now), true];
    } else if (inHunk && line.startsWith('-')) gone.set(`${path}:${before++}`, { path, text: line.slice(1) });
    else if (inHunk && line.startsWith('+')) came.push({ path, at: after++, text: line.slice(1), isNew });
  }
  const countIn = (lines) => {
    const counts = new Map();
    for (const { text } of lines) counts.set(squeezed(text), (counts.get(squeezed(text)) ?? 0) + 1);
    return (text) => counts.get(squeezed(text)) ?? 0;
  };
  const ofTests = (lines) => [...lines].filter((line) => isTest(line.path));
  const [goneFrom, cameTo] = [countIn(gone.values()), countIn(came)];
  const [lostOf, addedOf] = [countIn(ofTests(gone.values())), countIn(ofTests(came))];
  const isLost = (text) => text.trim() !== '' && lostOf(text) > addedOf(text);
  const isNewText = (text) => cameTo(text) > goneFrom(text);
  const raw = (await git('diff-tree', '-r', '--no-renames', base, commit)).trim().split('\n').slice(0);
  const blobs = raw.map((line) => /^:(\d+) (\d+) (\w+) (\w+) (\w)\t(.*)$/.exec(line)).filter((found) => found !== null);
  const put = new Set(blobs.filter(([, , , , , kind]) => kind === 'A').map(([, , , , id]) => id));
  const changedTests = blobs
    .filter(([, , , , , kind, where]) => kind === 'M' && isTest(where))
    .map((found) => found[6]);
  const contents = await versionsOf(git, base, commit, files);
  return {
    files,
    lost: new Set(
      changedTests.filter((where) => [...gone.values()].some(({ path: file, text }) => file === where && isLost(text))),
    ),
    moved: new Set(
      blobs
        .filter(([, , , id, , kind, where]) => kind === 'D' && (put.has(id) || isAlike(where, gone, came)))
        .map((found) => found[6]),
    ),
    lostFrom: (where) =>
      [...gone.values()].some(
        ({ path: file, text }) => file === where && /\w/.test(text) && goneFrom(text) > cameTo(text),
      ),
    declares: (named) => {
      const [file, name] = named.split(' › ');
      return (contents.get(file)?.after ?? '').includes(`fn ${name}(`);
    },
    lostWithin: files.filter((file) =>
      [...gone].some(([place, { path: where, text }]) => {
        if (where !== file || !/\bassert\w*!/.test(text) || goneFrom(text) <= cameTo(text) || isTest(file))
          return false;
        const before = (contents.get(file)?.before ?? '').split('\n');
        const begins = before.indexOf('#[cfg(test)]');
        const ends = before.findIndex((line, at) => at > begins && line === '}');
        const at = Number(place.slice(place.lastIndexOf(':') + 1)) - 1;
        return begins !== -1 && at > begins && at < ends;
      }),
    ),
    isStillThere(line) {
      const [, place = '', sign] = /^(.*?:\d+) ([-+] )?/s.exec(line) ?? [];
      const { path: from = '', text = '' } = gone.get(place) ?? {};
      // What code lost may be anywhere; what a test lost must be in a test.
      if (sign === '- ') return isTest(from) ? !isLost(text) : goneFrom(text) <= cameTo(text);
      return !isNewText(came.find((one) => `${one.path}:${one.at}` === place)?.text ?? '');
    },
    marked: came
      .filter(({ path: where, text }) => MARK.test(text) && IS_CODE.test(where) && isNewText(text))
      .map(({ path: where, at }) => `${where}:${at}`),
    steers: (where, testCommand) => steers(where, contents.get(where) ?? {}, testCommand),
  };
}

/** At least half of its lines came to one new file. */
function isAlike(where, gone, came) {
  const lines = [...gone.values()].filter(({ path, text }) => path === where && text.trim() !== '');
  const places = new Set(came.filter(({ isNew }) => isNew).map(({ path }) => path));
  return [...places].some((place) => {
    const there = new Set(came.filter(({ path }) => path === place).map(({ text }) => squeezed(text)));
    return lines.filter(({ text }) => there.has(squeezed(text))).length * 2 >= lines.length;
  });
}

const IS_CODE = /\.([cm]?[jt]sx?|py|pyi|go|rs|c|h|rb)$/;
const MANIFESTS = /(^|\/)(package\.json|pyproject\.toml|setup\.cfg|tox\.ini|Cargo\.toml)$/;

async function versionsOf(git, base, commit, files) {
  const at = async (where, path) => git('show', `${where}:${path}`).catch(() => '');
  const found = new Map();
  for (const path of files.filter((file) => MANIFESTS.test(file) || file.endsWith('.rs')))
    found.set(path, { before: await at(base, path), after: await at(commit, path) });
  return found;
}

/** Whether a change of this file can change which tests run, or how: by hand-made rules for the measured projects. */
function steers(path, { before = '', after = '' }, testCommand) {
  const name = basename(path);
  if (name === 'package.json') {
    const part = (text) => {
      const json = text === '' ? {} : JSON.parse(text);
      const { scripts, type, ava, jest, mocha, nyc, c8, tap, tsd, tsx } = json;
      return JSON.stringify([
        scripts?.test,
        scripts?.pretest,
        scripts?.posttest,
        ...testScripts(scripts),
        type,
        ava,
        jest,
        mocha,
        nyc,
        c8,
        tap,
        tsd,
        tsx,
      ]);
    };
    return part(before) !== part(after);
  }
  if (/^(pyproject\.toml|setup\.cfg|tox\.ini)$/.test(name))
    return sections(before, /pytest|tox|testenv|coverage/) !== sections(after, /pytest|tox|testenv|coverage/);
  if (name === 'Cargo.toml') return sections(before, /test|profile|bench/) !== sections(after, /test|profile|bench/);
  if (/^(GNU)?[mM]akefile$/.test(name)) return /\bmake\b/.test(testCommand);
  if (name === 'CMakeLists.txt') return /\b(cmake|ctest)\b/.test(testCommand);
  return /^(conftest\.py|pytest\.ini|noxfile\.py|\.mocharc(\.\w+)?|\.nycrc|\.taprc|(vitest|jest|ava|karma|playwright)\.config\.[cm]?[jt]s)$/.test(
    name,
  );
}

const testScripts = (scripts = {}) => Object.entries(scripts).filter(([name]) => /^test/.test(name));

function sections(text, wanted) {
  let keeps = false;
  return text
    .split('\n')
    .filter((line) => {
      if (/^\s*\[/.test(line)) keeps = wanted.test(line);
      return keeps && line.trim() !== '';
    })
    .join('\n');
}
