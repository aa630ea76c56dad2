// Whether the repository between the hosts can be reached. A run starts without it: submissions and merges wait.

import type { TaskContext } from '../tasks/context.ts';
import { askExchange } from '../tasks/exchange/ask-exchange.ts';
import { fine, type PreflightCheck, warn } from './rules/result.ts';

export async function checkExchange(context: TaskContext): Promise<readonly PreflightCheck[]> {
  const found = await askExchange(context);
  if (found === undefined) return [];
  if (!('ok' in found)) return [fine('exchange', found.text)];
  return [warn('exchange', found.message, found.hint, 'cannot be used; submissions and merges wait')];
}
