// The goal's document at `liza init`: whether it may be written from the template, the writing, and the command
// to paste when it is neither there nor wanted. Never replaces a file, and never writes through a link.

import { lstatSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { realDisk } from '../ports/disk.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import type { BoardContext } from '../store/context.ts';
import { shellWord } from '../text/format.ts';
import type { InitRequest } from './init.ts';

export function refuseSpec(root: string, request: InitRequest): Refusal | undefined {
  const { spec, specExists, template } = request;
  if (specExists) return undefined;
  if (template !== undefined) return refuseOutside(root, fileOf(spec));
  return refuse(
    `the goal's document ${spec} is not in this project`,
    `create it from a template: ${typed(request)} --vision-from-template`,
    1,
    'spec',
  );
}

/** The same command again, ready to be pasted. */
function typed({ goal, spec, branch, settings }: InitRequest): string {
  const options = [
    ['spec', spec === 'specs/vision.md' ? undefined : spec],
    ['branch', branch === 'integration' ? undefined : branch],
    ['provider', settings?.default_provider],
    ['test', settings?.test_command],
  ].flatMap(([name, value]) => (value ? [`--${name} ${shellWord(value)}`] : []));
  return ['liza init', shellWord(goal), ...options].join(' ');
}

/** A folder on the way may be a link that points outside the project, or no folder at all. */
function refuseOutside(root: string, path: string): Refusal | undefined {
  const bad = path
    .split('/')
    .map((_, at, parts) => parts.slice(0, at + 1).join('/'))
    .find((part) => {
      const stat = lstatSync(join(root, part), { throwIfNoEntry: false });
      return stat !== undefined && (part === path || !stat.isDirectory());
    });
  if (bad === undefined) return undefined;
  return refuse(
    `${path} cannot be written: ${bad} is in the way`,
    'name another document: --spec docs/goal.md',
    1,
    'spec',
  );
}

/** Does not overwrite a file that has appeared meanwhile. */
export function writeVision({ paths }: BoardContext, { spec, specExists, template, goal }: InitRequest): boolean {
  if (specExists || template === undefined) return false;
  const path = join(paths.root, fileOf(spec));
  mkdirSync(dirname(path), { recursive: true });
  try {
    realDisk.writeFileSync(
      path,
      template.replace('<name of the goal>', () => goal),
      { flag: 'wx' },
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
  return true;
}

/** Without the `#section`. */
export const fileOf = (spec: string): string => spec.split('#', 1)[0] ?? '';
