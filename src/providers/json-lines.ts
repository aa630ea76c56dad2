// Reads what a CLI printed: JSON of any shape, looked at one field at a time. Whatever a line holds, nothing
// here throws, and what comes out is short: a CLI's next version may print anything.

import { gist } from '../text/format.ts';
import type { AgentEvent } from './provider.ts';

export type Json = Readonly<Record<string, unknown>>;

/** More than this in one line is not read: no event of any CLI comes near. */
const LINE_LIMIT = 4 * 1024 * 1024;
const TEXT_LIMIT = 400;

/** The line as an object; undefined for anything else. */
export function record(line: string): Json | undefined {
  if (line.length > LINE_LIMIT || !line.trimStart().startsWith('{')) return undefined;
  try {
    return object(JSON.parse(line));
  } catch {
    return undefined;
  }
}

export const object = (value: unknown): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;

export const objects = (value: unknown): readonly Json[] =>
  Array.isArray(value) ? value.map(object).filter((item) => item !== undefined) : [];

export const string = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** A count; anything that is not a number ≥ 0, or more than any session could come to, is not one. */
export const amount = (value: unknown): number | undefined => upTo(1e13, value);

/** Money, in dollars. */
export const dollars = (value: unknown): number | undefined => upTo(1e6, value);

const upTo = (most: number, value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && value <= most ? value : undefined;

/** One line of an agent's doing. Colours and other control sequences are no part of it. */
export const line = (text: string, limit = TEXT_LIMIT): string =>
  gist(text.slice(0, limit * 8).replace(/\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f]/g, ''), limit);

export function activity(text: string | undefined): readonly AgentEvent[] {
  const shown = line(text ?? '');
  return shown === '' ? [] : [{ kind: 'activity', text: shown }];
}

/** What a tool call is about, most telling field first. */
const TELLING = ['file_path', 'filePath', 'path', 'pattern', 'query', 'url', 'description', 'prompt'];

/** `Bash: npm test`. */
export function tool(name: string | undefined, input: unknown): readonly AgentEvent[] {
  const fields = object(input) ?? {};
  const command = textOf(fields['command']) ?? textOf(fields['cmd']);
  const about =
    command === undefined
      ? TELLING.map((field) => textOf(fields[field])).find((value) => value !== undefined)
      : shellLine(command, string(fields['description']));
  return activity([name ?? 'tool', about].filter((part) => part !== undefined).join(': '));
}

const textOf = (value: unknown): string | undefined =>
  string(Array.isArray(value) ? value.filter((part) => typeof part === 'string').join(' ') : value);

/**
 * A shell command as one line that may be cut anywhere. Of one that branches only the first part runs in any case: cut in
 * the middle, the rest would tell of a verdict that was never given. Then what the agent calls it is told, or that part.
 */
export function shellLine(whole: string, said?: string): string {
  const command = whole.slice(0, MOST_READ);
  const end = firstEnd(command);
  if (end === undefined || !BRANCHES.test(withoutQuoted(command))) return command;
  return said ?? `${command.slice(0, end).trim()}; … (the rest depends on it)`;
}

/** One line of some hundred characters becomes of it; an agent may write megabytes that look like a command. */
const MOST_READ = 4000;

const BRANCHES = /(?:^|[\n;&|({]\s*|\b(?:do|then|else)\s+)(?:if|while|until|for|case)\s|\|\|/;

const withoutQuoted = (command: string): string => command.replace(/'[^']*'|"(?:[^"\\]|\\.)*"/g, '""');

/** Where its first part ends, outside quotes. */
function firstEnd(command: string): number | undefined {
  for (const { 0: found, index } of command.matchAll(/'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[;\n]|&&|\|\|/g))
    if (/^(?:[;\n]|&&|\|\|)$/.test(found)) return index;
  return undefined;
}

/** How full the context is; past the window is full. */
export function context(used: number | undefined, window: number | undefined): readonly AgentEvent[] {
  if (used === undefined || window === undefined || window <= 0 || used <= 0) return [];
  return [{ kind: 'context', percent: Math.min(100, Math.round((used / window) * 1000) / 10) }];
}

/** An agent can write into its CLI's stream: what is no plain id would be an option of the next session's CLI. */
export const sessionNamed = (id: string | undefined): readonly { readonly kind: 'session'; readonly id: string }[] =>
  id !== undefined && /^[A-Za-z0-9][\w.:-]{0,199}$/.test(id) ? [{ kind: 'session', id }] : [];
