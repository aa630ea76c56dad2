// `liza edit --adopt` without an edit: settings that were changed by hand and wait for the operator's
// word, because they execute, spend or loosen something. Each lies in rejected/ as `<n>-config-<key>.yaml`.

import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { OPERATOR } from '../protocol/board.ts';
import { guardedSetting } from '../protocol/config.ts';
import { decide } from '../protocol/decide.ts';
import type { Refusal } from '../protocol/decision.ts';
import { isFields } from '../protocol/values.ts';
import type { BoardContext } from '../store/context.ts';
import { WAITING_SETTING } from '../store/rejected.ts';
import { parseStrict } from '../store/yaml/strict.ts';
import { yamlStore } from '../store/yaml-store.ts';

export interface Waiting {
  readonly file: string;
  readonly key: string;
  readonly value: unknown;
}

export async function waitingSettings({ paths, files }: BoardContext): Promise<readonly Waiting[]> {
  const waiting = new Map<string, Waiting>();
  const names = files.list(paths.rejected).filter((name) => WAITING_SETTING.test(name));
  for (const name of [...names].sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))) {
    const file = join(paths.rejected, name);
    const parsed = await parseStrict(files.read(file)?.toString('utf8') ?? '');
    const [key, value] = parsed.ok && isFields(parsed.value) ? (Object.entries(parsed.value)[0] ?? []) : [];
    // The newest word on a setting counts.
    if (key !== undefined && guardedSetting(key)) waiting.set(key, { file, key, value });
  }
  return [...waiting.values()];
}

export async function adoptWaiting(
  context: BoardContext,
  waiting: readonly Waiting[],
): Promise<readonly string[] | Refusal> {
  const store = yamlStore(context);
  const done: string[] = [];
  for (const { file, key, value } of waiting) {
    const outcome = await store.transact({ actor: OPERATOR, command: 'config set' }, (board, now) =>
      decide(board, { name: 'config set', key, value }, { actor: OPERATOR, now }),
    );
    if (!outcome.ok) return outcome;
    renameSync(file, `${file}.adopted`);
    done.push(`${key}: ${JSON.stringify(value)}`);
  }
  return done;
}
