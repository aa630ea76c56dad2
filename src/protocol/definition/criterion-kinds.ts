// What a criterion is about, as far as that decides what can show it: what a program does, or that something stays as it
// is. Only where its words leave little doubt; of any other, every form of evidence will do.

import { whole } from '../../text/format.ts';
import { quotedCommands } from './criterion-words.ts';

const CHANGED =
  '(?:changes|(?:is|are|was|were|be|gets?)? ?(?:changed|touched|removed|edited|modified|rewritten|deleted))';
/** About the change itself: the diff shows it. */
const UNCHANGED = new RegExp(
  String.raw`\b(?:nothing(?: \w+){0,2} ${CHANGED}|unchanged|untouched|intact|` +
    '(?:do(?:es)?|must|may|will|shall|should) not (?:otherwise )?(?:change|be (?:changed|touched|edited|modified))|' +
    String.raw`no (?:other|existing|old)(?: [\w./-]+){1,4} ${CHANGED}|no (?:\w+ ){0,3}(?:line|file|code|test)s? (?:outside|beyond|other than|except|besides|that|which|of|in)\b.*${CHANGED}|` +
    String.raw`(?:only|just)(?: [\w./-]+){1,4} (?:changes|(?:is|are|was|were) (?:changed|touched|added))|only (?:adds|additions|new lines|added lines))(?!\w)`,
  'i',
);

const STAYS =
  /\b(?:nothing(?: \w+){0,2} changes|(?:is|are|be|stays?|remains?|left|kept|leaves?) (?:\w+ )?(?:unchanged|untouched|intact|as (?:it is|they are|before|today|now))|unchanged|untouched|(?:do(?:es)?|must|may|will|shall) not (?:otherwise )?change|as (?:before|today|until now)|no (?:other|existing) \w+(?: \w+){0,3} changes|(?:same|equal)(?: \w+){0,3} (?:as|to) (?:before|today|the base)|(?:still|continues? to) (?:pass|work|hold|give|return|print|run)\w*|backwards?[- ]compatible|no regressions?)\b/i;

/** Whether it demands that something does not change: what shows that was green before the change, too. */
export const saysThatItStays = (criterion: string): boolean => STAYS.test(criterion) || UNCHANGED.test(criterion);

const HOLDS =
  /\b(?:still|stays?|remains?|as (?:usual|always|without)|(?:gives?|returns?|does|do|is|are|like) without|(?:what|as|like) no \w+ (?:gives?|does|do|has|returns?))\b/i;

/** Whether at least a part of it may hold before the change: a test of that is green there, and rightly so. */
export const mayHoldBefore = (criterion: string): boolean => saysThatItStays(criterion) || HOLDS.test(criterion);

/** Whether it is about what the change leaves alone, of which the diff is the right evidence. */
export const isAboutTheDiff = (criterion: string): boolean => UNCHANGED.test(criterion) && SOURCE.test(criterion);

const GOES =
  /\b(?:remov(?:e[sd]?|ing)|delet(?:e[sd]?|ing)|dropp?(?:ed|s)?|renam(?:e[sd]?|ing)|mov(?:e[sd]?|ing)|gone|no longer|add(?:s|ed|ing)?|splits?|only|just|replac\w+|written|new|exists?)\b/i;

/** Whether paths that change can show it: a file that goes, comes or moves. */
export const isAboutFiles = (criterion: string): boolean =>
  isAboutTheDiff(criterion) || (GOES.test(criterion) && SOURCE.test(criterion));

/** An empty list that is left unchanged is the program's doing. */
const SOURCE =
  /\b(?:files?|lines?|code|modules?|tests?|functions?|api|signatures?|exports?|readme|docs?|changelog|existing|other|else|rest|folders?|config\w*|dependenc\w+|lockfile|adds|additions)\b|[\w-]+\/[\w./-]*|\w\.[a-z]\w{0,4}\b|`/i;

/** What a program does with something, which somebody sees only where it runs. */
const ACTS =
  /\b(?:returns?|answers?|prints?|throws?|raises?|exits?|rejects?|rejected|refuses?|refused|accepts?|accepted|retr(?:y|ies|ied)|responds?|sends?|sent|emits?|shows?|displays?|crashes|times? out|ignores?|ignored|sorts?|sorted|rounds?|rounded|redirects?|expires?|waits?|restarts?|resumes?|ends|fails|yields?|equals?)\b|\w\([^()]*\)\s(?:is|gives|becomes|=)/i;
/** Of a text, a name or a file, which can be read. */
const READ =
  /\b(?:readme|docs?|document(?:s|ed|ation)?|describes?|described|guides?|changelog|comments?|licen[cs]e|sections?|headings?|pages?|glossary|examples?|exports?|exported|imports?|imported|declar\w+|types?|renamed|removed|deleted|gone|moved|exists?|dependenc\w+|folders?|modules?|call sites?|uses|config(?:uration)?|settings?|tests?|tested)\b/i;

/** Whether it says what a program does, whatever else it says: `still returns 1, and its signature is unchanged`. */
export const saysWhatItDoes = (criterion: string): boolean =>
  quotedCommands(criterion).length > 0 || ACTS.test(criterion);

/** Whether it says what the program does: a line of code, or which files change, does not show that. */
export const isAboutBehaviour = (criterion: string): boolean =>
  !isAboutTheDiff(criterion) &&
  (quotedCommands(criterion).length > 0 || (ACTS.test(criterion) && !READ.test(criterion)));

const TEXT =
  /\b(?:readme|docs|documentation|document(?:s|ed)|describe[sd]?|guide|changelog|comments?|licen[cs]e|sections?|headings?|pages?|glossary)\b/i;

/** Whether it is about what people read, and not about what a program does: a line shows that, and no test. */
export const isAboutText = (criterion: string): boolean =>
  TEXT.test(criterion) && !saysWhatItDoes(criterion) && !/\btest(?:s|ed)?\b/i.test(criterion);

/** Whether it asks for this command itself, in backticks or plainly. */
export function namesCommand(criterion: string, command: string): boolean {
  const [text, named] = [whole(criterion), whole(command)];
  const at = named === '' ? -1 : text.indexOf(named);
  // `npm test` is neither `npm test:unit` nor `npm test -- one`.
  return (
    at !== -1 &&
    !/[\w/:-]$/.test(text.slice(Math.max(0, at - 1), at)) &&
    !/^(?:[\w/-]|:\w|\s--?(?:\s|\w))/.test(text.slice(at + named.length, at + named.length + 5))
  );
}

const PATH = /(?<![\w./:-])(?:\.\/)?((?:[\w@-][\w@.-]*\/)*(?:[\w@-][\w@.-]*\.[a-z]\w{0,4}(?![\w(])|(?<=\/)(?![\w*])))/g;
const NO_FILE = /^(?:e\.g|i\.e|(?:node|vue|next|react|express|three)\.js)$/i;

/** Files and folders as its words have them: `src/add.js`, `test/`, `package.json`. */
export const pathsNamed = (criterion: string): readonly string[] => [
  ...new Set(
    [...criterion.matchAll(PATH)]
      .map(([, path = '']) => path.replace(/\/$/, ''))
      .filter((path) => path !== '' && !NO_FILE.test(path)),
  ),
];
