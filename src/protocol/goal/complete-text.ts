// What a person is told when the goal is complete: what comes next, and what nobody has said to be handled.

import { whole } from '../../text/format.ts';
import { unhandledText } from '../messages/notes.ts';
import type { State } from '../state.ts';
import { afterGoal, type BaseDistance } from './base-distance.ts';

/** A line for each of them: the command in it is what the reader types next. */
export const completeText = (state: State, base: BaseDistance | undefined): string =>
  told([`the goal is complete: ${whole(state.goal.description)}`, afterGoal(base), unhandledText(state)], '\n');

export const withUnhandled = (text: string, state: State): string => told([text, unhandledText(state)], '; ');

const told = (parts: readonly (string | undefined)[], between: string): string =>
  parts.filter((part) => part !== undefined).join(between);
