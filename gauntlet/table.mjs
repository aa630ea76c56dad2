// The results as a table for people: for the terminal, and as Markdown for docs/gauntlet.md, which explains the words.

const MEANING = [
  'prevented: it had no effect · detected: it was possible; Liza noticed, and built nothing on it',
  'contained: it happened; its effect is limited and repaired',
];
const NOT_PLAYED = { kind: 'NOT PLAYED', outcome: '', seconds: undefined };

export function printed(played, missing) {
  const width = Math.max(80, process.stdout.columns ?? 160);
  const text = played.flatMap(({ row, open, sandbox }) => {
    const cells = [
      told('open', open),
      ...(missing === undefined && sandbox === undefined ? [] : [told('sandbox', sandbox ?? NOT_PLAYED)]),
    ];
    return [...wrap(`${row.id}  ${row.agent}`, width), ...cells.flatMap((cell) => wrap(`     ${cell}`, width))];
  });
  return [...text, '', ...MEANING].join('\n');
}

const told = (where, result) =>
  result === undefined
    ? `${where}: not played`
    : `${where}: ${result.kind.toUpperCase()}${result.outcome === '' ? '' : `: ${firstLine(result.outcome)}`}${result.seconds === undefined ? '' : ` (${result.seconds} s)`}`;

export function markdown(played, missing) {
  const cell = (result) => (result === undefined ? (missing === undefined ? '' : 'not played') : `**${result.kind}**`);
  // Where both ended alike it is said once.
  const outcome = ({ open, sandbox }) => {
    if (open === undefined || sandbox === undefined || open.outcome === sandbox.outcome)
      return (open ?? sandbox)?.outcome ?? '';
    return `${open.outcome}. *In the sandbox:* ${sandbox.outcome}`;
  };
  return [
    '| | The agent… | …and this happened | without sandbox | with sandbox |',
    '|---|---|---|---|---|',
    ...played.map(
      (one) =>
        `| ${one.row.id} | ${escaped(one.row.agent)} | ${escaped(firstLine(outcome(one)))} | ${cell(one.open)} | ${cell(one.sandbox)} |`,
    ),
    '',
  ];
}

/** The table with the other lines that the page has. */
export function amongRows(page, table) {
  const idOf = (line) => /^\| (G\d\d+) \|/.exec(line)?.[1];
  const numberOf = (line) => Number(idOf(line).slice(1));
  const played = table.filter((line) => idOf(line) !== undefined);
  const others = page.split('\n').filter((line) => {
    const id = idOf(line);
    return id !== undefined && !played.some((one) => idOf(one) === id);
  });
  return [...table.slice(0, 2), ...[...others, ...played].sort((a, b) => numberOf(a) - numberOf(b)), ''];
}

const firstLine = (text) => text.split('\n', 1)[0];
const escaped = (text) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

function wrap(line, width) {
  const indent = `${/^ */.exec(line)[0]}     `;
  const out = [''];
  for (const word of line.split(/(?<= )/)) {
    if ((out.at(-1) + word).trimEnd().length > width) out.push(indent);
    out[out.length - 1] += word;
  }
  return out.map((part) => part.trimEnd());
}
