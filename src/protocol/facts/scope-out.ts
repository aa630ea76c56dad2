// What an entry of OUT forbids. An entry that names paths forbids them, whatever it says besides; one that clearly means
// a part of them (`a.js: all but x`, `lib/ (its tests)`) or all but them is for a reader to judge. It must never drop
// a path that it was given.

import { itemsOf, type ScopeItem } from './scope-items.ts';

/** Paths of which OUT means a part. */
export interface OutPart {
  readonly entry: string;
  /** With the description that follows the line. */
  readonly text: string;
  readonly paths: readonly string[];
}

interface OutLine {
  readonly forbidden: readonly string[];
  readonly parts: readonly OutPart[];
  /** Entries that forbid no path: areas and parts. */
  readonly prose: readonly string[];
  /** Entries that forbid paths, with these. */
  readonly held: readonly OutPart[];
}

/** `named`: what IN names; an entry that says more of such a path means a part of it. */
export function readOut(line: string, named: readonly string[]): OutLine {
  const items = itemsOf(line.replace(EMPHASIS, '$1'));
  const described = items.find(({ text }) => DESCRIPTION.test(text))?.text;
  const found = { forbidden: [] as string[], parts: [] as OutPart[], prose: [] as string[], held: [] as OutPart[] };
  let isInverted = false;
  /** `the sections a, b and c of README.md`: what was listed before the comma belongs to it. */
  let isListed = false;
  for (const item of items.filter(({ text }) => text !== described)) {
    const paths = pathsIn(item);
    // The id of a task is no word of a part: `History.md (task history-lines)`.
    const said = item.text
      .replace(/\btask\s+`?[\w.-]*\w`?/gi, 'task')
      .replace(/[^\s()]+/g, (word) => (isPathIn(paths, word) ? word.replace(/.*?(?=:?$)/, PATH) : word));
    isInverted ||= INVERTS.test(said);
    const isPart =
      isInverted ||
      (described !== undefined && SAYS_PART.test(described)) ||
      (isListed && OF_PATH.test(said)) ||
      (/\s/.test(item.text) && (saysPart(said) || paths.some((path) => named.includes(path))));
    isListed = (isListed || SAYS_PART.test(said)) && !OF_PATH.test(said) && paths.length === 0;
    if (paths.length > 0 && !isPart) {
      found.forbidden.push(...paths);
      found.held.push({ entry: item.text, text: item.text, paths });
    } else found.prose.push(item.text);
    if (paths.length > 0 && isPart) {
      const text = described === undefined ? item.text : `${item.text} ${described}`;
      found.parts.push({ entry: item.text, text, paths });
    }
  }
  if (described !== undefined && found.parts.length === 0) found.prose.push(described);
  return found;
}

/** A remark says more of the paths before it: those that it names itself are not meant. */
function pathsIn({ text, paths, maybe }: ScopeItem): readonly string[] {
  const end = text.search(/\s\(|\s(?:\u2014|\u2013|--|-)\s/);
  const head = end === -1 ? [] : itemsOf(text.slice(0, end)).flatMap((item) => [...item.paths, ...item.maybe]);
  const isLikePath = (path: string): boolean => /\w/.test(path) && (!/\s/.test(text) || /[/.*]|^[A-Z]/.test(path));
  const ofHead = head.filter((path) => /[/.*]/.test(path));
  return [...new Set(ofHead.length > 0 ? ofHead : [...paths, ...maybe].filter(isLikePath))];
}

const PATH = '\u0001';
/** Most entries name one or two; `./a.js` and `src/{a,b}.ts` are written otherwise than they are read. */
const isPathIn = (paths: readonly string[], word: string): boolean =>
  /[/*]|\w\.[A-Za-z]\w{0,9}\W{0,3}$/.test(word) || paths.slice(0, 20).includes(word.replace(/:$/, ''));
const EMPHASIS = /(?<![/\w*])\*\*(\w[^*\n]{0,200})\*\*(?![/\w*])/g;
/** What follows the dash of a list's line. */
const DESCRIPTION = /^(?:\u2014|\u2013|--?)\s/;

/** `file: something`, words of a part, or what belongs to the file. */
const saysPart = (said: string): boolean =>
  /^[\u0001\s]+:\s/.test(said) || SAYS_PART.test(said) || (/\bits\b/i.test(said) && !SAYS_WHY.test(said));

const SAYS_PART =
  /\b(?:but|except|excluding|only|others?|else|rest|besides|apart|outside|beyond|unless|parts?|functions?|methods?|class(?:es)?|sections?|lines?|blocks?|headings?|comments?|fields?|keys?|imports?|exports?|dependenc(?:y|ies)|signatures?|behaviou?r|(?:refactor|renam|rewrit|reformat|delet|remov|mov|splitt)ing)\b/i;
const SAYS_WHY =
  /[:;]|\b(?:too|also|well|including|even|since|because|as|if|is|are|belongs?|stays?|untouched|unchanged|later|leave|left|task|see|never|not)\b/i;
const OF_PATH = /\b(?:of|in)\s+(?:the\s+(?:file\s+)?)?\u0001/i;
/** All but these: what follows on the line may belong to the exception, too. */
const INVERTS =
  /\b(?:but|except|excluding|besides|outside|beyond|than|apart|not\s+(?:in|under|within|below|inside))(?:\s+(?:for|from|of|in|the|files?|folders?)){0,3}\s+\u0001/i;
