// How something that was planted in git is told: what it does to people's own git, and how it goes away.

import { shellWord } from '../../text/format.ts';
import type { State } from '../state.ts';
import { defined } from '../values.ts';
import type { Planted } from './violation-payloads.ts';

export function plantedText({ what, at, commit, hides, agent }: Planted): string {
  const gone = `delete it: git update-ref -d ${shellWord(at)}`;
  switch (what) {
    case 'hides':
      return `${at} hides ${hides}: your git takes ${commit ?? 'something else'} for that name — ${gone}`;
    case 'file':
      return `${at} hides ${hides}: your git takes that file for it — delete it: rm -r ${shellWord(at)}`;
    case 'replaces':
      return `${at} makes your git show ${commit ?? 'something else'} in place of that object; Liza ignores it — ${gone}`;
    case 'notes':
      return `${at} was written by ${agent}, and your git log shows it; Liza ignores it — ${gone}`;
    case 'own':
      return `${at} was put into Liza’s own git directory; Liza has removed it`;
    default:
      return what satisfies never;
  }
}

/** As an anomaly holds it. */
export const plantedIn = (details: Readonly<Record<string, unknown>> | undefined): Planted => {
  const text = (key: string): string | undefined => {
    const value = details?.[key];
    return typeof value === 'string' ? value : undefined;
  };
  const what = KINDS.find((kind) => kind === text('what')) ?? 'own';
  const [at, commit, hides, agent] = [text('at') ?? '?', text('commit'), text('hides'), text('agent')];
  return { what, at, ...defined({ commit, hides, agent }) };
};

/** A person has looked at it and left it. */
export const isAccepted = ({ anomalies }: State, { at, commit }: Planted): boolean =>
  anomalies.some(
    ({ type, details, processed_at }) =>
      type === 'git_planted' && processed_at !== undefined && details?.['at'] === at && details['commit'] === commit,
  );

const KINDS: readonly Planted['what'][] = ['hides', 'file', 'replaces', 'notes', 'own'];
