// Checks a blackboard file as it lies there: YAML, schema, invariants, each issue with path and line.
// Takes no lock, changes nothing and trusts nothing: the cache is not looked at.

import { readFileSync, statSync } from 'node:fs';
import { type Refusal, refuse } from '../core/decision.ts';
import { type Violation, validate } from '../core/invariants.ts';
import { RECORD_SECTIONS, type TaskStatus } from '../core/state.ts';
import { assemble } from '../store/assemble.ts';
import type { Context } from '../store/context.ts';
import { normalise } from '../store/normal.ts';
import { decode, SIZE_LIMIT } from '../store/text.ts';
import { refuseNewer } from '../store/version.ts';
import { type BoardDocument, parseDocument } from '../store/yaml/document.ts';
import { lineOf } from '../store/yaml/place.ts';

export type Validated =
  | { readonly ok: true; readonly lines: readonly string[]; readonly data: Readonly<Record<string, unknown>> }
  | (Refusal & { readonly lines?: readonly string[]; readonly data?: Readonly<Record<string, unknown>> });

export async function validateFile(context: Context | undefined, file: string): Promise<Validated> {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined || !stat.isFile()) return refuse(`there is no file ${file}`, 'name a state.yaml', 1, 'file');
  if (stat.size > SIZE_LIMIT) return invalid([{ message: `${file} is larger than 64 MB and is not read` }]);
  const bytes = readFileSync(file);
  const own = context !== undefined && file === context.paths.state;
  const doc = await documentIn(bytes);
  if ('message' in doc) return invalid([doc]);
  const newer = refuseNewer(doc);
  if (newer !== undefined) return newer;
  const archived = own ? archivedIn(context, doc) : new Map<string, TaskStatus>();
  const problems = validate(filled(doc), archived);
  if (problems.length === 0) return { ok: true, lines: ['VALID'], data: { valid: true } };
  return invalid(problems.map((problem) => located(doc, problem)));
}

/** null sections count as empty, missing ones are missing. */
function filled(doc: BoardDocument): unknown {
  const { state } = normalise(doc.value);
  return Object.fromEntries(Object.entries(state).filter(([section]) => section in doc.value));
}

async function documentIn(bytes: Buffer): Promise<BoardDocument | { readonly message: string }> {
  const text = decode(bytes);
  if (text === undefined) return { message: 'it is not UTF-8 text' };
  const parsed = await parseDocument(text, { recordSections: RECORD_SECTIONS });
  if (parsed.ok) return parsed.doc;
  return { message: `line ${parsed.line}, column ${parsed.column}: ${parsed.message} (${parsed.hint})` };
}

function archivedIn(context: Context, doc: BoardDocument): ReadonlyMap<string, TaskStatus> {
  const { state } = normalise(doc.value);
  return Array.isArray(state.tasks) ? assemble(context, state).archived : new Map();
}

function located(doc: BoardDocument, { path, message }: Violation): { message: string; path: string; line?: number } {
  const line = lineOf(doc, path);
  return { message, path: path.join('.'), ...(line === undefined ? {} : { line: line + 1 }) };
}

function invalid(issues: readonly { message: string; path?: string; line?: number }[]): Validated {
  const where = ({ path, line }: { path?: string; line?: number }) =>
    path === undefined ? '' : `${path}${line === undefined ? '' : ` (line ${line})`}: `;
  return {
    ...refuse(
      `${issues.length} ${issues.length === 1 ? 'issue' : 'issues'} found`,
      'mend them with liza edit, or with the command for each',
      1,
      'invalid',
    ),
    lines: issues.map((issue) => `INVALID: ${where(issue)}${issue.message}`),
    data: { valid: false, issues },
  };
}
