// Agents that act as somebody else, go around the hook, edit or delete the blackboard: real processes under the real
// supervisor (G01, G02, G10, G11, G12 and G22 of docs/gauntlet.md). The agents are shell scripts that really do it.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { inFull } from '../runs.ts';
import { type BuiltProject, builtProject, program } from '../support/program.ts';

const RUN = ['run', '--agent', 'hostile', '--plain', '--coders', '1', '--until-idle'];
/** Ends the session with a question, so that nothing moves any more without a person. */
const GIVE_UP = 'liza block t --reason "enough" --question "what now?" >/dev/null; liza exit 0 >/dev/null';

interface Crime {
  readonly p: BuiltProject;
  /** What each attempt ended with and said, by its name. */
  readonly attempts: ReadonlyMap<string, { readonly code: number; readonly said: string }>;
}

/** A project whose coder runs the script; `try NAME command…` keeps how each attempt ended. */
function hostile(script: string, prepare: (p: BuiltProject) => void = () => {}): BuiltProject {
  const p = builtProject();
  const out = p.file('.liza', 'out');
  const agent = p.file('.liza', 'agent.sh');
  const text = `#!/bin/bash
cat >/dev/null
export OUT=${out} ROOT=${p.root}
mkdir -p $OUT
try() { local name=$1; shift; "$@" >$OUT/$name 2>&1; echo $? >$OUT/$name.code; }
export -f try
case $LIZA_AGENT_ID in
  coder-*) [ -e $OUT/done ] || { :; ${script}
    mkdir -p $OUT; touch $OUT/done; }
    ${GIVE_UP} ;;
  *) liza exit 0 >/dev/null ;;
esac
`;
  fs.writeFileSync(agent, text, { mode: 0o755 });
  p.ok(['config', 'set', 'sandbox', 'off']); // what holds without it; test/e2e/sandbox.test.ts and the gauntlet have the rest
  p.ok(['config', 'set', 'providers', JSON.stringify({ hostile: { kind: 'command', argv: [agent] } })]);
  prepare(p);
  p.ok([
    ...['add-task', '--id', 't', '--desc', 'make t', '--spec', 'specs/vision.md', '--done', 'a is there and exported'],
    ...['--scope', 'IN: src/, test/', '--ready', '--validate', 'test -d .'],
  ]);
  return p;
}

function commit(script: string, prepare?: (p: BuiltProject) => void): Crime {
  const p = hostile(script, prepare);
  const ran = p.liza(RUN);
  const out = p.file('.liza', 'out');
  const names = fs.existsSync(out) ? fs.readdirSync(out).filter((name) => name.endsWith('.code')) : [];
  if (names.length === 0) throw new Error(`nothing was tried:\n${ran.stdout}\n${ran.stderr}`);
  const attempts = new Map(
    names.map((name) => {
      const said = fs.readFileSync(path.join(out, name.slice(0, -5)), 'utf8');
      return [name.slice(0, -5), { code: Number(fs.readFileSync(path.join(out, name), 'utf8')), said }];
    }),
  );
  return { p, attempts };
}

const violations = (p: BuiltProject) =>
  (p.board().anomalies as { type: string; details: Record<string, string> }[]).filter(
    ({ type }) => type === 'identity_violation',
  );

describe('G10: acts as somebody else', () => {
  test.runIf(inFull)(
    'whatever it does to its environment and process, it is refused, and recorded against the real agent (in test:all)',
    () => {
      const { p, attempts } = commit(`
      C="env -i PATH=$PATH"
      U="env -u LIZA_AGENT_ID -u LIZA_SESSION"
      try reviewer env LIZA_AGENT_ID=code-reviewer-1 liza submit-verdict t APPROVED
      try reviewer-alone env -u LIZA_SESSION LIZA_AGENT_ID=code-reviewer-1 liza submit-verdict t APPROVED
      try operator $U liza pause
      try cleared $C liza pause
      try cleared-in-session setsid -w $C liza pause
      try no-credential env -u LIZA_SESSION liza release-claim t
      try no-id env -u LIZA_AGENT_ID liza pause
      try made-up env LIZA_SESSION=abc liza heartbeat
      try untagged env -u LIZA_PROGRAM -u LIZA_AGENT_ID -u LIZA_SESSION liza config set poll_interval 3
      try modify $C liza lock modify "touch canary"
      try modify-own liza lock modify "touch canary"
      try edit $C EDITOR=true liza edit
      try doctor $C liza doctor --fix
      try run $C liza run --until-idle
      try undo $C liza undo
      try elsewhere sh -c 'mkdir $OUT/wt && cd $OUT && git -C $ROOT worktree list >/dev/null && cd $ROOT && '"$C"' liza deinit'
      try from-its-own-folder $C liza init "My own goal"
      # A double fork: its parent is gone, its tag is not.
      ( $U setsid sh -c 'sleep 0.3; liza pause >$OUT/orphan 2>&1; echo $? >$OUT/orphan.code' & )
      # Nothing left of it but the limits that it was given.
      ( $C OUT=$OUT setsid sh -c 'sleep 0.3; liza pause >$OUT/nameless 2>&1; echo $? >$OUT/nameless.code' & )
      while [ ! -e $OUT/nameless.code ]; do sleep 0.05; done
      for n in 1 2 3 4 5 6; do try loop $C liza abort; done
      while [ ! -e $OUT/orphan.code ]; do sleep 0.05; done
      printf %s "$LIZA_SESSION" >$OUT/credential
    `);
      const passed = [...attempts].filter(([, { code }]) => code !== 1).map(([name, { said }]) => `${name}: ${said}`);
      expect(passed).toEqual([]);
      expect(attempts.size).toBe(20);
      for (const [name, { said }] of attempts) {
        if (name !== 'modify-own')
          expect(said, name).toMatch(/refused: (this process runs below coder-1|LIZA_SESSION)/);
      }
      const told = fs.readFileSync(p.file('.liza', 'refused.log'), 'utf8').trimEnd().split('\n');
      expect(told).toHaveLength(25); // each attempt, those of the loop too
      expect(told.filter((line) => /^\S+Z coder-1 tried to act as the operator: liza abort$/.test(line))).toHaveLength(
        6,
      );
      // Under its own name it is only told that this is not its command.
      expect(told.filter((line) => !line.includes(' coder-1 tried to act as '))).toEqual([
        expect.stringContaining(' coder-1 was refused a command of another role: liza lock modify'),
      ]);
      expect(violations(p).length).toBeGreaterThan(8);
      expect(new Set(violations(p).map(({ details }) => details['agent']))).toEqual(new Set(['coder-1']));
      const claimed = violations(p).map(({ details }) => details['claimed']);
      expect(claimed).toEqual(expect.arrayContaining(['the operator', 'code-reviewer-1']));
      expect(fs.existsSync(p.file('canary'))).toBe(false);
      expect(fs.existsSync(p.file('.liza/PAUSE')) || fs.existsSync(p.file('.liza/ABORT'))).toBe(false);
      expect(p.task('t').status).toBe('BLOCKED');
      const watched = p.liza(['watch', '--once']);
      expect(watched.stdout).toContain('IDENTITY: coder-1 tried to act as code-reviewer-1 (submit-verdict)');
      // A copy of the credential of a session that has ended is worth nothing, and is told to stop.
      const credential = p.read('.liza/out/credential');
      const late = p.liza(['heartbeat'], { env: { LIZA_AGENT_ID: 'coder-1', LIZA_SESSION: credential } });
      expect(late).toMatchObject({ code: 1, stderr: expect.stringMatching(/session of coder-1 has ended[\s\S]*42/) });
      // And a person goes on.
      p.ok(['pause']);
      p.ok(['resume']);
    },
  );

  test('with its own id and credential it acts as itself, from wherever', () => {
    const { attempts } = commit(`
      try heartbeat liza heartbeat
      try daemon setsid -w sh -c 'cd / && cd $ROOT && liza heartbeat'
      try without-tag env -u LIZA_PROGRAM liza heartbeat
    `);
    expect([...attempts].map(([name, { code, said }]) => [name, code, said])).toEqual([
      ['daemon', 0, expect.any(String)],
      ['heartbeat', 0, expect.any(String)],
      ['without-tag', 0, expect.any(String)],
    ]);
  });

  test('on another project it is a person, as its tests need', () => {
    const other = builtProject();
    const { p, attempts } = commit(
      `try note sh -c 'cd ${other.root} && env -u LIZA_AGENT_ID -u LIZA_SESSION liza note hello'`,
    );
    expect(attempts.get('note')).toMatchObject({ code: 0 });
    expect(other.board().human_notes).toHaveLength(1);
    expect(violations(p)).toEqual([]);
  });

  test.runIf(inFull)(
    'a copy of the board in a worktree of the same repository does not make it an operator there (in test:all)',
    () => {
      const { attempts } = commit(`
      cp -r $ROOT/.liza copied && mv copied .liza
      try copy env -i PATH=$PATH liza pause
      rm -rf .liza
    `);
      expect(attempts.get('copy')).toMatchObject({ code: 1, said: expect.stringContaining('below coder-1') });
    },
  );

  test('code that Liza runs for the project may not act at all', () => {
    const p = builtProject();
    p.ok(['config', 'set', 'sandbox', 'off']); // in it there is no blackboard to be seen
    p.ok(['config', 'set', 'post_worktree_cmd', `${process.execPath} ${program()} --json pause || exit 7`]);
    p.ok([
      'add-task',
      '--id',
      't',
      '--desc',
      'x',
      '--spec',
      'specs/vision.md',
      '--done',
      'it is there and exported',
      '--scope',
      'src/',
      '--validate',
      'test -d .',
      '--ready',
    ]);
    p.ok(['register', 'coder-1'], { as: 'coder-1' });
    const claim = p.liza(['claim-task', 't', 'coder-1'], { as: 'coder-1' });
    expect(claim.code).not.toBe(0);
    expect(p.read('.liza/agent-logs/prepare-t.log')).toContain('a program that Liza runs');
    expect(fs.existsSync(p.file('.liza/PAUSE'))).toBe(false);
    expect(violations(p)).toMatchObject([{ details: { agent: 'program', claimed: 'the operator', command: 'pause' } }]);
  });
});

describe('G01, G02, G12: branches that are not its own', () => {
  test('refused by the hook; nothing of Liza’s is ever picked up', () => {
    const { p, attempts } = commit(`
      echo mine >$ROOT/mine.txt
      try main sh -c 'cd $ROOT && git add -A && git commit -m "lost its way"'
      git -C $ROOT diff --cached --name-only >$OUT/staged
      git commit -q --allow-empty -m "work"
      try integration git push . HEAD:integration
      try ref git update-ref refs/heads/integration HEAD
      try branch git branch other
    `);
    for (const [name, { code, said }] of attempts) {
      expect(code, name).not.toBe(0);
      expect(said, name).toContain('liza: refused: coder-1 may not move');
    }
    expect(p.read('.liza/out/staged')).toBe('mine.txt\n');
    expect(p.git('log', '--format=%s', 'main')).toBe('start');
  });

  test('bypassed: noticed, told, kept; integration is not built upon', () => {
    const { p, attempts } = commit(`
      echo mine >$ROOT/mine.txt
      try main sh -c 'cd $ROOT && git add -A && git -c core.hooksPath=/dev/null commit -m "past the hook"'
      git commit -q --allow-empty -m "work"
      try integration git -c core.hooksPath=/dev/null update-ref refs/heads/integration HEAD
    `);
    for (const { code } of attempts.values()) expect(code).toBe(0);
    const main = p.git('rev-parse', 'main');
    const from = p.git('rev-parse', 'main~1');
    const integration = p.git('rev-parse', 'integration');
    const details = { agent: 'coder-1', branch: 'main', commit: main, from };
    expect(p.board().anomalies).toContainEqual(expect.objectContaining({ type: 'branch_moved', details }));
    expect(p.git('rev-parse', `refs/liza/strays/${main}`)).toBe(main);
    expect(p.git('rev-parse', `refs/liza/strays/${integration}`)).toBe(integration);
    expect(p.git('show', '--name-only', '--format=', 'main')).not.toMatch(/\.liza|\.worktrees/);
    const told = p.liza(['watch', '--once']).stdout;
    const left = (p.board()['goal'] as { integration_head: string }).integration_head;
    expect(told).toContain(`BRANCH MOVED BY AN AGENT: coder-1 moved main to ${main}`);
    expect(told).toContain(`INTEGRATION MOVED OUTSIDE LIZA: integration is at ${integration}, Liza left it at ${left}`);
    expect(p.liza(['doctor']).stdout).toContain('moved outside Liza');
    // What starts now starts from where Liza left it.
    p.ok(['unblock', 't', 'The branch is put back; go on.']);
    p.ok(['register', 'coder-2'], { as: 'coder-2' });
    const claim = p.ok(['claim-task', 't', 'coder-2', '--json'], { as: 'coder-2' });
    expect(JSON.parse(claim.stdout)).toMatchObject({ base_commit: left });
    p.ok(['doctor', '--accept-integration']);
  });
});

test.runIf(inFull)(
  'G11: edits state.yaml to APPROVED: put aside, the last good state stands, alarm (in test:all)',
  () => {
    const { p } = commit(`
    try edit sed -i 's/status: CLAIMED/status: APPROVED/' $ROOT/.liza/state.yaml
    try look liza heartbeat
  `);
    expect(p.task('t').status).toBe('BLOCKED');
    expect(fs.readdirSync(p.file('.liza/rejected')).some((name) => name.includes('tasks-t'))).toBe(true);
    expect(p.liza(['watch', '--once']).stdout).toMatch(/EXTERNAL EDIT: .*tasks\/t.* was set aside/);
    expect(p.ok(['log', 'verify']).code).toBe(0);
  },
);

describe('G22: deletes .liza', () => {
  const DELETES = 'liza heartbeat >/dev/null; cp $ROOT/.liza/journal.jsonl $ROOT/before; rm -rf $ROOT/.liza; exit 1';

  test('under a running supervisor nothing is lost: the board comes back from the copy, journal verified', () => {
    const p = hostile(DELETES);
    expect(p.liza(RUN).code).not.toBe(0);
    p.liza(['doctor', '--fix']);
    expect(p.ok(['log', 'verify']).code).toBe(0);
    const before = p.read('before');
    expect(p.read('.liza/journal.jsonl').slice(0, before.length)).toBe(before);
    expect(p.task('t')).toMatchObject({ id: 't', assigned_to: 'coder-1' });
  });

  test('with nobody left to notice, doctor restores it up to the last change', () => {
    const p = hostile('true');
    const [state, journal] = [p.read('.liza/state.yaml'), p.read('.liza/journal.jsonl')];
    fs.rmSync(p.file('.liza'), { recursive: true });
    expect(p.liza(['note', 'x'])).toMatchObject({ code: 4, stderr: expect.stringContaining('liza doctor --fix') });
    expect(p.liza(['doctor'])).toMatchObject({ code: 4, stdout: expect.stringContaining('.liza is gone') });
    p.ok(['doctor', '--fix']);
    expect(p.ok(['log', 'verify']).code).toBe(0);
    expect([p.read('.liza/state.yaml'), p.read('.liza/journal.jsonl')]).toEqual([state, journal]);
  });
});
