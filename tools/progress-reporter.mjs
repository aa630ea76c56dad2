// A reporter for vitest that tells tools/test.mjs how many test files are done.

import { progress } from './progress.mjs';

export default class ProgressReporter {
  #all = 0;
  #done = 0;

  onTestRunStart(specifications) {
    this.#all = specifications.length;
  }

  onTestModuleEnd() {
    this.#done += 1;
    progress(this.#done, this.#all, 'files');
  }
}
