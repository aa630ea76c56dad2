// A ledger's text as entries; amounts are whole cents, so that sums are exact.

const LINE = /^(\d{4}-\d{2}-\d{2})\s+(\S+)\s+(-?)(\d+)\.(\d{2})(?:\s+(.*))?$/;

export function parseLedger(text) {
  return text.split('\n').flatMap((line, at) => (line.trim() === '' ? [] : [parseLine(line.trim(), at + 1)]));
}

function parseLine(line, number) {
  const found = LINE.exec(line);
  if (found === null) throw new Error(`line ${number} is not "date category amount": ${line}`);
  const [, date, category, sign, whole, fraction, note = ''] = found;
  const cents = Number(whole) * 100 + Number(fraction);
  return { date, category, cents: sign === '-' ? -cents : cents, note };
}
