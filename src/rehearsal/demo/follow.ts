// Follows the demo's crew from its start to its end: tells what happens, answers as the human, and stops the crew when
// something does not go as written. Returns why it stopped; story.ts says whether all of it happened.

import type { CrewControl, CrewView } from '../../supervisor/crew-view.ts';
import { type Answer, answerTo, isReleasable } from './human.ts';
import { news, type StoryLine } from './narration.ts';

export interface Followed {
  readonly crew: CrewControl;
  /** What the script lets agents say. */
  readonly spoken: ReadonlySet<string>;
  readonly interrupted: AbortSignal;
  /** How long the human thinks before it answers. */
  readonly answerAfterMs: number;
  /** For so long nothing may happen: a slow machine alone ends nothing. */
  readonly stillMs: number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  tell(line: StoryLine): void;
  /** While a person is answering on the board: resolves when that has ceased. */
  answering?(): Promise<void> | undefined;
  /** Hears every second how long the demo still waits with its answer. */
  answerIn?(ms: number): void;
  /** Gives the answer; a sentence says why it could not. */
  answer(given: Answer): Promise<string | undefined>;
  /** Lets the first tasks land; the same. */
  release(): Promise<string | undefined>;
}

/** Undefined: the crew ended by itself. */
export async function follow(followed: Followed): Promise<string | undefined> {
  const { crew, spoken, interrupted, tell } = followed;
  const over = new AbortController();
  let before: CrewView | undefined;
  let why: string | undefined;
  let answering = false;
  let released = false;
  let heard = 0;
  const end = (reason: string): void => {
    if (why !== undefined) return;
    why = reason;
    // Nothing in here is worth an orderly end.
    crew.stop(reason);
    crew.stop();
  };
  const isOpen = ({ task }: Answer): boolean => answerTo(crew.view().board.state)?.task === task;
  const look = (): void => {
    if (why !== undefined) return;
    const view = crew.view();
    for (const line of news(before, view, spoken)) {
      heard += 1;
      tell(line);
    }
    // The list of events grows: it is copied as it is now.
    before = { ...view, events: [...view.events] };
    const wrong = failure(view);
    if (wrong !== undefined) return end(wrong);
    if (!released && isReleasable(view.board.state)) {
      released = true;
      void followed.release().then((problem) => {
        if (problem !== undefined) end(problem);
      });
    }
    const given = answerTo(view.board.state);
    if (given === undefined || answering) return;
    answering = true;
    void waitFor(followed.answerAfterMs, followed, over.signal, followed.answerIn)
      .then(() => (over.signal.aborted || !isOpen(given) ? undefined : followed.answer(given)))
      // On the live board a person may answer first: then there is nothing left to answer.
      .then((problem) => {
        if (problem !== undefined && isOpen(given)) end(problem);
      });
  };
  const stop = (): void => end('it was interrupted');
  interrupted.addEventListener('abort', stop);
  const forget = crew.onChange(look);
  void standstill(followed, over.signal, () => heard).then(() => {
    if (!over.signal.aborted) end(`nothing happened for ${Math.round(followed.stillMs / 1000)} s`);
  });
  try {
    if (interrupted.aborted) stop();
    look();
    await crew.ended;
    look();
    return why;
  } finally {
    over.abort();
    forget();
    interrupted.removeEventListener('abort', stop);
  }
}

const STEP_MS = 1000;

/** So long; and again as long once a person who is answering on the board has ceased: meanwhile the demo waits. */
async function waitFor(
  ms: number,
  { crew, sleep, answering }: Followed,
  over: AbortSignal,
  countDown?: (ms: number) => void,
): Promise<void> {
  // A person who pauses the demo wants to read: no time passes in it meanwhile.
  const isPaused = (): boolean => crew.view().board.switches.PAUSE !== undefined;
  const wait = async (): Promise<void> => {
    let left = ms;
    do {
      countDown?.(left);
      const step = Math.min(left, STEP_MS);
      await sleep(step, over);
      if (!isPaused()) left -= step;
    } while (left > 0 && !over.aborted);
  };
  await wait();
  for (let typing = answering?.(); typing !== undefined && !over.aborted; typing = answering?.()) {
    await typing;
    await wait();
  }
}

/** Until nothing was heard for that long; neither a pause nor a person who is answering counts. */
async function standstill(followed: Followed, over: AbortSignal, heard: () => number): Promise<void> {
  for (let before = -1; before !== heard() && !over.aborted; ) {
    before = heard();
    await waitFor(followed.stillMs, followed, over);
  }
}

/** The script's coder kills itself once; anything else that stops an agent is not in the script. */
function failure({ members, board }: CrewView): string | undefined {
  if (board.state.goal.status === 'COMPLETED') return undefined;
  const aborted = board.switches.ABORT !== undefined;
  const stuck = members.find(
    ({ state, cause, end }) =>
      (state === 'backing-off' && (cause === 'failed' || cause === 'nothing-done')) ||
      (state === 'stopped' && (end !== 'over' || aborted)),
  );
  return stuck === undefined
    ? undefined
    : `${stuck.agent}${stuck.task === undefined ? '' : ` on ${stuck.task}`}: ${stuck.why}`;
}
