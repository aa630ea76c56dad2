// A command as a person would type it in the demo's repository: started, waited for, its output given back.

import { spawn } from 'node:child_process';
import type { Environment } from '../../ports/host.ts';

export interface Answered {
  readonly status: number | null;
  readonly output: string;
}

export function typed(
  argv: readonly string[],
  { cwd, env, signal }: { readonly cwd: string; readonly env: Environment; readonly signal: AbortSignal },
): Promise<Answered> {
  return new Promise((done) => {
    const [program = '', ...rest] = argv;
    const child = spawn(program, rest, { cwd, env, signal, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    let problem = '';
    child.on('error', (error) => {
      problem = error.message;
    });
    child.on('close', (status) => done({ status: problem === '' ? status : null, output: `${output}${problem}` }));
  });
}
