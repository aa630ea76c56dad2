// HTML and SVG as text. Whatever is put into a template is escaped, unless it came out of one: forgetting to escape
// is not possible, only marking something as markup is, and that is done here alone.

export interface Markup {
  readonly markup: string;
}

type Part = string | number | Markup | readonly Markup[] | undefined;

export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  let text = strings[0] ?? '';
  parts.forEach((part, at) => {
    text += rendered(part) + (strings[at + 1] ?? '');
  });
  return { markup: text };
}

/** For our own words that are no template, such as the style sheet. */
export const asMarkup = (text: string): Markup => ({ markup: text });

function rendered(part: Part): string {
  if (part === undefined) return '';
  if (typeof part === 'string') return escaped(part);
  if (typeof part === 'number') return String(part);
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('');
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A line of Markdown as checkpoints have them: code and escaped characters are all the markup there is. */
export function inlineMarkdown(line: string): Markup {
  const parts = line.match(/`[^`]*`|(?:\\[^\n]|[^`\\])+|[`\\]/g) ?? [];
  return {
    markup: parts
      .map((part) => (/^`.*`$/.test(part) ? html`<code>${plain(part.slice(1, -1))}</code>` : html`${plain(part)}`))
      .map(({ markup }) => markup)
      .join(''),
  };
}

const plain = (text: string): string =>
  text
    .replace(/\\([`*[\]|])/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&');
