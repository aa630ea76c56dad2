// Which tests of a vitest run failed, and how to run those once more: tools/test.mjs does so for the kinds of test whose
// programs share the machine, and then names what passed only the second time. More than a few failed tests are no
// accident, and neither is an error outside a test: those are not run again.

/** More failed tests than this have a cause in common. */
const MOST = 5;

/** Every test of a report of vitest's (`--reporter=json`) that has this status, by file and full name. */
const testsIn = ({ testResults = [] }, wanted) =>
  testResults.flatMap(({ name: file, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === wanted)
      .map(({ ancestorTitles, title }) => ({ file, name: [...ancestorTitles, title].filter(Boolean).join(' ') })),
  );

/** The failed tests that are worth a second run; none where the run failed for something else too. */
export function worthAgain(report, output) {
  const failed = testsIn(report, 'failed');
  const files = (report.testResults ?? []).filter(({ status }) => status === 'failed');
  const isMore =
    files.some(({ name }) => !failed.some(({ file }) => file === name)) || /\bUnhandled Errors?\b/.test(output);
  return isMore || failed.length > MOST ? [] : failed;
}

/** What vitest runs exactly these by, one file after the other. */
export const onlyThese = (tests) => [
  '--no-file-parallelism',
  ...new Set(tests.map(({ file }) => file)),
  '-t',
  `^(?:${tests.map(({ name }) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})$`,
];

/** Whether each of them passed in that report. */
export function allPassed(tests, report) {
  const passed = testsIn(report, 'passed');
  return tests.every((test) => passed.some(({ file, name }) => file === test.file && name === test.name));
}
