// Alarms about budgets that are nearly or wholly spent, sessions that could not be counted, and a full disk.

import {
  amountText,
  type Budget,
  liveTaskBudgets,
  scopeText,
  sharedBudgets,
  spentText,
  underWay,
} from '../../budget/rules/limits.ts';
import type { Board } from '../../protocol/board.ts';
import { spaceMissing } from '../../protocol/disk-space.ts';
import { counted } from '../../text/format.ts';
import type { Instant } from '../../text/time.ts';
import { type Alarm, alarm, warning } from './alarm.ts';

export function budgetAlarms(board: Board, now: Instant): readonly Alarm[] {
  const running = underWay(board, now);
  const all = [...sharedBudgets(board.state, now, running), ...liveTaskBudgets(board.state, running)];
  return all.flatMap((budget) => [...spent(budget), ...unknown(budget)]);
}

function spent(budget: Budget): readonly Alarm[] {
  if (budget.level === 'fine') return [];
  const about = subject(budget);
  const scope = scopeText(budget);
  const one =
    budget.level === 'soft'
      ? warning('BUDGET', `${about}:soft`, `${scope} — ${spentText(budget)}, ${budget.percent} %`)
      : alarm('BUDGET', `${about}:hard`, `${scope} — used up: ${spentText(budget)}; no session starts`);
  return [{ ...one, family: `BUDGET:${about}` }];
}

/** What is known counts; that something is missing is said, not hidden in a zero. */
function unknown(budget: Budget): readonly Alarm[] {
  if (budget.unknown === 0) return [];
  const { unit, limit } = budget;
  const what = unit === 'usd' ? 'the cost' : 'the use';
  return [
    warning(
      'BUDGET',
      `${subject(budget)}:unknown`,
      `${scopeText(budget)} — ${what} of ${counted(budget.unknown, 'session')} is not known, so the limit of ${amountText(limit, unit)} counts only the rest`,
    ),
  ];
}

/** The key of a budget: another day or another limit is another alarm. */
const subject = ({ scope, task, day, unit, limit }: Budget): string =>
  [scope, task ?? day, unit, limit].filter((part) => part !== undefined).join(':');

export function diskAlarm(board: Board): readonly Alarm[] {
  const missing = spaceMissing(board);
  if (missing === undefined) return [];
  const { freeMb, neededMb } = missing;
  return [alarm('DISK SPACE', undefined, `${freeMb} MB left, a session needs ${neededMb}; no session starts`)];
}
