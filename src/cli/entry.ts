// The program's first file, kept tiny: it alone is compiled at every start, the rest comes out of V8's code cache
// (code-cache.ts). In a sandbox it only forwards what was typed: the real one runs outside (sandbox/mailbox-client.ts).

import { existsSync, readFileSync, renameSync, unlinkSync, watch, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../package.json';
import { part, saveCompiled } from './code-cache.ts';
import { firstLine } from './first-line.ts';

const argv = process.argv.slice(2);
const mailbox = process.env.LIZA_MAILBOX;
const inside =
  mailbox === undefined
    ? undefined
    : (require(join(__dirname, 'inside.cjs')) as typeof import('../sandbox/mailbox-client.ts'));

if (mailbox !== undefined && inside?.isForwarded(argv) === true) {
  const host = {
    disk: { existsSync, readFileSync, renameSync, unlinkSync, watch, writeFileSync },
    claims: process.env.LIZA_AGENT_ID,
    newId: () => process.getBuiltinModule('node:crypto').randomBytes(12).toString('hex'),
    every: (ms: number, call: () => void) => {
      const timer = setInterval(call, ms);
      return () => clearInterval(timer);
    },
    git: (argv: readonly string[]) => {
      const ran = process.getBuiltinModule('node:child_process').spawnSync('git', argv, { encoding: 'utf8' });
      return ran.status === 0 ? undefined : (ran.error?.message ?? ran.stderr);
    },
    readStdin: () => readFileSync(0, 'utf8'),
    stdout: (text: string) => process.stdout.write(text),
    stderr: (text: string) => process.stderr.write(text),
    onInterrupt: (call: () => void) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
        process.once(signal, () => {
          call();
          process.exit(1);
        });
    },
  };
  void inside.forward(host, mailbox, argv).then((code) => {
    process.exitCode = code;
  });
} else {
  const first = firstLine(argv, version);
  // A blank screen looks like a program that hangs: on a busy machine the rest takes seconds to load.
  if (first !== undefined && process.getBuiltinModule('node:tty').isatty(2)) writeSync(2, first);
  const { main } = part('main.cjs') as unknown as typeof import('./main.ts');
  void main(saveCompiled);
}
