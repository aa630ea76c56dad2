// Checks a blackboard file as it is on the disk against YAML, schema and invariants; each issue has path and line. This
// is what `liza validate` prints and what the watcher raises as INVALID STATE. Takes no lock, changes nothing and trusts
// nothing: it reads neither cache nor journal.

import type { Files } from '../ports/files.ts';
import type { Refusal } from '../protocol/decision.ts';
import { type Violation, validate } from '../protocol/invariants.ts';
import { RECORD_SECTIONS, type TaskStatus } from '../protocol/state.ts';
import { assemble } from './assemble.ts';
import { decode, readIfFile, SIZE_LIMIT } from './bounded-text.ts';
import type { BoardContext } from './context.ts';
import { normalise } from './file-values.ts';
import { refuseNewer } from './version.ts';
import { type BoardDocument, parseDocument } from './yaml/document.ts';

export interface Issue {
  readonly message: string;
  readonly path?: string;
  readonly line?: number;
}

/** What is wrong with the file; none: it is valid. `context`: of the project around it, if there is one. */
export async function checkFile(
  files: Files,
  file: string,
  context?: BoardContext,
): Promise<readonly Issue[] | Refusal> {
  const doc = await documentIn(files, file);
  if ('message' in doc) return [doc];
  const newer = refuseNewer(doc);
  if (newer !== undefined) return newer;
  const own = context !== undefined && file === context.paths.state;
  const archived = own ? archivedIn(context, doc) : new Map<string, TaskStatus>();
  return validate(filled(doc), archived).map((problem) => located(doc, problem));
}

/** `tasks.0.status (line 12): must be …` */
export function issueLine({ message, path, line }: Issue): string {
  return path === undefined ? message : `${path}${line === undefined ? '' : ` (line ${line})`}: ${message}`;
}

/** null sections count as empty, missing ones are missing. */
function filled(doc: BoardDocument): unknown {
  const { state } = normalise(doc.value);
  return Object.fromEntries(Object.entries(state).filter(([section]) => section in doc.value));
}

async function documentIn(files: Files, file: string): Promise<BoardDocument | Issue> {
  const size = files.stat(file)?.size ?? 0n;
  if (size > BigInt(SIZE_LIMIT)) return { message: `${file} is larger than 64 MB and is not read` };
  const bytes = readIfFile(files, file);
  if (bytes === undefined)
    return { message: files.stat(file) === undefined ? 'it is not there' : 'it is not a regular file' };
  const text = decode(bytes);
  if (text === undefined) return { message: 'it is not UTF-8 text' };
  const parsed = await parseDocument(text, { recordSections: RECORD_SECTIONS });
  if (parsed.ok) return parsed.doc;
  return { message: `line ${parsed.line}, column ${parsed.column}: ${parsed.message} (${parsed.hint})` };
}

function archivedIn(context: BoardContext, doc: BoardDocument): ReadonlyMap<string, TaskStatus> {
  const { state } = normalise(doc.value);
  return Array.isArray(state.tasks) ? assemble(context, state).archived : new Map();
}

function located(doc: BoardDocument, { path, message }: Violation): Issue {
  const line = lineOf(doc, path);
  return { message, path: path.join('.'), ...(line === undefined ? {} : { line: line + 1 }) };
}

/** The line, from 0, of the record, or of a field that has a line of its own; undefined: there is no such part. */
function lineOf(doc: BoardDocument, path: readonly (string | number)[]): number | undefined {
  const section = doc.sections.find((candidate) => candidate.key === path[0]);
  if (section === undefined) return undefined;
  if (section.kind === 'whole') return fieldLine(doc.text, section, path.slice(1));
  const key = path[1];
  const record =
    typeof key === 'number' ? section.records[key] : section.records.find((candidate) => candidate.key === key);
  return record === undefined ? section.line : fieldLine(doc.text, record, path.slice(2));
}

function fieldLine(
  text: string,
  span: { readonly start: number; readonly end: number; readonly line: number },
  path: readonly (string | number)[],
): number {
  const field = path[0];
  if (typeof field !== 'string') return span.line;
  const lines = text.slice(span.start, span.end).split('\n');
  const at = lines.findIndex((line) => line.replace(/^[\s-]+/, '').startsWith(`${field}:`));
  return span.line + Math.max(at, 0);
}
