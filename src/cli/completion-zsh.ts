// The completion script for zsh.

import { families, type Offer, TASK_IDS, type Values } from './completion.ts';

export function zshScript(offers: readonly Offer[]): string {
  const known = [...families(offers)];
  const pairs = offers.filter(({ name }) => name.includes(' ')).map(({ name }) => `'${name}'`);
  return `#compdef liza
# zsh completion for liza; load it with: source <(liza completion zsh)
_liza_tasks() {
  local -a tasks
  tasks=(\${(f)"$(${TASK_IDS})"})
  compadd -a tasks
}
_liza() {
  local verb=$words[2] start=3
  if (( CURRENT == 2 )); then
    local -a verbs
    verbs=(
${known.map(([first]) => `      ${said(`${first}:${summaryOf(offers, first).replaceAll(':', ' -')}`)}`).join('\n')}
    )
    _describe command verbs
    return
  fi
  if (( CURRENT > 3 )); then
    case "$verb $words[3]" in
      ${pairs.join('|')}) verb="$verb $words[3]"; start=4 ;;
    esac
  fi
  case "$verb $words[CURRENT-1]" in
${offers.flatMap(valueCases).join('\n')}
  esac
  if [[ $words[CURRENT] == -* ]]; then
    case "$verb" in
${offers.map(optionCase).join('\n')}
    esac
    return
  fi
  case "$verb $((CURRENT - start))" in
${known
  .filter(([, seconds]) => seconds.length > 0)
  .map(([first, seconds]) => `    '${first} 0') ${add(seconds)} ;;`)
  .join('\n')}
${offers.flatMap(wordCases).join('\n')}
  esac
}
if [[ $funcstack[1] == _liza ]]; then _liza "$@"; else compdef _liza liza; fi
`;
}

function summaryOf(offers: readonly Offer[], first: string): string {
  const exact = offers.find(({ name }) => name === first) ?? offers.find(({ name }) => name.startsWith(`${first} `));
  return exact?.summary ?? '';
}

function valueCases({ name, options }: Offer): string[] {
  return options.flatMap(({ name: option, short, values }) => {
    if (values === undefined) return [];
    const pattern = [`'${name} --${option}'`, ...(short === undefined ? [] : [`'${name} -${short}'`])].join('|');
    return [`    ${pattern}) ${add(values)}; return ;;`];
  });
}

const optionCase = ({ name, options }: Offer): string =>
  `      '${name}') ${add(options.map((option) => `--${option.name}`))} ;;`;

const wordCases = ({ name, words }: Offer): string[] =>
  words.flatMap(({ values, rest }, at) =>
    values === 'any' ? [] : [`    '${name} '${rest ? '*' : at}) ${add(values)} ;;`],
  );

function add(values: Values): string {
  if (values === 'any') return ':';
  if (values === 'file') return '_files';
  return values === 'task' ? '_liza_tasks' : `compadd -- ${values.join(' ')}`;
}

const said = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
