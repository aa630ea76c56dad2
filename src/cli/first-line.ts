// The first word of the commands that take a moment before they can show anything: a person at a terminal reads it before
// the program itself is loaded. Pure, and tiny: it is compiled at every start.

const DOING: Readonly<Record<string, string>> = {
  run: 'checking the project',
  attach: 'looking for the crew',
  demo: 'making a repository for the demo',
};

/** Undefined: there is nothing to wait for, or a program reads the answer. */
export function firstLine(argv: readonly string[], version: string): string | undefined {
  const [command = '', ...rest] = argv;
  const doing = Object.hasOwn(DOING, command) ? DOING[command] : undefined;
  if (doing === undefined || rest.some((word) => /^(--help|-h|--json)$/.test(word))) return undefined;
  return `Liza ${version}: ${doing} ...\n`;
}
