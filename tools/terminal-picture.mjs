// Lines of a terminal as an SVG: the window, the text letter for letter. Fonts differ in width, so each run of
// words is told where it stands and how wide it is: boxes and columns line up everywhere.

const CELL = 8.4;
const LINE = 19;
const MARGIN = 24;
const BAR = 36;
const FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const TINTS = [
  { pattern: /^(Agents|Tasks|Happened|Keys|Signs|History)\b/, colour: '#0969da' },
  { pattern: /^(ALARM|PAUSE)\b/, colour: '#cf222e' },
  { pattern: /^(warning|Nothing|Stopping)\b/, colour: '#9a6700' },
];

export function draw(title, lines) {
  const width = Math.round(Math.max(...lines.map(cells)) * CELL + 2 * MARGIN);
  const height = BAR + lines.length * LINE + MARGIN;
  const dots = ['#ff6b60', '#f5bf4f', '#61c554'].map(
    (colour, at) => `  <circle cx="${MARGIN + at * 18}" cy="${BAR / 2}" r="5" fill="${colour}"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
  <title>${escaped(title)}</title>
  <desc>${escaped(lines.join('\n'))}</desc>
  <rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="#ffffff" stroke="#d0d7de"/>
  <path d="M1 ${BAR}H${width - 1}" stroke="#eaeef2"/>
${dots.join('\n')}
  <g font-family="${FONT}" font-size="14" fill="#1f2328">
${lines.flatMap(drawLine).join('\n')}
  </g>
</svg>
`;
}

function drawLine(line, at) {
  const tint = at === 0 ? { colour: '#1f2328', weight: 600 } : TINTS.find(({ pattern }) => pattern.test(line));
  const paint = tint === undefined ? '' : ` fill="${tint.colour}" font-weight="${tint.weight ?? 500}"`;
  const y = BAR + (at + 1) * LINE;
  return [...line.matchAll(/\S+(?: \S+)*/g)].map(({ 0: text, index }) => {
    const x = (MARGIN + cells(line.slice(0, index)) * CELL).toFixed(1);
    const length = (cells(text) * CELL).toFixed(1);
    return `    <text x="${x}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs"${paint}>${escaped(text)}</text>`;
  });
}

/** Columns: what East Asian scripts and emojis take is two. */
const cells = (text) =>
  [...text].reduce(
    (sum, character) =>
      sum + (/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uff00-\uff60]|\p{Emoji_Presentation}/u.test(character) ? 2 : 1),
    0,
  );

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
