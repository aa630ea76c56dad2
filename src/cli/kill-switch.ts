// A kill switch acts although the board cannot be written: a full disk, a line that nobody can read or a lock that somebody
// holds takes it from no person. What is left then is the file, as `touch .liza/PAUSE` makes it: it needs no block of the
// disk, supervisors obey it by itself, and nothing records it (docs/decisions/0015).

import type { Switch } from '../protocol/board.ts';
import type { Command } from '../protocol/command.ts';
import type { Refusal } from '../protocol/decision.ts';
import { applySwitches } from '../store/switch-files.ts';
import { type CommandContext, foresee } from '../store/transact.ts';
import { explain } from './explain.ts';
import type { Result } from './verb.ts';

/** Whoever holds the lock longer keeps a person waiting for the record, and not for the switch. */
const PATIENCE_MS = 4000;

interface Setting {
  readonly name: Switch;
  readonly command: Command;
  /** What a person does when the board can be written again. */
  readonly later: string;
}

/** `work` sets the switch together with its record; where the board cannot be had, the file alone is set. */
export async function orFileAlone<C extends CommandContext>(
  context: C,
  setting: Setting,
  work: (context: C) => Promise<Result>,
): Promise<Result> {
  /** The board said no, or has the record. */
  let isDecided = false;
  const transact: C['store']['transact'] = async (operation, decide) => {
    const outcome = await context.store.transact(operation, (board, now) => {
      const decision = decide(board, now);
      isDecided = !decision.ok;
      return decision;
    });
    isDecided ||= outcome.ok;
    return outcome;
  };
  const tooLate = context.clock.after(PATIENCE_MS, () => void setAlone(context, setting), 'background');
  try {
    const result = await work({ ...context, store: { ...context.store, transact } });
    return result.ok || isDecided ? result : await fileAlone(context, setting, result);
  } catch (error) {
    if (isDecided) throw error;
    return await fileAlone(context, setting, explain(error));
  } finally {
    tooLate();
  }
}

/** `why`: the board cannot be had. */
async function fileAlone(context: CommandContext, setting: Setting, why: Refusal): Promise<Result> {
  const refused = await setAlone(context, setting);
  if (refused === 'not set')
    return { ...why, hint: `${why.hint}; to end the crew meanwhile, which needs no board: liza stop` };
  if (refused !== undefined) return refused;
  const { name, later } = setting;
  return {
    ok: true,
    message: `${name} is on; the board does not record it: ${why.message}`,
    lines: [`Agents and supervisors obey .liza/${name} as it is. ${later}`, `About the board: ${why.hint}`],
    data: { already: false, recorded: false },
  };
}

/** A refusal: the board, as it was last readable, says no. */
async function setAlone(
  context: CommandContext,
  { name, command }: Pick<Setting, 'name' | 'command'>,
): Promise<Refusal | 'not set' | undefined> {
  const { actor, files, paths } = context;
  try {
    const decision = await foresee(context, command).catch(() => undefined);
    if (decision?.ok === false) return decision;
    if (decision === undefined && !actor.parts.includes('human')) return 'not set';
    applySwitches(files, paths, { [name]: true });
    return undefined;
  } catch {
    return 'not set';
  }
}
