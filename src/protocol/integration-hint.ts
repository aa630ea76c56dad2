// What brings a lost integration branch back. Its hook lets nobody move the branch who does not say that they mean it.

export const bringBack = (branch: string, commit = '<commit>'): string =>
  `LIZA_INTEGRATION=mine git branch ${branch} ${commit}`;
