// `liza begin <task>`: the checkpoint before the first change of an iteration. It binds to the worktree's HEAD, so that a
// checkpoint written after the code is refused; with --set-aside what came before is kept and the folder put back first.

import { join } from 'node:path';
import type { Checkpoint, WorktreeFacts } from '../../protocol/command.ts';
import { isRefusal, type Refusal, refuse } from '../../protocol/decision.ts';
import { thinFields } from '../../protocol/definition/plan-words.ts';
import { defined } from '../../protocol/values.ts';
import { isBrokered } from '../../sandbox/mailbox-commands.ts';
import type { TaskContext } from '../../tasks/context.ts';
import { severalIn } from '../../text/several.ts';
import { some } from '../args.ts';
import { readJson } from '../input.ts';
import type { Io } from '../io.ts';
import { openTaskContext, runCommand } from '../open-project.ts';
import type { Args, Result, Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [{ name: 'task', kind: 'task', description: 'Your task.' }],
  options: {
    intent: { value: 'text', description: 'What you are going to do.' },
    assume: { value: 'text', repeat: true, description: 'Something you assume.' },
    risks: { value: 'text', description: 'What could go wrong.' },
    validation: { value: 'text', repeat: true, description: 'How you will check it, and the result you expect.' },
    file: { value: 'path', repeat: true, description: 'A file you are going to change; commas separate several.' },
    also: {
      value: 'path',
      repeat: true,
      description: 'Later: one more file, which the plan did not name; commas separate several.',
    },
    reason: { value: 'text', description: 'Why that file is needed; with --also.' },
    'set-aside': { description: 'First keep the commits and files that came before, and reset the worktree.' },
    'json-file': { value: 'file', kind: 'file', description: 'All of it as JSON instead; - reads stdin.' },
  },
  examples: [
    'liza begin retry-login --intent "wrap login() in retry()" --risks "login is not idempotent" --validation "npm test: auth.test passes, 3 retries seen" --file src/auth.ts --file test/auth.test.ts',
    'liza begin retry-login --also src/http.ts --reason "the retry needs its error codes"',
    `echo '{"intent":"…","assumptions":[],"risks":"…","validation":"…","files_to_modify":["src/auth.ts"]}' | liza begin retry-login --json-file -`,
  ],
  run: async (args, io) => {
    if (args.flag('also')) return declare(args, io);
    const plan = args.flag('json-file') ? await fromJson(io, args.must('json-file')) : fromFlags(args);
    if (isRefusal(plan)) return plan;
    const context = await openTaskContext(io);
    if (isRefusal(context)) return context;
    const task = args.must('task');
    const files_to_modify = await eachFile(context, task, plan.files_to_modify);
    const checkpoint = { ...plan, files_to_modify };
    const aside = args.flag('set-aside')
      ? await putAside(context, { task, checkpoint, brokered: isBrokered(io.env) })
      : [];
    if ('ok' in aside) return aside;
    const found = await factsFor(context, task);
    if (isRefusal(found)) return found;
    return runCommand(context, { name: 'begin', task, checkpoint, ...found }, () => ({
      lines: aside,
      ...(aside.length === 0 ? {} : { data: { set_aside: aside } }),
    }));
  },
};

/** No new plan: files are added to the one that there is. */
async function declare(args: Args, io: Io): Promise<Result> {
  const more = ['intent', 'assume', 'risks', 'validation', 'file', 'set-aside', 'json-file'].find((name) =>
    args.flag(name),
  );
  if (more !== undefined) {
    return refuse(
      `--also adds files to the existing plan, and --${more} belongs to a new one`,
      'give --also and --reason alone',
      2,
      'usage',
    );
  }
  const context = await openTaskContext(io);
  if (isRefusal(context)) return context;
  const [task, reason] = [args.must('task'), args.text('reason') ?? ''];
  const files = await eachFile(context, task, args.all('also'));
  const folders = await foldersAmong(context, task, files);
  return runCommand(context, { name: 'declare', task, files, reason, ...defined({ folders: some(folders) }) });
}

async function foldersAmong(context: TaskContext, id: string, files: readonly string[]): Promise<readonly string[]> {
  const found = await statIn(context, id);
  return files.filter((file) => found(file)?.isDirectory() === true);
}

/** Commas separate several, as with other lists, unless there is a file of that name; in braces they are a pattern's. */
async function eachFile(context: TaskContext, id: string, named: readonly string[]): Promise<readonly string[]> {
  if (!named.some((file) => severalIn(file).length > 1)) return named;
  const found = await statIn(context, id);
  return named.flatMap((file) => {
    const several = severalIn(file);
    if (several.length === 1 || found(file) !== undefined) return [file];
    return several.map((one) => one.trim()).filter((one) => one !== '');
  });
}

/** What is under a name in the task's folder. */
async function statIn(context: TaskContext, id: string) {
  const { look } = await import('../../tasks/context.ts');
  const { task } = await look(context, id);
  const folder = join(context.paths.root, task?.worktree ?? '.');
  return (file: string) =>
    file.includes('\0') ? undefined : context.disk.statSync(join(folder, file), { throwIfNoEntry: false });
}

interface Aside {
  readonly task: string;
  readonly checkpoint: Checkpoint;
  /** It is asked out of the sandbox: the folder is put back in there, and `begin` comes again without --set-aside. */
  readonly brokered: boolean;
}

/** The lines that tell how to bring it back. Nothing is moved for a checkpoint that would be refused anyway. */
async function putAside(
  context: TaskContext,
  { task, checkpoint, brokered }: Aside,
): Promise<readonly string[] | Result> {
  const { foresee } = await import('../../store/transact.ts');
  const { look } = await import('../../tasks/context.ts');
  const { startCommit } = await import('../../protocol/leases.ts');
  const seen = await look(context, task);
  const head = (seen.task === undefined ? undefined : startCommit(seen.task)) ?? '';
  const wanted = { name: 'begin', task, checkpoint, facts: { head, dirty: [] }, set_aside: true } as const;
  const early = await foresee(context, wanted, seen);
  if (!early.ok) return early;
  const { setAside, takeSteps } = await import('../../tasks/set-aside.ts');
  const aside = early.already === true ? { steps: [], lines: [] } : await setAside(context, task);
  if (isRefusal(aside)) return aside;
  const { steps, lines } = aside;
  if (brokered) return { ok: true, message: `${task} is not begun yet`, lines, data: { steps, lines } };
  return (await takeSteps(context, task, steps)) ?? lines;
}

/** What git says about the task's worktree; nothing when there is none on this disk. */
async function factsFor(context: TaskContext, id: string): Promise<{ readonly facts?: WorktreeFacts } | Refusal> {
  const { integrationRef, openGitDir } = await import('../../git/integration.ts');
  const { look } = await import('../../tasks/context.ts');
  const { board, task, settings } = await look(context, id);
  if (task?.worktree === undefined) return {};
  const gitDir = await openGitDir(context, board);
  if (isRefusal(gitDir)) return gitDir.guard === 'no-git' ? {} : gitDir;
  const { commitOf } = await import('../../git/refs.ts');
  const { worktreeFacts } = await import('../../tasks/commit-facts.ts');
  const integration = await commitOf(gitDir, integrationRef(board));
  const facts = await worktreeFacts({ gitDir, task, settings, integration });
  if (facts === undefined) return {};
  const { newestAttempt } = await import('../../tasks/before-plan.ts');
  const { isAncestor } = await import('../../git/reach.ts');
  const { startCommit } = await import('../../protocol/leases.ts');
  const start = startCommit(task) ?? facts.head;
  const isIntegrated =
    integration !== undefined &&
    !(await isAncestor(gitDir, facts.head, start)) &&
    (await isAncestor(gitDir, facts.head, integration));
  const attempts = await newestAttempt(gitDir, id);
  return { facts: { ...facts, attempts, ...(isIntegrated ? { integrated: facts.head } : {}) } };
}

function fromFlags(args: Args): Checkpoint | Refusal {
  const lacking = ['intent', 'risks', 'validation', 'file']
    .filter((name) => !args.flag(name))
    .map((name) => `--${name}`);
  // What is wrong with a validation that is given is told in the same round, by the rules.
  const [intent, risks] = [args.text('intent') ?? '', args.text('risks') ?? ''];
  if (lacking.length > 0 && !args.flag('validation')) {
    const missing = `${lacking.join(', ')} ${lacking.length === 1 ? 'is' : 'are'} missing`;
    return incomplete([missing, ...thinFields({ intent, risks }).map((one) => `it lacks ${one}`)].join('; '));
  }
  return {
    intent,
    assumptions: args.all('assume'),
    risks,
    validation: args.all('validation').join('\n'),
    files_to_modify: args.all('file'),
  };
}

async function fromJson(io: Io, source: string): Promise<Checkpoint | Refusal> {
  const read = await readJson(io, source);
  if (isRefusal(read)) return read;
  const { json } = read;
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return incomplete('it is not a JSON object');
  const { intent, assumptions = [], risks, validation, files_to_modify: files } = json as Record<string, unknown>;
  if (typeof intent !== 'string') return incomplete('intent is not a text');
  if (!isTexts(assumptions)) return incomplete('assumptions is not a list of texts');
  if (typeof risks !== 'string') return incomplete('risks is not a text');
  if (typeof validation !== 'string') return incomplete('validation is not a text');
  if (!isTexts(files)) return incomplete('files_to_modify is not a list of texts');
  return { intent, assumptions, risks, validation, files_to_modify: files };
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

const incomplete = (fact: string): Refusal =>
  refuse(
    `the checkpoint is incomplete: ${fact}`,
    'it needs intent, risks, validation (a command and the result you expect: "npm test: 3 more pass") and the files to change; --set-aside, too, where you have already changed or committed something; see liza begin --help',
    1,
    'checkpoint',
  );
