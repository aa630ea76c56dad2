// A command line becomes one that runs confined. Before it starts, the places for what is shown in its home are made:
// that folder is its own from session to session, and a link it left there must not lead a mount, or us, astray.

import { lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Environment } from '../ports/host.ts';
import { bwrapArgv } from './bwrap.ts';
import type { Tool } from './detect.ts';
import { type Entry, entriesOf, environmentIn, isBelow, type Policy, TEMPORARY } from './policy.ts';
import { seatbeltArgv } from './seatbelt.ts';
import { kindOf } from './toolchains.ts';

export interface Confined {
  readonly argv: readonly [string, ...string[]];
  readonly env: Environment;
  /** The tool stays as the program's parent; without this it becomes the program. */
  readonly wrapped: boolean;
}

export function confine(tool: Tool, policy: Policy, argv: readonly [string, ...string[]], env: Environment): Confined {
  makePlaces(tool, policy);
  const inPlace = tool.kind === 'seatbelt';
  return {
    argv: inPlace ? seatbeltArgv(tool.program, policy, argv) : bwrapArgv(tool, policy, argv, { kindOf }),
    wrapped: !inPlace,
    env: environmentIn(env, { HOME: policy.home.at, TMPDIR: inPlace ? policy.tmp : '/tmp' }),
  };
}

function makePlaces(tool: Tool, policy: Policy): void {
  const own = [{ at: policy.home.at, kept: policy.home.kept }, ...TEMPORARY.map((at) => ({ at, kept: policy.tmp }))];
  const entries = entriesOf(policy);
  for (const entry of entries) {
    // The innermost of them: a home may lie below /tmp.
    const [around] = own
      .filter(({ at }) => entry.at !== at && isBelow(entry.at, at))
      .sort((a, b) => b.at.length - a.at.length);
    if (around === undefined || own.some(({ at }) => at === entry.at)) continue;
    // Its place is in what is shown around it.
    const isBetween = ({ at }: Entry): boolean => at !== entry.at && at !== around.at && isBelow(at, around.at);
    if (entries.some((other) => isBetween(other) && isBelow(entry.at, other.at))) continue;
    const place = join(around.kept, relative(around.at, entry.at));
    makeFolders(around.kept, dirname(place));
    if (tool.kind === 'bubblewrap') makePlace(place, entry);
    else if (entry.at !== entry.from) linkTo(place, entry.from);
  }
}

/** Each of them a real folder: whatever else is in the way was put there by its owner, and goes. */
export function makeFolders(from: string, to: string): void {
  const parts = relative(from, to)
    .split('/')
    .filter((part) => part !== '');
  mkdirSync(from, { recursive: true });
  for (const count of parts.keys()) {
    const path = join(from, ...parts.slice(0, count + 1));
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true) continue;
    rmSync(path, { force: true });
    mkdirSync(path);
  }
}

function makePlace(place: string, { kind, at, from }: Entry): void {
  const wanted = kindOf(kind === 'hide' ? at : from);
  const there = lstatSync(place, { throwIfNoEntry: false });
  if (wanted === undefined) return;
  if (wanted === 'folder' ? there?.isDirectory() === true : there?.isFile() === true) return;
  rmSync(place, { recursive: true, force: true });
  if (wanted === 'folder') mkdirSync(place);
  else writeFileSync(place, '', { flag: 'wx', mode: 0o600 });
}

function linkTo(place: string, target: string): void {
  rmSync(place, { recursive: true, force: true });
  symlinkSync(target, place);
}
