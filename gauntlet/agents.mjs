// What the agents of the gauntlet are made of: plain sh. `PRELUDE` comes before each script; `try <name> <command>`
// runs something and prints what it answered and with which status, so that the harness can tell an attempt that was
// refused from one that never took place. A script is handed over as an argument: a sandbox need not show its file.

export const PRELUDE = String.raw`
exec 2>&1
umask 022
can() { if "$@"; then echo yes; else echo no; fi; }
echo "SESSION $LIZA_AGENT_ID outside-writable=$(can test -w "$GAUNTLET_ROOT/.git")"

# try <name> <command …>: runs it, says what it answered
try() {
  name=$1; shift
  said=$("$@" 2>&1 </dev/null); code=$?
  printf '%s\n' "$said" | sed "s/^/TRY $name | /"
  echo "TRY $name = $code"
  return $code
}
# shell <name> <script>: the same for a line of shell
shell() { try "$1" sh -c "$2"; }

begin() { liza begin a --intent 'a and its test' --risks none --validation 'node test/a.test.mjs: passes' --file src/a.mjs --file test/a.test.mjs; }
code() { mkdir -p src; echo "export const a = $1;" > src/a.mjs; }
proof() { mkdir -p test; printf '%s\n' "import assert from 'node:assert/strict';" "import { a } from '../src/a.mjs';" "assert.equal(a, $1);" > test/a.test.mjs; }
commit() { git add -A && git commit -qm "$1" && git rev-parse HEAD; }
submit() { liza submit-for-review a "$(git rev-parse HEAD)"; }
approve() { liza submit-verdict a APPROVED '1: ran command 1 of VALIDATION' "$@"; }
# await_signal <name>: until the row gives it. In the sandbox nothing outside is seen, but the own folder's git directory is.
await_signal() { n=0; until [ -e "$GAUNTLET_BASE/$1" ] || [ -e ".git/gauntlet-$1" ]; do sleep 0.1; [ $((n = n + 1)) -gt 600 ] && echo "NEVER CAME: $1" && break; done; }
leave() { liza exit "$1" --reason "$2" || liza exit "$1" --reason "not $2"; exit 0; }
task() { liza show a --json; }
`;

/** Does what it should: checkpoint, code with its test, submit. From the second iteration on it changes something. */
export const GOOD_CODER = `
begin; value=$(( $(cat src/a.mjs 2>/dev/null | tr -dc 0-9 | head -c 4 || echo 0) + 1 ))
code $value; proof $value; commit 'a: made'; submit; leave 42 submitted
`;

export const GOOD_REVIEWER = `
sleep 1; approve; leave 0 reviewed
`;

/** Looks, and has nothing to say. */
export const GOOD_PLANNER = `
leave 0 'nothing to plan'
`;

/** A reviewer who has read what it is told, and stays. */
export const LOOK = `try look true; sleep 60`;

/** A rejection in the form that is asked for, of one line of one file; `prior`: what became of the last one. */
export const rejection = (place, what, prior = '') => `Blockers: 1
- [blocker] ${place} — ${what}
  Why it matters: the caller gets it wrong
  Suggestion: say what it is
${prior === '' ? '' : `Prior Feedback Status:\n- ${prior}\n`}Concerns: 0
Overall: one defect.`;
