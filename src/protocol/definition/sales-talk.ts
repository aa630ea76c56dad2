// Praise in a criterion that nothing can show: "a delightful, seamless experience", "is robust and scalable". It is
// refused where the criterion says nothing else of its subject, and told to planner and reviewer where that is not sure.

/** They judge, and mean nothing else. */
const JUDGES = [
  'delight(?:ful|s|ed)?|seamless|effortless|frictionless|flawless|polished|slick|sleek|stunning|gorgeous|beautiful|elegant',
  'best-in-class|world-class|top-notch|state-of-the-art|cutting-edge|next-gen(?:eration)?|innovative|revolutionary',
  'robust|scalable|reliable|performant|efficient|powerful|maintainable|resilient|rock-solid|bulletproof|future-proof|battle-tested',
  'intuitive|user-friendly|user-centric|easy-to-use|usable|engaging|compelling|immersive|pleasant|enjoyable|satisfying|snappy',
  'blazing|blazingly|lightning-fast|super-?fast|cohesive|comprehensive|holistic|exceptional|remarkable|magical',
  'enterprise-(?:grade|ready)|production-(?:grade|ready|quality)|high-quality|high-end|great|excellent',
  'outstanding|superior|superb|amazing|awesome|wonderful',
].join('|');
/** They judge, too, and may be a property that a test shows: a stable sort, a secure cookie. */
const MAY_JUDGE =
  'modern|fresh|leading|flexible|extensible|accessible|rich|responsive|smooth|fluid|fast|quick|lightweight|simple|clean|clear|consistent|good|nice|solid|sound|secure|safe|stable|smart|clever|first-class|optimal|ideal|perfect|professional|premium';
const JUDGING = new RegExp(String.raw`(?<![\w-])(?:${JUDGES})(?:ly)?(?![\w-])`, 'giu');
const PRAISING = new RegExp(String.raw`(?<![\w-])(?:${JUDGES}|${MAY_JUDGE})(?:ly)?(?![\w-])`, 'giu');
/** Said of a product rather than of code: these alone make an advertisement. */
const SELLS =
  /\b(?:(?:user|customer|developer)?[- ]?(?:experiences?|journeys?|delight)|solutions?|look and feel|value|offering|product|excellence|satisfaction|usability|scalability|reliability|robustness|maintainability|performance|quality)\b/giu;
const SAYS =
  /\b(?:is|are|be|feels?|looks?|stays?|remains?|becomes?|seems?|provides?|providing|offers?|offering|delivers?|delivering|gives?|ensures?|ensuring|guarantees?|creates?|brings?|enables?|achieves?|has|have|boasts?|comes? with)\b/iu;
const FILLER =
  /(?<![\w-])(?:the|a|an|it|its|this|that|all|any|every|each|of|in|on|at|and|or|yet|but|so|as|to|for|by|with|from|across|our|their|your|very|really|truly|highly|fully|totally|completely|extremely|super|overall|always|both|more|most|new|whole|entire|users?|customers?|clients?|teams?|developers?|people|everyone|everybody|stakeholders?|world|worldwide|way|feel|feels|use|app|application|code|design|interface|ui|ux|system|platform|level|end|possible|best|ever|must|should|shall|will|can|is|are|be)(?![\w-])/giu;

/** By how they end, words of judgement and of no particular thing. */
const ABSTRACT =
  /\b(?:\w{2,}(?:[ai]ble|ful|less|ness|ility|ence|ance)|leverag\w+|empower\w*|unlocks?|elevat\w+|transforms?|enjoys?|loves?|innovat\w+|synerg\w+|joy\w*|captivat\w+|exciting|inspir\w+)\b/iu;

/** A number, a name of code, a quotation, a path, an option: something of which a reader can tell whether it is so. */
export const NAMES =
  /\d|`[^`\n]+`|"[^"\n]+"|\u201c[^\u201c\u201d\n]+\u201d|(?:^|\s)--?[a-z]\w|[\w.-]\/[\w./-]|\w\.[a-z]{1,4}\b|[a-z][A-Z]|\w_\w|\w\(|\b(?!UI\b|UX\b|API\b|SaaS\b)[A-Z]{2,}\b|[=<>\u2264\u2265]/u;

/** What a program or its reader does, and a test can show. */
export const ACTS = new RegExp(
  String.raw`\b(?:accept|add|allow|answer|appear|append|apply|ask|block|calculate|call|cancel|catch|change|check|close|compile|compute|contain|convert|copy|count|cover|create|decode|delete|detect|disable|display|document|drop|emit|enable|encode|end|exit|expire|export|fail|fall|find|finish|fit|follow|format|forward|happen|hold|ignore|import|include|insert|keep|leave|limit|list|load|lock|log|lose|mark|match|measure|merge|move|name|need|open|parse|pass|point|prevent|print|protect|raise|read|receive|redirect|refuse|reject|remove|rename|render|replace|report|reset|resolve|restart|retrie|retry|return|round|run|save|say|scale|scroll|send|set|show|skip|sort|start|stop|store|submit|support|survive|switch|take|tell|throw|trim|update|use|validate|wait|warn|wrap|write|yield)(?:e?[sd]|ing|ted|ped|ged)?\b|` +
    String.raw`\b(?:written|kept|left|lost|sent|shown|told|taken|hidden|read|found|held|built|drawn|thrown|gone|empty|absent|optional|required|visible|unique|twice|once)\b`,
  'iu',
);
/** They bound what is said. */
const BOUNDS =
  /\b(?:never|no|not|nothing|nobody|only|without|unless|until|before|after|when|while|instead|same|equal|first|last)\b/iu;
/** Of things, not of people. */
const COMPARES =
  /(?<!\b(?:everyone|everybody|people|users?|teams?|we|they|stakeholders?|customers?|reviewers?)\s)\b(?:agrees?|differs?|coincides?)\b/iu;
/** `resilient to trailing commas`, `accessible by keyboard`: it is said of what. */
const OF_WHAT = new RegExp(
  String.raw`(?<![\w-])(?:${JUDGES}|${MAY_JUDGE})\s+(?:to|against|by|from|under)\s+([^.;\n]+)`,
  'iu',
);

const wordsIn = (text: string): number => text.split(/[^\p{L}\p{N}-]+/u).filter((word) => /\p{L}/u.test(word)).length;

const stripped = (text: string): string => text.replace(PRAISING, ' ').replace(SELLS, ' ').replace(FILLER, ' ');

const isPraise = (text: string): boolean => text.search(PRAISING) !== -1;

/** The praise, where the criterion says nothing else of its subject. */
export function salesTalk(criterion: string): string | undefined {
  if (NAMES.test(criterion) || criterion.search(JUDGING) === -1) return undefined;
  const said = SAYS.exec(criterion);
  // Without such a verb it may be a heading: "a world-class developer experience".
  const predicate = said === null ? criterion : criterion.slice(said.index + said[0].length);
  if (predicate.search(JUDGING) === -1 || wordsIn(stripped(predicate).replace(SAYS, ' ')) > 0) return undefined;
  return [...new Set(predicate.match(PRAISING) ?? [])].join(', ');
}

/** Whether it praises or stays in the abstract, and nothing in it says how anyone could tell: it may still mean something. */
export function isAbstract(criterion: string): boolean {
  if (!(isPraise(criterion) || ABSTRACT.test(criterion)) || NAMES.test(criterion) || COMPARES.test(criterion))
    return false;
  const [left, of] = [stripped(criterion), OF_WHAT.exec(criterion)?.[1]];
  return !ACTS.test(left) && !BOUNDS.test(left) && !(of !== undefined && wordsIn(stripped(of)) > 0);
}
