// `begin --also`: files that the plan did not name, declared when the coder sees that it needs them. What the task's
// scope leaves out by IN may be declared so; what it declares OUT never.

import { listed } from '../../../text/format.ts';
import { isSentence, LEAST_WORDS } from '../../../text/sentence.ts';
import { event, evolve, withTask } from '../../change.ts';
import type { Row } from '../../command-row.ts';
import { refuse } from '../../decision.ts';
import { declaredFiles, lateFiles } from '../../facts/diff-facts.ts';
import { coverage } from '../../facts/globs.ts';
import { iterationEvents } from '../../leases.ts';
import { blank } from '../../values.ts';
import { hasCheckpoint, holdsTask } from './coder.ts';
import { beyondIn, notAPath, outsidePlan, tooMany } from './plan-files.ts';

/** Whoever needs more has another plan, and all of it is on the board. */
const MOST_TIMES = 30;

/** What may stand for more than one file, or for none. */
const NO_SINGLE_FILE = /[*?]|\/$|^(?:\.\/)*\.?$|\/\.$|^-/;

export const declare: Row<'declare'> = {
  name: 'declare',
  typed: 'begin',
  syntax: 'begin {task} --also <path> --reason "…"',
  summary: 'Declare a file that the plan did not name.',
  who: ['coder'],
  from: ['CLAIMED'],
  // A submission that needs it names it.
  offered: () => false,
  already: (s) => {
    const { task, command } = s;
    const { files } = command;
    // A file that the plan has is not declared late; one beyond IN may lack its reason.
    const beyond = new Set(beyondIn(s, files));
    const covers = coverage(declaredFiles(task));
    const isPlanned = (file: string): boolean => covers(file) && !beyond.has(file);
    const late = new Set(lateFiles(iterationEvents(task)).map(({ path }) => path));
    return files.length > 0 && files.every((file) => late.has(file) || isPlanned(file));
  },
  guards: [
    holdsTask(),
    hasCheckpoint(),
    {
      name: 'files',
      rule: `paths of single files, from the root of the repository: no folder, no pattern; at most ${MOST_TIMES} times in one iteration`,
      check: ({ task, command: { files, folders = [] } }) => {
        const hint = 'Name each file by itself, there or new, from the root of the repository: --also src/a.c';
        if (files.length === 0) return refuse('no file is named', hint);
        const events = iterationEvents(task);
        if (events.filter(({ event }) => event === 'declared').length >= MOST_TIMES)
          return refuse(
            `files were declared late ${MOST_TIMES} times in this iteration`,
            'Do without more of them, or stop: liza block <task> with what the plan lacks',
          );
        const late = lateFiles(events).map(({ path }) => path);
        const wrong = tooMany([...late, ...files], '--also') ?? notAPath(files, '--also');
        if (wrong !== undefined) return wrong;
        const wide = files.find((file) => NO_SINGLE_FILE.test(file) || folders.includes(file));
        return wide === undefined
          ? undefined
          : refuse(`--also takes single files, and ${wide.slice(0, 80)} is not one`, hint);
      },
    },
    {
      name: 'reason',
      rule: `a reason is given, in a sentence of ${LEAST_WORDS} words or more`,
      check: ({ command }) =>
        isSentence(command.reason)
          ? undefined
          : refuse(
              `${blank(command.reason) ? 'it' : `the reason “${command.reason.slice(0, 80)}”`} does not say why the file is needed`,
              `Say it for the reviewer, in ${LEAST_WORDS} words or more: --reason "…"`,
            ),
    },
    {
      name: 'in-scope',
      rule: 'none of them is declared OUT, and for a test task none is code other than tests',
      check: (s) => outsidePlan(s, s.command.files),
    },
  ],
  effects: 'history declared; the reviewer sees these files as declared late, with the reason',
  change: (s) => {
    const { task, command } = s;
    const { files, reason } = command;
    const told = event(s, 'declared', { files, reason, iteration: task.iteration });
    return { state: withTask(s.state, evolve(task, {}, told)), detail: `${task.id}: also ${listed(files, 5)}` };
  },
};
