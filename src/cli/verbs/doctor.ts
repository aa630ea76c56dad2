// `liza doctor [--fix]`: what is wrong around the blackboard, and what to do about it.

import { refuse } from '../../core/decision.ts';
import type { Finding } from '../../workflows/doctor.ts';
import { refused } from '../desk.ts';
import { humanOnly } from '../identity.ts';
import { readSchema } from '../schema.ts';
import { plain } from '../terminal.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  name: 'doctor',
  positionals: [],
  options: { fix: { description: 'Do what can be done safely; without it nothing is changed.' } },
  examples: ['liza doctor', 'liza doctor --fix'],
  details: ['A deleted .liza comes back from the copy in the git directory, up to the last acknowledged change.'],
  run: async (args, io) => {
    const fix = args.flag('fix');
    const operator = fix ? humanOnly(io.env, 'doctor --fix') : undefined;
    if (operator !== undefined) return operator;
    const { openRepository } = await import('../../git/repository.ts');
    const repository = await openRepository(io.env, io.cwd);
    if (refused(repository)) return repository;
    const { examine } = await import('../../workflows/doctor.ts');
    const context = io.context(repository.root, repository.gitDirectory);
    const findings = await examine(io.env, repository, context, fix, readSchema(io));
    const lines = findings.flatMap(line);
    const data = { findings };
    const broken = findings.filter((finding) => finding.level === 'broken');
    if (broken.length === 0) return { ok: true, lines, data };
    const hint = fix
      ? 'what is left needs your hand; each line says what'
      : 'liza doctor --fix does what can be done safely';
    return { ...refuse(`${broken.length} problem(s) found`, hint, 4, 'doctor'), lines, data };
  },
};

const MARKS = { ok: 'ok  ', warning: 'WARN', broken: 'BAD ' } as const;

const line = ({ level, check, message, remedy }: Finding): string[] => [
  `${MARKS[level]} ${check.padEnd(10)} ${plain(message)}`,
  ...(remedy === undefined ? [] : [`                → ${plain(remedy)}`]),
];
