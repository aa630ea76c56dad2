// The names of commits that agents and people give. Git takes many more, and some cost as much as their writer likes:
// `:/<pattern>` searches all history with any pattern, `@{…}` and `^{/…}` likewise.

/** A commit's id or the name of a ref, with `~3` or `^2` behind it, as often as needed. */
export function isCommitName(name: string): boolean {
  const [, ref = '', steps = ''] = /^([^~^]+)((?:[~^]\d{0,6})*)$/.exec(name) ?? [];
  return ref !== '' && name.length <= LONGEST && steps.length <= MOST_STEPS && isRefName(ref);
}

export const COMMIT_NAMES = 'an id, HEAD, a branch or a tag, with ~2 or ^2 behind it where needed';

const LONGEST = 500;
const MOST_STEPS = 50;

/** By git's rules for names of refs (git check-ref-format), also in one part; never an option. */
const isRefName = (ref: string): boolean =>
  !/^[-/.]|[\0-\x20\x7f:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(\/|$)|[/.]$/.test(ref);
