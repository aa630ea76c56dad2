// The reference-transaction hook of the project's repository: a tripwire, not a wall. It refuses agents any branch but
// their task's, and everybody but Liza the integration branch. An agent is known by its environment or, on Linux, by that of
// the processes above. Plain sh that needs no Liza: where Liza is gone it lets everything pass. A hook that was there before is called first and keeps its say. A move that goes around it is found by
// the recorded heads (identity/branch-watch.ts).

import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { exclude } from '../git/repository.ts';
import { git } from '../git/run.ts';
import type { Disk } from '../ports/disk.ts';
import type { Host } from '../ports/host.ts';

export type HookHost = Pick<Host, 'disk' | 'env' | 'git' | 'processes'>;

export interface HookFacts {
  /** The repository's shared git directory. */
  readonly repository: string;
  /** What the tags of this repository's agents begin with (process/tags.ts). */
  readonly mark: string;
  /** Name of the integration branch. */
  readonly branch: string;
}

export const HOOK = 'reference-transaction';
const BEFORE = `${HOOK}.before-liza`;
const SIGN = '# liza-hook';
/** In Liza's own folder: where the hook was put, so that it is found again without asking git. */
const WHERE = 'hook';

export function hookText({ repository, mark, branch }: HookFacts): string {
  return `#!/bin/sh
${SIGN}: installed by liza init; liza doctor checks it, liza deinit removes it.
# Agents of Liza move only their own task's branch; only Liza moves the integration branch.
# It calls no program of Liza's; after Liza is removed it blocks nobody.
before="$0.before-liza"
common=${quote(repository)}
if [ "$1" != prepared ] || [ ! -d "$common/liza" ]; then
  [ -x "$before" ] && exec "$before" "$@"
  exit 0
fi

# A process that cleared its environment is still below the agent's, where the system shows that.
below_agent() {
  pid=$PPID
  set --
  while [ "\${pid:-0}" -gt 1 ] && [ -r "/proc/$pid/status" ]; do
    set -- "$@" "/proc/$pid/environ"
    above=
    while read -r key value; do [ "$key" = PPid: ] && above=$value && break; done <"/proc/$pid/status"
    pid=$above
  done
  [ $# -gt 0 ] && grep -aqsF -e 'LIZA_PROGRAM=${mark}' -e '/${mark}' "$@"
}

case "/$LIZA_PROGRAM" in
  */${mark}*) agent=\${LIZA_AGENT_ID:-an agent} ;;
  *) if below_agent; then agent='a process of an agent'; else agent=; fi ;;
esac
case "$LIZA_BRANCH" in
  task/*) own=refs/heads/$LIZA_BRANCH ;;
  *) own=/ ;;
esac

refuse() {
  echo "liza: refused: $1" >&2
  echo "  -> $2" >&2
  exit 1
}

# The HEAD of a worktree of its own is an agent's to move, that of the project's folder is not.
own_head() {
  [ "$(git rev-parse --absolute-git-dir 2>/dev/null)" != "$common" ]
}

# git pack-refs (and gc) writes what is there into packed-refs, then takes the single files away: no branch moves by that.
stays() {
  case "$2" in
    *[!0]*)
      [ "$1" = "$2" ] && return 0
      now=
      [ -f "$common/$3" ] && read -r now <"$common/$3"
      [ "$now" = "$2" ]
      ;;
    *)
      # People may delete what they like; a missing integration branch is told by liza doctor.
      [ -z "$agent" ] && return 0
      [ ! -e "$common/packed-refs.lock" ] && grep -Fqx -e "$1 $3" "$common/packed-refs" 2>/dev/null
      ;;
  esac
}

check() {
  while read -r old new ref; do
    case "$ref" in
      refs/bisect/* | refs/worktree/* | refs/rewritten/* | "$own") continue ;;
      ${quote(`refs/heads/${branch}`)}) ;;
      refs/*) [ -n "$agent" ] || continue ;;
      *)
        [ -z "$agent" ] || [ "$old" = "$new" ] || own_head ||
          refuse "$agent may not move $ref of the project's folder" "\${LIZA_BRANCH:+work on $LIZA_BRANCH in your own folder; }the project's folder belongs to people"
        continue
        ;;
    esac
    stays "$old" "$new" "$ref" && continue
    if [ -n "$agent" ]; then
      refuse "$agent may not move $ref" "\${LIZA_BRANCH:+commit on $LIZA_BRANCH, in your own folder, and submit it; }other branches, tags and the stash belong to people"
    fi
    [ "$LIZA_INTEGRATION" = mine ] ||
      refuse "${shown(branch)} is moved only by Liza" "you may move your own branches; to move this one on purpose: LIZA_INTEGRATION=mine git ..., then liza doctor --accept-integration"
  done
  return 0
}

[ -x "$before" ] || { check; exit; }
lines=$(cat)
printf '%s\\n' "$lines" | check || exit 1
printf '%s\\n' "$lines" | "$before" "$@"
`;
}

/** For sh: in single quotes nothing has a meaning. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
/** For double quotes; a branch may be called \`x\`. */
const shown = (text: string): string => text.replace(/[^\w./-]/g, '?');

/** Where git looks for hooks here. */
export interface HookPlace {
  readonly folder: string;
  /** `outside`: a folder of the user's for all their repositories, which is not ours to write to. */
  readonly kind: 'own' | 'tree' | 'outside';
  /** It is named from the folder that git works in: each worktree looks for its own, which is seldom there. */
  readonly perWorktree: boolean;
}

export type HookState = 'there' | 'missing' | 'outdated' | 'tracked' | 'outside' | 'unusable';

export async function hookPlace(host: HookHost, root: string, repository: string): Promise<HookPlace> {
  const { disk } = host;
  const configured = await hooksPath(host, root);
  if (configured === undefined) return { folder: join(repository, 'hooks'), kind: 'own', perWorktree: false };
  const folder = resolve(root, configured);
  const inside = (parent: string): boolean => {
    const path = relative(real(disk, parent), real(disk, folder));
    return path === '' || !(path.startsWith('..') || isAbsolute(path));
  };
  const kind = inside(repository) ? 'own' : inside(root) ? 'tree' : 'outside';
  return { folder, kind, perWorktree: !isAbsolute(configured) };
}

/** As the person's git has it: Liza's own calls run without hooks and without their configuration. */
async function hooksPath(host: HookHost, root: string): Promise<string | undefined> {
  const { env, disk } = host;
  const home = env['HOME'] ?? '/nowhere';
  const own = join(home, '.gitconfig');
  const global = disk.existsSync(own) ? own : join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'git', 'config');
  const args = ['config', '-z', '--show-scope', '--type=path', '--get-all', 'core.hooksPath'];
  const at = { GIT_CONFIG_NOSYSTEM: '0', GIT_CONFIG_GLOBAL: global };
  const fields = (await git(host, root, args, { at })).stdout.split('\0');
  let last: string | undefined;
  for (let n = 0; n + 1 < fields.length; n += 2) if (fields[n] !== 'command') last = fields[n + 1];
  return last === '' ? undefined : last;
}

/** Changes nothing. */
export async function examineHook(host: HookHost, root: string, facts: HookFacts): Promise<HookState> {
  return stateOf(host, root, await hookPlace(host, root, facts.repository), facts);
}

async function stateOf(host: HookHost, root: string, place: HookPlace, facts: HookFacts): Promise<HookState> {
  const { disk } = host;
  const file = join(place.folder, HOOK);
  const text = readIfThere(disk, file);
  if (text === hookText(facts) && isExecutable(disk, file)) return 'there';
  if (place.kind === 'outside') return 'outside';
  if (text !== undefined && !isOurs(text) && place.kind === 'tree' && (await isTracked(host, root, file)))
    return 'tracked';
  if (text === undefined && disk.existsSync(file)) return 'unusable';
  return text !== undefined && isOurs(text) ? 'outdated' : 'missing';
}

/** Puts it there where that is possible; answers what stands in the way. Safe to repeat, and after a kill. */
export async function ensureHook(host: HookHost, root: string, facts: HookFacts): Promise<HookState> {
  const place = await hookPlace(host, root, facts.repository);
  const state = await stateOf(host, root, place, facts);
  if (state !== 'missing' && state !== 'outdated') return state;
  try {
    write(host, place, state, facts);
    if (place.kind === 'tree') await keepOut(host, root, facts.repository, join(place.folder, HOOK));
    record(host.disk, place, facts);
    return 'there';
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) return 'unusable';
    throw error;
  }
}

function write({ disk, processes }: HookHost, place: HookPlace, state: 'missing' | 'outdated', facts: HookFacts): void {
  disk.mkdirSync(place.folder, { recursive: true });
  const file = join(place.folder, HOOK);
  const before = join(place.folder, BEFORE);
  // Never a moment without the one that was there: it gets a second name, then ours takes its first.
  // Ours may be there by now: several start at once, and it must not be called by itself.
  const isThere = disk.lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  if (state === 'missing' && isThere && !isOurs(readIfThere(disk, file) ?? '')) {
    disk.rmSync(before, { force: true });
    disk.linkSync(file, before);
  }
  const temporary = `${file}${NEW}${processes.pid}`;
  disk.writeFileSync(temporary, hookText(facts), { mode: 0o755 });
  disk.chmodSync(temporary, 0o755);
  disk.renameSync(temporary, file);
}

/** A process that was killed while it wrote leaves one; the number is its own. */
const NEW = '.liza-new';

/** For `removeHook`, which asks no git. */
function record(disk: Disk, { folder }: HookPlace, { repository }: HookFacts): void {
  const own = join(repository, 'liza');
  disk.mkdirSync(own, { recursive: true });
  disk.writeFileSync(join(own, WHERE), `${folder}\n`);
}

/** A hook folder in the working tree: what is put there must not turn up in git status. */
async function keepOut(host: HookHost, root: string, repository: string, file: string): Promise<void> {
  const { disk } = host;
  const lines = [file, join(dirname(file), BEFORE)].map(
    (path) => `/${relative(real(disk, root), join(real(disk, dirname(path)), path.slice(dirname(path).length + 1)))}`,
  );
  const asked = await Promise.all(
    lines.map((line) => git(host, root, ['check-ignore', '--quiet', '--no-index', '--', `.${line}`])),
  );
  exclude(
    host,
    repository,
    lines.filter((_, at) => asked[at]?.status !== 0),
  );
}

/** Lines of info/exclude that keepOut wrote. */
export const isHookLine = (line: string): boolean =>
  line.startsWith('/') && /\/reference-transaction(\.before-liza)?$/.test(line);

/** The hook goes and the one before it is back. Runs no git. Answers what was left, one line each. */
export function removeHook(disk: Disk, repository: string): readonly string[] {
  const where = join(repository, 'liza', WHERE);
  const recorded = readIfThere(disk, where)?.trim();
  const folders = new Set([join(repository, 'hooks'), ...(recorded === undefined ? [] : [recorded])]);
  const left = [...folders].flatMap((folder) => {
    const file = join(folder, HOOK);
    const before = join(folder, BEFORE);
    for (const name of disk.existsSync(folder) ? disk.readdirSync(folder) : [])
      if (name.startsWith(`${HOOK}${NEW}`)) disk.rmSync(join(folder, name), { force: true });
    const text = readIfThere(disk, file);
    const wasThere = disk.lstatSync(before, { throwIfNoEntry: false }) !== undefined;
    if (text !== undefined && isOurs(text)) {
      if (wasThere) disk.renameSync(before, file);
      else disk.rmSync(file);
      return [];
    }
    return wasThere ? [`${before}: the hook that was there before; another one has its place`] : [];
  });
  disk.rmSync(where, { force: true });
  return left;
}

export const hasHook = (disk: Disk, repository: string): boolean => {
  const text = readIfThere(disk, join(repository, 'hooks', HOOK));
  return (text !== undefined && isOurs(text)) || disk.existsSync(join(repository, 'liza', WHERE));
};

const isOurs = (text: string): boolean => text.split('\n', 2)[1]?.startsWith(SIGN) === true;

const isExecutable = (disk: Disk, file: string): boolean =>
  ((disk.lstatSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o100) !== 0;

async function isTracked(host: HookHost, root: string, file: string): Promise<boolean> {
  const { disk } = host;
  const path = relative(real(disk, root), join(real(disk, dirname(file)), HOOK));
  return (await git(host, root, ['ls-files', '--error-unmatch', '--', path])).status === 0;
}

function readIfThere(disk: Disk, file: string): string | undefined {
  try {
    return disk.readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function real(disk: Disk, path: string): string {
  try {
    return disk.realpathSync(path);
  } catch {
    return path;
  }
}
