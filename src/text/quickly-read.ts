// Whether patterns read a text in little time. One that begins anew at each character of a line, or of a run of blanks,
// takes the square of its length: what somebody else wrote is looked at for that before anything else reads it.

/** Of all lines and runs together: a tenth of a second or so for such a pattern. */
const MOST_WORK = 2e8;

/** False: a line without end, or blanks without end. */
export function isQuicklyRead(text: string): boolean {
  let work = 0;
  let line = 0;
  let blanks = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isBreak(code)) {
      work += line * line;
      line = 0;
    } else line += 1;
    if (isBlank(code)) blanks += 1;
    else {
      work += blanks * blanks;
      blanks = 0;
    }
  }
  return work + line * line + blanks * blanks <= MOST_WORK;
}

const isBreak = (code: number): boolean => code === 10 || code === 13 || code === 0x2028 || code === 0x2029;

/** All that `\s` knows. */
const isBlank = (code: number): boolean =>
  code === 32 ||
  (code >= 9 && code <= 13) ||
  code === 0xa0 ||
  code === 0x1680 ||
  (code >= 0x2000 && code <= 0x200a) ||
  isBreak(code) ||
  code === 0x202f ||
  code === 0x205f ||
  code === 0x3000 ||
  code === 0xfeff;
