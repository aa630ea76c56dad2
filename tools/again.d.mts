export interface FailedTest {
  readonly file: string;
  readonly name: string;
}

/** What vitest's JSON reporter writes, as far as it is read here. */
export interface Report {
  readonly testResults?: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
    }[];
  }[];
}

export function worthAgain(report: Report, output: string): FailedTest[];
export function onlyThese(tests: readonly FailedTest[]): string[];
export function allPassed(tests: readonly FailedTest[], report: Report): boolean;
