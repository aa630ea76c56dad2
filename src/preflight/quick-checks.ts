// The checks that take no time: the goal's document, the agent CLIs and their logins, room on the disk, the base and the
// budget. They look at files and git only: nothing is started and nothing is spent.

import { join } from 'node:path';
import { baseDistance } from '../git/base-branch.ts';
import { changedSinceCommit, changedText, commitIt, isCommitted, notCommitted } from '../git/committed-files.ts';
import { plainText } from '../process/plain-file.ts';
import type { Board } from '../protocol/board.ts';
import type { Refusal } from '../protocol/decision.ts';
import { spaceMissing } from '../protocol/disk-space.ts';
import { commandsRun } from '../protocol/facts/command-files.ts';
import { scriptsIn } from '../protocol/facts/test-setup.ts';
import { settings } from '../protocol/state.ts';
import { unreached } from '../protocol/work/hosts.ts';
import { loginOf } from '../providers/login.ts';
import type { Provider } from '../providers/provider.ts';
import type { BoardContext } from '../store/context.ts';
import { pastGoals } from '../store/past-goals.ts';
import { specFile } from '../store/spec-file.ts';
import { readSpec } from '../store/spec-texts.ts';
import { listed, shellWord } from '../text/format.ts';
import { describesLastGoal } from './rules/former-vision.ts';
import { wideRunner } from './rules/own-tests.ts';
import { checkBase, checkBudget, fine, isUntouched, type PreflightCheck, stop, warn } from './rules/result.ts';

export interface PreflightRequest {
  readonly board: Board;
  /** The text of the shipped template of the goal's document. */
  readonly template: string;
  /** The CLIs that the roles would use; or why there are none. */
  readonly agents: readonly Provider[] | Refusal;
  /** Whether agents are confined, and what that means for the settings; absent: nothing confines here. */
  readonly sandbox?: readonly PreflightCheck[] | undefined;
}

export async function quickChecks(
  context: BoardContext,
  request: PreflightRequest,
): Promise<readonly PreflightCheck[]> {
  const { board, agents, sandbox = [] } = request;
  // Agents that Liza itself plays cost nothing.
  const spends = 'ok' in agents || agents.some(({ program }) => program !== undefined);
  return [
    ...checkPlace(context),
    ...(await checkOwnBoard(context)),
    ...checkHosts(board),
    ...(await checkVision(context, request)),
    ...checkAgents(context, agents),
    checkDisk(board),
    ...checkOwnTests(context, board),
    ...checkBase(await baseDistance(context, board), board.state.goal),
    ...(spends ? [checkBudget(board.state.config)] : []),
    ...sandbox,
  ];
}

/** A folder that was moved after `init`, which refuses such a name. */
const checkPlace = ({ paths: { root } }: BoardContext): readonly PreflightCheck[] =>
  root.includes(':')
    ? [
        stop(
          'place',
          `${root} has a colon in it: agents would not find liza, for PATH is divided there`,
          'rename it: mv …',
        ),
      ]
    : [];

/** Work of one host would be lost to the others, which would do it again, or wait for it. */
function checkHosts(board: Board): readonly PreflightCheck[] {
  const others = unreached(board);
  if (others.length === 0) return [];
  const names = listed(others.map(({ name }) => name));
  const isOne = others.length === 1;
  return [
    stop(
      'exchange',
      `${names} ${isOne ? 'works' : 'work'} on this board, too, and there is no exchange: what one host commits reaches no other`,
      `liza config set exchange <a git repository that all hosts reach>; is ${isOne ? 'it' : 'one of them'} gone for good: liza hosts drain ${isOne ? (others[0]?.id ?? '') : '<host>'}`,
    ),
  ];
}

/** Whoever committed it chose what runs here, where, and with what shown to it. */
async function checkOwnBoard(context: BoardContext): Promise<readonly PreflightCheck[]> {
  if (!(await isCommitted(context, context.paths.root, BOARD))) return [];
  return [
    stop(
      'board',
      `${BOARD} is in git: a board that comes with a repository would run programs of somebody else's choice as you`,
      'read its config section; to go on without it: git rm -r -q --cached .liza && git commit -m "No board in git"',
    ),
  ];
}

const BOARD = '.liza/state.yaml';

async function checkVision(
  context: BoardContext,
  { board, template }: PreflightRequest,
): Promise<readonly PreflightCheck[]> {
  const file = documentOf(board);
  if (file === undefined) return [];
  const stopped = await visionStop(context, board, template);
  if (stopped !== undefined) return [stopped];
  return [(await visionWarning(context, board)) ?? fine('vision', `${file} is in git`)];
}

/** The goal's document, or its last changes, are nowhere but in the folder. */
export async function visionWarning(context: BoardContext, board: Board): Promise<PreflightCheck | undefined> {
  const file = documentOf(board);
  if (file === undefined) return undefined;
  const { root } = context.paths;
  const mend = commitIt(file);
  const [missing] = await notCommitted(context, root, [file]);
  if (missing !== undefined) return warn('vision', `${file} is not in git`, mend);
  const [changed] = await changedSinceCommit(context, root, [file]);
  return changed === undefined ? undefined : warn('vision', changedText(file), mend);
}

const documentOf = ({ state }: Board): string | undefined => state.goal.spec_ref?.split('#', 1)[0] || undefined;

/** Why a run would not start for the goal's document: `liza status` names the same step. */
export async function visionStop(
  context: BoardContext,
  board: Board,
  template: string,
): Promise<PreflightCheck | undefined> {
  const file = documentOf(board);
  if (file === undefined) return undefined;
  const found = specFile(context.disk, context.paths.root, file);
  if (found === 'absent' || found === 'outside')
    return stop('vision', `the goal's document ${file} is not there`, `restore it: git checkout -- ${shellWord(file)}`);
  const text = context.disk.readFileSync(found, 'utf8');
  if (isUntouched(text, template))
    return stop(
      'vision',
      `${file} is still the unchanged template`,
      `say in ${file} what is wanted, commit it (${commitIt(file)}), then: liza run`,
    );
  const last = (await pastGoals(context, board.state.goal)).at(-1);
  const hash = readSpec(context.disk, context.paths.root, file)?.hash ?? '';
  if (!describesLastGoal(board.state, last, { file, hash })) return undefined;
  return stop(
    'vision',
    `${file} has not changed since the last goal was completed: agents would plan that goal again`,
    `say in ${file} what is wanted now, commit it (${commitIt(file)}), then: liza run; or name another document: liza goal edit --spec <file>; if it describes this goal, too: liza goal edit --spec ${shellWord(board.state.goal.spec_ref ?? file)}`,
  );
}

function checkAgents(
  { disk, env, processes }: BoardContext,
  agents: readonly Provider[] | Refusal,
): readonly PreflightCheck[] {
  if ('ok' in agents) return [stop('agents', agents.message, agents.hint)];
  return [...new Map(agents.map((one) => [one.name, one])).values()].map((provider) => {
    const { title, hints } = provider;
    switch (loginOf({ disk, env, platform: processes.platform }, provider)) {
      case 'found':
        return fine('agents', `${title} is installed and has a login`);
      case 'missing':
        return stop('agents', `${title} is installed, but not logged in`, hints.login);
      default:
        return fine('agents', provider.program === undefined ? `${title} is part of Liza` : `${title} is installed`);
    }
  });
}

function checkDisk(board: Board): PreflightCheck {
  const missing = spaceMissing(board);
  if (missing !== undefined) return stop('disk', missing.fact, missing.remedy);
  return fine('disk', board.freeMb === undefined ? 'has room' : `${board.freeMb} MB are free`);
}

/** Files of the project's folder that tell what its tests are and where they are looked for. */
const SETTINGS = /^(?:package\.json|(?:vitest|vite|jest|ava)\.config\.\w+)$/;
const LARGEST = 1_000_000;

function checkOwnTests({ disk, paths }: BoardContext, { state }: Board): readonly PreflightCheck[] {
  const texts = disk
    .readdirSync(paths.root)
    .filter((name) => SETTINGS.test(name))
    .map((name) => [name, plainText(disk, join(paths.root, name), LARGEST) ?? ''] as const);
  const scripts = scriptsIn(new Map(texts).get('package.json') ?? '');
  const commands = [settings(state).test_command, scripts['test']].filter((command) => typeof command === 'string');
  const found = wideRunner(commandsRun(commands, scripts), texts.map(([, text]) => text).join('\n'));
  if (found === undefined) return [];
  const fact = `${found.runner} in your own folder also runs the tests that agents are writing in .worktrees`;
  return [warn('own tests', fact, found.mend, 'yours run agents’ drafts as well')];
}
