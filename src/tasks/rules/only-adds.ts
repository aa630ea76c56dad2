// Whether a text has all the lines that it had, in their order. Linear in the texts.

export function onlyAdds(before: string, after: string): boolean {
  const left = before.split('\n').filter((line) => line.trim() !== '');
  let at = 0;
  for (const line of after.split('\n')) if (line === left[at]) at += 1;
  return at === left.length;
}

const IMPORT = /^\s*(?:(?:import|from|use|using|#include|require)\b|(?:const|let|var)\b.*\brequire\()/;

/** What a test needs may change without the test. */
export const withoutImports = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !IMPORT.test(line))
    .join('\n');
