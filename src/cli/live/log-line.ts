// A line of a session's log for people. Most agents write JSON, one event a line, each in its own shape: what is
// likely meant for a reader is picked out of it. A line that is no JSON, or holds no words, stays as it is.

/** What a reader looks for: words, and what a tool was told. */
const TELLING = new Set([
  ...['text', 'message', 'thinking', 'reasoning', 'result', 'error', 'output', 'content', 'summary', 'title'],
  ...['name', 'tool', 'command', 'file_path', 'filePath', 'path', 'pattern', 'query', 'url', 'description'],
]);
const DEPTH = 6;
const MOST = 4;

export function readable(line: string): string {
  if (!line.startsWith('{')) return line;
  const event = parsed(line);
  if (event === undefined) return line;
  const words = told(event, DEPTH).slice(0, MOST);
  const kind = [event['type'], event['kind'], event['event']].find((value) => typeof value === 'string');
  if (words.length > 0) return `${kind === undefined ? '' : `[${kind}] `}${words.join(' ')}`;
  return line;
}

function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function told(value: unknown, depth: number): readonly string[] {
  if (depth === 0 || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => told(item, depth - 1));
  return Object.entries(value).flatMap(([key, held]) => {
    if (typeof held === 'object') return told(held, depth - 1);
    const said = TELLING.has(key) && typeof held === 'string' && held.trim() !== '';
    return said ? [held] : [];
  });
}
