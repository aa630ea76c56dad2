// The last result of pre-flight, kept for `liza doctor` and for the next run. Derived: without it, everything is checked.

import { join } from 'node:path';
import { replaceFile } from '../ports/files.ts';
import type { BoardContext } from '../store/context.ts';
import type { PreflightResult } from './rules/result.ts';

const fileOf = ({ paths }: BoardContext): string => join(paths.liza, 'cache', 'preflight.json');

/** Undefined: there is none that can be read. */
export function readResult(context: BoardContext): PreflightResult | undefined {
  try {
    const found = JSON.parse(context.disk.readFileSync(fileOf(context), 'utf8')) as Partial<PreflightResult>;
    return typeof found.time === 'string' && Array.isArray(found.checks) ? (found as PreflightResult) : undefined;
  } catch {
    return undefined;
  }
}

export function saveResult(context: BoardContext, result: PreflightResult): void {
  context.disk.mkdirSync(join(context.paths.liza, 'cache'), { recursive: true });
  replaceFile(context.files, fileOf(context), Buffer.from(`${JSON.stringify(result, null, 2)}\n`), false);
}
