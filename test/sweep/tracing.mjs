// What both sweeps need of strace: whether it may trace here, which system calls change a disk, and the
// work of many points spread over a few workers.

import fs from 'node:fs';
import { progress } from '../../tools/progress.mjs';
import { run } from './project.mjs';

export const OPENS = ['open', 'openat', 'creat'];
const MUTATING = [
  ...['write', 'pwrite64', 'writev', 'pwritev', 'pwritev2', 'fsync', 'fdatasync', 'ftruncate', 'truncate', 'fallocate'],
  ...['rename', 'renameat', 'renameat2', 'link', 'linkat', 'symlink', 'symlinkat', 'unlink', 'unlinkat', 'rmdir'],
  ...['mkdir', 'mkdirat', 'chmod', 'fchmod', 'fchmodat', 'utimensat', 'copy_file_range', 'sendfile'],
];
export const TRACE = [...OPENS, ...MUTATING].join();

/** Why strace cannot be used, with the way to get it. */
export async function unavailable() {
  try {
    const { code, output } = await run('strace', ['-f', '-o', '/dev/null', 'true']);
    return code === 0
      ? undefined
      : `strace may not trace here (${output.trim().split('\n')[0]}); allow ptrace, for a container with --cap-add=SYS_PTRACE`;
  } catch {
    return 'strace is not installed; get it with: sudo apt-get install strace';
  }
}

export function skip(sweep, what, why, report) {
  process.stdout.write(`SKIPPED: ${what}: ${why}\n`);
  if (report !== undefined) fs.writeFileSync(report, `${JSON.stringify({ sweep, skipped: why })}\n`);
  return 0;
}

/** A word for sh. */
export const quoted = (word) => `'${word.replaceAll("'", "'\\''")}'`;

/** So many of them, evenly spread; all without a number. */
export function spread(all, count) {
  const wanted = count === undefined ? all.length : Math.min(Number(count), all.length);
  return Array.from({ length: wanted }, (_, index) => all[Math.floor((index * all.length) / wanted)]);
}

/** `work(job, worker)`; workers are numbered from 1. `unit`: what a job is called in reports of progress, if it has any. */
export async function inParallel(jobs, workers, work, unit) {
  const results = [];
  const waiting = [...jobs];
  const worker = async (number) => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      results.push(await work(job, number));
      if (unit !== undefined) progress(results.length, jobs.length, unit);
    }
  };
  await Promise.all(Array.from({ length: workers }, (_, index) => worker(index + 1)));
  return results;
}
