// `liza run` by root with Claude Code: one sentence says what Liza does for it; nobody else reads it.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { project } from '../../support/project.ts';

test.each([
  [true, 1],
  [false, 0],
])(
  'run as root: %s, the sentence is said %i times',
  async (isRoot, times) => {
    const p = project({ tasks: [] });
    const bin = path.join(p.base, 'bin');
    fs.mkdirSync(bin);
    fs.writeFileSync(path.join(bin, 'claude'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    p.write({ 'specs/vision.md': '# Retries\n\nEvery call is tried three times.\n' });
    const env = { PATH: `${bin}:${process.env['PATH']}`, HOME: p.base, ANTHROPIC_API_KEY: 'sk-secret' };
    p.pass(3600);
    // Stopped before it begins: what it says first is all that is asked.
    const io = { stop: AbortSignal.abort() };
    const ran = await p.liza(['run', '--agent', 'claude', '--plain'], { env, isRoot, io });
    expect(ran.stderr).toContain('agents: Claude Code\n');
    expect(ran.stderr.split('you are root: Liza sets IS_SANDBOX=1').length - 1).toBe(times);
  },
  60_000,
);
