// Whether a criterion is about how long something takes or how much it does in a time, and whether it says how that is
// measured. By rule: a number with a unit of time or of a rate, or a comparison of speeds. Words are judged, nothing is run.

/** A timeout, a delay, an interval or a rate limit is a setting, which no busy machine changes; so is a value that is told. */
export function isTimed(criterion: string): boolean {
  // What is quoted is a value: `'1KB/60s'` is one that is parsed.
  const said = criterion
    .replace(RESULT, ' ')
    .replace(/`[^`\n]*`|"[^"\n]*"|(?<![\w])'[^'\n]*'/g, ' ')
    .replace(DATA, ' ')
    .replace(ZERO, ' ');
  if (SPEED.test(said)) return true;
  if (RATE.test(said) && !RATE_LIMIT.test(said)) return true;
  if (LIMITED.test(said)) return true;
  return DURATION.test(said.replace(MOMENT, ' ')) && !TIMER.test(said) && !VALUE.test(said) && !FIELD.test(said);
}

/** It says how often it is measured, or how much room it leaves: a share, or a bound on both sides. */
export const hasMargin = (criterion: string): boolean =>
  /(?:\bat\s+least\b|>=|\u2265)[^\n]{0,300}(?:\b(?:below|under|at\s+most|less\s+than)\b|<|\u2264)|\bbetween\b/iu.test(
    criterion,
  ) ||
  /\b(?:median|average|mean|percentile|best\s+of|worst\s+of|repeat(?:s|ed)?|margin|tolerance)\b|\d\s*%/iu.test(
    criterion,
  ) ||
  REPEATS.test(criterion);

const NUMBER = String.raw`\d{1,20}(?:[.,]\d{1,20}){0,5}(?:e\d{1,3})?`;
const COUNT = `${NUMBER}|two|three|four|five|six|seven|eight|nine|ten|several|all`;
/** `five runs`, `fastest of 3`, `the shortest time over ten tries`. */
const REPEATS = new RegExp(
  String.raw`\b(?:${COUNT})\s+(?:\w+\s+)?(?:runs|repetitions|rounds|measurements|tries|attempts|trials|samples)\b|` +
    String.raw`\b(?:fast|slow|quick|short|long|low|high)est\s+(?:\w+\s+)?(?:out\s+)?(?:of|over|in|across)\s+(?:\w+\s+)?(?!all\b)(?:${COUNT})\b(?!\s*(?:ms|s|seconds?|minutes?)\b)`,
  'iu',
);
const UNIT = String.raw`(?:ms|milliseconds?|\u00b5s|microseconds?|ns|nanoseconds?|seconds?|secs?|s|minutes?|mins?|hours?)`;
const AMOUNT = String.raw`(?:${NUMBER}\s*|(?:an?|half\s+an?|one|two|three|five|ten|thirty|sixty)\s+)`;

const SPEED =
  /\b(?:faster|slower|quicker|speed-?ups?|latenc(?:y|ies)|throughput|response\s+times?|as\s+(?:fast|quick|slow)(?:ly)?|sub-?\s?(?:second|millisecond|microsecond|minute))\b/iu;

/** `10k requests per second`, `5,000 ops/s`, `a million rows a minute`, `60 fps`. */
const RATE = new RegExp(
  String.raw`\b(?:${NUMBER}\s{0,5}(?:k|m|g|[kmg]i?b)?|(?:an?|one|two|ten)\s+(?:hundred|thousand|million)|(?:hundreds|thousands|millions)\s+of)\s{0,5}` +
    String.raw`(?:[a-z]+\s+){0,3}?(?:[a-z]*\s?(?:/|per\s+|an?\s+|each\s+|every\s+)\s?${UNIT}|[rqtf]ps)\b(?!['"\u0060])`,
  'iu',
);
const RATE_LIMIT = /\b(?:limit\w*|throttl\w*|quotas?|429|allow\w*|reject\w*|refus\w*|poll\w*|heartbeats?)\b/iu;

const DURATION = new RegExp(String.raw`\b${NUMBER}\s*${UNIT}(?![\w-])`, 'iu');
/** What a call or an expression comes to: `format(500)` is 0.5 s; 500 → 0.5 s. */
const RESULT = new RegExp(
  String.raw`(?:[\u0060)]\s+(?:is|are|gives?|equals?)|(?<![<>=])(?:=|->|=>|\u2192))\s+${NUMBER}\s*${UNIT}(?![\w-])`,
  'giu',
);
/** A time that a program is given, or that lies between two moments: `takes 5 minutes as its interval`, `within 5 minutes of each other`. */
const DATA = new RegExp(
  String.raw`\bwithin\s+${NUMBER}\s*${UNIT}\s+of\b|\b(?:due|scheduled|planned)\s+in\s+${NUMBER}\s*${UNIT}(?![\w-])|` +
    String.raw`\btakes?\s+${NUMBER}\s*${UNIT}\s+as\b|\b(?:accepts?|rejects?|refuses?|allows?|given|gives?|yields?|becomes?|outputs?|writes?|stores?|sets?|splits?|rounds?|treats?|with|for|of|as|from)\s+(?:an?\s+)?(?:value\s+of\s+)?${NUMBER}\s*${UNIT}(?![\w-])(?=\s+(?:as|is|are|gives?|and|or|to|into|for)\b|\s*$|[,;.]\s|[,;.]$)`,
  'giu',
);
/** A time of day has 0 seconds; nothing that is measured takes none. */
const ZERO = new RegExp(String.raw`(?<![\w.,])0\s*${UNIT}(?![\w-])`, 'giu');
/** `1 hour ago` says when something was, not how long it takes. */
const MOMENT = new RegExp(
  String.raw`\b${NUMBER}\s*${UNIT}\s+(?:ago|earlier|later|before|old|in\s+the\s+(?:past|future))\b`,
  'giu',
);
/** A name that has the unit in it is a field, and the number its value: `idle_seconds is 3600`. */
const FIELD =
  /[a-z]_(?:ms|secs?|seconds?|mins?|minutes?|hours?|days?)\b|[a-z](?:Ms|Millis|Secs?|Seconds?|Minutes?|Hours?)\b/u;
/** A bound before the time, or behind it. */
const LIMITED = new RegExp(
  String.raw`(?:\b(?:within|under|below|less\s+than|at\s+most|no\s+(?:more|longer)\s+than|not\s+more\s+than|takes?|needs?|up\s+to|in)|[<\u2264])\s+` +
    String.raw`(?:(?:about|around|only|just|under|below|less\s+than|at\s+most|the\s+first|up\s+to)\s+){0,4}${AMOUNT}${UNIT}(?![\w-])|` +
    String.raw`[<\u2264]=?\s*${NUMBER}\s*${UNIT}(?![\w-])|\b${NUMBER}\s*${UNIT}\s+(?:or\s+(?:less|faster)|at\s+most)\b`,
  'iu',
);
const TIMER =
  /\b(?:time[-_ ]?outs?|times?\s+out|timed\s+out|timers?|delays?|delayed|intervals?|back-?off|ttl|expir\w+|waits?|sleeps?|debounc\w+|throttl\w+|poll\w*|abort\w*|cancel\w*|every|after)\b/iu;
/** The time is something that is read or written. */
const VALUE =
  /\b(?:returns?|prints?|shows?|displays?|formats?|formatted|parses?|parsed|converts?|converted|equals?|reads?|defaults?|means?)\b|\b(?:seconds?|minutes?|hours?)\s+(?:of|since|as)\b/iu;
