// What an agent's command does besides what was asked: it notes a refusal for the next session, and brings what came
// since the prompt (notes, answers, questions, a moved integration branch), once each. Both never change the answer itself.
// News are told before they are noted as told: a crash in between repeats them, and loses none.

import { matchCredential, readSession, type SessionRecord, sessionIdOf } from '../identity/agent-sessions.ts';
import { storedName } from '../protocol/board.ts';
import { isRefusal } from '../protocol/decision.ts';
import { occasionOf } from '../protocol/definition/amendment.ts';
import { findTask } from '../protocol/find.ts';
import { historyOf } from '../protocol/leases.ts';
import { type News, newsSince, type SectionNews, specFiles, type Told, toldWith } from '../protocol/messages/news.ts';
import type { Reader } from '../protocol/messages/notes.ts';
import { EXIT_RETRACTED } from '../protocol/review/retracted.ts';
import type { State, Task } from '../protocol/state.ts';
import { defined, same } from '../protocol/values.ts';
import { noteRefused } from '../store/refused-commands.ts';
import { newsLock, readTold, specStamps, stampOf, writeTold } from '../store/session-news.ts';
import type { CommandContext, StoreContext } from '../store/transact.ts';
import { gist, listed } from '../text/format.ts';
import { redact, secretsOf } from '../text/redact.ts';
import type { Io } from './io.ts';
import { openBoard } from './open-board.ts';
import type { Result } from './verb.ts';

export interface Delivery {
  readonly news: readonly News[];
  /** They are printed. */
  delivered(): void;
  /** Printed or not, others may tell now. */
  close(): void;
}

const NOTHING: Delivery = { news: [], delivered: () => {}, close: () => {} };

/** `name`: what was typed. Whatever goes wrong here must not fail the command. */
export async function openDelivery(io: Io, name: string, result: Result): Promise<Delivery> {
  try {
    // It plays the agent itself, and is none of its commands.
    if (name === 'rehearse') return NOTHING;
    const context = openBoard(io);
    const record = isRefusal(context) ? undefined : sessionOf(io, context);
    if (isRefusal(context) || record === undefined) return NOTHING;
    if (!result.ok) await remember(io, context, record, { name, ...result });
    // Who has declared its exit reads no more: what came is for the next session.
    const isLast = result.ok && (result.silent === true || name === 'exit');
    return isLast ? NOTHING : await newsOf(io, context, record);
  } catch {
    return NOTHING;
  }
}

/** What this command's session would be told with its answer; nothing is noted as told. */
export async function unreadNews(io: Io): Promise<readonly News[]> {
  const context = openBoard(io);
  const record = isRefusal(context) ? undefined : sessionOf(io, context);
  if (isRefusal(context) || record === undefined) return [];
  const { agent, role, task } = record;
  const { told } = readTold(context, agent, sessionIdOf(record));
  return newsSince((await context.store.read()).board.state, { agent, role, task }, told);
}

/** The session whose credential this process has, while it lasts. */
function sessionOf({ env }: Io, context: StoreContext): SessionRecord | undefined {
  const { LIZA_AGENT_ID: id, LIZA_SESSION: credential } = env;
  const record = id === undefined ? undefined : readSession(context, storedName(id));
  if (record === undefined || credential === undefined || record.ended !== undefined) return undefined;
  return matchCredential(record, credential) === 'current' ? record : undefined;
}

interface Answered {
  readonly name: string;
  readonly message: string;
  readonly hint: string;
}

async function remember(
  { env }: Io,
  context: StoreContext,
  record: SessionRecord,
  { name, message, hint }: Answered,
): Promise<void> {
  const { progressCount } = await import('../supervisor/rules/progress.ts');
  const secrets = secretsOf(env);
  noteRefused(context, record.agent, {
    session: sessionIdOf(record),
    text: redact(`liza ${name}: ${message} → ${hint}`, secrets),
    fact: redact(message, secrets),
    done: progressCount((await context.store.read()).board, record.agent),
  });
}

/** Another command of the same session that tells them at this very moment is waited for. */
const PATIENCE_MS = 5000;

async function newsOf(io: Io, context: StoreContext, record: SessionRecord): Promise<Delivery> {
  const { agent } = record;
  const session = sessionIdOf(record);
  const before = readTold(context, agent, session);
  const isSpecKnown = before.specs !== undefined && same(before.specs, specStamps(context, Object.keys(before.specs)));
  const first = stampOf(context);
  if (first !== undefined && before.seen === first && isSpecKnown) return NOTHING;
  const reader: Reader = { agent, role: record.role, task: record.task };
  const specs = specStamps(context, specFiles((await context.store.read()).board.state, reader));
  if (!isSpecKnown) await noticeSpecs(context, reader);
  const seen = stampOf(context);
  const { state } = (await context.store.read()).board;
  const looked = { specs, ...defined({ seen }) };
  if (newsSince(state, reader, before.told).length === 0) {
    writeTold(context, agent, { ...before, ...looked });
    return NOTHING;
  }
  const lock = await context.locks.acquire(newsLock(context, agent), PATIENCE_MS);
  if (!('release' in lock)) return NOTHING;
  const { told } = readTold(context, agent, session);
  const found = await Promise.all(newsSince(state, reader, told).map((one) => whole(context, state, one)));
  return {
    news: found.map((one) => clean(one, secretsOf(io.env))),
    delivered: () => {
      const all = both(told, toldWith(state, reader));
      writeTold(context, agent, { session, told: all, ...looked });
    },
    close: lock.release,
  };
}

/** Where no crew looks at the specs all the time, the command of the one who builds on them does; Liza records it. */
async function noticeSpecs(context: StoreContext, { role, task: id }: Reader): Promise<void> {
  const { state } = (await context.store.read()).board;
  const { noticeSpecChange, noticeSpecFiles } = await import('../tasks/notice-spec.ts');
  const asLiza: CommandContext = { ...context, actor: { parts: ['supervisor'] } };
  const task = findTask(state, id ?? '');
  if (role === 'planner') await noticeSpecFiles(asLiza, state);
  else if (task !== undefined) await noticeSpecChange(asLiza, task);
}

const both = (before: Told, now: Told): Told => ({
  ...now,
  notes: [...new Set([...before.notes, ...now.notes])],
  specs: now.specs,
});

const MOST_FILES = 30;

/** With the files that a move of the integration branch touched, and how a section changed, as far as they are known. */
async function whole(context: StoreContext, state: State, news: News): Promise<News> {
  if (news.kind === 'spec') {
    if (news.before !== undefined) return withSections(context, state, news, news.before);
    return news.known === undefined ? news : withDiff(context, state, news, news.known);
  }
  if (news.kind === 'question') return answerable(state, news);
  if (news.kind !== 'integration') return news;
  // Loaded only here: agents look at their task all the time, and that must stay cheap.
  const [{ openGitDir }, { pathsBetween }] = await Promise.all([
    import('../git/integration.ts'),
    import('../git/folder-snapshot.ts'),
  ]);
  const gitDir = await openGitDir(context, { state });
  if (isRefusal(gitDir)) return news;
  return { ...news, files: (await pathsBetween(gitDir, news.from, news.to)).slice(0, MOST_FILES) };
}

/** Where the planner's answer would not free the task: what it can do instead. */
async function answerable(state: State, news: QuestionNews): Promise<News> {
  const task = news.assume === undefined ? findTask(state, news.task ?? '') : undefined;
  if (task?.status !== 'BLOCKED') return news;
  const { whyNotFreed } = await import('../protocol/messages/answerable.ts');
  return { ...news, ...defined({ instead: whyNotFreed(state, task) }) };
}

const MOST_DIFF = 40;

/** `known`: the hash of the text that the session has read. */
async function withDiff(
  { disk, files, paths }: StoreContext,
  state: State,
  news: SpecNews,
  known: string,
): Promise<News> {
  const task = findTask(state, news.task ?? '');
  const { hasLostHeading, keptSpec, readSpec, specDiff } = await import('../store/spec-texts.ts');
  const before = keptSpec({ files, paths }, textKnown(task, known));
  const now = readSpec(disk, paths.root, news.spec);
  if (before === undefined || now === undefined) return news;
  if (hasLostHeading(news.spec, before, now)) return { ...news, headingGone: true };
  const lines = (await specDiff(before, now.text)).text.split('\n');
  return { ...news, diff: { text: lines.slice(0, MOST_DIFF).join('\n'), more: Math.max(0, lines.length - MOST_DIFF) } };
}

/** Once a heading is gone, its text is the whole file's: of the section the session knows what it was before that. */
function textKnown(task: Task | undefined, known: string): string {
  const gone = (task === undefined ? [] : historyOf(task)).findLast(
    (entry) => entry.heading_gone === true && entry.hash === known,
  );
  return typeof gone?.before === 'string' ? gone.before : known;
}

async function withSections(context: StoreContext, state: State, news: SpecNews, before: string): Promise<News> {
  const { changesSince } = await import('../store/spec-sections.ts');
  const sections = await changesSince(context, state, { spec: news.spec, before });
  return sections === undefined || sections.length === 0 ? news : { ...news, sections };
}

/** What somebody wrote may hold a secret, and what an agent reads goes to a model. */
function clean(news: News, secrets: readonly string[]): News {
  if (!('text' in news)) return news;
  const text = redact(news.text, secrets);
  if (news.kind === 'spec' && news.sections !== undefined)
    return { ...news, text, sections: news.sections.map((one) => ({ ...one, text: redact(one.text, secrets) })) };
  if (news.kind === 'answer') return { ...news, text, question: redact(news.question, secrets) };
  if ((news.kind === 'question' || news.kind === 'reopened') && news.assume !== undefined)
    return { ...news, text, assume: redact(news.assume, secrets) };
  if (news.kind !== 'spec' || news.diff === undefined) return { ...news, text };
  return { ...news, text, diff: { ...news.diff, text: redact(news.diff.text, secrets) } };
}

/** For stderr. Quoted, so that nothing in a note can pose as an answer of Liza's. */
export function newsLines(news: News): readonly string[] {
  switch (news.kind) {
    case 'note':
      return [
        `news: ${news.id} from the person, for ${news.for ?? 'everyone'}, ${news.time}:`,
        ...quoted(news.text),
        ...(news.own === true ? [`  When you have handled it: liza note done ${news.id} --why "…"`] : []),
      ];
    case 'answer':
      return [
        `news: ${news.id} is answered by ${news.by}${news.asAssumed === true ? ', as it was assumed' : ''}, ${news.time}:`,
        ...quoted(`Q: ${news.question}`),
        ...quoted(`A: ${news.text}`),
        ...(news.replan === undefined
          ? []
          : [
              `  Your checkpoint is older than this answer. If your plan changes, record it again now: liza begin ${news.replan} --intent "…" --risks "…" --validation "…" --file <path>`,
            ]),
        ...(news.built === undefined
          ? []
          : [
              `  Built on the assumption: ${listed(news.built, 10)}. Where the answer differs: liza amend <task> --done "…" (of a CLAIMED one too: its coder is told), and for what is merged liza add-task --because ${news.id}`,
            ]),
      ];
    case 'reopened':
      return [
        `news: ${news.id} is open again: its answer was withdrawn, ${news.time}:`,
        ...quoted(`Q: ${news.text}`),
        ...(news.assume === undefined ? [] : quoted(`Until there is a new answer: ${news.assume}`)),
      ];
    case 'spec':
      return specLines(news);
    case 'report':
      return [`news: ${news.id} (${news.about}) about your task, by ${news.by}, ${news.time}:`, ...quoted(news.text)];
    case 'amended':
      return [
        `news: ${news.task} was amended by ${news.by}, ${news.time}, ${occasionOf(news)}; it applies from now on, and does not count as your failure:`,
        ...quoted(news.text),
        ...(news.replan === true
          ? [
              `  Your checkpoint is older. If your plan changes, record it again now: liza begin ${news.task} --intent "…" --risks "…" --validation "…" --file <path>`,
            ]
          : []),
      ];
    case 'retracted':
      return [
        `news: ${news.by} retracted its submission of ${news.task}, ${news.time}; no verdict is needed. Stop now: ${EXIT_RETRACTED}`,
        ...quoted(news.text),
      ];
    case 'blocked':
      return [
        `news: ${news.task} is BLOCKED by ${news.by}, ${news.time}; it does not count as your failure, and nothing more is needed from you:`,
        ...quoted(news.text),
        ...(news.folder === undefined
          ? []
          : [`  Your commits and files stay in ${news.folder}; the planner decides what becomes of them.`]),
        '  Stop now: liza exit 42 --reason "blocked"',
      ];
    case 'trial':
      return trialLines(news);
    case 'question':
      return questionLines(news);
    case 'discovery':
      return [
        `news: ${news.head}, ${news.time}:`,
        ...quoted(gist(news.text, LONGEST_FOUND)),
        `  If it needs work: add a task, then liza discovery convert ${news.id} <task>; if not: liza discovery dismiss ${news.id} --reason "…"${news.text.length > LONGEST_FOUND ? `; all of it: liza show ${news.id}` : ''}`,
      ];
    case 'integration': {
      const files = news.files.length === 0 ? 'no file that git can name' : news.files.join(', ');
      return [`news: integration moved to ${news.to.slice(0, 12)}: ${files}; rebase only if you need them`];
    }
    default:
      return news satisfies never;
  }
}

const LONGEST_FOUND = 1000;

/** Whole: a planner that answers half a question answers another one. */
function questionLines({ id, by, time, task, text, assume, instead }: QuestionNews) {
  const isHeld = assume === undefined && task !== undefined;
  const about = task === undefined ? '' : isHeld ? `, and ${task} is BLOCKED by it` : ` on ${task}`;
  return [
    `news: ${id} was asked by ${by}${about}, ${time}:`,
    ...quoted(`Q: ${text}`),
    ...(assume === undefined ? [] : quoted(`assumed: ${assume}`)),
    instead !== undefined
      ? `  ${instead}`
      : `  If you know: liza answer ${id} "…"${isHeld ? '; its coder continues with it' : `; if the assumption is right: liza answer ${id} --accept`}; if only a person knows: leave it open, Liza shows it to them`,
  ];
}

function trialLines({
  task,
  time,
  text,
  cannotRun,
  changesFiles,
  amends,
  coder,
}: Extract<News, { readonly kind: 'trial' }>) {
  const held = coder === undefined ? '' : ` (${coder} works on it and is told)`;
  const remedy =
    amends === true
      ? `  Misspelt, or not in this project: liza amend ${task} --validate "…"${held}; if the task creates it, leave it.`
      : `  If your change does not create what cannot be run: the planner is told too and may replace it; if you cannot continue without it: liza block ${task} --reason "…" --question "…"`;
  return [
    `news: Liza tried the validation of ${task} on the base, without any change, ${time}:`,
    ...quoted(text),
    ...(cannotRun === true ? [remedy] : []),
    ...(changesFiles === true
      ? [
          amends === true
            ? `  What changes tracked files spoils the worktree of who runs it; let it work on a copy: liza amend ${task} --validate "…"${held}`
            : '  What changes tracked files does so in your worktree, too: commit first, and after it git restore those files.',
        ]
      : []),
  ];
}

type QuestionNews = Extract<News, { readonly kind: 'question' }>;
type SpecNews = Extract<News, { readonly kind: 'spec' }>;

const MOST_SECTIONS = 6;

/** A planner's: what each section became, and who builds on it. */
function sectionLines({ spec, time }: SpecNews, sections: readonly SectionNews[]): readonly string[] {
  const more = sections.length - MOST_SECTIONS;
  return [
    ...sections.slice(0, MOST_SECTIONS).flatMap((one) => {
      const lines = one.text.split('\n');
      const rest = lines.length - MOST_DIFF;
      return [
        `news: ${one.spec} ${one.kind === 'changed' ? 'changed' : `is ${one.kind}`}, ${time}; on it: ${one.tasks.length === 0 ? 'no task' : listed(one.tasks, 10)}`,
        ...(one.text === '' ? [] : quoted(lines.slice(0, MOST_DIFF).join('\n'))),
        ...(rest > 0 ? [`  (${rest} more lines: read ${spec})`] : []),
      ];
    }),
    ...(more > 0 ? [`  (${more} more sections: read ${spec})`] : []),
  ];
}

function specLines(news: SpecNews): readonly string[] {
  const { spec, time, text, task, diff, sections, headingGone } = news;
  if (sections !== undefined) return sectionLines(news, sections);
  if (headingGone === true)
    return [
      `news: the heading of ${spec} is gone from the file, ${time}; find where its text went, or ask: liza ask "…" --task ${task} --assume "…"`,
    ];
  if (diff?.text === '') return [`news: ${spec} applies, ${time}; its text is as you know it`];
  const head = `news: ${spec} changed, ${time}; its current text applies`;
  if (diff === undefined) return [`${head}:`, ...quoted(text)];
  return [
    `${head}. Since you last read it:`,
    ...quoted(diff.text),
    ...(diff.more === 0 ? [] : [`  (${diff.more} more lines; since the task was created: liza show ${task} --spec)`]),
  ];
}

const quoted = (text: string): readonly string[] => text.split(/\r\n?|\n/).map((line) => `  | ${line}`);
