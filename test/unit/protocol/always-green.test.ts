// Which validations prove nothing, and that honest ones are never taken for such.

import { describe, expect, it, test } from 'vitest';
import { alwaysGreen, decidingIn, provesNothing } from '../../../src/protocol/shell/always-green.ts';
import { readShellLine } from '../../../src/protocol/shell/shell-line.ts';
import { cpuTimer } from '../../support/cpu-time.ts';

describe('a line that succeeds whatever the code does is told with its reason', () => {
  it.each([
    ['if npm test; then echo ok; fi', 'an `if` without `else`'],
    ['if npm test; then echo ok; else echo red; fi', 'every branch'],
    ['if grep -q x a; then echo a; elif npm test; then echo b; fi', 'an `if` without `else`'],
    ["sh -c 'npm test || true'", 'ends with true'],
    ['bash -lc "npm test; exit 0"', 'ends with exit 0'],
    [`sh -c "bash -c 'npm test || :'"`, 'ends with :'],
    ['test 1 = 1', 'compares values that never change'],
    ['[ "a" != b ]', 'compares values that never change'],
    ['[[ 2 -gt 1 ]]', 'compares values that never change'],
    ['test "$HOME" = "$HOME"', 'compares values that never change'],
    ['! test 1 = 2', 'whatever the code does'],
    ['! false', 'whatever the code does'],
    ['node --version', 'asks node about itself'],
    ['npm --help', 'asks npm about itself'],
    ['go version', 'asks go about itself'],
    ['env CI=1 python3 -V', 'asks python3 about itself'],
    ['node --version && npm -v', 'asks npm about itself'],
    ['(npm test || true)', 'ends with true'],
    ['{ npm test; true; }', 'ends with true'],
    ['npm test || (echo red; exit 0)', 'succeeds whatever comes before'],
    ['npm test | cat | wc -l', 'that of wc'],
    ['timeout 60 true', 'whatever the code does'],
    ['echo "$(npm test)"', 'whatever the code does'],
    ['npm test & npm run lint &', 'does not wait'],
    [`node -e "console.log('all tests pass')"`, 'whatever the code does'],
    [`python3 -c 'import sys; print("ok"); sys.exit(0)'`, 'whatever the code does'],
    ['# npm test', 'runs nothing'],
    ['npm test \\\n  || true', 'ends with true'],
    ['set -e; npm test || true', 'ends with true'],
    ["sh -ec 'npm test || true'", 'ends with true'],
    ['for f in test/*.js; do node $f; done; true', 'ends with true'],
    ['for f in test/*.js; do node "$f" || true; done', 'whatever its loop runs succeeds'],
    ['while read -r f; do node "$f"; done; echo ok', 'ends with echo ok'],
    ['while false; do npm test; done', 'its loop never runs'],
    ['until true; do npm test; done', 'its loop never runs'],
    ['npm test & wait', '`wait` alone'],
    ['eval true', 'whatever the code does'],
    ['eval "npm test || true"', 'ends with true'],
    ['python3 -c "assert True"', 'whatever the code does'],
    ['npm run nosuch --if-present', 'no such script'],
    ['npm test || ls', 'ends with ls'],
    ['npm test || git status', 'ends with git status'],
    ['npm test; git status --short', 'ends with git status'],
    ['npm test; cd .', 'ends with cd .'],
    ['npm test; [ $? -ge 0 ]', 'ends with [ $? -ge 0 ]'],
    ['npm test; rc=$?; test "$rc" -lt 256', 'whatever comes before'],
    ['npm test | grep -c .', 'as soon as anything is printed'],
    ["npm test 2>&1 | sed 's/x/y/'", 'that of sed'],
    ["npm test | awk '{ print $1 }'", 'that of awk'],
    ['npm test | timeout 9 cat', 'that of cat'],
    ['sh /dev/null', 'whatever the code does'],
    ['node --test /dev/null', 'whatever the code does'],
    ['. /dev/null', 'whatever the code does'],
    ['python3 </dev/null', 'whatever the code does'],
    ['bash -s 0</dev/null', 'whatever the code does'],
    ['xargs -r npm test </dev/null', 'whatever the code does'],
    ['xargs -0r -n1 npm test < /dev/null', 'whatever the code does'],
    ['true | xargs --no-run-if-empty npm test', 'or none'],
    ["printf '' | xargs -r npm test", 'or none'],
    ['cat /dev/null | sh', 'or none'],
    ['make -n test', 'with -n make runs no test'],
    ['make test --dry-run', 'runs no test'],
    ['pytest --collect-only -q', 'with --collect-only pytest runs no test'],
    ['python3 -m pytest --co', 'runs no test'],
    ['npx jest --listTests', 'runs no test'],
    ['npx vitest list', 'runs no test'],
    ['ctest -N', 'runs no test'],
    ['npx vitest --help', 'asks vitest about itself'],
    ['npm test --help', 'asks npm about itself'],
    ['cargo test --help', 'asks cargo about itself'],
    ['npx vitest run --passWithNoTests', 'where there is no test'],
    ['npm test -- --passWithNoTests', 'where there is no test'],
    ['which node', 'whether node is installed'],
    ['command -v npm', 'whether npm is installed'],
    ['type npm > /dev/null', 'whether npm is installed'],
    ['git diff', '`git diff` succeeds'],
    ["trap 'exit 0' EXIT; npm test", 'trap'],
    ["trap 'exit 0' 0; set -e; npm test", 'trap'],
    ['check() { npm test || true; }; check', 'whatever'],
    ['npm() { true; }; npm test', 'whatever'],
    ['npm test || cat <<EOF\nred\nEOF', 'ends with cat'],
    ['case $X in a) npm test || true ;; *) true ;; esac', 'every branch'],
    ['set -e; npm test && echo ok; echo done', 'ends with echo done'],
    ['set -e; { npm test; echo x; } && echo done', 'whatever'],
    ['set -e; set +e; npm test; echo done', 'ends with echo done'],
    ["bash -n -c 'npm test'", 'runs nothing'],
    ['echo "$(npm test || echo "red)")"', 'whatever'],
    ['npm test & echo started', 'whatever the code does'],
    ['! false && echo ok', 'whatever'],
    ["sh <<'E'\nnpm test\ntrue\nE", 'ends with true'],
    ['bash -s <<-E\n\tnpm test || true\n\tE', 'ends with true'],
    ["echo 'npm test || true' | sh", 'given a script that succeeds'],
    ['echo a | xargs true', 'whatever'],
    ['make -i test', 'green though tests are red'],
    ['mvn -Dmaven.test.failure.ignore=true test', 'green though tests are red'],
    ['./mvnw -fn verify', 'green though tests are red'],
    ["find src -name '*.js' -exec node --check {} \\;", 'end it with `+`'],
    ['cargo test -- --list', 'runs no test'],
    ['dotnet test --list-tests', 'runs no test'],
    ['bundle exec rspec --dry-run', 'runs no test'],
    ['mkdir -p x', 'makes what it names'],
  ])('%s', (line, why) => {
    expect(alwaysGreen(line)).toContain(why);
  });
});

const ABOUT = (tool: string): string => `it asks ${tool} about itself`;
const AWAY = 'nothing that stands in the project decides it';

describe('a line that looks at nothing of the project is told', () => {
  it.each([
    ['npx --version', ABOUT('npx')],
    ['npx -v', ABOUT('npx')],
    ['git --version', ABOUT('git')],
    ['gcc --version', ABOUT('gcc')],
    ['java -version', ABOUT('java')],
    ['python3 -m pytest --version', ABOUT('pytest')],
    ['node -e 0', 'it always succeeds'],
    ['python -c pass', 'it always succeeds'],
    ['[ 1 = 1 ]', 'compares values that never change'],
    ['expr 1 + 1', AWAY],
    ['[ $((1 + 1)) -eq 2 ]', AWAY],
    ['printf ok | grep -q ok', AWAY],
    ['grep -q ok <<E\nok\nE', AWAY],
    ['echo a b | tr a-z A-Z | cut -d " " -f 1 | grep -qx A', AWAY],
    ['seq 3 | wc -l | grep -qx 3', AWAY],
    ['env | grep -q PATH', AWAY],
    ['date | grep -q 20', AWAY],
    ['test -n "$PATH"', AWAY],
    ['if [ -n "$CI" ]; then exit 0; else exit 1; fi', AWAY],
    ['cd . && [ -e /etc/passwd ]', AWAY],
    ['x=$(printf ok); [ "$x" = ok ]', AWAY],
    ['test "$(git --version)" != ""', AWAY],
    ["sh -c 'printf ok | grep -q ok'", AWAY],
    ["node -e '1 + 1 === 2 || process.exit(1)'", AWAY],
    ['for i in 1 2; do [ $i -gt 0 ]; done', AWAY],
    ['xargs true < f', AWAY],
    ['true < f', AWAY],
    ['grep -q "" f', 'every line fits the pattern ""'],
    ["grep -qE '^.*$' src/a.js", 'it shows only that src/a.js has one'],
  ])('%s', (line, why) => {
    expect(provesNothing(line)).toContain(why);
  });

  it.each([
    'node cli.js | grep -q ""',
    'echo 1 2 | node cli.js | grep -qx 3',
    'printf "a\\n" | ./cli | wc -l | grep -qx 1',
    'printf ok | cmp - out.txt',
    'echo ok | grep -qf patterns.txt',
    'grep -rq retry',
    'grep -q retry *.md',
    'test -n "$(ls *.md)"',
    '[ -n "$(cat VERSION)" ]',
    'test -s out.txt',
    'test -f "$HOME/.toolrc"',
    'cat VERSION | grep -qx 1.2.3',
    'xargs -n1 node --check < files.txt',
    'grep -q ok < out.txt',
    'read -r v < VERSION; [ "$v" = 1.2.3 ]',
    'v=$(node -p "require(\'./package.json\').version"); [ "$v" = 1.2.3 ]',
    'for f in *.md; do [ -n "$f" ] || exit 1; done',
    'case "$(node cli.js)" in ok) exit 0 ;; *) exit 1 ;; esac',
    'echo "$PATH" | node cli.js',
    "echo '{}' | jq -e . schema.json",
    "awk '{ exit 1 }' f",
    "sed -n '1{/x/!q1}' f",
    'git log | grep -q fix',
    'git diff | grep -q x',
    'ls | grep -qx src',
    'test "$(ls | wc -l)" -gt 3',
    '! grep -q "" empty.txt',
    'test "$(grep -c "" README.md)" -le 200',
    'expr "$(node cli.js)" : ok',
    'mytool --version | grep -qx 1.2.3',
    './cli --version | grep -qx 1.2.3',
    '[ "$(git rev-parse HEAD)" != "" ]',
    'echo a | tee out.txt | node cli.js',
    'rg -q retry',
  ])('one that may look is not: %s', (line) => {
    expect(provesNothing(line)).toBeUndefined();
  });
});

const CAN_NEVER = 'can never succeed';
const HIDES = (tests: string): string => `green where \`${tests}\` is red`;

describe('a line that can never succeed, or that hides red tests, is told with its reason', () => {
  it.each([
    ['false', CAN_NEVER],
    ['! true', CAN_NEVER],
    ['npm test && false', CAN_NEVER],
    ['npm test; exit 1', CAN_NEVER],
    ['eval "exit 1"; true', CAN_NEVER],
    ['! echo ok', CAN_NEVER],
    ['node -e "process.exit(1)"', CAN_NEVER],
    ['! npm test && npm test', CAN_NEVER],
    ['npm run build && ! npm test && npm test', CAN_NEVER],
    ["sh <<'E'\nnpm test\nexit 1\nE", CAN_NEVER],
    ["bash -e <<'E'\nnpm test || ls src\nE", HIDES('npm test')],
    ["trap 'exit 1' EXIT; npm test", CAN_NEVER],
    ['npm test || ls src', HIDES('npm test')],
    ['npm test; test -f package.json', HIDES('npm test')],
    ['npm test; git diff --exit-code', HIDES('npm test')],
    ['pytest -q || [ $? -eq 5 ]', HIDES('pytest -q')],
    ['npm test 2>&1 | grep -q passing', HIDES('npm test')],
    ['cargo test | grep -v warning', HIDES('cargo test')],
    ['x=1; test -n "$(npm test)"', HIDES('npm test')],
    ['out=$(npm test); [ -n "$out" ]', HIDES('npm test')],
    ['npm test & node cli.js', HIDES('npm test')],
    ['for d in a b; do npm test; node cli.js; done', HIDES('npm test')],
    ['! npm test || node cli.js', HIDES('npm test')],
    ['if npm test; then node cli.js; else node other.js; fi', HIDES('npm test')],
    ["bash -c 'npm test; node cli.js'", HIDES('npm test')],
    ['env CI=1 timeout 9 npm test || node cli.js', HIDES('env CI=1 timeout 9 npm test')],
    ['diff <(npm test) expected.txt', HIDES('npm test')],
    ['set -e; npm test && node a.js; node b.js', HIDES('npm test')],
    ['python3 -m unittest || node cli.js', HIDES('python3 -m unittest')],
  ])('%s', (line, why) => {
    expect(provesNothing(line)).toContain(why);
  });
});

test.each([
  'npm test',
  'npm test -- test/retry.test.js',
  'npm run build && node dist/cli.js --help',
  'npx vitest run test/a.test.ts --reporter=dot',
  'npx --yes eslint --version .',
  'node --test',
  'node --test test/*.test.mjs',
  'node dist/cli.js --version',
  './cli --version',
  'mytool --help',
  `node -e "require('./src/add.js').add(2,3) === 5 || process.exit(1)"`,
  `node -e "import('./a.mjs').then((m) => process.exit(m.ok ? 0 : 1))"`,
  `node --input-type=module -e "import {add} from './src/add.mjs'; if (add(2,3) !== 5) throw new Error('no')"`,
  'pytest -q tests/test_retry.py',
  'pytest -v',
  'python3 -m pytest',
  `python3 -c "import calc; assert calc.add(2,3) == 5"`,
  'make',
  'make help',
  'make check',
  'go test ./...',
  'go vet ./... && go test -race ./...',
  'cargo test --all',
  'cargo clippy -- -D warnings',
  'test -f docs/guide.md',
  '[ -d src/parser ]',
  'test "$(node cli.js add 2 3)" = 5',
  '[ "$(wc -l < README.md)" -le 200 ]',
  'test -z "$(git status --porcelain)"',
  "grep -q 'retry' README.md",
  '! grep -rn TODO src',
  "! grep -n 'a || true' src/a.ts",
  'grep -c retry README.md | grep -qx 3',
  'npm test || exit 1; echo done',
  'npm test && echo ok || exit 1',
  'npm test || { echo red; exit 1; }',
  'npm test; rc=$?; echo "ended with $rc"; exit $rc',
  'npm test; exit',
  'if npm test; then echo ok; else exit 1; fi',
  'if ! npm test; then exit 1; fi',
  'if test -f a; then npm test; fi',
  'set -eu; npm ci; npm test; echo done',
  'set -o pipefail; npm test | tee log',
  "bash -euo pipefail -c 'npm test | tee log; echo done'",
  'sh scripts/check.sh',
  'bash -n scripts/check.sh',
  'for f in test/*.js; do node "$f" || exit 1; done',
  'set -e; for f in test/*.js; do node "$f"; done',
  'for f in test/*.js; do node "$f" || red=1; done; test -z "$red"',
  'for f in test/only.js; do node "$f"; done',
  'for f in a b; do npm test; set -e; done; echo ok',
  'until curl -fs localhost:8080; do sleep 1; done',
  'while true; do npm test && exit 0; sleep 1; done',
  'while npm test; do exit 0; done; exit 1',
  'for ((i=0; i<3; i++)); do true; done',
  'eval "npm test"',
  'eval "$CHECK"',
  "eval 'set -e'; npm test; echo ok",
  'npm run build --if-present && npm test',
  'python3 -c "assert True is calc"',
  'cat <<EOF | node cli.js\na\nEOF',
  'diff <(node cli.js) expected.txt',
  'node cli.js < in.txt | diff - out.txt',
  'cd packages/a && npm test',
  '(cd packages/a && npm test)',
  'CI=1 npm test',
  'timeout 60 npm test',
  'npm test & wait $!',
  'tsc --noEmit',
  'docker build .',
  'java -jar app.jar --version',
  "awk 'NR>80{exit 1}' README.md",
  'true && npm test',
  'out=$(node cli.js); [ "$out" = 5 ]',
  `[ "$X" = 'a b' ] || npm test`,
  'npm test -- --run',
  'cargo test && cargo clippy -- -D warnings',
  'cd pkg && npm test',
  'test -f x && node --test',
  'diff <(node a.js) <(node b.js)',
  "bash -c 'set -o pipefail; npm run build | tee log'",
  'set -o pipefail; npm test | grep -v warning',
  'npm test 2>&1',
  'npm test > log.txt',
  'git diff --exit-code',
  'git diff --check',
  'git show HEAD:README.md',
  'ls dist/app.js',
  '! ls src/old',
  'gofmt -l . | grep .',
  '! gofmt -l . | grep .',
  '! node --test fixtures/red.test.js',
  '! npx vitest run fixtures/red.test.ts && npm test',
  'node cli.js bad; [ $? -eq 2 ]',
  'node cli.js bad; rc=$?; [ "$rc" -ne 0 ]',
  'npm test; rc=$?; rm -rf tmp; exit $rc',
  'npm test; [ $? -eq 0 ]',
  'until npm test; do sleep 1; done',
  'npm test || npm test',
  'npm test && test "$(npm test | grep -c ok)" -ge 5',
  'out=$(npm test) && [ -n "$out" ]',
  "trap 'rm -rf tmp' EXIT; npm test",
  "node --test - <<'EOF'\nimport 'node:test';\nEOF",
  'for i in 1 2 3; do npm test || exit 1; done',
  'check() { npm test || return 1; npm run lint; }; check',
  'case "$X" in a) npm test ;; *) exit 1 ;; esac',
  '[[ -n "$X" && -f a ]] && npm test',
  'npm run cli -- --help',
  'go run ./cmd --help',
  'cargo run -- --help',
  'npx mytool --help',
  'exec npm test',
  'exec npm test; true',
  '. .venv/bin/activate && pytest -q',
  'command -v ./bin/tool',
  'make test -j4',
  'make -C pkg test',
  "find . -name '*.orig' | wc -l | grep -qx '0'",
  "node cli.js | sed 's/x/y/' | diff - expected.txt",
  'if ! npm test; then echo red; exit 1; fi',
  "sh <<'E'\nset -e\nnpm test\nnpm run lint\nE",
  'sh <<E\n$CHECK\nE',
  "echo 'npm test' | sh",
  "echo 'a b' | node cli.js",
  'sh check.sh <<E\ntrue\nE',
  "find src -name '*.js' -exec node --check {} +",
  "find src -name '*.js' -print0 | xargs -0 -n1 node --check",
  "find . -name '*.orig' -exec echo {} \\; | grep -qx 0",
  'mkdir -p out && node cli.js > out/a',
  'bundle exec rspec',
  'poetry run pytest -q',
  'mvn -DskipTests package',
  './gradlew build -x test',
  'cargo test --no-run',
  "go test -run '^$' ./...",
  '! test -f out && node make.js && test -f out',
  'node -e "process.exit(check())"',
])('an honest validation is not refused: %s', (line) => {
  expect(provesNothing(line)).toBeUndefined();
});

test('a line that nobody can read is not judged, and however deep or long it is, it is read at once', () => {
  for (const line of [
    'echo "',
    "echo '",
    'echo $(',
    'if true',
    'for a in b; do true',
    'while true; done',
    '( true',
    'true )',
    '} true',
    'select a in b; do true; done',
    'a() true',
    '! ! true',
    'cat <<EOF',
    'echo `x',
  ])
    expect(readShellLine(line), line).toBeUndefined();
  const spent = cpuTimer();
  for (const sign of [
    '(',
    '"',
    '`',
    '$(',
    'if ',
    'for a in b; do ',
    'while a; do ',
    '{ ',
    '! ',
    '<(',
    '\\',
    ';',
    '|',
    '&&',
    'a ',
  ])
    expect(() => alwaysGreen(sign.repeat(16_000 / sign.length))).not.toThrow();
  expect(spent()).toBeLessThan(5_000);
});

describe('a negative check', () => {
  const WRONG =
    "bash -c 'sed -i s/512KB/513KB/ Readme.md; npm test -- test/readme.js; r=$?; git checkout -q Readme.md; test $r -ne 0'";
  const LINES = [
    WRONG,
    '! npm test -- test/readme.js',
    'if npm test -- test/readme.js; then exit 1; fi',
    "sh -c 'npm test; test $? -ne 0'",
  ];

  it.each(LINES)('proves something where the same runner is seen plainly, too: %s', (line) => {
    expect(provesNothing(line, ['npm test'])).toBeUndefined();
    expect(provesNothing(line, ['npm ci && npm test -- test/a.js'])).toBeUndefined();
    expect(provesNothing(line, [])).toMatch(/it is green where `npm test.*` is red, also where that cannot run at all/);
    expect(provesNothing(line, ['pytest'])).toContain('that runs `npm` plainly');
    expect(provesNothing(line, ['npm test || true'])).toContain('plainly');
  });

  it.each(['npm test; r=$?; test $r -ge 0', 'npm test; r=$?; rm x; test -e y', '! npm test || node cli.js'])(
    'is none where the tests may be green as well as red: %s',
    (line) =>
      expect(provesNothing(line, ['npm test'])).toMatch(/it can be green where `npm test` is red|always|whatever/),
  );

  it('may have its plain run in the same line, or behind a script', () => {
    expect(provesNothing('! npx vitest run fixtures/red.test.ts && npm test', [])).toBeUndefined();
    expect(provesNothing('! node --test red.test.js', ['npm test'])).toBeUndefined();
    expect(provesNothing('! npm test', ['node --test'])).toContain('plainly');
  });

  it('shows nothing by the command within it', () => {
    expect([...decidingIn(WRONG)].some((one) => one.startsWith('npm test'))).toBe(false);
  });
});

test.each([
  'for t in test/*.sh; do sh $t; done',
  'for f in test/*.js; do node "$f"; done',
  'cd a; for i in 1 2; do npm test; done',
  'ls test/*.sh | while read t; do sh $t; done',
  'find test -name \'*.js\' | while IFS= read -r f; do node "$f"; done',
  'while read -r f; do node "$f"; done < tests.txt',
])('a red round that another may cover is told, with what mends it: %s', (line) =>
  expect(provesNothing(line)).toMatch(/^only the last round of its loop decides: .* \|\| exit 1`$/),
);

describe('a line with more ways through it than anybody follows is taken for a real command, at once', () => {
  const repeated = (part: (nth: number) => string): string => [...Array(18).keys()].map(part).join('; ');
  it.each([
    ['functions that may be there', repeated((nth) => `x${nth} && f${nth}() { y; }`)],
    ['long ones', repeated((nth) => `x${nth} && f${nth}() { ${'y'.repeat(700)}; }`)],
    ['parts of pipes', `set -o pipefail; ${repeated((nth) => `x${nth} && f${nth}() { y; }; a | b | c`)}`],
    ['ends of the shell', repeated((nth) => `x${nth} && f${nth}() { y; }; q || exit 1`)],
    ['a function that is left', `g() { ${repeated((nth) => `x${nth} && f${nth}() { y; }; q || return 1`)}; }; g; g`],
    ['code in words', repeated((nth) => `x${nth} && eval 'f${nth}() { y; }'`)],
  ])('%s', (_, line) => {
    const spent = cpuTimer();
    expect(alwaysGreen(`${line}; true`)).toBeUndefined();
    expect(spent()).toBeLessThan(2000);
  });
});
