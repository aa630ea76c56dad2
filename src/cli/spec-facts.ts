// Looks whether the file behind a spec_ref is there. The path must stay inside the project, also
// after symlinks: a spec is something the project holds, and its text ends up in prompts.

import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type { SpecFacts } from '../protocol/command.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import { quoted } from '../protocol/ids.ts';
import { isInside } from './spec-exists.ts';

export async function specFacts(root: string, specRef: string | undefined): Promise<SpecFacts | Refusal> {
  if (specRef === undefined) return {};
  const there = look(root, specRef);
  return there === undefined ? outside(specRef) : { spec_exists: there };
}

/** Undefined when the path leads out of the project. */
function look(root: string, specRef: string): boolean | undefined {
  const path = specRef.split('#', 1)[0] ?? '';
  if (path.includes('\0') || isAbsolute(path) || path.split(/[\\/]/).includes('..')) return undefined;
  try {
    const real = realpathSync(resolve(root, path));
    return isInside(realpathSync(root), real) ? statSync(real).isFile() : undefined;
  } catch (error) {
    if (ABSENT.has((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG']);

const outside = (specRef: string): Refusal =>
  refuse(
    `the spec ${quoted(specRef)} is not inside the project`,
    'name a file below the project root, such as specs/vision.md#login',
    1,
    'spec-path',
  );
