// What a terminal sends for one key → which key that is, and what it writes. Terminals of the xterm kind, rxvt and the
// consoles spell the same key differently; a sequence that is none of these writes nothing. Pure.

type Named =
  | 'upArrow'
  | 'downArrow'
  | 'leftArrow'
  | 'rightArrow'
  | 'pageUp'
  | 'pageDown'
  | 'home'
  | 'end'
  | 'return'
  | 'escape'
  | 'tab'
  | 'backspace'
  | 'delete';

export type TerminalKey = { readonly [name in Named | 'ctrl' | 'meta']?: boolean };

/** The key, and the text or the letter that came with it. */
export interface KeyPress {
  readonly input: string;
  readonly key: TerminalKey;
}

/** What terminals put around a pasted text, without the escape. */
export const PASTE_BEGIN = '[200~';
export const PASTE_END = '[201~';

const CHARACTERS: Readonly<Record<string, KeyPress>> = {
  '\r': { input: '\r', key: { return: true } },
  '\t': { input: '', key: { tab: true } },
  '\b': { input: '', key: { backspace: true } },
  '\x7f': { input: '', key: { delete: true } },
  '\x1b': { input: '', key: { escape: true, meta: true } },
};

/** By the last letter of a sequence, rxvt's small ones included, or by its number. */
const NAMES: Readonly<Record<string, Named>> = {
  ...{ A: 'upArrow', B: 'downArrow', C: 'rightArrow', D: 'leftArrow', F: 'end', H: 'home', Z: 'tab' },
  ...{ a: 'upArrow', b: 'downArrow', c: 'rightArrow', d: 'leftArrow' },
  ...{ 1: 'home', 3: 'delete', 4: 'end', 5: 'pageUp', 6: 'pageDown', 7: 'home', 8: 'end' },
};

/** Escapes, the number of the key, that of the modifiers, and its end: a letter, or what closes a number. */
const SEQUENCE = /^(\x1b{1,2})(?:\[|(O))(?:(\d+)(?:;(\d+))?)?(?:([~$])|(\^)|([A-Za-z]))$/;
const CTRL = 4;
const ALT_OR_META = 10;

/** `sent`: one key, or a run of text, as stdin-keys.ts takes them apart. */
export function keyPress(sent: string): KeyPress {
  const known = CHARACTERS[sent];
  if (known !== undefined) return known;
  if (sent.length === 1 && sent <= '\x1a' && sent !== '\n')
    return { input: String.fromCharCode(sent.charCodeAt(0) + 96), key: { ctrl: true } };
  if (!sent.startsWith('\x1b')) return { input: sent, key: {} };
  const rest = sent.slice(1);
  if (rest === PASTE_BEGIN || rest === PASTE_END) return { input: rest, key: {} };
  return /^\x1b?[[O]./.test(rest) ? sequenceKey(sent) : withAlt(rest);
}

/** Alt makes a letter no command and no text; before anything else it is as if it were not held: Enter breaks the line. */
function withAlt(rest: string): KeyPress {
  if (!/^[A-Za-z0-9 \b\x7f]$/.test(rest)) return { input: rest, key: {} };
  const { input, key } = CHARACTERS[rest] ?? { input: rest, key: {} };
  return { input, key: { ...key, meta: true } };
}

function sequenceKey(sent: string): KeyPress {
  const [, escapes = '', applied, number = '', modified, , control, letter] = SEQUENCE.exec(sent) ?? [];
  const name = NAMES[letter ?? number];
  if (name === undefined) return { input: '', key: {} };
  // A letter has its modifiers after `1;`, or at once.
  const modifiers = Number(modified ?? (letter === undefined || number === '' ? 1 : number)) - 1;
  const isRxvtControl = control !== undefined || (applied !== undefined && /[a-d]/.test(letter ?? ''));
  return {
    input: '',
    key: {
      [name]: true,
      ...((modifiers & CTRL) > 0 || isRxvtControl ? { ctrl: true } : {}),
      ...((modifiers & ALT_OR_META) > 0 || escapes.length > 1 ? { meta: true } : {}),
    },
  };
}
