// What `liza help <topic>` explains beyond single commands. Short on purpose: docs/ has the rest.
// States, roles and anomalies are read off the protocol's own tables, so that they cannot go stale.

import type { Part } from '../protocol/board.ts';
import { OFF_MEANS } from '../sandbox/rules/session-label.ts';

interface Topic {
  readonly summary: string;
  /** `asset`: where a file that ships with Liza is. */
  readonly lines: readonly string[] | ((asset: (path: string) => string) => Promise<readonly string[]>);
}

export const TOPICS: Readonly<Record<string, Topic>> = {
  'getting-started': {
    summary: 'From an empty project to the first merged task.',
    lines: [
      '1. liza init asks for the goal and creates specs/vision.md from a template: write there what you want.',
      '2. liza run lets a planner, coders and a reviewer work on it, with the agent CLI that you have installed.',
      '3. liza status shows who works on what, and why nothing moves; liza show <task> shows one.',
      '4. liza pause, liza note and liza replan let you step in; Ctrl-C stops, liza run continues.',
      '5. Approved work is on the branch integration. Your own branch has moved on? liza sync. You like the result? liza finish.',
      'Without an agent CLI: liza demo.',
    ],
  },
  install: {
    summary: 'How to install Liza without root, and how to remove it.',
    lines: [
      'In a checkout of Liza:  npm ci && npm run build && npm install -g --prefix ~/.local .',
      'From a package file:    npm install -g --prefix ~/.local ./liza-<version>.tgz',
      'Only to try it:         npx ./liza-<version>.tgz demo',
      'With --prefix ~/.local npm needs no root: the Node of a distribution puts global packages where only root may write.',
      'If your npm may write to its own prefix (npm prefix -g; for example with nvm), you can leave --prefix out.',
      'If the shell does not find liza afterwards, ~/.local/bin is not on PATH. Type this, and put it into ~/.profile:',
      '  export PATH="$HOME/.local/bin:$PATH"',
      'Update: the same line again, in the newer checkout. Completion: liza setup --completion bash (or zsh, fish).',
      'Remove: liza deinit in each project first, since without the program a project keeps its .liza, hook and task folders. Then liza setup --uninstall if you used setup, and then:',
      '  npm uninstall -g --prefix ~/.local liza',
    ],
  },
  rehearsal: {
    summary: 'Agents without a model: they play a script, or you play them.',
    lines: [
      'A script says what each agent does; the rest of the run is real. It costs nothing and needs no agent CLI.',
      'Watch one:       liza demo',
      'Check yours:     liza rehearse --script rehearsal.json --check',
      'Configure it:    liza config set providers \'{"rehearsal": {"script": "rehearsal.json"}}\'',
      'Run it:          liza run --agent rehearsal',
      'Play an agent:   liza run --agent player, and in another terminal: liza play next',
      'How to write a script: docs/rehearsal.md. One session by hand: liza help rehearse',
    ],
  },
  states: {
    summary: 'The states of a task and which commands lead from one to the next.',
    lines: stateLines,
  },
  roles: {
    summary: 'Which commands each role may use.',
    lines: roleLines,
  },
  sandbox: {
    summary: 'What agents can reach, with the sandbox and without it.',
    lines: [
      'On:   an agent, a test and the set-up write only their own folder and a temporary home. Your home, your keys and',
      '      other projects are not shown; network is as config sandbox_network says.',
      `Off:  ${OFF_MEANS},`,
      '      also keys, other projects and the logins of CLIs. Liza still checks, tests, reviews and records their work.',
      '      An agent could also answer Liza’s questions and run its commands as if it were you.',
      'To see which: liza doctor, liza status, liza run --check; on the live board: sandbox off.',
      'Get it:        Linux: install bubblewrap (apt-get, dnf or pacman). macOS has its own.',
      'Without root:  ask for bubblewrap to be installed; it then needs no root to run. Until then:',
      '  run Liza in a container or a virtual machine that holds only the project and the login of the agent CLI;',
      '  or as another user of the machine, who can read the project and nothing of yours.',
      'Against mistakes only: liza config set isolation clone',
      '  Each agent then works in a git clone of its own, so that a wrong git command does not reach your repository.',
      '  That is no protection against an agent that means harm.',
      'Never run without it:    liza config set sandbox require',
      'Turn it off for one run: LIZA_SANDBOX=off liza run; for good: liza config set sandbox off',
      'More: docs/security.md',
    ],
  },
  security: {
    summary: 'What protects you from your agents, and what does not.',
    lines: [
      'Files:     in the sandbox an agent writes only its own folder. Without it agents run as you: liza help sandbox.',
      'Branches:  an agent moves only the branch of its task (*); your branch moves only when you say yes to liza finish.',
      'Commands:  an agent cannot act as you or as another agent (*); what it tries is refused and recorded: liza help identity.',
      'Secrets:   known forms and secret variables are replaced in logs, prompts and the board. Read a log before you share it.',
      'Settings:  a hand edit that executes, spends or loosens something waits for liza edit --adopt.',
      'Money:     liza config set budgets.day.usd 20',
      '(*) Without the sandbox a determined agent can get around this; Liza notices most of it, and says so.',
      'Not promised: that an agent ignores orders hidden in what it reads. Do not point agents at code or text you do not',
      'trust without the sandbox. All details: docs/security.md',
    ],
  },
  identity: {
    summary: 'Who a command acts for.',
    lines: [
      'Without LIZA_AGENT_ID you act as the human, unless an agent of this project started you.',
      'With it you act for that agent: planner-1, coder-2, code-reviewer-1 (code_reviewer-1 is the same).',
      'A supervisor sets LIZA_AGENT_ID, LIZA_EPOCH and LIZA_SESSION for the agent it starts; all of them must match its process.',
      'Liza refuses what an agent tries as somebody else, and records it against the agent (liza status shows the alarm).',
      'A command of another role, under its own name, is only refused: .liza/refused.log has a line for each.',
      'A command with an outdated LIZA_EPOCH is refused: someone else has taken the task over.',
    ],
  },
  anomalies: {
    summary: 'The types of anomalies, who logs them, and the details they need.',
    lines: anomalyLines,
  },
  alarms: {
    summary: 'What each alarm means, and when it is over.',
    lines: alarmLines,
  },
  questions: {
    summary: 'How agents ask, who answers, and what an answer does.',
    lines: [
      'liza ask "…" --assume "…" records a question; the work continues with the assumption.',
      'liza block stops a task with one to three questions; each is recorded, too.',
      'The planner answers coders and reviewers, a person answers anybody; nobody answers their own question.',
      'liza answer q-3 "…" answers one, liza answer <task> "…" all of a task, liza answer --accept every assumption.',
      'The last answer to a BLOCKED task unblocks it: folder kept, reserved for the coder that asked.',
      'Coder and reviewer read question and answer beside done_when; --criterion makes it part of done_when.',
      'A person’s answer to an assumption wakes the planner with the tasks built on it.',
    ],
  },
  validation: {
    summary: 'Where a task’s validation runs, and which commands prove something.',
    lines: [
      'When a commit is submitted, Liza runs the task’s validation and config test_command itself; red refuses it.',
      'Where: a fresh clone of exactly that commit, thrown away afterwards. In it:',
      '  the files of the commit and its history (HEAD is detached; there is no branch and no tag)',
      '  dependencies only as config post_worktree_cmd makes them (say npm ci), and the files of config worktree_files',
      '  nothing of the coder’s folder: no ignored file, no build, no database of an earlier run',
      'How: sh -c, one command after the other in the same checkout, test_command first, until one is red; what one makes is',
      '  there for the next, but tracked files are as in the commit again before each; all within config validation_timeout.',
      '  Credentials are taken out of the environment; in the sandbox, where there is one, only the',
      '  checkout, a home and a temporary folder can be written, and network is as config sandbox_network says.',
      'On the base: once a task’s dependencies are merged, Liza tries its validation there in the background.',
      '  green       it passes without the change. Right for a refactoring; otherwise it proves nothing about the task',
      '  red         as it should be before the work; look at the end of its output: red for the right reason?',
      '  cannot run  sh cannot read it, or exit 126 or 127: the planner is told; a coder that was free may have the task already',
      '  ran no test there: a filter such as -run X selects nothing, or what it selects is not written yet',
      '  It refuses nothing. liza show <task> has it; coder, reviewer and planner are told.',
      'Good:     npm test -- test/retry.test.js          the tests of this task, by the project’s own runner',
      '          pytest -q tests/test_retry.py           red until the file is there and passes',
      '          test "$(node cli.js add 2 3)" = 5       one criterion, as a user meets it',
      '          npm run build && node dist/cli.js --help   what a later command needs is made before it',
      '          ! npm test -- test/red.test.js          a negative check: these must be red; also cmd; test $? -ne 0,',
      '                                                  beside another validation that runs the same runner plainly',
      'Refused by finalize, also inside sh -c, a here-document or a pipe into sh:',
      '          true, :, npm test || true, echo ok      always green',
      '          if npm test; then echo ok; fi           green when the condition fails: run npm test itself',
      '          test 1 = 1, node --version              nothing of the project decides it',
      '          find ., wc -l f, sort f, sed -n 1p f    prints or lists, and is green: grep -q …, test "$(wc -l < f)" -le 9',
      '          npm ls, npm run, mkdir x, cp a b        lists or makes, and checks nothing',
      '          npm test | tail -5                      the exit code is that of tail',
      '          make -i test, pytest --collect-only     green though tests are red, or without running one',
      '          diff <(a) b, set -o pipefail; …         where sh cannot run it: bash -c',
      'Weak, taken with a warning in a code or test task:',
      '          ls src/retry.js, test -f x, cat x       shows that a file is there, not that it works',
      '          mvn -DskipTests package                 builds and runs no test',
      '          gofmt -l ., cargo fmt                   lists or rewrites, and is green all the same',
      'Weak, taken without a word:',
      '          grep -q retry src/login.js              passes on a comment',
    ],
  },
  'exit-codes': {
    summary: 'What the exit code of a command means.',
    lines: [
      '0  done (also if it was done before)',
      '1  refused: a rule or bad input; the message says which, the arrow says what to do',
      '2  the lock was not free within 10 seconds; try again',
      '3  git failed, a conflict, or a red integration test',
      '4  the state is inconsistent: run liza doctor',
      '5  something Liza needs is missing',
    ],
  },
  environment: {
    summary: 'Variables that Liza reads.',
    lines: [
      'LIZA_AGENT_ID, LIZA_EPOCH, LIZA_SESSION   who is asking (liza help identity)',
      'LIZA_INTEGRATION=mine                     for git: you move the integration branch on purpose',
      'LIZA_SANDBOX=off                          for liza run: agents run without the sandbox, unless config sandbox is',
      '                                          require (liza help sandbox)',
      'LIZA_DEBUG=1                              print the stack of an unexpected error',
      'LIZA_GIT_SECONDS=60                       processor time of one git in an agent’s folder (default: 20), for huge repositories',
      'IS_SANDBOX=1                              Claude Code works unattended as root only with it: Liza sets it for',
      '                                          its agents when root runs Liza; better run Liza as a normal user',
      'NO_COLOR, TERM=dumb                       no colours',
      'LC_ALL, LC_CTYPE, LANG                    outside UTF-8 everything printed is ASCII',
    ],
  },
};

const PARTS: readonly Part[] = ['human', 'supervisor', 'planner', 'coder', 'code_reviewer'];

/** One block per state: what can be done from there, where it leads, and who may. */
/** The page that ships has the table; what is to be done stands in the alarm itself. */
async function alarmLines(asset: (path: string) => string): Promise<readonly string[]> {
  const { realDisk } = await import('../ports/disk.ts');
  const rows = realDisk
    .readFileSync(asset('docs/alarms.md'), 'utf8')
    .matchAll(/^\| (?:warning|alarm) \| `\W*([A-Z][A-Z ?]*[A-Z?])[^|]*\| ([^|]*) \| ([^|]*) \|$/gm);
  return [...rows].flatMap(([, name = '', begins = '', over = '']) => [
    name,
    `  ${plain(begins)}`,
    `  over when ${plain(over)}`,
  ]);
}

const plain = (markdown: string): string => markdown.replaceAll('`', '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');

async function stateLines(): Promise<readonly string[]> {
  const { TASK_STATUSES, TERMINAL_STATUSES } = await import('../protocol/state.ts');
  const rows = await tableRows();
  return TASK_STATUSES.flatMap((status) => {
    const leaving = rows.filter(({ from }) => Array.isArray(from) && from.includes(status));
    const final = (TERMINAL_STATUSES as readonly string[]).includes(status);
    return [
      final ? `${status}: final, nothing leaves it` : status,
      ...leaving.map(({ name, to, who }) => {
        const leads = to === undefined ? '' : ` → ${to.join(' or ')}`;
        return `  ${name.padEnd(18)} (${who.map(spoken).join(', ')})${leads}`;
      }),
    ];
  });
}

async function roleLines(): Promise<readonly string[]> {
  const rows = await tableRows();
  return PARTS.flatMap((part) => [
    `${spoken(part)}:`,
    ...rows.filter(({ who }) => who.includes(part)).map(({ name, summary }) => `  ${name.padEnd(26)} ${summary}`),
  ]);
}

async function anomalyLines(): Promise<readonly string[]> {
  const { ANOMALY_TYPES } = await import('../protocol/records/anomaly-types.ts');
  const width = Math.max(...Object.keys(ANOMALY_TYPES).map((type) => type.length));
  return Object.entries(ANOMALY_TYPES).map(([type, { roles, details }]) => {
    const needed = details.length === 0 ? '' : `; needs ${details.map((key) => `--detail ${key}=…`).join(' ')}`;
    return `${type.padEnd(width)}  ${roles.length === 0 ? 'Liza itself' : roles.map(spoken).join(', ')}${roles.length === 0 ? '' : needed}`;
  });
}

/** Loaded here alone: completion needs only the topics' names. */
const tableRows = async () => Object.values((await import('../protocol/table.ts')).TABLE);

const spoken = (part: Part): string => (part === 'code_reviewer' ? 'reviewer' : part);
