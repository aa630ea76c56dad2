// Where a package manager goes if nobody names a registry. The manager itself is asked, so that Liza knows no registry by
// its name; asking opens no connection. A manager that does not tell has no answer here, and that is said.

import type { Host } from '../ports/host.ts';
import { type Program, runProgram } from '../process/run.ts';
import type { Settings } from '../protocol/state.ts';
import { runConfined } from '../sandbox/mode.ts';
import type { Manager } from '../sandbox/rules/registry-settings.ts';
import type { TaskContext } from '../tasks/context.ts';

/** What each is asked; the first address in its answer is the registry. */
const QUESTIONS: Partial<Readonly<Record<Manager, Program['argv']>>> = {
  npm: ['npm', 'config', 'get', 'registry'],
  go: ['go', 'env', 'GOPROXY'],
  bundler: ['gem', 'sources', '--list'],
};
const ASKING_MS = 10_000;

const addressIn = (output: string): string | undefined => /https?:\/\/[^\s,|]+/.exec(output)?.[0];

/** As set-up in the sandbox would use it. Undefined: the manager does not tell. */
export async function defaultInSandbox(
  context: TaskContext,
  config: Settings,
  { manager, folder }: { readonly manager: Manager; readonly folder: string },
): Promise<string | undefined> {
  const argv = QUESTIONS[manager];
  if (argv === undefined) return undefined;
  const program = { argv, cwd: folder, env: context.env, timeoutMs: ASKING_MS, signal: context.stop?.() };
  return addressIn((await runConfined(context, config, { folder, part: 'setup' }, program)).tail);
}

/** npm's, pnpm's and Yarn's own, whatever the user's settings name. */
export async function npmDefault(host: Host): Promise<string | undefined> {
  const named = Object.keys(host.env).filter((name) => /^npm_config_(?:.*:)?registry$/i.test(name));
  const env = {
    ...host.env,
    ...Object.fromEntries(named.map((name) => [name, undefined])),
    npm_config_userconfig: '/dev/null',
  };
  const argv = QUESTIONS.npm as Program['argv'];
  return addressIn((await runProgram(host, { argv, cwd: '/', env, timeoutMs: ASKING_MS })).tail);
}
