// `liza validate`: what is wrong with a blackboard file, as lines and as data.

import { statSync } from 'node:fs';
import { realFiles } from '../ports/files.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import { checkFile, type Issue, issueLine } from '../store/check.ts';
import type { BoardContext } from '../store/context.ts';

export type Validated =
  | { readonly ok: true; readonly lines: readonly string[]; readonly data: Readonly<Record<string, unknown>> }
  | (Refusal & { readonly lines?: readonly string[]; readonly data?: Readonly<Record<string, unknown>> });

export async function validateFile(context: BoardContext | undefined, file: string): Promise<Validated> {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined || !stat.isFile()) return refuse(`there is no file ${file}`, 'name a state.yaml', 1, 'file');
  const issues = await checkFile(context?.files ?? realFiles, file, context);
  if ('ok' in issues) return issues;
  return issues.length === 0 ? { ok: true, lines: ['VALID'], data: { valid: true } } : invalid(issues);
}

function invalid(issues: readonly Issue[]): Validated {
  return {
    ...refuse(
      `${issues.length} ${issues.length === 1 ? 'issue' : 'issues'} found`,
      'mend them with liza edit, or with the command for each',
      1,
      'invalid',
    ),
    lines: issues.map((issue) => `INVALID: ${issueLine(issue)}`),
    data: { valid: false, issues },
  };
}
