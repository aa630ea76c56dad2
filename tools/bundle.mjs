// Bundles the program into a folder as CommonJS, which starts faster than ESM, in parts by when they are
// needed: liza.cjs (a few lines), main.cjs (arguments, `show`), commands.cjs (commands that change the
// board), seldom.cjs (others), crew.cjs (agents at work), yaml.cjs and diff.cjs (libraries that only an unusual file needs), inside.cjs
// (`liza` in a sandbox), and board.mjs (the live board of `liza run`, an ES module; see board-bundle.mjs).

import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { board, bundleBoard } from './board-bundle.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'cjs',
  legalComments: 'none',
  logLevel: 'warning',
  charset: 'ascii',
  // Half of the source is white space; names stay, so that a stack can be read.
  minifyWhitespace: true,
  minifySyntax: true,
  // Parts run as vm scripts, where import() has no loader: lazy imports become require().
  supported: { 'dynamic-import': false },
};

/** `show` is what agents call most: it is part of the first file. */
const FIRST = ['src/cli/verbs/show.ts'];
const ACP = '@agentclientprotocol/sdk';
const LIBRARIES = { './library.ts': 'yaml.cjs', diff: 'diff.cjs', [ACP]: 'acp.cjs' };

/** Lazy imports of the libraries stay lazy: a file of their own. */
const libraries = {
  name: 'libraries',
  setup({ onResolve }) {
    onResolve({ filter: /^(\.\/library\.ts|diff|@agentclientprotocol\/sdk)$/ }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path: `./${LIBRARIES[path]}`, external: true } : undefined,
    );
  },
};

/** Commands that change the board by one transaction share a part; those that need other code have another. */
const SELDOM =
  /verbs\/(attempts|audit|blame|completion|config-get|deinit|discovery-list|doctor|edit|help|init|lock-.*|log.*|report|status|undo|validate|version)\.ts$|workflows|render-status|core\/(alarms|audit.*|view)\.ts$|git\//;
/** What keeps agents at work: long-running, large, and nobody else's. */
const CREW =
  /verbs\/(agent|demo|rehearse|run|setup|watch)\.ts$|src\/(agents|demo|notify|rehearsal|supervisor|watcher)\/|cli\/(crew|plain-lines|providers|show-crew)\.ts$|workflows\/setup\.ts$/;
const partOf = (module) => (CREW.test(module) ? 'crew' : SELDOM.test(module) ? 'seldom' : 'commands');

/** Lazy imports of the first file lead into the parts, where each module waits under its path. */
const commands = (lazy) => ({
  name: 'commands',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ path, kind, resolveDir }) => {
      if (kind !== 'dynamic-import') return undefined;
      const module = relative(root, resolve(resolveDir, path));
      if (FIRST.includes(module)) return undefined;
      lazy.add(module);
      return { path: module, namespace: 'commands' };
    });
    onLoad({ filter: /.*/, namespace: 'commands' }, ({ path }) => ({
      contents: `module.exports = require('./src/cli/code-cache.ts').part('${partOf(path)}.cjs', ${partOf(path).toUpperCase()}_ID)[${JSON.stringify(path)}]()`,
      resolveDir: root,
    }));
  },
});

const fromText = (contents) => ({ stdin: { contents, resolveDir: root } });

/** What names a part's code cache. parts.ts reads a part as one byte a character: it must be ASCII. */
function idOf(dist, file) {
  const bytes = readFileSync(join(dist, file));
  // esbuild escapes strings, but not regular expressions.
  if (bytes.some((byte) => byte > 127)) throw new Error(`${file} is not ASCII`);
  return JSON.stringify(createHash('sha256').update(bytes).digest('hex').slice(0, 12));
}

/** `first`: esbuild plugins that look at the sources before all others (planted/build.mjs). */
/** Made aside and then put in place file by file: a program that runs meanwhile misses none of them. */
export async function bundleInto(dist, first = []) {
  const made = `${dist}.${process.pid}`;
  try {
    const ids = await bundleAfresh(made, first);
    mkdirSync(dist, { recursive: true });
    const names = readdirSync(made);
    const isOf = (name) => names.includes(name) || (name.endsWith('.cache') && ids.some((id) => name.includes(id)));
    for (const name of names) renameSync(join(made, name), join(dist, name));
    for (const name of readdirSync(dist)) if (!isOf(name)) rmSync(join(dist, name), { recursive: true, force: true });
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** What names the code caches of its parts. */
async function bundleAfresh(dist, first) {
  const bundle = (outfile, { plugins = [], ...options }) =>
    build({ ...common, outfile: join(dist, outfile), plugins: [...first, ...plugins], ...options });
  const lazy = new Set();
  const main = (options) =>
    bundle('main.cjs', { entryPoints: ['src/cli/main.ts'], plugins: [board, commands(lazy)], ...options });
  await main({ write: false }); // to learn what it imports lazily
  const partText = (part) =>
    [...lazy]
      .filter((path) => partOf(path) === part)
      .sort()
      .map((path) => `exports[${JSON.stringify(path)}] = () => require('./${path}');`)
      .join('\n');
  await Promise.all([
    bundle('commands.cjs', { ...fromText(partText('commands')), plugins: [board, libraries] }),
    bundle('seldom.cjs', { ...fromText(partText('seldom')), plugins: [board, libraries] }),
    bundle('crew.cjs', { ...fromText(partText('crew')), plugins: [board, libraries] }),
    bundle('inside.cjs', { entryPoints: ['src/sandbox/mailbox-client.ts'] }),
    bundle(LIBRARIES['./library.ts'], fromText(`export * from './src/store/yaml/library.ts'`)),
    bundle(LIBRARIES.diff, fromText(`export * from 'diff'`)),
    bundle(LIBRARIES[ACP], fromText(`export * from '${ACP}'`)),
    bundleBoard(join(dist, 'board.mjs')),
  ]);
  const id = (file) => idOf(dist, file);
  await main({ define: { COMMANDS_ID: id('commands.cjs'), SELDOM_ID: id('seldom.cjs'), CREW_ID: id('crew.cjs') } });
  await bundle('liza.cjs', {
    entryPoints: ['src/cli/entry.ts'],
    banner: { js: '#!/usr/bin/env node' },
    define: { MAIN_ID: id('main.cjs') },
  });
  chmodSync(join(dist, 'liza.cjs'), 0o755);
  return ['commands.cjs', 'seldom.cjs', 'crew.cjs', 'main.cjs'].map((file) => JSON.parse(id(file)));
}
