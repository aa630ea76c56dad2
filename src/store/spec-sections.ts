// What became of a file of specs, section by section, and which tasks come from each: what a planner has to know of it.

import { fileOf, type SectionNews } from '../protocol/messages/news.ts';
import type { State } from '../protocol/state.ts';
import { anchorOf, type PlainSection, plainSections } from '../text/spec-section.ts';
import { keptSpec, readSpec, specDiff } from './spec-texts.ts';

type Place = Parameters<typeof keptSpec>[0] & {
  readonly disk: Parameters<typeof readSpec>[0];
  readonly paths: { readonly root: string };
};

/** Since the file had that hash; undefined: its text of that time is not kept, or the file is gone. */
export async function changesSince(
  place: Place,
  { tasks }: Pick<State, 'tasks'>,
  { spec, before }: { readonly spec: string; readonly before: string },
): Promise<readonly SectionNews[] | undefined> {
  const then = keptSpec(place, before);
  const now = readSpec(place.disk, place.paths.root, spec);
  if (then === undefined || now === undefined) return undefined;
  const old = plainSections(then);
  const fresh = plainSections(now.text);
  const same = (one: PlainSection) => (other: PlainSection) => other.anchor === one.anchor;
  const named = ({ anchor }: PlainSection): string => (anchor === undefined ? spec : `${spec}#${anchor}`);
  const resting = ({ anchor, within }: PlainSection): readonly string[] =>
    tasks
      .filter(({ spec_ref: ref = '' }) => {
        const wanted = anchorOf(ref)?.toLowerCase();
        return fileOf(ref) === spec && (!wanted || wanted === anchor || within.includes(wanted));
      })
      .map(({ id, status }) => `${id} (${status})`);
  const found: SectionNews[] = [];
  for (const one of fresh) {
    const was = old.find(same(one));
    if (was?.text === one.text) continue;
    const text = was === undefined ? one.text : (await specDiff(was.text, one.text)).text;
    found.push({ spec: named(one), kind: was === undefined ? 'new' : 'changed', text, tasks: resting(one) });
  }
  const gone = old.filter((one) => !fresh.some(same(one)));
  return [...found, ...gone.map((one) => ({ spec: named(one), kind: 'gone' as const, text: '', tasks: resting(one) }))];
}
