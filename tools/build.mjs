// Bundles src/cli/main.ts to dist/: one CommonJS file for the everyday path, and beside it the parts
// that are loaded only when used (the `yaml` and `diff` packages). CommonJS starts faster than ESM.

import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'cjs',
  legalComments: 'none',
  logLevel: 'warning',
  define: { LIZA_VERSION: JSON.stringify(version) },
};

/** What is heavy and imported lazily becomes a file of its own, loaded by the first use. */
const APART = {
  './library.ts': { file: 'yaml.cjs', entry: './src/store/yaml/library.ts' },
  diff: { file: 'diff.cjs', entry: 'diff' },
};

const keepApart = {
  name: 'keep-apart',
  setup({ onResolve }) {
    onResolve({ filter: /^(\.\/library\.ts|diff)$/ }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path: `./${APART[path].file}`, external: true } : undefined,
    );
  },
};

rmSync(dist, { recursive: true, force: true });
await Promise.all([
  build({
    ...common,
    entryPoints: ['src/cli/main.ts'],
    outfile: join(dist, 'liza.cjs'),
    banner: { js: '#!/usr/bin/env node' },
    plugins: [keepApart],
  }),
  ...Object.values(APART).map(({ file, entry }) =>
    build({ ...common, stdin: { contents: `export * from '${entry}'`, resolveDir: root }, outfile: join(dist, file) }),
  ),
]);
chmodSync(join(dist, 'liza.cjs'), 0o755);
