// The program's first file, kept tiny: it alone is compiled anew at every start, the rest comes out of
// V8's code cache (code-cache.ts). In a sandbox it only asks: the real one runs outside (sandbox/mailbox-client.ts).

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { part, saveCompiled } from './code-cache.ts';

const mailbox = process.env.LIZA_MAILBOX;
const inside =
  mailbox === undefined
    ? undefined
    : (require(join(__dirname, 'inside.cjs')) as typeof import('../sandbox/mailbox-client.ts'));

if (mailbox !== undefined && inside?.isAsked(process.argv.slice(2)) === true) {
  void inside
    .ask(mailbox, process.argv.slice(2), () => readFileSync(0, 'utf8'))
    .then((code) => {
      process.exitCode = code;
    });
} else {
  const { main } = part('main.cjs') as unknown as typeof import('./main.ts');
  void main(saveCompiled);
}
