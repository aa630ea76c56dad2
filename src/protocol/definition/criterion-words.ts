// How one criterion is read: what says nothing, which commands it quotes (timed-criteria.ts: whether it is about time,
// sales-talk.ts: whether it only praises). Words are judged, nothing is run.

import { isCommand, PROGRAMS } from '../shell/shell-words.ts';
import { saysOnlyRight } from './empty-forms.ts';
import { praised } from './praise.ts';
import { salesTalk } from './sales-talk.ts';

/** Commands in backticks, as they are written. */
export const quotedCommands = (criterion: string): readonly string[] =>
  [...criterion.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code.trim()).filter(isCommand);

const LEAST_WORDS = 4;

/** Why nobody can tell whether it is met; undefined: somebody can. */
export function emptiness(criterion: string): string | undefined {
  if (quotedCommands(criterion).length > 0) return undefined;
  if (UNWRITTEN.test(criterion)) return 'it is not written yet';
  if (isTyping(criterion)) return 'its words mean nothing';
  const praise = praised(criterion);
  if (praise?.alone === true) return besidePraise(praise.said);
  if (EXACT.test(criterion) && !VAGUE.test(criterion)) return onlyRight(criterion);
  const other = substanceOf(criterion.replace(PATH, ' ').replace(POINTING, ' '));
  if (POINTS.test(criterion) && wordCount(other) === 0)
    return 'it points to a text: a criterion says itself what can be seen';
  if (SAME.test(criterion) && wordCount(substanceOf(criterion.replace(SAME, ' ').replace(OLD, ' '))) === 0)
    return 'it compares with what nobody has written down';
  if (OPINION.test(criterion) && wordCount(substanceOf(criterion).replace(WEIGHTLESS, ' ')) === 0)
    return 'it says that somebody agrees or is content, not what can be seen';
  const right = onlyRight(criterion);
  if (right !== undefined) return right;
  const sales = salesTalk(criterion);
  if (sales !== undefined) return besidePraise(sales);
  if (isNamedAndSeen(criterion)) return undefined;
  if (isOneWord(criterion) || wordCount(criterion) < LEAST_WORDS)
    return `it has fewer than ${LEAST_WORDS} words and no command in backticks`;
  const substance = criterion.replace(VAGUE, ' ').replace(FILLER, ' ');
  // `no dependency is added` can be seen.
  if (VAGUE.test(criterion) && !/^\W*no\s.*\sadded\b/iu.test(criterion) && wordCount(substance) < LEAST_WORDS)
    return 'it says that it is done, not how anyone can tell';
  const own = substance.replace(GENERAL, ' ');
  if (wordCount(own) === 0 || (JUDGES.test(criterion) && wordCount(own.replace(OF_ANY_WORK, ' ')) === 0))
    return 'its words would fit any task: name an input and the expected result';
  return undefined;
}

const onlyRight = (criterion: string): string | undefined =>
  saysOnlyRight(criterion)
    ? 'it says that it is right, not what is right: name an input and the expected result'
    : undefined;

const besidePraise = (said: string): string => `besides praise ("${said}") it says nothing to observe`;

/** `asdf qwer zxcv`: keys that lie side by side. */
const isTyping = (criterion: string): boolean => {
  const words = criterion.toLowerCase().match(/\p{L}+/gu) ?? [];
  return words.length > 1 && words.every((one) => one.length > 2 && KEYS.some((row) => row.includes(one)));
};
const KEYS = ['qwertyuiop', 'qwertzuiop', 'asdfghjkl', 'zxcvbnm', 'yxcvbnm'];

/** Short, and still exact: a path, an option or a command, and what it does. */
function isNamedAndSeen(criterion: string): boolean {
  const [first = '', second = ''] = criterion.trim().split(/\s+/);
  const isNamed = NAMED.test(criterion) || (PROGRAMS.has(first) && /^[a-z][\w:-]*$/.test(second));
  return isNamed && DOES.test(criterion) && !VAGUE.test(criterion);
}

const NAMED = /`[^`\n\w]*\w[^`\n]*`|(?:^|\s)--[a-z][\w-]+|(?:^|\s)[\w.-]+\/[\w./-]*\w\.[a-z]{1,4}\b/u;
const DOES =
  /\s(?:exports?|documents?|describes?|lists?|names?|accepts?|rejects?|refuses?|passes|fails|prints?|returns?|throws?|exits?|contains?|imports?|calls?|reads?|writes?|has|exists|(?:is|are|stays?)\s+(?:gone|deleted|removed|unchanged|untouched))(?:[\s.]|$)/u;

/** `n/a n/a n/a n/a`, `x x x x` */
const isOneWord = (text: string): boolean =>
  /^\p{ASCII}*$/u.test(text) && new Set(text.toLowerCase().match(/[a-z0-9]{2,}/g)).size < 2;

const substanceOf = (text: string): string => text.replace(FILLER, ' ').replace(GENERAL, ' ');

/** `add(2,3) is 5`, `GET /jobs answers 404`, `x_max >= 3`: code, a number or a quotation, and what it comes to. */
const EXACT = new RegExp(
  String.raw`(?:\w\([^()]*\)|${'`'}[^${'`'}\n]+${'`'}|"[^"\n]+"|\d|[a-z][A-Z]|\w_\w|(?:^|\s)(?:--?\w|/))[^\n]{0,200}?` +
    String.raw`(?:\s(?:is|are|equals?|returns?|gives?|yields?|prints?|throws?|raises?|exits?|answers?|becomes?)\s|` +
    String.raw`[=<>\u2264\u2265\u2192]|:\s)\s*[^\s=<>]`,
  'u',
);

/** `TODO comments are gone` and `todo add x prints x` say something. */
const UNWRITTEN =
  /^\W*(?:TODO|TBD|FIXME|XXX)\s*(?:$|[:.\u2026-]|(?:fill|write|define|decide|specify|later|think)\b)|\b(?:TBD|to\s+be\s+(?:defined|determined|decided|filled\s+in))\s*(?:$|[.!;,])/u;

/** It says where the criterion stands, not what it is. */
const POINTS =
  /^\W*(?:see|refer|cf|per|read|according|as\s+(?:in|described|defined|specified|stated|written|listed|per)|(?:the\s+|all\s+)*(?:all|everything|criteria|requirements|specs?|specification|vision|what)\b.{0,40}\b(?:in|of|from|by))\b/iu;
const PATH = /(?<!\S)\S*(?:\.(?:md|mdx|rst|txt|adoc|html?|pdf)\b|specs?\/)\S*|#\S+/giu;
const POINTING =
  /\b(?:see|refer|cf|per|read|criteri(?:a|on)|acceptance|details?|described|defined|specified|stated|written|listed|there|above|below|docs?|documents?|documentation|vision|file|section|chapter|fulfilled|satisfied|holds?|met|applies|done|when|i|from|which|has|have|come|comes|more)\b/giu;

/** What somebody said or thinks, and that the work is there: with nothing beside it, it would fit any task. */
const OPINION = new RegExp(
  String.raw`^\W*see\b|\b(?:discuss(?:ed|ion)|agreed|agreement|talked|decided|whatever|whoever|ditto|lgtm|later|soon|enough|complains?|` +
    'satisf(?:ied|ies)|happy|pleased|content|likes?|loves?|wants?|wanted|asked|supposed|should|expects?|expected|expectations?|needs?|' +
    'purpose|job|goals?|fast|secure|safe|modern|beautiful|pretty|elegant|simple|simply|easy|stable|looks?|feels?|' +
    String.raw`approves?|applicable|met|fulfill?ed|fulfill?s|reached|nothing\s+to|no\s+(?:criteri(?:a|on)|one)|n\/a|` +
    String.raw`as\s+(?:in|per|one|described)|per|same\s+as|like\s+(?:the|in)|what\s+(?:we|i|you|they|was|is|users?|the\s+(?:description|task|ticket|issue))|how|right\s+thing|my\s+machine|` +
    String.raw`(?:is|are|was|were)\s+(?:there|in\s+place|merged|committed|written|pushed))\b`,
  'iu',
);
/** Says nothing about what is built. Matters of a product (an issue, a ticket, a design) weigh nothing only beside OPINION. */
const WEIGHTLESS = new RegExp(
  String.raw`\b(?:[A-Z]{2,}-\d+|n\/a|as|per|discuss(?:ed|ion)|agreed|agreement|talked|about|decided|later|soon|yesterday|today|meetings?|team|tickets?|issues?|` +
    'story|mockups?|screenshots?|descriptions?|planner|reviewers?|coders?|approves?|approved|satisf(?:ied|ies)|happy|pleased|content|' +
    'likes?|loves?|wanted|complains?|customers?|we|us|our|i|me|my|you|they|them|one|somebody|everybody|everyone|nobody|no|not|none|' +
    'ok|okay|lgtm|ditto|rest|others?|same|whatever|whoever|how|enough|quite|really|simply|just|exactly|above|below|here|there|' +
    'criteri(?:a|on)|acceptance|met|fulfill?ed|fulfill?s|reached|goals?|purpose|job|supposed|expects?|expectations?|needs?|place|applicable|nothing|' +
    'check|see|was|were|has|have|from|performance|design|ui|ux|fast|secure|safe|modern|beautiful|pretty|elegant|simple|easy|stable|' +
    String.raw`looks?|feels?|machine|old|app|program|module|systems?|changes?|pr|merged|committed|written|pushed|details?|before|would|\d+)\b`,
  'giu',
);

/** "as before", "like now": nobody has said how that was. */
const SAME =
  /\b(?:like|as|same\s+as|than|identical(?:ly)?\s+to)\s+(?:it\s+(?:was|did)\s+)?(?:before|previously|now|today|until\s+now|it\s+(?:was|did))\b|\bno\s+regressions?\b|\bnothing\s+(?:else\s+)?(?:breaks?|is\s+broken)\b/iu;
const OLD =
  /\b(?:still|anywhere|everywhere|same|else|other|old|existing|nothing|there|no|not|way|exactly|just|continues?|keeps?|stays?|remains?|did|was|were)\b/giu;

const VAGUE =
  /\b(?:is|are|was|were|be|been|gets?)\s+(?:done|complete|completed|finished|implemented|ready|working|correct|added|fixed)\b|\b(?:it|that|everything|all|feature|code)\s+works?\b/iu;
const FILLER =
  /\b(?:the|a|an|it|its|this|that|these|all|of|in|and|so|new|whole|everything|feature|features|task|code|work|fully|now|as|described|planned)\b/giu;

/** What is said of every task: praise, and nouns that name nothing in particular. */
const GENERAL = new RegExp(
  String.raw`\b(?:handles?|handled|handling|works?|working|behaves?|functions?|runs?|supports?|covers?|covered|tested|checked|` +
    'improved?|improves|improvements?|better|enhanced|optimi[sz]ed|follows?|best|practices?|conventions?|standards?|guidelines?|' +
    'quality|high|readable|maintainable|does|do|what|specs?|specification|requirements?|says?|said|wants?|asked|requested|according|meets?|' +
    'edge|corner|case|cases|errors?|exceptions?|inputs?|outputs?|situations?|scenarios?|conditions?|things?|parts?|users?|data|' +
    'correct|correctly|proper|properly|well|good|nice|nicely|clean|cleanly|gracefully|robust|robustly|reliably?|appropriately?|' +
    'perfectly|smoothly|fine|right|valid|invalid|expected|intended|possible|relevant|necessary|needed|required|various|different|' +
    String.raw`is|are|be|been|must|should|shall|will|can|for|to|with|by|on|any|every|each|also|always|very)\b`,
  'giu',
);

/** It says how good or how much, or that nothing is wrong. */
const JUDGES = new RegExp(
  String.raw`\b(?:enough|sufficient|adequate|acceptable|reasonable|appropriate|suitable|meaningful|thorough|comprehensive|extensive|solid|sound|` +
    'good|proper|easy|easily|simple|simply|clear|clearly|intuitive|understandable|usable|well|fully|nicely|important|right|expected|specified|intended|functionality|in\\s+general|generally|overall|' +
    String.raw`(?:no|without|zero)\s+(?:known\s+|open\s+|obvious\s+)?(?:bugs?|issues?|errors?|problems?|defects?|flaws?|surprises?))`,
  'iu',
);
/** What every piece of work has. Beside a judgement they say nothing; elsewhere they may be what is built. */
const OF_ANY_WORK = new RegExp(
  String.raw`\b(?:enough|sufficient(?:ly)?|adequate(?:ly)?|acceptable|acceptably|reasonabl[ey]|suitabl[ey]|meaningful(?:ly)?|thorough(?:ly)?|` +
    'comprehensive(?:ly)?|extensive(?:ly)?|solid|sound|important|known|open|obvious|easy|easily|simple|clear|clearly|functionality|functionalities|logic|' +
    'behaviou?r|implementation|solution|results?|tests?|testing|coverage|documentation|documented|docs|commented|structured|organi[sz]ed|' +
    'design|interface|ui|ux|api|structure|architecture|style|changes?|app|application|program|project|module|system|issues?|bugs?|problems?|defects?|flaws?|surprises?|' +
    'everybody|everyone|anyone|anybody|intuitive(?:ly)?|use|used|usable|read|understand|understandable|maintain|extend|exists?|there|has|have|had|no|not|none|nothing|zero|without|left|' +
    'remains?|remaining|occurs?|general|generally|overall|specified|written|in|from|at|them|they|complete|completely)\\b',
  'giu',
);

/** Words in any script; where a script has no blanks between words, two of its signs count as one. */
function wordCount(text: string): number {
  const signs = text.match(
    /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/gu,
  );
  const spaced = text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  return Math.max(spaced, Math.ceil((signs?.length ?? 0) / 2));
}
