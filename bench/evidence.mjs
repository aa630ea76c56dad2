// How often the facts for reviewers raise a false alarm: commits of real histories, replayed as tasks in which everything
// is declared and in scope. Not part of `npm run bench`, which measures costs: it needs repositories.
//   node bench/evidence.mjs <git directory>[=<test command>] … [--commits 200] [--from <another checkout of Liza>]

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { helpIfAsked } from '../tools/help.mjs';
import { chooseCommits, openRepository, replay, SPELLINGS } from './evidence-replay.mjs';

helpIfAsked(import.meta.filename);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    commits: { type: 'string', default: '200' },
    from: { type: 'string', default: join(import.meta.dirname, '..') },
    list: { type: 'boolean' },
  },
});
if (positionals.length === 0) {
  console.error(
    'node bench/evidence.mjs <git directory>[=<test command>] … [--commits 200] [--from <checkout>] [--list]',
  );
  process.exit(1);
}

async function loadParts(root) {
  const folder = mkdtempSync(join(tmpdir(), 'liza-bench-evidence-'));
  try {
    const outfile = join(folder, 'parts.mjs');
    const contents = `
      export { readDiff } from './src/tasks/read-diff.ts';
      export { diffFacts } from './src/protocol/facts/diff-facts.ts';
      export { isTest, DEFAULT_TEST_PATTERNS as patterns } from './src/protocol/facts/scope.ts';`;
    const banner = {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    };
    await build({
      stdin: { contents, resolveDir: root },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile,
      logLevel: 'error',
      banner,
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const parts = await loadParts(values.from);
const spellings = Object.keys(SPELLINGS);
const each = Math.ceil(Number(values.commits) / positionals.length);
const replayed = [];
for (const named of positionals) {
  const [path, testCommand = 'npm test'] = named.split('=');
  const repository = openRepository(path);
  for (const commit of await chooseCommits(repository, each)) {
    const spelling = spellings[replayed.length % spellings.length];
    const found = await replay(parts, repository, commit, { spelling, testCommand });
    if (found !== undefined) replayed.push({ ...found, spelling, path });
  }
}

const many = replayed.length;
const withSome = (what, kind) => replayed.filter((one) => (one[what][kind] ?? []).length > 0);
console.log(`${many} commits of ${positionals.length} repositories\n`);
console.log('| Told to the reviewer | commits with it | of them false alarms | true and not told |\n|---|---|---|---|');
for (const kind of Object.keys(replayed[0]?.shown ?? {})) {
  const counts = ['shown', 'false', 'missed'].map((what) => withSome(what, kind).length);
  console.log(`| ${kind} | ${counts.join(' | ')} |`);
}
const noisy = replayed.filter((one) => Object.values(one.false).some((list) => list.length > 0));
console.log(`\ncommits with a false alarm of any kind: ${noisy.length} of ${many}`);
if (values.list) {
  for (const { commit, path, spelling, false: lies, missed } of replayed)
    for (const [what, by] of [
      ['false', lies],
      ['missed', missed],
    ])
      for (const [kind, list] of Object.entries(by))
        if (list.length > 0)
          console.log(
            `${what} ${kind}: ${path.split('/').at(-2)} ${commit.slice(0, 10)} [${spelling}] ${list.slice(0, 4).join(' ¦ ')}`,
          );
}
