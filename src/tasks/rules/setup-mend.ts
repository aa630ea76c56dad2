// What helps against a set-up that failed, by what it printed: a login, a file of the commit, a place that the sandbox does
// not show. Where nothing is recognised, the reader is told to fix what the output names.

import { shellWord } from '../../text/format.ts';
import { type LoginFacts, loginMend, wantsLogin } from './login-needed.ts';

export interface FailedSetup extends LoginFacts {
  readonly command: string;
  /** The end of what it printed. */
  readonly output: string;
  readonly code: number;
  /** The user's home folder, of which the sandbox shows little. */
  readonly home?: string | undefined;
  /** The commit is a task's own: whoever wrote it mends it. */
  readonly isTasks: boolean;
}

export function setupMend(failed: FailedSetup): string {
  const { command, output, confined, isTasks } = failed;
  const scope = confined ? hiddenScope(output) : undefined;
  if (scope !== undefined || wantsLogin(output)) return loginMend(command, failed, scope);
  if (NO_LOCK.test(output))
    return isTasks
      ? 'the commit has no package-lock.json that npm ci can use: commit one (git add -f package-lock.json where git ignores it)'
      : 'the commit has no package-lock.json that npm ci can use; where git ignores it: git add -f package-lock.json, commit it on your branch, then: liza sync';
  const file = COMMITTED.find(([said]) => said.test(output))?.[1];
  if (file !== undefined)
    return isTasks
      ? `the fault lies in ${file} of this commit: fix it there, and commit that`
      : `the fault lies in ${file}, as it is committed: commit the fix on your branch, then: liza sync`;
  return (confined ? hiddenPlace(failed) : undefined) ?? `fix what it names, or ${CHANGE}`;
}

/** npm's words where there is no lock file, as where .gitignore names it, or one of npm 4. */
const NO_LOCK = /\bcan only install with an existing package-lock/;

const CHANGE = 'change the command: liza config set post_worktree_cmd "<command>"';

/** What package managers print when they stumble over a file of the repository, and which one it is. */
const COMMITTED: readonly (readonly [RegExp, string])[] = [
  [/\bEINTEGRITY\b|\bEUSAGE\b[\s\S]*\bin sync\b/, 'package-lock.json'],
  [/\bnpm (?:error|ERR!) code E(?:JSONPARSE|TARGET|RESOLVE|404)\b/, 'package.json'],
  [/\bERR_PNPM_(?:\w*LOCKFILE\w*|TARBALL_INTEGRITY)\b/, 'pnpm-lock.yaml'],
  [/\bYN00(?:18|28)\b|\b[Ll]ockfile (?:would have been modified|needs to be updated)/, 'yarn.lock'],
  [/\block file \S* ?needs to be updated but --(?:locked|frozen)\b/, 'Cargo.lock'],
  [/\bDO NOT MATCH THE HASHES\b/, 'the file of requirements'],
  [/\bchanged significantly since poetry\.lock\b/, 'poetry.lock'],
  [/\blockfile at `uv\.lock` needs to be updated\b/, 'uv.lock'],
  [/\bgemspecs? (?:in|for) .*Gemfile\.lock|\bGemfile\.lock (?:is|can't)\b|\bfrozen\b[^\n]*Gemfile/, 'Gemfile.lock'],
  [/\bupdates to go\.mod needed\b/, 'go.mod'],
  [/\bmissing go\.sum entry\b|\bchecksum mismatch\b[\s\S]*\bgo\.sum\b/, 'go.sum'],
];

/** A registry answers 404 for private packages to those without a login; public ones have no such scope. */
const hiddenScope = (output: string): string | undefined =>
  /\b404\b[^\n]*(@[\w.-]+)(?:\/|%2f)/i.exec(output)?.[1] ?? /(@[\w.-]+)\/[^\n]*\b404\b/.exec(output)?.[1];

const DENIED = /\b(?:ENOENT|EACCES|EPERM)\b|\bNo such file or directory\b|\b[Pp]ermission denied\b/;
const NO_PROGRAM = /: (?:line )?\d*:? ?([\w.+-]+): (?:command )?not found\b/;

/** What the sandbox hides: a place below the home folder, or a program that may lie there. */
function hiddenPlace({ output, code, home = '', sandbox_read = [] }: FailedSetup): string | undefined {
  const denied = output.split('\n').filter((line) => DENIED.test(line));
  const place = home === '' ? undefined : denied.flatMap((line) => placesBelow(home, line))[0];
  if (place !== undefined && !sandbox_read.some((shown) => place === shown || place.startsWith(`${shown}/`)))
    return `it ran in the sandbox, which does not show ${place}; to show it: liza config set sandbox_read ${shellWord(JSON.stringify([...sandbox_read, place]))}`;
  const program = code === 127 ? NO_PROGRAM.exec(output)?.[1] : undefined;
  if (program === undefined) return undefined;
  return `it ran in the sandbox: if ${program} lies below your home folder, name its folder in sandbox_read (liza help sandbox); or ${CHANGE}`;
}

/** As the user names them: `~/.cache/models`. */
function placesBelow(home: string, line: string): readonly string[] {
  const at = line.indexOf(`${home}/`);
  const rest = at === -1 ? '' : (/^[^\s'"`,;:)\]]+/.exec(line.slice(at + home.length + 1))?.[0] ?? '');
  return rest === '' ? [] : [`~/${rest}`];
}
