// Planners who plan badly.

import { contained, holds, prevented } from '../harness.mjs';

const ADD = (id, more) => `liza add-task --id ${id} --desc d ${more}`;
const SOUND = `--spec specs/vision.md --done 'it is there and exported' --scope 'IN: src/, test/' --validate 'node --test'`;

export const g40 = {
  id: 'G40',
  agent: '(planner) writes a task with no spec, no done_when, an unknown dependency, a cycle',
  stated: 'stays DRAFT, or refused, with the reason',
  plant: [
    { take: 'add-task/gates', red: /no-spec was refused without/ },
    { take: 'finalize/gates', red: /no-done was refused without/ },
    { take: 'add-task/definition', red: /unknown was refused without/ },
    { take: 'amend/definition', red: /cycle was refused without/ },
  ],
  tasks: [],
  planner: `
    try no-spec ${ADD('no-spec', `--done x --scope 'IN: src/' --ready`)}
    try gone-spec ${ADD('gone-spec', `--spec specs/nowhere.md --done x --scope 'IN: src/' --ready`)}
    ${ADD('no-done', `--spec specs/vision.md --scope 'IN: src/'`)}; try no-done liza finalize no-done
    try unknown ${ADD('unknown', `${SOUND} --depends nobody`)}
    ${ADD('one', SOUND)}; ${ADD('two', `${SOUND} --depends one`)}
    try cycle liza amend one --depends two
    leave 0 planned`,
  check(w) {
    w.refused('no-spec', /no spec_ref/);
    w.refused('gone-spec', /specs\/nowhere\.md does not exist/);
    w.refused('no-done', /no done_when/);
    w.refused('unknown', /depend on nobody, which is not a task/);
    w.refused('cycle', /would make a cycle: .*one.*two/);
    const { tasks } = w.board();
    holds(
      tasks.every(({ status }) => status === 'DRAFT'),
      `claimable: ${tasks.filter(({ status }) => status !== 'DRAFT').map(({ id }) => id)}`,
    );
    holds(tasks.find(({ id }) => id === 'no-done') !== undefined, 'the draft is gone');
    return prevented('refused with the reason; what is incomplete stays DRAFT');
  },
};

export const g41 = {
  id: 'G41',
  agent: '(planner) splits “add tests” from the code',
  stated: 'refused, with the reason',
  plant: [
    {
      take: { file: 'src/protocol/definition/gates.ts', find: '&& onlyTests(', put: '&& false && onlyTests(' },
      red: /split was let through/,
    },
  ],
  tasks: [],
  planner: `
    try split ${ADD('add-tests', `--spec specs/vision.md --done 'the tests are there' --scope 'IN: test/**' --validate 'node --test' --ready`)}
    leave 0 planned`,
  check(w) {
    w.refused('split', /splits the tests from their code/);
    holds(
      w.board().tasks.every(({ status }) => status === 'DRAFT'),
      'it is claimable',
    );
    return prevented('refused: the coder of a change also writes its tests');
  },
};

export const g66 = {
  id: 'G66',
  agent:
    '(planner) finalizes a vacuous task: `-`, “works well”, `--validate true`, an anchor that is not there, a test demanded and forbidden',
  stated: 'refused with the mend',
  plant: [
    {
      take: {
        file: 'src/protocol/definition/substance.ts',
        find: 'const bad = criteria[at];',
        put: 'const bad = undefined;',
      },
      red: /works-well was let through/,
    },
    {
      take: { file: 'src/protocol/definition/substance.ts', find: 'if (own !== undefined) {', put: 'if (false) {' },
      red: /true was let through/,
    },
    {
      take: {
        file: 'src/protocol/definition/substance.ts',
        find: 'if (others === undefined) return',
        put: 'if (true) return',
      },
      red: /anchor was let through/,
    },
    {
      take: {
        file: 'src/protocol/definition/substance.ts',
        find: 'const isForbidden = forbidsTests(scope, patterns, baseFiles)',
        put: 'const isForbidden = false && forbidsTests(scope, patterns, baseFiles)',
      },
      red: /forbidden was let through/,
    },
    {
      take: { file: 'src/protocol/input.ts', find: 'if (isPlaceholder(text, path)', put: 'if (false' },
      red: /the dash was stored/,
    },
    {
      take: { file: 'src/cli/run.ts', find: 'await withStdin(verb, typed, io)', put: 'typed' },
      red: /stdin was not read/,
    },
  ],
  tasks: [],
  planner: `
    if liza show true --json >/dev/null 2>&1; then leave 0 planned; exit 0; fi
    vague() { liza add-task --id $1 --desc d --spec "\${4-specs/vision.md}" --done "$2" --scope "\${5-IN: src/, test/}" --validate "$3"; try $1 liza finalize $1; }
    vague works-well 'the new command works well' 'node --test'
    vague true 'greet prints one line' 'true'
    vague anchor 'greet prints one line' 'node --test' specs/vision.md#nosuchanchor
    vague forbidden 'greet prints one line' 'node --test' specs/vision.md 'IN: src/. OUT: tests'
    try dash ${ADD('dash', `--spec specs/vision.md --done ' - ' --scope 'IN: src/' --validate 'node --test'`)}
    printf 'greet prints one line\\nand nothing else' | ${ADD('piped', '--done -')}
    try mended liza amend true --validate 'node --test'; try released liza finalize true
    leave 0 planned`,
  check(w) {
    w.refused('works-well', /besides praise \("works well"\) it says nothing/, /liza amend works-well --done "…"/);
    w.refused('true', /`true` proves nothing/, /liza amend true --validate/);
    w.refused('anchor', /no section #nosuchanchor/, /liza amend anchor --spec specs\/vision\.md/);
    w.refused('forbidden', /needs a test, and its scope has tests OUT/, /liza amend forbidden --scope/);
    const { tasks } = w.board();
    holds(!tasks.some(({ id }) => id === 'dash'), 'the dash was stored');
    w.refused('dash', /says only/);
    const piped = tasks.find(({ id }) => id === 'piped')?.done_when;
    holds(piped === 'greet prints one line\nand nothing else', `stdin was not read: ${piped}`);
    w.succeeded('released');
    const open = tasks.filter(({ status }) => status !== 'DRAFT').map(({ id }) => id);
    holds(open.join() === 'true', `claimable: ${open}`);
    return prevented('refused, each with the line that mends it; the mend leads on');
  },
};

export const g42 = {
  id: 'G42',
  agent: '(planner) gives a task that two coders failed to a third, unchanged',
  stated: 'refused',
  plant: [{ take: 'unblock/definition-changed', red: /third was let through/ }],
  coder: `
    liza block a --reason "cannot be done, says $LIZA_AGENT_ID" --question 'How?'; leave 42 blocked`,
  planner: `
    if task | grep -q 'says coder-1' && task | grep -q 'says coder-2'; then
      try third liza unblock a
      try spacing liza unblock a --done '  a   is there and  exported '
      try changed liza unblock a --done 'a is there and exported, as the appendix says'
      liza pause; leave 0 done
    fi
    if task | grep -q 'says coder-'; then try second liza unblock a --withdraw 'as the spec says' --exclude "$(task | grep -o 'says coder-[12]' | head -1 | cut -c6-)"; fi
    leave 0 unblocked`,
  async play(w) {
    await w.crew({ coders: 2, until: () => w.attempts('changed').length > 0 });
  },
  check(w) {
    w.succeeded('second');
    w.refused('third', /2|two|twice/);
    w.refused('spacing');
    w.succeeded('changed');
    const { failed_by: failed } = w.task();
    holds(failed?.length === 2, `failed by ${failed}`);
    return prevented('refused, also with other spacing; taken once the definition had changed');
  },
};

export const g43 = {
  id: 'G43',
  agent: '(planner) supersedes without a root cause; chains replacements',
  stated: 'refused; a→b→c is allowed, c→d needs a human',
  plant: [
    { take: 'supersede/root-cause', red: /no-cause was let through/ },
    { take: 'supersede/chain', red: /c-to-d was let through/ },
  ],
  planner: `
    by() { liza supersede $1 --root-cause "\${3-it was too big}" --define "{\\"id\\":\\"$2\\",\\"description\\":\\"d\\",\\"spec_ref\\":\\"specs/vision.md\\",\\"done_when\\":\\"$2 is there and exported\\",\\"scope\\":\\"IN: src/, test/\\",\\"validation\\":[\\"node --test\\"]}"; }
    blocked() { liza show $1 --json 2>/dev/null | grep -q '"status": *"BLOCKED"'; }
    if blocked a; then
      try no-cause by a b ' '
      try a-to-b by a b; liza finalize b
    elif blocked b; then try b-to-c by b c; liza finalize c
    elif blocked c; then try c-to-d by c d
    fi
    leave 0 done`,
  async play(w) {
    for (const id of ['a', 'b', 'c']) {
      w.ok(['replan', id]);
      await w.crew();
    }
  },
  check(w) {
    w.refused('no-cause', /root cause/);
    w.succeeded('a-to-b');
    w.succeeded('b-to-c');
    w.refused('c-to-d', /second replacement in a row \(a → b → c\)/, /human/);
    holds(w.task('d').id === undefined, 'd was made');
    return prevented('refused without a root cause; a→b→c was taken, c→d refused: it needs a person');
  },
};

export const g44 = {
  id: 'G44',
  agent: '(planner) takes a coder’s task',
  stated: 'refused',
  plant: [
    {
      take: {
        file: 'src/protocol/decide.ts',
        find: 'const part = partFor(row, actor, task);',
        put: 'const part = partFor(row, actor, task) ?? row.who[0];',
      },
      red: /own-id was refused without/,
    },
  ],
  planner: `
    try own-id liza claim-task a planner-1
    try coders-id liza claim-task a coder-1
    try impostor env LIZA_AGENT_ID=coder-1 liza claim-task a coder-1
    try begin begin
    leave 0 done`,
  async play(w) {
    // Its notes wake it: with a task on the board there is nothing else to plan.
    w.ok(['note', 'please look']);
    await w.crew();
  },
  check(w) {
    for (const name of ['own-id', 'coders-id']) w.refused(name, /for the supervisor, not for planner-1/);
    // From inside a sandbox everything is asked in the session's own name.
    w.refused(
      'impostor',
      w.sandboxed
        ? /not for planner-1|below planner-1 and would act as coder-1/
        : /runs below planner-1 and would act as coder-1/,
    );
    w.refused('begin', /for a coder, not for planner-1/);
    holds(w.task().status === 'UNCLAIMED' && w.task().assigned_to === undefined, `it is ${w.task().status}`);
    return prevented('refused under its own id, a coder’s, and without begin');
  },
};

export const g69 = {
  id: 'G69',
  agent: '(planner) is interrupted before `plan done`',
  stated: 'the next session is told what was left',
  plant: [
    {
      take: { file: 'src/supervisor/prompts/planner.ts', find: '    lastPlanning(context),', put: '' },
      red: /not told/,
    },
    {
      take: {
        file: 'src/protocol/goal/plan.ts',
        find: "if (goal.status !== 'PLANNING' && own.length === 0) return undefined;",
        put: "if (goal.status !== 'PLANNING') return undefined;",
      },
      red: /no second session/,
    },
    {
      take: {
        file: 'src/cli/session-answer.ts',
        find: 'if (!result.ok) await remember(',
        put: 'if (false) await remember(',
      },
      red: /what it was refused/,
    },
  ],
  tasks: [],
  planner: `
    prompt=$(cat)
    if liza show one >/dev/null 2>&1; then
      printf '%s\\n' "$prompt" | sed -n '/=== LAST SESSION ===/,/^$/p' | sed 's/^/TOLD /'
      try done liza plan done
      leave 0 planned
    fi
    try one ${ADD('one', `${SOUND} --ready`)}
    try two ${ADD('two', `--done 'it is there and exported' --scope 'IN: src/, test/' --ready`)}
    kill -9 $$`,
  check(w) {
    w.succeeded('one');
    w.refused('two', /no spec_ref/);
    holds(w.attempts('done').length === 1, 'there was no second session');
    w.succeeded('done');
    const told = w
      .logs()
      .split('\n')
      .filter((line) => line.startsWith('TOLD '))
      .join('\n');
    holds(/ended by SIGKILL/.test(told), `it was not told how the session ended: ${told}`);
    holds(/IT CHANGED: one /.test(told), `not told what was done: ${told}`);
    holds(/LEFT OPEN: .*plan done/.test(told), `not told what was left: ${told}`);
    holds(/IT WAS REFUSED:[\s\S]*no spec_ref/.test(told), `not told what it was refused: ${told}`);
    return contained('the next one was told how it ended, what was done, refused and left open; the plan was closed');
  },
};

const ASK = (what, assume) => `liza ask '${what}' --spec specs/vision.md --assume '${assume}'`;

export const g68 = {
  id: 'G68',
  agent: '(planner) asks three questions while planning',
  stated: 'recorded, shown, answered in one step; nobody is halted',
  plant: [
    {
      take: {
        file: 'src/supervisor/prompts/task-fields.ts',
        find: 'return [head, ...answers, ...contradicted(task, contradictedBy(state, task))];',
        put: 'return told.slice(told.length);',
      },
      red: /the coder was not told/,
    },
    {
      take: {
        file: 'src/cli/render/status.ts',
        find: "section('Open questions', view.questions, on,",
        put: "section('Open questions', view.questions.slice(99), on,",
      },
      red: /status does not show/,
    },
  ],
  tasks: [],
  planner: `
    if liza show a 2>&1 | grep -q 'no task'; then
      try one ${ASK('Which numbers?', 'whole ones')}
      try two ${ASK('How large?', 'up to a million')}
      try three ${ASK('In which base?', 'ten')}
      ${ADD('a', `${SOUND} --ready`)}; liza plan done
    fi
    leave 0 planned`,
  coder: `
    cat | sed -n '/^ANSWERS/,/^SCOPE/p' | sed 's/^/TOLD /'
    begin; code 1; proof 1; commit 'a: made'; submit; leave 42 submitted`,
  reviewer: `approve; leave 0 approved`,
  async play(w) {
    const crew = await w.crew({ wait: false });
    await w.until('three questions', () => (w.board().questions ?? []).length === 3);
    w.status = w.ok(['status']).said;
    w.answer = w.ok(['answer', 'q-1', 'whole ones and halves']);
    await w.until('it is merged', () => w.task().status === 'MERGED');
    await crew.stop();
  },
  check(w) {
    for (const name of ['one', 'two', 'three']) w.succeeded(name);
    const { questions, circuit_breaker: breaker, sprint } = w.board();
    holds(/How large\?/.test(w.status.slice(0, 1500)), `status does not show them first: ${w.status}`);
    holds(questions[0].status === 'answered', `the answer was not taken: ${w.answer.said}`);
    const told = lines(w.logs(), 'TOLD ');
    holds(/How large\?[\s\S]*up to a million/.test(told), `the coder was not told what is assumed: ${told}`);
    holds(breaker.status === 'OK' && sprint.status !== 'CHECKPOINT', `halted: ${breaker.status}, ${sprint.status}`);
    holds(!w.exists('.liza', 'CHECKPOINT') && !w.exists('.liza', 'PAUSE'), 'a switch is on');
    return contained('each has an id and stands first in status; one was answered in one step; the task was merged');
  },
};

const lines = (text, start) =>
  text
    .split('\n')
    .filter((line) => line.startsWith(start))
    .join('\n');

export const g74 = {
  id: 'G74',
  agent: '(coder) discovers something critical at default urgency',
  stated: 'reaches planner and person before the goal is complete',
  plant: [
    { take: 'goal complete/nothing-undecided', red: /complete was let through/ },
    {
      take: {
        file: 'src/supervisor/prompts/planner.ts',
        find: 'function discoveryLines({ state }: Board, told: readonly string[]): readonly string[] {',
        put: 'function discoveryLines({ state }: Board, told: readonly string[]): readonly string[] { if (told.length < 99) return [];',
      },
      red: /the planner was not told/,
    },
  ],
  planner: `
    cat | grep -A2 'disc-1' | sed 's/^/TOLD /'
    if liza show a --json | grep -q '"status": *"MERGED"'; then try complete liza goal complete; fi
    leave 0 looked`,
  coder: `
    begin
    try found liza discover 'passwords are written to the log' --severity critical --during a
    code 1; proof 1; commit 'a: made'; submit; leave 42 submitted`,
  reviewer: `approve; leave 0 approved`,
  check(w) {
    w.succeeded('found');
    w.refused('complete', /undecided: disc-1 \(critical\): passwords are written to the log/, /liza discovery/);
    const told = lines(w.logs(), 'TOLD ');
    holds(/passwords are written to the log/.test(told), `the planner was not told: ${told}`);
    holds(/disc-1[\s\S]*passwords/.test(w.ok(['status']).said), 'the person was not told');
    holds(w.board().goal.status !== 'COMPLETED', 'the goal is complete');
    w.ok(['discovery', 'dismiss', 'disc-1', '--reason', 'the log is removed with the next release']);
    w.ok(['goal', 'complete']);
    return contained('in the planner’s prompt and in status; goal complete was refused until a person had decided');
  },
};
