// What a source file imports, read from its text: statements, re-exports and lazy imports. A lazy import whose module
// is not written out cannot be judged, so it counts as one of the name `COMPUTED`.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Import {
  readonly module: string;
  /** The bindings of a statement; empty where everything is taken, or nothing. */
  readonly names: readonly string[];
  /** Gone at run time. */
  readonly type: boolean;
  /** Loaded by its first use: it closes no cycle. */
  readonly lazy: boolean;
}

export const COMPUTED = '(computed)';

const SRC = join(import.meta.dirname, '../../src');

export const SOURCES = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /\.[mc]?[jt]sx?$/.test(name),
);

export const sourceOf = (file: string): string => readFileSync(join(SRC, file), 'utf8');

/** Comments import nothing. */
export const withoutComments = (text: string): string => text.replace(/^\s*(\/\/|\/?\*).*$/gm, '');

export function importsIn(source: string): readonly Import[] {
  const text = withoutComments(source);
  const statements = text.matchAll(
    /\b(?:import|export)\b( type)?(?: ?((?:type )?[\w*{][^'";]*?) ?from)? ?['"]([^'"\n]+)['"]/g,
  );
  const lazy = text.matchAll(/\bimport\(\s*(?:'([^'\n]+)'\s*\))?/g);
  return [
    ...[...statements].map(([, type, bindings = '', module = '']) => ({
      module,
      names: bindings.includes('{') ? namesIn(bindings) : [],
      type: type !== undefined,
      lazy: false,
    })),
    ...[...lazy].map(([, module = COMPUTED]) => ({ module, names: [], type: false, lazy: true })),
  ];
}

const namesIn = (bindings: string): readonly string[] =>
  bindings
    .replace(/^[^{]*\{|\}[^}]*$/g, '')
    .split(',')
    .map((one) => one.trim().split(' as ')[0] ?? '')
    .filter((one) => one !== '' && !one.startsWith('type '));
