// Bundles the live board with its terminal library to one ES module. It is apart from the other parts because
// the library's layout engine waits at its top level, which only an ES module may; board.cjs beside it is what
// the other parts call: a real CommonJS file, where import() has a loader.

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

export const BOARD = 'src/cli/live/show.ts';

/** The packages that are in it: their licences are in docs/third-party.md. */
export const BOARD_PACKAGES = [
  ...['@alcalzone/ansi-tokenize', 'ansi-escapes', 'ansi-regex', 'ansi-styles', 'auto-bind', 'chalk', 'cli-boxes'],
  ...['cli-cursor', 'cli-truncate', 'code-excerpt', 'convert-to-spaces', 'emoji-regex', 'environment', 'es-toolkit'],
  ...['escape-string-regexp', 'get-east-asian-width', 'indent-string', 'ink', 'is-fullwidth-code-point', 'mimic-fn'],
  ...['onetime', 'patch-console', 'react', 'react-reconciler', 'restore-cursor', 'scheduler', 'signal-exit'],
  ...['slice-ansi', 'stack-utils', 'string-width', 'strip-ansi', 'widest-line', 'wrap-ansi', 'yoga-layout'],
];

/** What the library looks at that is decided elsewhere: developer tools, and whether this is a CI machine. */
const without = {
  name: 'without',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(\.\/devtools\.js|is-in-ci)$/ }, ({ path: name }) => ({ path: name, namespace: 'without' }));
    onLoad({ filter: /.*/, namespace: 'without' }, () => ({ contents: 'export default false' }));
  },
};

/** Writes the module and, beside it, board.cjs. */
export async function bundleBoard(outfile, entryPoint = BOARD) {
  const { metafile } = await build({
    absWorkingDir: path.join(import.meta.dirname, '..'),
    entryPoints: [entryPoint],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    legalComments: 'none',
    logLevel: 'warning',
    charset: 'ascii',
    minifyWhitespace: true,
    minifySyntax: true,
    // Nearly all of it are libraries, whose names say nothing in a stack of ours.
    minifyIdentifiers: true,
    // Node shows the line that threw: it shall not be all of them.
    lineLimit: 200,
    metafile: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    plugins: [without],
  });
  if (readFileSync(outfile).some((byte) => byte > 127)) throw new Error(`${outfile} is not ASCII`);
  writeFileSync(
    path.join(path.dirname(outfile), 'board.cjs'),
    "exports.showLive=(...all)=>import('./board.mjs').then(({showLive})=>showLive(...all));\n",
  );
  if (entryPoint !== BOARD) return;
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs));
  // The program has the rest: what is imported here is downloaded twice.
  const twice = inputs.filter((input) => /^src\/(?!cli\/(live|render)\/)/.test(input));
  if (twice.length > 0) throw new Error(`the board brings ${twice.join(', ')}: hand it in`);
  const names = inputs.flatMap(
    (input) => /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(input)?.[1] ?? [],
  );
  const unknown = [...new Set(names)].filter((name) => !BOARD_PACKAGES.includes(name));
  if (unknown.length > 0)
    throw new Error(`the board brings ${unknown.join(', ')}: add to BOARD_PACKAGES, run npm run docs`);
}
