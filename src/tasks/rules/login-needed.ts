// Whether a set-up failed because a registry wants a login, and what the person does about it. Set-up in the sandbox knows
// the addresses of registries and no login, so that "run the same command again" would not help.

const REFUSED = [
  /\bE(?:401|403|NEEDAUTH|OTP)\b/,
  /\b40[13] (?:Client Error: )?(?:Unauthorized|Forbidden)\b/i,
  /\b(?:status|code|error|response)[^\n]{0,40}\b40[13]\b/i,
  /\bUnable to authenticate\b|\bauthentication (?:failed|is required|token)\b|\bBad username or password\b/i,
];

export const wantsLogin = (output: string): boolean => REFUSED.some((pattern) => pattern.test(output));

/** Settings file of a package manager that a command names, as `setup_read` takes it. */
const FILES: readonly (readonly [RegExp, string])[] = [
  [/\b(?:pip3?|pipx)\b/, '~/.config/pip/pip.conf'],
  [/\buv\b/, '~/.config/uv/uv.toml'],
  [/\bcargo\b/, '~/.cargo/credentials.toml'],
  [/\bbundle\b/, '~/.bundle/config'],
];

export interface LoginFacts {
  readonly confined: boolean;
  readonly sandbox_read?: readonly string[] | undefined;
  readonly setup_read?: readonly string[] | undefined;
  /** Why set-up ran without the files of `setup_read`. */
  readonly withheld?: string | undefined;
}

/** What helps, by the command and by whether it ran in the sandbox. `scope`: of a package that was not found. */
export function loginMend(
  command: string,
  { confined, sandbox_read = [], setup_read = [], withheld }: LoginFacts,
  scope?: string,
): string {
  if (!confined)
    return 'the registry refused the login: log in to it (npm login), or correct the token in your settings';
  const file = FILES.find(([program]) => program.test(command))?.[1] ?? '~/.npmrc';
  if (withheld !== undefined && setup_read.length > 0)
    return `the registry needs a login, and set-up ran without the files of setup_read: ${withheld}`;
  if (sandbox_read.includes(file))
    return `the registry refused the login in ${file}: correct it there, then Liza tries again by itself`;
  const list = JSON.stringify([...setup_read, file]);
  const why =
    scope === undefined ? 'the registry needs a login' : `a registry may hide ${scope} from those without a login`;
  return `${why}, and the sandbox has none; to give it to set-up alone: liza config set setup_read '${list}'`;
}
