// `liza completion <shell>`: a script that asks `liza __complete` for what fits, so it is never out of date. The one for
// bash works with the bash 3.2 of macOS.

import type { Verb } from '../verb.ts';

const BASH = `# bash completion for liza; load it with: source <(liza completion bash)
_liza() {
  local cur=\${COMP_WORDS[COMP_CWORD]} line
  COMPREPLY=()
  while IFS= read -r line; do
    line=\${line%%$'\\t'*}
    case $line in
      :file)
        local IFS=$'\\n'
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen -f -- "$cur")) ;;
      "$cur"*) COMPREPLY+=("$line") ;;
    esac
  done < <(liza __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _liza liza
`;

const ZSH = `#compdef liza
# zsh completion for liza; load it with: source <(liza completion zsh)
_liza() {
  local -a lines
  lines=(\${(f)"$(liza __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if [[ $lines[1] == :file ]]; then
    compset -P '--*='
    _files
  else
    lines=("\${(@)lines/$'\\t'/:}")
    _describe liza lines
  fi
}
if [[ $funcstack[1] == _liza ]]; then _liza "$@"; else compdef _liza liza; fi
`;

const FISH = `# fish completion for liza; load it with: liza completion fish | source
function __liza_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (liza __complete $words[2..-1] "$current" 2>/dev/null)
    if test "$lines[1]" = :file
        set -l option (string match -r -- '^--[^=]*=' "$current")
        for path in (__fish_complete_path (string replace -r -- '^--[^=]*=' '' "$current"))
            echo "$option$path"
        end
    else
        printf '%s\\n' $lines
    end
end
complete -c liza -f -a '(__liza_complete)'
`;

export const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH };

export const verb: Verb = {
  positionals: [{ name: 'shell', choices: Object.keys(SCRIPTS), description: 'Your shell.' }],
  examples: ['source <(liza completion bash)', 'liza completion fish | source'],
  run: async (args) => {
    const shell = args.must('shell') as keyof typeof SCRIPTS;
    return { ok: true, lines: [SCRIPTS[shell].trimEnd()], data: { shell, script: SCRIPTS[shell] } };
  },
};
