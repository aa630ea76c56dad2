// The completion script for bash. Works with the bash 3.2 of macOS: no associative arrays, no mapfile.

import { families, type Offer, TASK_IDS, type Values } from './completion.ts';

export function bashScript(offers: readonly Offer[]): string {
  const known = families(offers);
  const pairs = offers.filter(({ name }) => name.includes(' ')).map(({ name }) => `'${name}'`);
  return `# bash completion for liza; load it with: source <(liza completion bash)
_liza() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} verb=\${COMP_WORDS[1]} start=2
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    ${reply([...known.keys()])}
    return
  fi
  if [ "$COMP_CWORD" -gt 2 ]; then
    case "$verb \${COMP_WORDS[2]}" in
      ${pairs.join('|')}) verb="$verb \${COMP_WORDS[2]}" start=3 ;;
    esac
  fi
  case "$verb $prev" in
${offers.flatMap(valueCases).join('\n')}
  esac
  case "$cur" in
    -*)
      case "$verb" in
${offers.map(optionCase).join('\n')}
      esac
      return ;;
  esac
  case "$verb $((COMP_CWORD - start))" in
${[...known]
  .filter(([, seconds]) => seconds.length > 0)
  .map(familyCase)
  .join('\n')}
${offers.flatMap(wordCases).join('\n')}
  esac
}
complete -F _liza liza
`;
}

/** After an option that takes a value only its values are offered. */
function valueCases({ name, options }: Offer): string[] {
  return options.flatMap(({ name: option, short, values }) => {
    if (values === undefined) return [];
    const pattern = [`'${name} --${option}'`, ...(short === undefined ? [] : [`'${name} -${short}'`])].join('|');
    return [`    ${pattern}) ${reply(values)}; return ;;`];
  });
}

const optionCase = ({ name, options }: Offer): string =>
  `        '${name}') ${reply(options.map((option) => `--${option.name}`))} ;;`;

/** A family may also be a verb of its own, as `log` and `log verify` are: then both are offered. */
const familyCase = ([first, seconds]: readonly [string, readonly string[]]): string =>
  `    '${first} 0') ${reply(seconds)} ;;`;

const wordCases = ({ name, words }: Offer): string[] =>
  words.flatMap(({ values, rest }, at) =>
    values === 'any' ? [] : [`    '${name} '${rest ? '*' : at}) ${reply(values)} ;;`],
  );

function reply(values: Values): string {
  if (values === 'any') return ':';
  if (values === 'file') return 'COMPREPLY=($(compgen -f -- "$cur"))';
  const words = values === 'task' ? `"$(${TASK_IDS})"` : `'${values.join(' ')}'`;
  return `COMPREPLY=($(compgen -W ${words} -- "$cur"))`;
}
