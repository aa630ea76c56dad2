// Where a message can be posted to: http or https, with a host. What is no such address is refused when it is set, not
// found out about when the first alarm goes nowhere.

export function webAddress(text: string): URL | undefined {
  const url = /^https?:\/\/[^/]/i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined;
}
