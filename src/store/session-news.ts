// agents/<id>.news: what the running session of an agent has been told. The supervisor writes it when the session begins,
// with what the prompt says; each command that brings news writes it anew, after they were printed. Without it, or after
// a crash in between, something is told twice rather than never.

import { join } from 'node:path';
import { replaceFile } from '../ports/files.ts';
import type { Told } from '../protocol/messages/news.ts';
import { type Fields, isFields } from '../protocol/values.ts';
import type { BoardContext } from './context.ts';

export interface ToldSession {
  /** The id of the session. */
  readonly session: string;
  readonly told: Told;
  /** state.yaml as it was when it was last looked at: unchanged, it holds no news. */
  readonly seen?: string;
  /** The spec files that it builds on, as they were then; a record of an earlier version has none. */
  readonly specs?: Readonly<Record<string, string>>;
}

type Place = Pick<BoardContext, 'files' | 'paths'>;

const fileOf = ({ paths }: Place, agent: string): string => join(paths.agents, `${agent}.news`);

export const newsLock = ({ paths }: Place, agent: string): string => join(paths.agents, `${agent}.news.lock`);

/** Never in the way of what was asked: where it cannot be written, something is told again. */
export function writeTold(place: Place, agent: string, told: ToldSession): void {
  try {
    replaceFile(place.files, fileOf(place, agent), Buffer.from(`${JSON.stringify(told)}\n`), false);
  } catch {
    // The next command tries again.
  }
}

/** Of another session, or not to be read: nothing was told. */
export function readTold(place: Place, agent: string, session: string): ToldSession {
  const nothing: ToldSession = { session, told: { notes: [], answers: [], specs: [], reports: [] } };
  try {
    const found: unknown = JSON.parse(place.files.read(fileOf(place, agent))?.toString('utf8') ?? 'null');
    if (!isFields(found) || found['session'] !== session || !isFields(found['told'])) return nothing;
    const { notes, answers, specs, section, reports, amended, retracted, blocked, trials, integration } = found['told'];
    const { questions, discoveries } = found['told'];
    return {
      session,
      told: {
        notes: texts(notes),
        answers: texts(answers),
        specs: texts(specs),
        ...(typeof section === 'string' ? { section } : {}),
        reports: texts(reports),
        amended: texts(amended),
        retracted: texts(retracted),
        blocked: texts(blocked),
        trials: texts(trials),
        questions: texts(questions),
        discoveries: texts(discoveries),
        ...(typeof integration === 'string' ? { integration } : {}),
      },
      ...(typeof found['seen'] === 'string' ? { seen: found['seen'] } : {}),
      ...(isFields(found['specs']) ? { specs: stamps(found['specs']) } : {}),
    };
  } catch {
    return nothing;
  }
}

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

const stamps = (value: Fields): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(value).flatMap(([spec, stamp]) => (typeof stamp === 'string' ? [[spec, stamp]] : [])),
  );

/** Each file with what changes when somebody saves it. */
export const specStamps = ({ files, paths }: Place, specs: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(specs.map((spec) => [spec, stampAt(files, join(paths.root, spec)) ?? '']));

/** Changes with every commit and every save; undefined: the file is not there to be told by. */
export const stampOf = ({ files, paths }: Place): string | undefined => stampAt(files, paths.state);

function stampAt(files: Place['files'], path: string): string | undefined {
  const stat = files.stat(path);
  return stat === undefined ? undefined : `${stat.ino}.${stat.size}.${stat.mtimeNs}`;
}
