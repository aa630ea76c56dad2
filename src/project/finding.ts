// One thing that `liza doctor` looked at: what it found, and what `--fix` does or the person has to do about it.

import { defined } from '../protocol/values.ts';

export interface Finding {
  readonly check: string;
  readonly level: 'ok' | 'warning' | 'broken';
  readonly message: string;
  /** What `--fix` does, or the person has to do. */
  readonly remedy?: string;
  readonly fixed?: true;
}

export const ok = (check: string, message: string): Finding => ({ check, level: 'ok', message });
export const fixed = (check: string, message: string): Finding => ({ check, level: 'ok', message, fixed: true });
export const warning = (check: string, message: string, remedy?: string): Finding => ({
  ...ok(check, message),
  level: 'warning',
  ...defined({ remedy }),
});
export const broken = (check: string, message: string, remedy?: string): Finding => ({
  ...warning(check, message, remedy),
  level: 'broken',
});
