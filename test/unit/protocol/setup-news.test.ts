import { expect, it } from 'vitest';
import { setupFailureNews } from '../../../src/protocol/work/setup-failures.ts';

it('a set-up that fails is told by the line that says why, not by the last one', () => {
  const output = [
    'error: externally-managed-environment',
    '× This environment is externally managed',
    '╰─> To install Python packages system-wide, try apt install',
    'note: If you believe this is a mistake, please contact your Python installation.',
    'hint: See PEP 668 for the detailed specification.',
  ].join('\n');
  const failure = { part: 'check', commit: 'a'.repeat(40), reason: 'it ended with 1', remedy: 'mend it', output };
  const told = setupFailureNews(failure as unknown as Parameters<typeof setupFailureNews>[0]);
  expect(told).toContain('it ended with 1: error: externally-managed-environment — mend it');
});
