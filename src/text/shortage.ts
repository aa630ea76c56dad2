// What to say when the system has too little of something: files, processes, memory. Installing or mending something
// would not help then, and nothing is wrong with the project.

/** By the system's code: what is said, and what helps. */
export const SHORTAGES: Readonly<Record<string, readonly [message: string, hint: string]>> = {
  EAGAIN: ['the system starts no more processes now', 'close some programs and run the command again'],
  ENOMEM: ['the system has no memory left', 'close some programs and run the command again'],
  EMFILE: ['too many open files', 'raise the limit (ulimit -n) and run the command again'],
  ENFILE: ['too many open files in the system', 'close some programs and run the command again'],
};

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\bEMFILE\b|Too many open files(?! in system)/i, 'EMFILE'],
  [/\bENFILE\b|Too many open files in system/i, 'ENFILE'],
  [/\bEAGAIN\b|Resource temporarily unavailable/i, 'EAGAIN'],
  [/\bENOMEM\b|Cannot allocate memory/i, 'ENOMEM'],
];

/** Told by the words of the system, or of a program that passes them on. */
export function shortageIn(said: string): readonly [message: string, hint: string] | undefined {
  const code = WORDS.find(([words]) => words.test(said))?.[1];
  return code === undefined ? undefined : SHORTAGES[code];
}
