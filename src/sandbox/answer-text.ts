// An answer to an agent's command as one text. A client that is no Node reads it as well (supervisor/agent-client.ts), so
// it is no JSON: the code and a mark that nothing else has, then what was printed and complained, each up to the mark.

export interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export const answerText = ({ code, stdout, stderr }: Answer, mark: string): string =>
  `${code} ${mark}\n${stdout}${mark}${stderr}${mark}`;

/** Undefined: it is not whole. */
export function answerIn(text: string): Answer | undefined {
  const [head = '', code, mark = ''] = /^(\d+) (\w+)\n/.exec(text) ?? [];
  const [stdout, stderr, after, ...more] = text.slice(head.length).split(mark);
  if (code === undefined || stdout === undefined || stderr === undefined) return undefined;
  return after === '' && more.length === 0 ? { code: Number(code), stdout, stderr } : undefined;
}
