// The tests that a runner says passed or failed, by their own names. Linear in the text; what is kept is bounded.

import { failedIn } from './failed-tests.ts';
import { ownName, passedIn } from './passed-tests.ts';

export interface TestReport {
  readonly passed: ReadonlySet<string>;
  readonly failed: ReadonlySet<string>;
}

export const NOTHING_REPORTED: TestReport = { passed: new Set(), failed: new Set() };

const MOST = 20_000;

export function reportedTests(printed: string): TestReport {
  const passed = new Set<string>();
  const failed = new Set<string>();
  for (const line of printed.split('\n')) {
    if (passed.size + failed.size >= MOST) break;
    const good = passedIn(line);
    const bad = failedIn(line);
    if (good !== undefined) passed.add(plain(good));
    if (bad !== undefined) failed.add(plain(bad));
  }
  return { passed, failed };
}

const plain = (name: string): string => ownName(name).replace(/\s+/g, ' ');
