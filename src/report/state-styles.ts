// How each state of a task looks: a colour, a pattern and a sign of its own, so that none is told by colour alone.

import { TASK_STATUSES, type TaskStatus } from '../protocol/state.ts';
import { stateWord } from './format.ts';
import { html, type Markup } from './markup.ts';

interface Look {
  readonly sign: string;
  readonly light: string;
  readonly dark: string;
  /** What is drawn over the colour, in a square of 8. */
  readonly pattern: string;
}

const LOOKS: Readonly<Record<TaskStatus, Look>> = {
  DRAFT: { sign: 'D', light: '#656d76', dark: '#8b949e', pattern: 'M0 4H8M4 0V8' },
  UNCLAIMED: { sign: 'U', light: '#57606a', dark: '#9aa4af', pattern: 'M1 2H3M5 6H7' },
  CLAIMED: { sign: 'C', light: '#0860ca', dark: '#6cb6ff', pattern: '' },
  READY_FOR_REVIEW: { sign: 'R', light: '#7a43d6', dark: '#c297ff', pattern: 'M-2 2L2 -2M0 8L8 0M6 10L10 6' },
  REJECTED: { sign: 'X', light: '#c21c28', dark: '#ff8e86', pattern: 'M0 0L8 8M8 0L0 8' },
  APPROVED: { sign: 'A', light: '#1a7431', dark: '#57d46f', pattern: 'M0 2H8M0 6H8' },
  BLOCKED: { sign: 'B', light: '#a44200', dark: '#f4a05a', pattern: 'M-2 6L2 10M0 0L8 8M6 -2L10 2' },
  INTEGRATION_FAILED: { sign: 'F', light: '#a5246b', dark: '#f98cc4', pattern: 'M0 6L2 2L4 6L6 2L8 6' },
  MERGED: { sign: '✓', light: '#116329', dark: '#3fb950', pattern: '' },
  SUPERSEDED: { sign: '↪', light: '#424a53', dark: '#a8b1ba', pattern: 'M2 0V8M6 0V8' },
  ABANDONED: { sign: '∅', light: '#24292f', dark: '#cdd5dd', pattern: 'M0 0L8 8' },
};

export const signOf = (status: TaskStatus): string => LOOKS[status].sign;

/** Colours as variables of the style sheet. */
export const stateColours = (shade: 'light' | 'dark'): string =>
  TASK_STATUSES.map((status) => `--${status}:${LOOKS[status][shade]}`).join(';');

/** The patterns that every bar refers to; a page has them once. */
export function patterns(): Markup {
  const each = TASK_STATUSES.map((status) => {
    const { pattern } = LOOKS[status];
    const lines = pattern === '' ? undefined : html`<path d="${pattern}"/>`;
    return html`<pattern id="p-${status}" width="8" height="8" patternUnits="userSpaceOnUse"><rect width="8" height="8" style="fill:var(--${status})"/>${lines}</pattern>`;
  });
  return html`<svg class="defs" width="0" height="0" aria-hidden="true" focusable="false"><defs>${each}</defs></svg>`;
}

export const pill = (status: TaskStatus): Markup =>
  html`<span class="pill ${status}"><span aria-hidden="true">${signOf(status)}</span> ${stateWord(status)}</span>`;

/** What each bar means, for those states that occur. */
export function legend(states: ReadonlySet<TaskStatus>): Markup {
  const entries = TASK_STATUSES.filter((status) => states.has(status)).map(
    (status) => html`<li>${swatch(status)} ${stateWord(status)}</li>`,
  );
  return html`<ul class="legend" aria-label="What the bars mean">${entries}</ul>`;
}

export const swatch = (status: TaskStatus): Markup =>
  html`<svg class="swatch ${status}" width="26" height="18" aria-hidden="true" focusable="false"><rect width="26" height="18" rx="3" fill="url(#p-${status})"/><text x="13" y="13">${signOf(status)}</text></svg>`;

/** The rules of the style sheet for each state, so that a bar need not repeat them. */
export const stateRules = (): string =>
  TASK_STATUSES.map(
    (status) =>
      `.pill.${status}{background:var(--${status})}.seg.${status} text,.swatch.${status} text{stroke:var(--${status})}.mark.${status} circle{fill:var(--${status})}`,
  ).join('\n');
