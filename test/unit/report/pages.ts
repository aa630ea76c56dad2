// Reading a page without a browser: its tags and attributes, as a strict reader sees them.

export interface Tag {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Throws where a `<` begins no tag that is written as we write them. */
export function tagsOf(page: string): readonly Tag[] {
  const style = page.indexOf('<style>') + '<style>'.length;
  const text = page.slice(0, style) + page.slice(page.indexOf('</style>'));
  return [...text.matchAll(/</g)].map(({ index }) => {
    const tag = /^<(!doctype html|\/?[a-z][a-z0-9]*)((?: [a-zA-Z][a-zA-Z0-9-]*(?:="[^"<>]*")?)*)\/?>/.exec(
      text.slice(index, index + 5000),
    );
    if (tag === null) throw new Error(`no tag: ${text.slice(index, index + 80)}`);
    const attributes = [...(tag[2] ?? '').matchAll(/ ([a-zA-Z][a-zA-Z0-9-]*)(?:="([^"]*)")?/g)].map(
      ([, key = '', value = '']) => [key, value],
    );
    return { name: tag[1] ?? '', attributes: Object.fromEntries(attributes) };
  });
}

/** What a reader sees: texts between tags, entities read. */
export const textOf = (page: string): string =>
  page
    .slice(page.indexOf('<body>'))
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ');
