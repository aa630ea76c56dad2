// `liza begin <task>`: the checkpoint before the first change of an iteration. It binds to the
// worktree's HEAD, so that a checkpoint written after the code is refused.

import type { Checkpoint, WorktreeFacts } from '../../protocol/command.ts';
import { isRefusal, type Refusal, refuse } from '../../protocol/decision.ts';
import { defined } from '../../protocol/values.ts';
import type { TaskContext } from '../../tasks/context.ts';
import { readJson } from '../input.ts';
import type { Io } from '../io.ts';
import { openTaskContext, runCommand } from '../open-project.ts';
import type { Args, Verb } from '../verb.ts';

export const verb: Verb = {
  positionals: [{ name: 'task', kind: 'task', description: 'Your task.' }],
  options: {
    intent: { value: 'text', description: 'What you are going to do.' },
    assume: { value: 'text', repeat: true, description: 'Something you take for granted.' },
    risks: { value: 'text', description: 'What could go wrong.' },
    validation: { value: 'text', description: 'How you will check it, and the result you expect.' },
    file: { value: 'path', repeat: true, description: 'A file you are going to change.' },
    'json-file': { value: 'file', kind: 'file', description: 'All of it as JSON instead; - reads stdin.' },
  },
  examples: [
    'liza begin retry-login --intent "wrap login() in retry()" --risks "login is not idempotent" --validation "npm test: auth.test passes, 3 retries seen" --file src/auth.ts --file test/auth.test.ts',
    `echo '{"intent":"…","assumptions":[],"risks":"…","validation":"…","files_to_modify":["src/auth.ts"]}' | liza begin retry-login --json-file -`,
  ],
  run: async (args, io) => {
    const checkpoint = args.flag('json-file') ? await fromJson(io, args.must('json-file')) : fromFlags(args);
    if (isRefusal(checkpoint)) return checkpoint;
    const context = await openTaskContext(io);
    if (isRefusal(context)) return context;
    const task = args.must('task');
    const found = await factsFor(context, task);
    return isRefusal(found) ? found : runCommand(context, { name: 'begin', task, checkpoint, ...found });
  },
};

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
  return defined({ facts: await worktreeFacts({ gitDir, task, settings, integration }) });
}

function fromFlags(args: Args): Checkpoint | Refusal {
  for (const name of ['intent', 'risks', 'validation']) {
    if (!args.flag(name)) return incomplete(`--${name} is missing`);
  }
  if (!args.flag('file')) return incomplete('no --file is named');
  return {
    intent: args.must('intent'),
    assumptions: args.all('assume'),
    risks: args.must('risks'),
    validation: args.must('validation'),
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
    'it needs intent, risks, validation and the files to change; see liza begin --help',
    1,
    'checkpoint',
  );
