// The criteria that a text of `done_when` holds: each top-level item of its list is one, and a text without items is
// one as a whole. Whoever counts criteria counts them here, so that number 3 means the same to everybody.

/** In order: the first is criterion 1. Lines below an item belong to it; a text before the first item is no criterion. */
export function criteriaOf(doneWhen: string | undefined): readonly string[] {
  const text = (doneWhen ?? '').trim();
  if (text === '') return [];
  const items = text.split(ITEM).map(unindented);
  return ITEM.test(text) ? (text.startsWith('- ') ? items : items.slice(1)).filter((one) => one !== '') : [text];
}

const ITEM = /^- /m;

const unindented = (item: string): string => item.trim().replace(/\n[ \t]+/g, '\n');

const asItem = (text: string): string => `- ${text.trim().replace(/\n/g, '\n  ')}`;

/** Criteria that were given one by one, as one text; a single one stays as it was written. */
export function asDoneWhen(criteria: readonly string[]): string | undefined {
  const said = criteria.filter((one) => one.trim() !== '');
  return said.length < 2 ? said[0] : said.flatMap(criteriaOf).map(asItem).join('\n');
}

/** One criterion in place of another; what stands before the first stays. A number that is none changes nothing. */
export function withReplaced(doneWhen: string, criterion: number, text: string): string {
  if (!ITEM.test(doneWhen)) return criterion === 1 ? text : doneWhen;
  const [before = '', ...items] = doneWhen.split(ITEM);
  let number = 0;
  const kept = items.map((item) => {
    if (item.trim() !== '') number += 1;
    return number === criterion && item.trim() !== '' ? `${asItem(text)}\n` : `- ${item}`;
  });
  return `${before}${kept.join('')}`.trimEnd();
}

/** One criterion more. A text without items becomes the first one. */
export function withCriterion(doneWhen: string | undefined, criterion: string): string {
  if (doneWhen === undefined || doneWhen.trim() === '') return asItem(criterion);
  return `${ITEM.test(doneWhen) ? doneWhen.trimEnd() : asItem(doneWhen)}\n${asItem(criterion)}`;
}
