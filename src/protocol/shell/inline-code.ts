// The code that an interpreter is given in the line (`node -e …`, `python -c …`), read by its words.

import type { Word } from './shell-tokens.ts';

/** It ends red, and does nothing else. */
export function isFailingCode(name: string, rest: readonly Word[]): boolean {
  const code =
    /^(?:node|bun|ruby|perl|php)$/.test(name) && /^(?:-e|-r|--eval)$/.test(rest[0]?.text ?? '') ? rest[1] : undefined;
  return code !== undefined && !code.varies && /^\s*(?:process\.)?exit[\s(]+[1-9]\d*\s*\)?\s*;?\s*$/.test(code.text);
}

/** What an interpreter is given to run has only words that can neither fail nor look at the project. */
export function isIdleCode(name: string, rest: readonly Word[]): boolean {
  const bare = quietCode(name, rest);
  return bare !== undefined && !/exit\W*[1-9]/.test(bare);
}

/** What an interpreter is given to run has only words that cannot look at the project. */
export const isQuietCode = (name: string, rest: readonly Word[]): boolean => quietCode(name, rest) !== undefined;

/** That code without what is quoted in it. */
function quietCode(name: string, rest: readonly Word[]): string | undefined {
  if (!/^(?:node|deno|bun|python[\d.]*|ruby|perl|php|lua)$/.test(name)) return undefined;
  const at = rest.findIndex(({ text }) => /^(?:-e|-c|-p|-pe|-r|--eval|--print|eval)$/.test(text));
  const code = rest[at + 1];
  if (at === -1 || code === undefined || code.runs.length > 0) return undefined;
  const bare = code.text
    .replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, ' ')
    .replace(/\bassert(?:\.ok)?[ (]{1,3}(?:True|true|1)\)?(?=\s*(?:[;,\n]|$))/g, ' ');
  const words = bare.match(/[A-Za-z_$]\w*/g) ?? [];
  const isQuiet = words.every((word) =>
    /^(?:console|log|print|puts|echo|process|exit|sys|import|pass|true|True|None|null)$/.test(word),
  );
  return isQuiet && !/[\\`]/.test(bare) ? bare : undefined;
}
