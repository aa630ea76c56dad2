// What the scripted model says in each role. One task: `greet.sh` must greet. The coder's first attempt greets
// wrongly, with a test that is content with any word, so that Liza's own run of it is green; the reviewer sees it in the
// commit and rejects it, the coder mends both in the same session.

const TASK = 'greet';
export const GREETING = 'Hello, world';

const WRONG = `#!/bin/sh\necho "Good bye"\n`;
// No $(…): Gemini CLI blocks it as an injection.
const GREETS = `sh greet.sh | grep -qx "${GREETING}"`;
const test = (command) => `mkdir -p tests && cat > tests/greet.test.sh <<'END'\n#!/bin/sh\n${command}\nEND\n`;

const REJECTION = `liza submit-verdict ${TASK} REJECTED - <<'VERDICT'
Blockers: 1
- [blocker] greet.sh:2 — it says good bye instead of greeting
  Why it matters: DONE WHEN asks for the greeting
  Suggestion: print ${GREETING}
Concerns: 0
Overall: Not yet: the test takes any word for a greeting.
VERDICT`;

const begin = (intent) =>
  `liza begin ${TASK} --intent "${intent}" --assume "a POSIX shell" --risks "none worth naming" --validation "sh tests/greet.test.sh: exit 0" --file greet.sh --file tests/greet.test.sh`;
const SUBMIT = `git add -A && git commit -q -m "greet" && liza submit-for-review ${TASK} HEAD && liza exit 42 --reason "submitted"`;

const STEPS = {
  plan: [
    {
      text: 'One task is enough.',
      shell: `liza add-task --id ${TASK} --desc "A script that greets" --spec specs/vision.md --done "sh tests/greet.test.sh: exit 0" --scope "IN: greet.sh, tests/greet.test.sh" --validate "sh tests/greet.test.sh" && liza finalize ${TASK} && liza plan done && liza exit 0 --reason "planned"`,
    },
    { text: 'The plan is made.' },
  ],
  complete: [
    { shell: 'liza goal complete --summary "It greets." && liza exit 0 --reason "all merged"' },
    { text: 'The goal is complete.' },
  ],
  leave: [{ shell: 'liza exit 0 --reason "nothing to plan"' }, { text: 'Nothing to plan.' }],
  code: [
    { text: 'First the checkpoint.', shell: begin('write greet.sh and its test') },
    { write: { path: 'greet.sh', content: WRONG } },
    { shell: `${test('sh greet.sh | grep -q .')}${SUBMIT}` },
    { text: 'Submitted.' },
  ],
  mend: [
    { text: 'The reviewer is right.', shell: begin('greet as DONE WHEN asks') },
    { shell: `${test(GREETS)}sed -i 's/Good bye/${GREETING}/' greet.sh && sh tests/greet.test.sh && ${SUBMIT}` },
    { text: 'Submitted again.' },
  ],
  review: [
    { text: 'I run what was submitted.', shell: `git log -1 --stat; ${GREETS}; echo "exit $?"` },
    {
      shell: `if ${GREETS}; then liza submit-verdict ${TASK} APPROVED '1: greet.sh:1'; else ${REJECTION}\nfi; liza exit 42 --reason "verdict given"`,
    },
    { text: 'The verdict is given.' },
  ],
};

/** Which part is played, from the last prompt that Liza sent. */
export function partOf({ turns }) {
  const at = turns.findLastIndex(({ who, text }) => who === 'user' && /^=== [A-Z ]+ ===$/m.test(text));
  const prompt = turns[at]?.text ?? '';
  const has = (words) => prompt.includes(words);
  const part = has('=== REVIEW TASK ===')
    ? 'review'
    : has('=== ASSIGNED TASK ===')
      ? has('=== PRIOR REJECTION FEEDBACK ===')
        ? 'mend'
        : 'code'
      : has('INITIAL_PLANNING')
        ? 'plan'
        : has('ALL_TERMINAL')
          ? 'complete'
          : 'leave';
  // Text and tool call of one answer may be two entries; together they are one turn.
  const said = turns.slice(at + 1).filter(({ who }, nth, after) => who === 'agent' && after[nth - 1]?.who !== 'agent');
  return { part, turn: said.length, hasPast: turns.slice(0, Math.max(0, at)).some(({ who }) => who === 'agent') };
}

/** Before its work it goes for files that are not its own: with its CLI's write tool one by one, then by shell. */
function tries(part, targets) {
  if (targets.length === 0 || (part !== 'code' && part !== 'review')) return [];
  const shell = `for file in ${targets.join(' ')}; do echo planted > $file; done; true`;
  const writes = targets.map((path) => ({ text: 'What can I reach?', write: { path, content: 'planted\n' } }));
  return [...(part === 'code' ? writes : []), { text: 'And by shell?', shell }];
}

/** The model of a crew; `targets` are files that it tries to make first. */
export const scripted = (targets) => (question) => {
  const { part, turn } = partOf(question);
  const steps = [...tries(part, targets), ...STEPS[part]];
  return steps[Math.min(turn, steps.length - 1)];
};
