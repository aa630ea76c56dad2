// `liza config get` shows what is in force, written down or a default; `liza config set` changes one value.

import type { CommandOf } from '../../protocol/command.ts';
import { meant } from '../../protocol/config.ts';
import { isRefusal } from '../../protocol/decision.ts';
import { hideSettings } from '../../protocol/records/hidden-settings.ts';
import type { Settings } from '../../protocol/state.ts';
import { noSuch } from '../../protocol/unknown-id.ts';
import { defined, isFields } from '../../protocol/values.ts';
import type { Io } from '../io.ts';
import { onProject, openProject, runCommand } from '../open-project.ts';
import { plain } from '../render/terminal.ts';
import type { Verb } from '../verb.ts';
import { asksAsAgent } from '../without-secrets.ts';

const NESTED = ['budgets', 'providers', 'prices'];

const configGet: Verb = {
  positionals: [{ name: 'key', optional: true, description: 'One key; without it all of them.' }],
  examples: ['liza config get', 'liza config get lease_duration'],
  run: onProject(async (context, args, io) => {
    const { ConfigSchema } = await import('../../protocol/config.ts');
    const { settings } = await import('../../protocol/state.ts');
    const { board, notices } = await context.store.read();
    const whole = settings(board.state);
    const set = asksAsAgent(io) ? hideSettings(whole) : whole;
    const values: Readonly<Record<string, unknown>> = { ...set, isolation: await isolationInForce(io, set) };
    const known = [...new Set([...Object.keys(ConfigSchema.entries), ...Object.keys(values)])].sort();
    const key = args.text('key');
    const [name = '', ...path] = key?.split('.') ?? [];
    if (key !== undefined && NESTED.includes(name) && path.length > 0) {
      const value = path.reduce<unknown>(
        (at, part) => (isFields(at) && Object.hasOwn(at, part) ? at[part] : undefined),
        values[name],
      );
      return { ok: true, lines: [shown(value)], data: { key, value: value ?? null }, notices };
    }
    if (key !== undefined && !known.includes(key)) {
      return noSuch({ what: 'setting', id: key, known, see: 'See the settings: liza config get', guard: 'config-key' });
    }
    if (key !== undefined) {
      return { ok: true, lines: [shown(values[key])], data: { key, value: values[key] ?? null }, notices };
    }
    const written = new Set(Object.keys(board.state.config));
    const lines = known.map((name) => `${name}: ${shown(values[name])}${written.has(name) ? '' : '  (default)'}`);
    const config = Object.fromEntries(known.map((name) => [name, values[name] ?? null]));
    return { ok: true, lines, data: { config }, notices };
  }),
};

/** What new folders of tasks are: the sandbox needs clones, whatever is set. */
async function isolationInForce(io: Io, set: Settings): Promise<Settings['isolation']> {
  const { needsClone, sandboxSupportOf } = await import('../../sandbox/mode.ts');
  const support = io.confines === true ? sandboxSupportOf(io.host, io.self.argv) : undefined;
  return needsClone(support, set) ? 'clone' : (set.isolation ?? 'worktree');
}

const shown = (value: unknown): string =>
  value === undefined ? 'none' : plain(typeof value === 'string' ? value : JSON.stringify(value));

const configSet: Verb = {
  positionals: [
    { name: 'key', description: 'See: liza config get.' },
    {
      name: 'value',
      text: true,
      description: 'Text, a number, true, false, null, a list with commas, or JSON; - reads it from stdin.',
    },
  ],
  examples: [
    'liza config set lease_duration 600',
    'liza config set post_worktree_cmd "npm ci"',
    'liza config set test_patterns "tests/**,checks/**"',
    'liza config set budgets.day.usd 20',
    'liza config set providers.mine null',
  ],
  details: [
    'A map for providers or prices changes the entries it names and keeps the others; null removes one, and resets a setting to its default.',
  ],
  run: async (args, io) => {
    const [key, typed] = [args.must('key'), args.must('value')];
    const value = meant(key, typed, parsed(typed));
    const context = await openProject(io);
    if (isRefusal(context)) return context;
    const facts = await factsFor(io, context.paths.root, key, value);
    const result = await runCommand(context, { name: 'config set', key, value, ...defined({ facts }) });
    if (result.ok && key === 'test_command' && typeof value === 'string') {
      const { wrongTestCommand } = await import('../init-guide.ts');
      const wrong = wrongTestCommand(context.paths.root, value);
      const warned = wrong === undefined ? [] : [`warning: ${wrong}`];
      return {
        ...result,
        lines: [...(result.lines ?? []), ...warned, 'nothing has run it yet; to try it: liza run --check'],
      };
    }
    if (!result.ok || !LIMITED_BY_SANDBOX.has(key)) return result;
    const { tellSandbox } = await import('../sandbox-mode.ts');
    const { settings } = await import('../../protocol/state.ts');
    const told = await tellSandbox(io, settings((await context.store.read()).board.state));
    return { ...result, lines: [...(result.lines ?? []), ...(told?.idle ?? []).map(({ message }) => message)] };
  },
};

/** What the person must hear at once where it does nothing. */
const LIMITED_BY_SANDBOX = new Set(['sandbox', 'sandbox_network', 'setup_read']);

type Facts = CommandOf<'config set'>['facts'];

/** What must be looked up on the disk for some settings. */
async function factsFor({ host, env }: Io, root: string, key: string, value: unknown): Promise<Facts> {
  if (key === 'integration_branch' && typeof value === 'string') {
    const { checkoutOf } = await import('../../git/branch-checkouts.ts');
    const folder = checkoutOf(host.disk, root, `refs/heads/${value}`);
    return folder === undefined ? undefined : { checked_out: folder };
  }
  if (key === 'test_command' && typeof value === 'string') {
    const { shellFacts } = await import('../../process/shell-check.ts');
    return { shell: shellFacts(host, [value]) };
  }
  const kind = key === 'sandbox_read' || key === 'setup_read' ? 'read' : key === 'sandbox_write' ? 'write' : undefined;
  if (kind === undefined || !Array.isArray(value)) return undefined;
  const { commonDirectoryOf, gitDirectoryOf } = await import('../../git/directory.ts');
  const { whyForbidden } = await import('../../sandbox/forbidden-paths.ts');
  const own = gitDirectoryOf(host.disk, root);
  const site = {
    root,
    common: own === undefined ? `${root}/.git` : commonDirectoryOf(host.disk, own),
    disk: host.disk,
    env,
  };
  const places = value.filter((place) => typeof place === 'string');
  const hole = places.map((place) => whyForbidden(site, place, kind)).find((why) => why !== undefined);
  return hole === undefined ? undefined : { hole };
}

/** `600` is a number, `true` a boolean, `npm ci` a text. */
function parsed(text: string): unknown {
  if (!/^(?:-?\d|true$|false$|null$|["[{])/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

export const verbs = { 'config get': configGet, 'config set': configSet };
