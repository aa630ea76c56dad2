import type { Environment } from '../ports/host.ts';

/** Whether whoever has this environment reads UTF-8. */
export const isUnicode = (env: Environment): boolean =>
  /utf-?8/i.test(env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '');
