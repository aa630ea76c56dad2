// Readers of what agents write cost its length, whatever it is made of: they run under the board's lock. A sample of
// `node tools/linear.mjs`, which plays every exported function.

import { expect, it } from 'vitest';
import { criteriaOf } from '../../../src/protocol/definition/criteria.ts';
import {
  isAboutBehaviour,
  isAboutFiles,
  isAboutTheDiff,
  mayHoldBefore,
} from '../../../src/protocol/definition/criterion-kinds.ts';
import { emptiness, quotedCommands } from '../../../src/protocol/definition/criterion-words.ts';
import { lacksInValidation } from '../../../src/protocol/definition/plan-validation.ts';
import { isUnsure } from '../../../src/protocol/definition/praise.ts';
import { salesTalk } from '../../../src/protocol/definition/sales-talk.ts';
import { hasMargin, isTimed } from '../../../src/protocol/definition/timed-criteria.ts';
import { uncheckedCommands } from '../../../src/protocol/definition/unchecked.ts';
import { runsTheSame, saysTheSame } from '../../../src/protocol/definition/wording.ts';
import { asCommand, commandsRun } from '../../../src/protocol/facts/command-files.ts';
import { covers } from '../../../src/protocol/facts/globs.ts';
import { isInstruction } from '../../../src/protocol/facts/instruction-files.ts';
import { parseScope } from '../../../src/protocol/facts/scope.ts';
import { checkInput } from '../../../src/protocol/input.ts';
import { blockersIn, concernsOfRejection, parseApproval, testNames } from '../../../src/protocol/review/approval.ts';
import { skipCount } from '../../../src/protocol/review/skip-count.ts';
import { isSettled, parseRejection } from '../../../src/protocol/review/verdict.ts';
import { checksNothing, provesNothing } from '../../../src/protocol/shell/always-green.ts';
import { commandsWithin } from '../../../src/protocol/shell/nested-commands.ts';
import { isCommand } from '../../../src/protocol/shell/shell-words.ts';
import { weaknessOf } from '../../../src/protocol/shell/weak-commands.ts';
import type { Task } from '../../../src/protocol/state.ts';
import { quote } from '../../../src/supervisor/prompts/quote.ts';
import { testsRun } from '../../../src/tasks/rules/idle-run.ts';
import { asStored, gist } from '../../../src/text/format.ts';
import { isSentence } from '../../../src/text/sentence.ts';
import { severalIn } from '../../../src/text/several.ts';
import { tellingText } from '../../../src/text/telling-lines.ts';
import { FEW, slowTexts } from '../../../tools/linear-seeds.mjs';
import { cpuTimer } from '../../support/cpu-time.ts';

const TASK = { id: 'a', type: 'code' } as Task;

const PLAIN = ['', 'a '];
const SHELL = ['node x', "node -e '", 'make -', 'a $b '];
const APPROVAL = ['1: ran ', '1: test a › ', '1: '];

it.each<readonly [string, (text: string) => unknown, readonly string[]]>([
  ['provesNothing', (text) => provesNothing(text, ['npm test']), SHELL],
  ['checksNothing', checksNothing, SHELL],
  ['weaknessOf', (text) => weaknessOf(text, true), ['node x']],
  ['commandsWithin', commandsWithin, ['node x']],
  ['commandsRun', (text) => commandsRun([text], {}), ['node x']],
  ['asCommand', asCommand, PLAIN],
  ['isCommand', isCommand, PLAIN],
  ['quote', (text) => quote(text, 'liza show a'), PLAIN],
  ['severalIn', severalIn, PLAIN],
  ['isInstruction', isInstruction, ['', 'a/']],
  ['parseApproval', (text) => parseApproval(text, 3), APPROVAL],
  ['testNames', (name) => testNames({ file: 'a.ts', name }), PLAIN],
  ['blockersIn', blockersIn, PLAIN],
  ['parseRejection', (text) => parseRejection(text, true), ['Blockers: 1\n- [blocker] ']],
  ['concernsOfRejection', concernsOfRejection, ['Concerns: 1\n- ']],
  ['isSettled', (text) => isSettled(text, `RESOLVED ${text}`), PLAIN],
  ['skipCount', skipCount, PLAIN],
  ['criteriaOf', criteriaOf, PLAIN],
  ['kinds', (text) => [isAboutBehaviour(text), isAboutTheDiff(text), isAboutFiles(text), mayHoldBefore(text)], PLAIN],
  ['emptiness', emptiness, PLAIN],
  ['quotedCommands', quotedCommands, PLAIN],
  ['salesTalk', (text) => [salesTalk(text), isUnsure(text)], PLAIN],
  ['isTimed', (text) => [isTimed(text), hasMargin(text)], ['', 'in 1']],
  ['saysTheSame', (text) => [saysTheSame(text, `${text}b`), runsTheSame(text, `${text}b`)], PLAIN],
  ['parseScope', parseScope, ['IN: ']],
  ['asStored', (text) => [asStored(text), gist(text)], PLAIN],
  ['isSentence', isSentence, PLAIN],
  ['tellingText', (text) => tellingText(text, 400), PLAIN],
  ['lacksInValidation', (text) => lacksInValidation({}, { ...TASK, validation: [text] }, text), ['node x']],
  ['uncheckedCommands', (text) => uncheckedCommands({}, { ...TASK, done_when: text, validation: [text] }), PLAIN],
])('%s costs the length of its text', (_name, read, heads) => {
  expect(slowTexts(read, { heads, seeds: FEW, tails: ['\u0001'] })).toEqual([]);
});

it.each<readonly [string, () => unknown]>([
  ['asCommand of line breaks', () => asCommand('\n'.repeat(200_000))],
  ['asCommand of open braces', () => asCommand('${'.repeat(100_000))],
  ['testsRun of line breaks', () => testsRun('\n'.repeat(60_000), 'npm test')],
  ['quote of line breaks', () => quote(`${'\n'.repeat(200_000)}a`, 'liza show a')],
  ['severalIn of commas', () => severalIn(','.repeat(200_000))],
  [
    'isInstruction of a deep path',
    () => Array.from({ length: 60 }, (_none, at) => isInstruction(`${'a/'.repeat(3600)}${at}`)),
  ],
  ['coverage of a deep path', () => covers('src/b', `src/${'a/'.repeat(200_000)}`)],
])('%s takes no second', (_name, read) => {
  const took = (): number => {
    const worked = cpuTimer();
    read();
    return worked();
  };
  let best = took();
  // Beside other work a core is slower: the best of a few counts.
  for (let again = 0; best >= 1000 && again < 3; again += 1) best = Math.min(best, took());
  expect(best).toBeLessThan(1000);
});

it('a validation has an end, by number and by length', () => {
  const add = (validation: readonly string[]) => checkInput({ name: 'add-task', id: 'a', validation } as never);
  expect(add(Array.from({ length: 50 }, (_none, at) => `npm run t${at}`))).toBeUndefined();
  expect(add(Array.from({ length: 51 }, (_none, at) => `npm run t${at}`))).toMatchObject({
    guard: 'text-limit',
    message: expect.stringContaining('51 commands'),
    hint: expect.stringContaining('script'),
  });
  expect(add(['a'.repeat(9000), 'b'.repeat(9000)])).toMatchObject({ guard: 'text-limit' });
});

it('all that one command brings has an end, names of details included', () => {
  const anomaly = (count: number) => {
    const details = Object.fromEntries(Array.from({ length: count }, (_none, at) => [`k${at}`, 'x'.repeat(16_000)]));
    return checkInput({ name: 'anomaly', type: 'trade_off', details } as never);
  };
  expect(anomaly(8)).toBeUndefined();
  expect(anomaly(9)).toMatchObject({ guard: 'text-limit', message: expect.stringContaining('this command brings') });
});
