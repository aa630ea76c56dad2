// What a person is told when the goal is complete: what comes next, and what nobody has said to be handled.

import { unhandledText } from '../messages/notes.ts';
import type { State } from '../state.ts';
import { afterGoal, type BaseDistance } from './base-distance.ts';

export const completeText = (state: State, base: BaseDistance | undefined): string =>
  withUnhandled(`the goal is complete: ${state.goal.description}; ${afterGoal(base)}`, state);

export const withUnhandled = (text: string, state: State): string =>
  [text, unhandledText(state)].filter((part) => part !== undefined).join('; ');
