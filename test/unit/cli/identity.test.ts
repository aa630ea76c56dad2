import { expect, test } from 'vitest';
import { humanOnly, identify } from '../../../src/cli/identity.ts';
import { checkTaskId, TASK_ID_SOURCE } from '../../../src/cli/ids.ts';
import { ID_PATTERN } from '../../../src/core/fields.ts';

test('without an id the human acts', () => {
  expect(identify({})).toEqual({ parts: ['human'] });
  expect(identify({ LIZA_AGENT_ID: '', LIZA_EPOCH: '3' })).toEqual({ parts: ['human'] });
});

test('an id without a session may act as supervisor or as its agent', () => {
  expect(identify({ LIZA_AGENT_ID: 'coder-2' })).toEqual({ id: 'coder-2', parts: ['supervisor', 'coder'] });
});

test('with a session it is the agent and nothing else', () => {
  expect(identify({ LIZA_AGENT_ID: 'planner-1', LIZA_SESSION: 's', LIZA_EPOCH: '7' })).toEqual({
    id: 'planner-1',
    parts: ['planner'],
    epoch: 7,
  });
});

test.each(['code_reviewer-1', 'code-reviewer-1'])('%s is code-reviewer-1', (id) => {
  expect(identify({ LIZA_AGENT_ID: id })).toEqual({ id: 'code-reviewer-1', parts: ['supervisor', 'code_reviewer'] });
});

test.each(['coder', 'coder-0', 'Coder-1', 'coder-1;rm', '../coder-1', 'tester-1', 'coder-12345', 'coder-1\n'])(
  '%j is refused with examples',
  (id) => {
    const refusal = identify({ LIZA_AGENT_ID: id });
    expect(refusal).toMatchObject({ ok: false, code: 1 });
    expect(refusal).toHaveProperty('hint', expect.stringContaining('coder-2'));
  },
);

test.each(['-1', '1.5', 'x', ' 1'])('the epoch %j is refused', (epoch) => {
  expect(identify({ LIZA_AGENT_ID: 'coder-1', LIZA_EPOCH: epoch })).toMatchObject({ ok: false, code: 1 });
});

test('the pattern of task ids is the one of the schema', () => {
  expect(TASK_ID_SOURCE).toBe(ID_PATTERN.source);
});

test('a hostile id is quoted short and without control characters', () => {
  const refusal = checkTaskId(`\u001b[31m${'x'.repeat(200)}`);
  expect(refusal?.message.length).toBeLessThan(100);
  expect(refusal?.message).not.toContain('\u001b');
});

test('humanOnly lets a person pass and nobody else', () => {
  expect(humanOnly({}, 'init')).toBeUndefined();
  expect(humanOnly({ LIZA_AGENT_ID: 'coder-1' }, 'init')).toMatchObject({ ok: false, code: 1, guard: 'role' });
  expect(humanOnly({ LIZA_AGENT_ID: 'boss' }, 'init')).toMatchObject({ ok: false, guard: 'agent-id' });
});
