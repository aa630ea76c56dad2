// What a change does to what was there before it, beside lines: files that go, and paths that become something else.

interface Step {
  readonly path: string;
  readonly old?: { readonly mode: string };
  readonly new?: { readonly mode: string };
}

const KINDS: Readonly<Record<string, string>> = {
  100644: 'not executable',
  100755: 'executable',
  120000: 'a link',
  160000: 'a submodule',
};
const isFile = (mode: string): boolean => mode.startsWith('100');

/** What a path that stays became: `executable`, `a link`, `a file`; undefined: it is what it was. */
export function becomes(old: string | undefined, now: string | undefined): string | undefined {
  if (old === undefined || now === undefined || old === now) return undefined;
  return isFile(now) && !isFile(old) ? 'a file' : (KINDS[now] ?? now);
}

type Lines = { readonly removed: number } | 'binary' | undefined;

/** What one step does to what existed, in words; an added file existed nowhere. */
export interface DoneToOld {
  readonly path: string;
  readonly what: string;
}

/** Of these steps, what does more than add lines. A renamed file is one that goes. */
export function doneToOld(steps: readonly Step[], linesOf: (path: string) => Lines): readonly DoneToOld[] {
  return steps.flatMap(({ path, old, new: now }) => {
    if (old === undefined) return [];
    if (now === undefined) return [{ path, what: 'deletes' }];
    const lines = linesOf(path);
    const other = becomes(old.mode, now.mode);
    return [
      ...(lines === 'binary' ? [{ path, what: 'changes the binary' }] : []),
      ...(lines !== 'binary' && lines !== undefined && lines.removed > 0
        ? [{ path, what: 'changes or removes some in' }]
        : []),
      ...(other === undefined ? [] : [{ path, what: `makes ${other}:` }]),
    ];
  });
}

/** `changes or removes some in a.ts, b.ts; deletes c.ts`: each thing once, with its paths. */
export function doneText(done: readonly DoneToOld[], list: (paths: readonly string[]) => string): string {
  const clauses = new Map<string, string[]>();
  for (const { path, what } of done) clauses.set(what, [...(clauses.get(what) ?? []), path]);
  return [...clauses].map(([what, paths]) => `it ${what} ${list(paths)}`).join('; ');
}
