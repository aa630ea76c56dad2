// How one criterion is read: what says nothing, which commands it quotes, whether it is about time. Words are judged,
// nothing is run.

import { isCommand } from '../shell/shell-words.ts';

/** Commands in backticks, as they are written. */
export const quotedCommands = (criterion: string): readonly string[] =>
  [...criterion.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code.trim()).filter(isCommand);

const LEAST_WORDS = 4;

/** Why nobody can tell whether it is met; undefined: somebody can. */
export function emptiness(criterion: string): string | undefined {
  if (quotedCommands(criterion).length > 0) return undefined;
  if (UNWRITTEN.test(criterion)) return 'it is still to be written';
  const hollow = HOLLOW.exec(criterion)?.[0].trim();
  if (hollow !== undefined) return `"${hollow}" is a judgement, not something to observe`;
  if (EXACT.test(criterion) && !VAGUE.test(criterion)) return undefined;
  if (wordCount(criterion) < LEAST_WORDS) return `it has fewer than ${LEAST_WORDS} words and no command in backticks`;
  const substance = criterion.replace(VAGUE, ' ').replace(FILLER, ' ');
  if (VAGUE.test(criterion) && wordCount(substance) < LEAST_WORDS)
    return 'it says that it is done, not how anyone can tell';
  return wordCount(substance.replace(GENERAL, ' ')) === 0
    ? 'its words would fit any task: name an input and what comes of it'
    : undefined;
}

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

/** Praise that ends its clause; with a condition behind it ("works as expected when …") it may say something. */
const HOLLOW = new RegExp(
  String.raw`\b(?:(?:works?|working|behaves?|functions?|runs?|performs?|handled|implemented|done)\s+` +
    String.raw`(?:very\s+|really\s+|perfectly\s+)?(?:well|correctly|properly|fine|nicely|perfectly|flawlessly|smoothly|great|` +
    String.raw`as\s+(?:expected|intended|desired|it\s+should|required|needed))|` +
    String.raw`(?:looks?|is|are)\s+(?:good|great|nice|fine|ok|okay|clean|robust|user[- ]friendly|production[- ]ready|bug[- ]free)|` +
    String.raw`high[- ]quality|best\s+practices|no\s+bugs)(?=\s*(?:$|[.!;,\n]))`,
  'iu',
);

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

/** Words in any script; where a script has no blanks between words, two of its signs count as one. */
function wordCount(text: string): number {
  const signs = text.match(
    /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/gu,
  );
  const spaced = text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  return Math.max(spaced, Math.ceil((signs?.length ?? 0) / 2));
}

/** It is about how long something takes; a timeout, a delay or an interval is a setting, which no busy machine changes. */
export function isTimed(criterion: string): boolean {
  // What is quoted is a value: `'1KB/60s'` is one that is parsed.
  const said = criterion.replace(/`[^`\n]*`|"[^"\n]*"|(?<![\w])'[^'\n]*'/g, ' ');
  if (/\b(?:faster|slower|latency|throughput|speed-?up)\b/iu.test(said)) return true;
  return DURATION.test(said) && (LIMIT.test(said) || !TIMER.test(said));
}

const DURATION = /\b\d+(?:[.,]\d+)?\s*(?:ms|milliseconds?|\u00b5s|microseconds?|seconds?|secs?|s|minutes?)(?![\w-])/iu;
const LIMIT = /\b(?:within|under|below|less\s+than|at\s+most|no\s+(?:more|longer)\s+than|takes?|up\s+to)\b|[<\u2264]/iu;
const TIMER =
  /\b(?:time[-_ ]?outs?|times?\s+out|timed\s+out|timers?|delays?|delayed|intervals?|back-?off|ttl|expir\w+|waits?|sleeps?|debounc\w+|throttl\w+|poll\w*|abort\w*|cancel\w*|every|after)\b/iu;

/** It says how often it is measured, or how much room it leaves: a share, or a bound on both sides. */
export const hasMargin = (criterion: string): boolean =>
  /(?:\bat\s+least\b|>=|\u2265)[^\n]*(?:\b(?:below|under|at\s+most|less\s+than)\b|<|\u2264)|\bbetween\b/iu.test(
    criterion,
  ) ||
  /\b(?:median|average|mean|percentile|p\d{2}|best\s+of|worst\s+of|repeat(?:s|ed)?|runs|times|margin|tolerance)\b|\d\s*%/iu.test(
    criterion,
  );
