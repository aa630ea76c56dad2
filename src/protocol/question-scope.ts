// Which tasks a question concerns. Light: `liza show` loads it, so it must not import a schema.

import type { Question, Task } from './state.ts';

/** A question about a task concerns it and what replaced it; one about no task, all that comes from its spec. */
export function concerns({ task: about, spec_ref }: Question, task: Task): boolean {
  if (about !== undefined) return about === task.id || task.supersedes?.includes(about) === true;
  return sameSpec(spec_ref, task.spec_ref);
}

/** The same file, and the same section where both name one. */
export function sameSpec(a: string | undefined, b: string | undefined): boolean {
  const [file, section] = partsOf(a);
  const [otherFile, otherSection] = partsOf(b);
  if (file === undefined || file !== otherFile) return false;
  return section === undefined || otherSection === undefined || section === otherSection;
}

function partsOf(reference: string | undefined): readonly [string | undefined, string | undefined] {
  const [file, section] = (reference ?? '').replace(/^\.\//, '').split('#', 2);
  return [file || undefined, section || undefined];
}

/** What became of it, in one line: the answer, the assumption, or that it is open. */
export function outcomeOf({ status, answer, assume, closed_by, asked_by }: Question): string {
  switch (status) {
    case 'answered':
      return `A ${answer ?? ''}`;
    case 'assumed':
      return `A ${assume ?? ''} (assumed by ${asked_by}, accepted by ${closed_by ?? 'somebody'})`;
    case 'open':
      return assume === undefined ? 'not answered yet' : `not answered yet; ${asked_by} goes on with: ${assume}`;
    case 'withdrawn':
      return 'withdrawn';
    default:
      return status satisfies never;
  }
}
