// Bundles the program into a folder as CommonJS, which starts faster than ESM: liza.cjs (a few lines), main.cjs
// (arguments and `show`) and program.cjs (everything else). Files of their own, loaded only when needed: inside.cjs
// (`liza` in a sandbox), the libraries yaml.cjs, diff.cjs and acp.cjs, and board.mjs (the live board of `liza run`,
// an ES module; see board-bundle.mjs). What main.cjs imports lazily goes to program.cjs; no list of sources says so.

import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { BOARD, bundleBoard } from './board-bundle.mjs';

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

/** `show` is what agents call most: main.cjs holds it. */
const FAST = 'src/cli/verbs/show.ts';
const YAML = 'src/store/yaml/library.ts';
const ACP = '@agentclientprotocol/sdk';
/** Modules and packages that most commands never need: each is a file of its own. */
const APART = { [BOARD]: './board.cjs', [YAML]: './yaml.cjs', diff: './diff.cjs', [ACP]: './acp.cjs' };

/** `within(module)`: from where a lazily imported module comes; undefined: it is bundled with its importer. */
const lazyImports = (within) => ({
  name: 'lazy imports',
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ path, kind, resolveDir }) => {
      if (kind !== 'dynamic-import') return undefined;
      const module = path.startsWith('.') ? relative(root, resolve(resolveDir, path)) : path;
      const from = APART[module] ?? within(module);
      return from === undefined ? undefined : { path: from, external: true };
    });
  },
});

/** As node itself wraps a CommonJS file; code-cache.ts runs it as a script. */
const wrapped = {
  banner: { js: '(function (exports, require, module, __filename, __dirname) {' },
  footer: { js: '})' },
};

const fromText = (contents) => ({ stdin: { contents, resolveDir: root } });

/** What names a part's code cache. code-cache.ts reads a part as one byte a character: it must be ASCII. */
function idOf(dist, file) {
  const bytes = readFileSync(join(dist, file));
  // esbuild escapes strings, but not regular expressions.
  if (bytes.some((byte) => byte > 127)) throw new Error(`${file} is not ASCII`);
  return createHash('sha256').update(bytes).digest('hex').slice(0, 12);
}

/**
 * Built in a folder of its own and then put in place file by file: a program that runs meanwhile misses none of them.
 * `first`: esbuild plugins that see the sources before all others (planted/build.mjs).
 */
export async function bundleInto(dist, first = []) {
  const made = `${dist}.${process.pid}`;
  try {
    const ids = Object.values(await bundleParts(made, first));
    mkdirSync(dist, { recursive: true });
    const names = readdirSync(made);
    const isOf = (name) => names.includes(name) || (name.endsWith('.cache') && ids.some((id) => name.includes(id)));
    for (const name of names) renameSync(join(made, name), join(dist, name));
    for (const name of readdirSync(dist)) if (!isOf(name)) rmSync(join(dist, name), { recursive: true, force: true });
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** The part → what names its code caches. */
async function bundleParts(dist, first) {
  const bundle = (outfile, { plugins = [], ...options }) =>
    build({ ...common, outfile: join(dist, outfile), plugins: [...first, ...plugins], ...options });
  const program = new Set();
  const inProgram = (module) => {
    if (module === FAST) return undefined;
    program.add(module);
    return `program.cjs:${module}`;
  };
  await bundle('main.cjs', { ...wrapped, entryPoints: ['src/cli/main.ts'], plugins: [lazyImports(inProgram)] });
  const modules = [...program].sort().map((path) => `${JSON.stringify(path)}: () => require('./${path}'),`);
  await Promise.all([
    bundle('program.cjs', {
      ...wrapped,
      ...fromText(`module.exports = {${modules.join('\n')}}`),
      plugins: [lazyImports(() => undefined)],
    }),
    bundle('inside.cjs', { entryPoints: ['src/sandbox/mailbox-client.ts'] }),
    bundle('yaml.cjs', fromText(`export * from './${YAML}'`)),
    bundle('diff.cjs', fromText(`export * from 'diff'`)),
    bundle('acp.cjs', fromText(`export * from '${ACP}'`)),
    bundleBoard(join(dist, 'board.mjs')),
  ]);
  const ids = Object.fromEntries(['main.cjs', 'program.cjs'].map((part) => [part, idOf(dist, part)]));
  await bundle('liza.cjs', {
    entryPoints: ['src/cli/entry.ts'],
    banner: { js: '#!/usr/bin/env node' },
    define: { PART_IDS: JSON.stringify(ids) },
  });
  chmodSync(join(dist, 'liza.cjs'), 0o755);
  return ids;
}
