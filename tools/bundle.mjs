// Bundles the program into a folder as CommonJS, which starts faster than ESM: liza.cjs (a few lines), main.cjs
// (arguments and `show`), program.cjs (what every change of the board needs) and rest.cjs (everything else). What main.cjs
// imports lazily goes to the last two, which the bundler divides along the imports: each chunk is a function that runs
// when it is first needed, so that a command pays for its own code alone. Files of their own, loaded only when needed:
// inside.cjs (`liza` in a sandbox), and the libraries yaml.cjs, diff.cjs, acp.cjs and pg.cjs.

import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Half of the source is white space. */
const SHORT = { charset: 'ascii', target: 'node20.19', minifyWhitespace: true, minifySyntax: true };

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  legalComments: 'none',
  logLevel: 'warning',
  ...SHORT,
};

/** `show` is what agents call most: main.cjs holds it. */
const FAST = 'src/cli/verbs/show.ts';
/** What a change of the board and a heartbeat need: the chunks these load at once are program.cjs. */
const CHANGES = [
  'src/cli/verbs/heartbeat.ts',
  'src/cli/verbs/note.ts',
  'src/identity/agent-sessions.ts',
  'src/ports/locks.ts',
  'src/protocol/leases.ts',
  'src/store/hand-edits.ts',
  'src/store/import.ts',
  'src/store/lease-records.ts',
  'src/store/transact.ts',
  'src/store/yaml-store.ts',
];
const YAML = 'src/store/yaml/library.ts';
const DIFF = 'src/store/yaml/diff-library.ts';
const ACP = 'src/providers/acp-library.ts';
const POSTGRES = 'src/ports/postgres-library.ts';
/** Modules and packages that most commands never need: each is a file of its own. */
const APART = { [YAML]: './yaml.cjs', [DIFF]: './diff.cjs', [ACP]: './acp.cjs', [POSTGRES]: './pg.cjs' };

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

/** The rows of the command table: those of a folder are loaded with the first that somebody asks for, a note's alone. */
const isRow = (module) => module?.startsWith('rows:') === true;
const groupOf = (file) => (file.endsWith('/notes.ts') ? 'notes' : file.split('/')[2]);

/** The table as getters. `$now(import(…))` is what asFunction makes a load of, there and then. */
const rowsWhenAsked = {
  name: 'rows when asked',
  setup({ onLoad, onResolve }) {
    const groups = new Map();
    onLoad({ filter: /protocol\/table\.ts$/ }, ({ path }) => {
      const from = new Map();
      const text = readFileSync(path, 'utf8').replace(
        /^import \{([^}]*)\} from '(\.\/commands\/[^']+)';$/gm,
        (_, names, file) => {
          const group = groupOf(file);
          groups.set(group, `${groups.get(group) ?? ''}export {${names}} from '${file}';`);
          for (const name of names.split(',')) from.set(name.trim(), group);
          return '';
        },
      );
      const contents = text.replace(/^ {2}(?:('[^']+'): )?(\w+),$/gm, (_, command, row) => {
        const name = command ?? `'${row}'`;
        return `  get ${name}() { return $now(import('rows:${from.get(row)}')).${row}; },`;
      });
      const left = [...from.keys()].filter((row) => row !== '' && !contents.includes(`).${row};`));
      if (from.size === 0 || left.length > 0 || contents.includes(`from './commands/`))
        throw new Error(`${path} is not written as the bundler reads it: ${left.join(', ')}`);
      return { contents, loader: 'ts' };
    });
    onResolve({ filter: /^rows:/ }, ({ path }) => ({ path: path.slice(5), namespace: 'rows' }));
    onLoad({ filter: /./, namespace: 'rows' }, ({ path }) => ({
      contents: groups.get(path),
      resolveDir: join(root, 'src', 'protocol'),
    }));
  },
};

/** As node itself wraps a CommonJS file; code-cache.ts runs it as a script. */
const wrapped = (...lines) =>
  ['(function (exports, require, module, __filename, __dirname) {', ...lines, '})'].join('\n');

/**
 * Shortens the names within functions, a tenth of what is downloaded. Those of the functions themselves stay, so that a
 * stack can be read: esbuild takes the names at the top of a script for everybody's.
 */
const shortLocals = async (script) => (await transform(script, { ...SHORT, minifyIdentifiers: true })).code.trimEnd();

/** A library's own names say nothing in a stack of ours, and take a tenth of what is downloaded. */
const LIBRARY = { minifyIdentifiers: true };

/** The validator that ACP's package brings can also write JSON Schemas, a seventh of it, which nobody asks for. */
const withoutJsonSchema = {
  name: 'without JSON Schema',
  setup({ onLoad }) {
    const filter = /zod\/v4\/core\/(to-json-schema|json-schema-processors|json-schema-generator)\.js$/;
    const refuse = "const no = () => { throw new Error('JSON Schema is not in this bundle'); };";
    // Makers are called for every type, what they make by nobody.
    const get = "(_, name) => name === '__esModule' || (String(name).startsWith('create') ? () => no : no)";
    onLoad({ filter }, () => ({ contents: `${refuse} module.exports = new Proxy({}, { get: ${get} });` }));
  },
};

/** The driver is given every setting, a password from ~/.pgpass too (store/postgres/password-file.ts): it looks for none. */
const withoutLooking = {
  name: 'without looking',
  setup({ onLoad }) {
    const made = (contents) => () => ({ contents });
    onLoad({ filter: /pgpass\/lib\/index\.js$/ }, made('module.exports = (_, done) => done();'));
    const refuse = "exports.parse = () => { throw new Error('an address is no text here'); };";
    onLoad({ filter: /pg-connection-string\/index\.js$/ }, made(refuse));
  },
};

/** Comments of SQL are for whoever reads the source, as all others are; and a statement needs no indentation. */
const shortSql = {
  name: 'short SQL',
  setup({ onLoad }) {
    onLoad({ filter: /store\/postgres\/schema\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8')
        .replaceAll(/^ *-- .*\n/gm, '')
        .replaceAll(/\n+ */g, '\n'),
      loader: 'ts',
    }));
  },
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
  const main = await bundle('main.cjs', {
    entryPoints: ['src/cli/main.ts'],
    plugins: [lazyImports(inProgram)],
    write: false,
    metafile: true,
    // A script's import() has no loader: lazy imports become require().
    supported: { 'dynamic-import': false },
  });
  mkdirSync(dist, { recursive: true });
  writeFileSync(join(dist, 'main.cjs'), wrapped(await shortLocals(main.outputFiles[0].text)));
  for (const [name, loader] of Object.entries({ 'dashboard.js': 'js', 'dashboard.css': 'css' })) {
    const { code } = await transform(readFileSync(join(root, 'web', name), 'utf8'), { loader, minify: true });
    writeFileSync(join(dist, name), code);
  }
  const [inRest] = await Promise.all([
    bundleProgram(dist, [...program].sort(), first),
    bundle('inside.cjs', { entryPoints: ['src/sandbox/mailbox-client.ts'] }),
    bundle('yaml.cjs', { ...fromText(`export * from './${YAML}'`), ...LIBRARY }),
    bundle('diff.cjs', { ...fromText(`export * from './${DIFF}'`), ...LIBRARY }),
    bundle('acp.cjs', { ...fromText(`export * from './${ACP}'`), ...LIBRARY, plugins: [withoutJsonSchema] }),
    bundle('pg.cjs', {
      ...fromText(`export * from './${POSTGRES}'`),
      ...LIBRARY,
      external: ['pg-native', 'pg-cloudflare'],
      plugins: [withoutLooking],
    }),
  ]);
  refuseTwoStates(modulesIn(main.metafile).filter((module) => inRest.includes(module)));
  const ids = Object.fromEntries(['main.cjs', ...PARTS].map((part) => [part, idOf(dist, part)]));
  await bundle('liza.cjs', {
    entryPoints: ['src/cli/entry.ts'],
    banner: { js: '#!/usr/bin/env node' },
    define: { PART_IDS: JSON.stringify(ids) },
  });
  chmodSync(join(dist, 'liza.cjs'), 0o755);
  return ids;
}

const PARTS = ['program.cjs', 'rest.cjs'];

const modulesIn = ({ outputs }) =>
  Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([module, { bytesInOutput }]) => (bytesInOutput > 0 ? [module] : [])),
  );

/** What a module remembers of its own: a variable with a first value, or a collection that begins empty. */
const STATE = /^(?:export )?(?:let \w+(?:: [^=\n]+)? = .*|const \w+(?:: [^=\n]+)? = new (?:Map|Set)(?:<.*>)?\(\);)$/m;

/**
 * main.cjs and the rest have copies of what both use. A module that remembers something would remember it twice: what one
 * part writes, the other never reads. Values that are made when they are first needed may be made twice.
 */
function refuseTwoStates(modules) {
  const bad = modules.flatMap((module) => {
    const [line] = STATE.exec(readFileSync(join(root, module), 'utf8')) ?? [];
    return line === undefined ? [] : [`${module}: ${line}`];
  });
  if (bad.length > 0)
    throw new Error(`in two parts of the program, with a state of its own in each:\n${bad.join('\n')}`);
}

/** program.cjs exports, as main.cjs expects it, for each source a function that loads it; both export their chunks. Answers the modules in them. */
async function bundleProgram(dist, entryPoints, first) {
  const { metafile, outputFiles } = await build({
    ...common,
    entryPoints,
    format: 'esm',
    splitting: true,
    metafile: true,
    write: false,
    outdir: dist,
    outbase: root,
    entryNames: '[name]-[hash]',
    chunkNames: '[hash]',
    plugins: [...first, shortSql, rowsWhenAsked, lazyImports(() => undefined)],
  });
  const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  const needed = neededAtOnce(metafile.outputs, CHANGES);
  const chunks = Object.entries(metafile.outputs).map(([path, output], at) => ({
    path,
    ...output,
    id: `${at}`,
    part: needed.has(path) ? PARTS[0] : PARTS[1],
  }));
  const byName = new Map(chunks.map((chunk) => [`./${basename(chunk.path)}`, chunk]));
  const sources = chunks.filter(({ entryPoint }) => entryPoint !== undefined);
  for (const part of PARTS) {
    const own = chunks.filter((chunk) => chunk.part === part);
    const functions = await Promise.all(
      own.map(async (chunk) => `"${chunk.id}":${await asFunction(chunk, texts.get(basename(chunk.path)), byName)}`),
    );
    const exported = own.map(({ id }) => `"${id}":()=>$load("${id}")`);
    const bySource =
      part === PARTS[0]
        ? sources
            .filter(({ entryPoint }) => !isRow(entryPoint))
            .map((each) => `"${each.entryPoint}":()=>$load("${nameIn(part, each)}")`)
        : [];
    const text = wrapped(
      LOADER,
      `const $chunks={${functions.join(',\n')}};`,
      `module.exports={${[...exported, ...bySource].join(',')}}`,
    );
    writeFileSync(join(dist, part), text);
  }
  return modulesIn(metafile);
}

/** How code of that part names a chunk; code-cache.ts resolves what is in another part. */
const nameIn = (part, chunk) => (chunk.part === part ? chunk.id : `${chunk.part}:${chunk.id}`);

/** The outputs that these sources load before anything runs, and the rows. */
function neededAtOnce(outputs, sources) {
  const found = new Set();
  const visit = (path) => {
    if (found.has(path)) return;
    found.add(path);
    for (const one of outputs[path].imports) if (!one.external && one.kind === 'import-statement') visit(one.path);
  };
  for (const [path, { entryPoint }] of Object.entries(outputs))
    if (sources.includes(entryPoint) || isRow(entryPoint)) visit(path);
  return found;
}

const LOADER = `
const $loaded=new Map();
function $load(name){
  if(!(name in $chunks))return require(name);
  if(!$loaded.has(name))$loaded.set(name,$chunks[name]());
  return $loaded.get(name);
}
async function $later(name){return $load(name)}`;

const IMPORT = /(?<=^|[;}])import(?:\{([^}]*)\}from|\*as ([\w$]+) from)?"([^"]+)"(?=;)/g;
const EXPORT = /(?<=^|[;}])export\{([^}]*)\};?\s*$/;
const NOW = /\$now\(import\("([^"]+)"\)\)/g;
const LAZY = /\bimport\("([^"]+)"\)/g;

/**
 * A chunk, which the bundler writes as an ES module, as a function that returns its exports. The program has no import
 * cycle and exports no variable that changes, so a copy of a binding is as good as the binding.
 */
async function asFunction({ path, part, imports, exports }, text, byName) {
  const idOf = (from) => (byName.has(from) ? nameIn(part, byName.get(from)) : from);
  // The bundler imports chunks of which nothing is used, for what loading them may do: a chunk with exports does nothing.
  const isNeedless = (from) => (byName.get(from)?.exports.length ?? 0) > 0;
  let found = 0;
  let exported = '';
  const body = text
    .replace(IMPORT, (_, names, all, from) => {
      found += 1;
      const bound = all ?? (names === undefined ? undefined : `{${names.replaceAll(' as ', ':')}}`);
      if (bound === undefined && isNeedless(from)) return '';
      return `${bound === undefined ? '' : `const ${bound}=`}$load("${idOf(from)}")`;
    })
    .replace(NOW, (_, from) => {
      found += 1;
      return `$load("${idOf(from)}")`;
    })
    .replace(LAZY, (_, from) => {
      found += 1;
      return `$later("${idOf(from)}")`;
    })
    .replace(EXPORT, (_, names) => {
      const pairs = names.split(',').map((each) => each.split(' as ').reverse().join(':'));
      found += pairs.length;
      exported = `return{${pairs.join(',')}}`;
      return '';
    });
  if (found !== imports.length + exports.length) throw new Error(`${path} could not be made a function`);
  return `()=>{"use strict";${await shortLocals(body)}${exported}}`;
}
