import { expect, test } from 'vitest';
import { readArgs } from '../../../src/cli/args.ts';
import { REGISTRY } from '../../../src/cli/registry.ts';
import type { CommandName } from '../../../src/protocol/command.ts';
import { commandLine } from '../../../src/protocol/next-commands.ts';
import { TABLE } from '../../../src/protocol/table.ts';

/** Placeholders stand for something the verb would accept. */
const words = (line: string): string[] =>
  (line.match(/"[^"]*"|\S+/g) ?? []).slice(1).map((word) =>
    word
      .replaceAll('"', '')
      .replace('<role>', 'coder')
      .replace(/^<.*>$/, 'some-task')
      .replace('APPROVED|REJECTED', 'APPROVED'),
  );

const lines = Object.keys(TABLE).map((name) => commandLine(name as CommandName));

test.each(lines)('the hint `%s` can be typed as it stands', async (line) => {
  const typed = words(line);
  const name = [typed.slice(0, 2).join(' '), typed[0] ?? ''].find((candidate) => Object.hasOwn(REGISTRY, candidate));
  expect(name, 'the verb exists').toBeDefined();
  const verb = await REGISTRY[name ?? '']?.load?.();
  if (verb === undefined) return; // planned: it has no options yet
  expect(readArgs(verb, typed.slice(verb.name.split(' ').length))).not.toHaveProperty('message');
});
