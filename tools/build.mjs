// Bundles the program to dist/ as CommonJS, which starts faster than ESM, in parts by when they are
// needed: liza.cjs (start, arguments, `show`), commands.cjs (every other command, the store, the core),
// yaml.cjs and diff.cjs (libraries that only an unusual file needs). A part is read by its first use.

import { createHash } from 'node:crypto';
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = process.env.LIZA_DIST ?? join(root, 'dist');

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'cjs',
  legalComments: 'none',
  logLevel: 'warning',
  // Parts run as vm scripts, where import() has no loader: lazy imports become require().
  supported: { 'dynamic-import': false },
};

/** `show` is what agents call most: it is part of the first file. */
const FIRST = ['src/cli/verbs/show.ts'];
const LIBRARIES = { './library.ts': 'yaml.cjs', diff: 'diff.cjs' };

/** Lazy imports of the libraries stay lazy: a file of their own. */
const libraries = {
  name: 'libraries',
  setup({ onResolve }) {
    onResolve({ filter: /^(\.\/library\.ts|diff)$/ }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path: `./${LIBRARIES[path]}`, external: true } : undefined,
    );
  },
};

const lazy = new Set();

/** Lazy imports of the first file lead into commands.cjs, where each module waits under its path. */
const commands = {
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
      contents: `module.exports = require('./src/cli/parts.ts').part('commands.cjs', COMMANDS_ID)[${JSON.stringify(path)}]()`,
      resolveDir: root,
    }));
  },
};

/** First the start alone, to learn what it imports lazily; that is what goes into commands.cjs. */
const start = (options) =>
  build({
    ...common,
    entryPoints: ['src/cli/main.ts'],
    outfile: join(dist, 'liza.cjs'),
    banner: { js: '#!/usr/bin/env node' },
    plugins: [commands],
    ...options,
  });

const bundle = (contents, outfile, plugins = []) =>
  build({ ...common, stdin: { contents, resolveDir: root }, outfile: join(dist, outfile), plugins });

rmSync(dist, { recursive: true, force: true });
await start({ write: false });
const entries = [...lazy].sort().map((path) => `exports[${JSON.stringify(path)}] = () => require('./${path}');`);
await Promise.all([
  bundle(entries.join('\n'), 'commands.cjs', [libraries]),
  bundle(`export * from './src/store/yaml/library.ts'`, LIBRARIES['./library.ts']),
  bundle(`export * from 'diff'`, LIBRARIES.diff),
]);
const id = createHash('sha256')
  .update(readFileSync(join(dist, 'commands.cjs')))
  .digest('hex')
  .slice(0, 12);
await start({ define: { COMMANDS_ID: JSON.stringify(id) } });
chmodSync(join(dist, 'liza.cjs'), 0o755);
if (!readFileSync(join(dist, 'liza.cjs'), 'utf8').startsWith('#!')) throw new Error('the first line must name node');
