// Praise anywhere in a criterion: "works very well overall", "is tested properly everywhere". What is left when praise,
// vague words and those of any work are taken away decides whether anyone could tell that it is met.

import { ACTS, isAbstract, NAMES } from './sales-talk.ts';

const VERB = '(?:works?|working|behaves?|functions?|functioning|runs?|performs?|operates?)';
const VERY = '(?:(?:very|really|quite|just|always|all|perfectly|pretty|so|extremely|overall)\\s+)*';
const ADVERB =
  '(?:well|correctly|properly|fine|nicely|perfectly|flawlessly|smoothly|great|reliably|beautifully|wonderfully|seamlessly|' +
  'as\\s+(?:expected|intended|desired|it\\s+should|required|needed|planned|advertised|designed)|' +
  '(?:exactly\\s+)?(?:as|like|how|the\\s+way)\\s+(?:one|you|we|i|users?|people|anyone|everybody|everyone)\\s+(?:would\\s+|will\\s+)?(?:expects?|wants?|needs?|likes?))';
const END = '(?=\\s*(?:$|[.!;,\\n]))';

/** How well something goes, wherever it stands; what is fine only where a clause ends may be a noun elsewhere. */
const PRAISE = [
  String.raw`(?:${VERB}|handled|implemented|done)\s+${VERY}${ADVERB}`,
  String.raw`${VERB}\s+(?:like\s+a\s+charm|out\s+of\s+the\s+box)`,
  '(?:correctly|properly|nicely|perfectly|flawlessly)',
  String.raw`(?:well|cleanly)\s+(?:implemented|done|handled|written|designed|built)${END}`,
  String.raw`(?:looks?|is|are)\s+${VERY}(?:good|great|nice|fine|ok|okay|clean|robust|user[- ]friendly|production[- ]ready|bug[- ]free)${END}`,
  String.raw`(?:is|are)\s+${VERY}(?:good|great|nice|clean|robust|solid|intuitive|user[- ]friendly)(?=\s+(?:and|but|so|or)\b)`,
  String.raw`(?:users?|customers?|clients?|reviewers?|people|everybody|everyone|teams?|stakeholders?)\s+(?:is|are|feels?|will\s+be)\s+(?:very\s+)?(?:happy|satisfied|pleased|delighted|content)`,
].join('|');
/** No more than a claim, too, and it may be about something: refused where nothing is left, and never doubted. */
const CLAIMS = [
  String.raw`(?<!\bstill\s)(?:works?|working)`,
  String.raw`(?<!\b(?:and|or|,)\s)high(?:est)?[- ](?:quality|standards?)`,
  String.raw`(?:best|good)\s+practices`,
  String.raw`(?:no|zero)\s+(?:known\s+|open\s+|obvious\s+|serious\s+)*(?:bugs?|issues?|errors?|problems?|defects?|flaws?|surprises?)`,
].join('|');

const word = (source: string, flags = 'iu'): RegExp => new RegExp(String.raw`(?<![\w-])(?:${source})(?![\w-])`, flags);
const [PRAISES, ALL_PRAISE, CLAIMING, ALL_CLAIMS] = [
  word(PRAISE),
  word(PRAISE, 'giu'),
  word(CLAIMS),
  word(CLAIMS, 'giu'),
];

/** What every piece of work has, is or does, and the small words between. */
const VAGUE = word(
  'the|a|an|it|its|this|that|these|those|of|in|on|at|and|or|but|so|as|to|for|by|with|from|than|then|while|when|if|under|across|into|within|' +
    'is|are|was|were|be|been|being|has|have|had|does|do|did|must|should|shall|will|can|could|would|may|gets?|feels?|looks?|seems?|' +
    'all|any|every|each|some|no|not|none|nothing|zero|everything|anything|things?|something|everyone|everybody|anyone|anybody|nobody|us|we|you|they|them|our|their|his|her|my|your|' +
    'very|really|quite|just|always|also|overall|generally|general|fully|truly|simply|completely|totally|extremely|pretty|even|still|now|today|again|everywhere|anywhere|here|there|together|too|both|ever|never|' +
    'kinds?|sorts?|types?|ways?|times?|cases?|edge|corner|situations?|scenarios?|conditions?|circumstances|inputs?|outputs?|data|numbers?|values?|parts?|aspects?|respects?|results?|purposes?|' +
    'end|users?|customers?|clients?|developers?|people|teams?|stakeholders?|reviewers?|production|practice|world|real|engineering|industry|craftsmanship|' +
    'features?|functions?|functionality|code|codebase|changes?|work|tasks?|implementation|solutions?|library|module|app|application|program|system|software|product|project|tool|design|logic|behaviou?r|tests?|docs?|documentation|quality|standards?|requirements?|specs?|specification|expectations?|needs?|' +
    'use|used|using|uses|implements?|implemented|implementing|tested|covered|handled|handles?|handling|supports?|supported|documented|checked|verified|completed?|finished|ready|done|written|designed|built|structured|organi[sz]ed|integrated|improved|optimi[sz]ed|meets?|follows?|works?|working|behaves?|runs?|performs?|' +
    'correct|correctly|proper|properly|well|good|better|best|great|nice|nicely|clean|cleanly|fine|right|robust|solid|stable|reliable|reliably|smooth|smoothly|easy|easily|simple|fast|secure|safe|perfect|perfectly|flawless|flawlessly|high|higher|highest|possible|expected|intended|required|needed|known|open|obvious|serious|broken|breaks?|new|old|whole|entire|other|else|different|various|many|most|more|much|enough|happy|satisfied|pleased|heavy|load|readable|maintainable|acceptable|ok|okay',
  'giu',
);
const SUBJECT_ENDS = word(
  String.raw`(?:work|behave|run|perform|operate)s?|functions?(?=\s+${VERY}${ADVERB})|is|are|be|has|have|meets?|follows?|offers?|provides?|delivers?|looks?|feels?|adheres?|conforms?|complies`,
);
/** Names of things, not what they do: `src/add.js`. */
const CODE = /`[^`\n]*`|\S*\w[./_]\w\S*|\w+\([^()]*\)/gu;
const JOINS = /\b(?:and|but|so|then)\b|[,;]/iu;
const CONDITION = /^\W*(?:with|without|when|if|for|after|before|on|in|while|under|given|unless|until)\s/iu;
/** `is computed`, `are aligned`: something was done with it that a test can show. */
const DONE =
  /(?<![\w-])(?:is|are|be|gets?|correctly|properly|nicely|perfectly)\s+(?:not\s+|only\s+|correctly\s+|properly\s+)?[a-z]{3,}ed(?![\w-])/iu;

const leftOf = (text: string): string => text.replace(VAGUE, ' ');
const hasWord = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

export interface Praised {
  readonly said: string;
  /** Nothing else is said; `perhaps`: words are left, and none of them says what can be seen. */
  readonly alone: true | 'perhaps';
}

/** Undefined: it does not praise, or says something that can be observed. */
export function praised(criterion: string): Praised | undefined {
  const isPraise = PRAISES.test(criterion);
  const said = (PRAISES.exec(criterion) ?? CLAIMING.exec(criterion))?.[0].trim();
  if (said === undefined) return undefined;
  // A condition before the subject says under what.
  const at = CONDITION.test(criterion) ? 0 : (SUBJECT_ENDS.exec(criterion)?.index ?? 0);
  // Before it, "the retry of a call" is a thing; "returns JSON and" says what it does.
  const acting = JOINS.test(criterion.slice(0, at)) ? criterion : criterion.slice(at);
  const rest = acting.replace(ALL_PRAISE, ' ').replace(ALL_CLAIMS, ' ').replace(CODE, ' ');
  if (ACTS.test(leftOf(rest)) || DONE.test(criterion.replace(VAGUE_DONE, '#'))) return undefined;
  const left = leftOf(criterion.slice(at).replace(ALL_PRAISE, ' ').replace(ALL_CLAIMS, ' '));
  if (NAMES.test(isPraise ? left : criterion)) return undefined;
  if (!hasWord(left)) return { said, alone: true };
  return isPraise ? { said, alone: 'perhaps' } : undefined;
}

const VAGUE_DONE =
  /\b(?:implemented|tested|covered|handled|supported|documented|checked|verified|completed|finished|designed|structured|organi[sz]ed|integrated|improved|optimi[sz]ed|used|needed|required|expected|intended|satisfied|pleased|delighted|polished|advanced|sophisticated)\b/giu;

/** Whether nobody may be able to tell that it is met: it is taken, and told. */
export const isUnsure = (criterion: string): boolean =>
  isAbstract(criterion) || praised(criterion)?.alone === 'perhaps';
