// Paths into the board as `liza lock modify` takes them: `.agents.coder-1.lease_expires`, `.tasks[0].priority`,
// `.tasks[retry].scope` (by id), `."odd key"`.

import { type Refusal, refuse } from '../decision.ts';
import { type Fields, isFields } from '../values.ts';

type Step = string | number;

function parsePath(path: string): readonly Step[] | undefined {
  const steps: Step[] = [];
  let rest = path.startsWith('.') ? path : `.${path}`;
  while (rest !== '') {
    const match = /^(?:\.([A-Za-z0-9_-]+)|\.?"([^"]+)"|\[(\d+)\]|\["?([A-Za-z0-9_-]+)"?\])/.exec(rest);
    if (match === null) return undefined;
    const [whole, name, quoted, index, key] = match;
    steps.push(index === undefined ? (name ?? quoted ?? key ?? '') : Number(index));
    rest = rest.slice(whole.length);
  }
  return steps.some((step) => step === '__proto__') ? undefined : steps;
}

/** A copy with one value set; everything off the path is shared. */
export function setPath(root: unknown, path: string, value: unknown): { readonly value: unknown } | Refusal {
  const steps = parsePath(path);
  if (steps === undefined || steps.length === 0) {
    return refuse(`${JSON.stringify(path)} is not a path`, 'write it like .tasks[my-task].priority', 1, 'path');
  }
  const set = (current: unknown, at: number): unknown => {
    const step = steps[at];
    if (step === undefined) return value;
    if (Array.isArray(current)) {
      const index =
        typeof step === 'number' ? step : current.findIndex((item) => isFields(item) && item['id'] === step);
      if (index < 0 || index > current.length) throw new RangeError(String(step));
      return [...current.slice(0, index), set(current[index], at + 1), ...current.slice(index + 1)];
    }
    if (typeof step === 'number' || (current !== undefined && current !== null && !isFields(current))) {
      throw new RangeError(String(step));
    }
    return { ...((current ?? {}) as Fields), [step]: set((current as Fields | undefined)?.[step], at + 1) };
  };
  try {
    return { value: set(root, 0) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return refuse(
      `there is nothing at ${JSON.stringify(error.message)} of ${path}`,
      'look at it with: liza lock read',
      1,
      'path',
    );
  }
}
