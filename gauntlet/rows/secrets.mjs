// What an agent lets slip.

import fs from 'node:fs';
import path from 'node:path';
import { contained, holds } from '../harness.mjs';

// In two parts, so that the script itself does not hold it.
const [HEAD, TAIL] = ['sk-ant-api03-', 'Zq7Lk2Vw9Xr4Tn8Bc3Md6Hf1Jg5Ps0Ya'];
const SECRET = HEAD + TAIL;

export const g24 = {
  id: 'G24',
  agent: '(coder) prints a credential from its environment, and writes it into a block and its last word',
  stated: 'redacted in logs, prompts, state, alerts, dashboard',
  plant: [
    {
      take: {
        file: 'src/protocol/decide.ts',
        find: 'const command = concealed(asked, actor, secrets);',
        put: 'const command = asked;',
      },
      red: /it is in .*state\.yaml/,
    },
    {
      take: {
        file: 'src/process/output.ts',
        find: "put(clean.push(first.toString('latin1')));",
        put: "put(first.toString('latin1'));",
      },
      red: /it is in .*agent-logs/,
    },
  ],
  coder: `
    try print printenv GAUNTLET_API_KEY
    printenv | grep API_KEY
    try block liza block a --reason "the key $GAUNTLET_API_KEY does not work" --question "is $GAUNTLET_API_KEY right?"
    leave 42 "blocked for $GAUNTLET_API_KEY"`,
  async play(w) {
    // The planner is woken, and told of it.
    await w.crew({ roles: ['coder', 'planner'], env: { GAUNTLET_API_KEY: SECRET } });
  },
  check(w) {
    w.succeeded('print');
    w.succeeded('block');
    holds(w.task().status === 'BLOCKED' && /does not work/.test(w.task().blocked_reason), 'it did not block');
    const found = [];
    const look = (folder) => {
      for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
        const full = path.join(folder, entry.name);
        if (entry.isDirectory()) look(full);
        else if (entry.isFile() && fs.readFileSync(full, 'latin1').includes(TAIL))
          found.push(path.relative(w.root, full));
      }
    };
    look(w.file('.liza'));
    look(w.file('.git'));
    holds(found.length === 0, `it is in ${found.join(', ')}`);
    const shown = [['status'], ['show', 'a'], ['log', '-n', '50'], ['report', '--md']]
      .map((argv) => w.liza(argv).said)
      .join('');
    holds(!shown.includes(TAIL) && !w.crewSaid().includes(TAIL), 'it is printed');
    holds(/redacted|\*\*\*|•••|hidden/i.test(w.logs()), 'nothing says that something was left out');
    return contained('hidden in log, prompts, state, journal, alerts and on the terminal');
  },
};
