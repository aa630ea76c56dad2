// Sentences that say of anything that it is right, and nothing of what is right: "sub returns the correct result", "it does
// what it is supposed to do", "sub handles errors gracefully". Only as a whole: a word more may say what can be seen.

/** What it is said of, in a few words and without another clause. */
const SUBJECT = String.raw`^\W*(?:(?!(?:and|but|or|so|then|when|if|after|before|without|with)\b)[^\s,;:]+\s+){1,6}?`;
/** Of whom or what: all of them. */
const OF_ALL = String.raw`(?:\s+(?:for|with|in|on|under|to)\s+(?:all|any|every|each|the|its|normal|valid|typical)(?:\s+\w+){0,2})?`;
const RIGHT = '(?:correct|right|proper|expected|desired|intended|appropriate|accurate|good)';
const WHOLE: readonly RegExp[] = [
  String.raw`(?:always\s+)?(?:returns?|gives?|produces?|computes?|calculates?|outputs?|prints?|yields?|shows?|delivers?|provides?)\s+(?:the\s+|an?\s+)?${RIGHT}\s+(?:results?|outputs?|values?|answers?|data|things?)`,
  String.raw`(?:handles?|deals?\s+with)\s+(?:all\s+|any\s+|its\s+)?(?:errors?|exceptions?|failures?|problems?|edge\s+cases?|(?:bad|invalid|wrong)\s+inputs?)\s+(?:gracefully|appropriately|robustly|sensibly|cleanly)`,
  String.raw`(?:is|are)\s+(?:fully\s+|completely\s+|now\s+)*(?:functional|operational|functioning|in\s+working\s+order)`,
  String.raw`(?:does|do)\s+(?:exactly\s+|just\s+)?what\s+(?:it|they|one|you|we)\s+(?:(?:is|are|was|were)\s+(?:supposed|meant|expected|intended|designed|built)(?:\s+(?:to(?:\s+do)?|for))?|should(?:\s+do)?|must(?:\s+do)?|has\s+to(?:\s+do)?)`,
  String.raw`(?:works?|functions?)\s+(?:fine\s+)?without\s+(?:any\s+|known\s+|obvious\s+)*(?:bugs?|issues?|errors?|problems?|defects?|flaws?|surprises?|trouble|failures?)`,
].map((form) => new RegExp(String.raw`${SUBJECT}${form}${OF_ALL}\W*$`, 'iu'));

export const saysOnlyRight = (criterion: string): boolean => WHOLE.some((form) => form.test(criterion.slice(0, 300)));
