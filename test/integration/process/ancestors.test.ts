import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { fromListing } from '../../../src/process/ancestors.ts';
import { startTime } from '../../../src/process/process-table.ts';
import { agentTag, namedIn, repositoryMark } from '../../../src/process/tags.ts';
import { hostAt } from '../../host.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const base = temporaryFolder();

describe('the processes above', () => {
  const file = join(base, 'look.cjs');
  buildSync({
    stdin: {
      contents: `import { ancestorsFrom } from './src/process/ancestors.ts'; import { realHost } from './src/ports/real-host.ts'; console.log(JSON.stringify([...ancestorsFrom(realHost(process.env), process.ppid)].map((one) => ({ ...one, tags: one.tags() }))));`,
      resolveDir: join(import.meta.dirname, '../../..'),
    },
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'cjs',
  });
  const seen = (script: string, env: Record<string, string> = {}) => {
    const ran = spawnSync('sh', ['-c', script, 'sh', process.execPath, file], {
      env: { PATH: process.env.PATH, ...env },
      encoding: 'utf8',
    });
    return JSON.parse(ran.stdout) as { readonly pid: number; readonly started: string; readonly tags: string }[];
  };

  test('are found up to the first, with their start times', () => {
    const [shell, parent] = seen('"$@"; true');
    expect(parent).toMatchObject({ pid: process.pid, started: startTime(hostAt(), process.pid) });
    expect(shell?.pid).not.toBe(process.pid);
  });

  test('keep the tags they were started with, whatever those below do to their environment', () => {
    const env = { LIZA_PROGRAM: 'aa/bb', X_LIZA_PROGRAM: 'no', A: 'x'.repeat(100_000) };
    for (const script of [
      'env -i "$@"; true',
      'setsid -w env -i "$@"; true',
      '(env -i sh -c \'"$@"; true\' sh "$@"); true',
    ]) {
      expect(seen(script, env).map(({ tags }) => tags)).toContain('aa/bb');
    }
  });
});

test('on macOS one listing tells all', () => {
  const listing = [
    '    1     0 Sun Nov 15 08:00:00 2026     /sbin/launchd',
    '  100     1 Sun Nov 15 09:00:00 2026     claude -p x LIZA_PROGRAM=aa/bb HOME=/h',
    '  200   100 Sun Nov 15 09:00:01 2026     sh -c liza',
  ].join('\n');
  const look = fromListing(listing);
  expect(look(200)).toMatchObject({ parent: 100 });
  expect(look(100)?.started).toBe('Sun Nov 15 09:00:00 2026');
  expect(look(100)?.tags()).toBe('aa/bb');
  expect(look(200)?.tags()).toBe('');
  expect(look(300)).toBeUndefined();
});

describe('a tag', () => {
  const site = { root: '/p', repository: '/p/.git' };
  const mark = repositoryMark(site.repository);

  test('names the agent to whoever knows the repository, and to nobody else', () => {
    const value = `0123456789abcdef0123456789abcdef/${agentTag(site, 'code-reviewer-12')}/ffff`;
    expect(namedIn(value, mark)).toEqual(['code-reviewer-12']);
    expect(namedIn(value, repositoryMark('/q/.git'))).toEqual([]);
    expect(namedIn(mark, mark)).toEqual([]);
  });

  test('is another one in another checkout of the repository', () => {
    const other = { root: '/linked', repository: site.repository };
    expect(agentTag(other, 'coder-1')).not.toBe(agentTag(site, 'coder-1'));
    expect(namedIn(agentTag(other, 'coder-1'), mark)).toEqual(['coder-1']);
  });
});
