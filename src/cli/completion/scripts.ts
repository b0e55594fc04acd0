// Scripts that make a shell ask paydesk for completions. Words are passed on as they are, and nothing that was typed is run.

import { type Line, TAB } from '../../output/lines.js';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

const bash = `_paydesk() {
  local line IFS=$'\\n'
  COMPREPLY=()
  while read -r line; do COMPREPLY+=("$line"); done < <(
    paydesk completion words bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null
  )
}
complete -o default -F _paydesk paydesk
`;

const zsh = `#compdef paydesk
_paydesk() {
  local -a found
  found=("\${(@f)$(paydesk completion words zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${found[1]}" ]]; then _describe paydesk found; else _files; fi
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
compdef _paydesk paydesk
`;

const fish = `function __paydesk_words
  set -l words (commandline -opc) (commandline -ct)
  set -l found (paydesk completion words fish -- $words[2..-1] 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c paydesk -f -a '(__paydesk_words)'
`;

export const completionScripts: Readonly<Record<Shell, string>> = { bash, zsh, fish };

const startFiles: Readonly<Record<Shell, string>> = {
  bash: '>> ~/.bashrc',
  zsh: '>> ~/.zshrc',
  fish: '> ~/.config/fish/completions/paydesk.fish',
};

/** How each shell loads its script, now and at every start. */
export const installLine = (shell: Shell, bin: string): string =>
  `${bin} completion ${shell} ${startFiles[shell]}`;

/**
 * A candidate as the shell reads it. fish and zsh quote what they insert; bash inserts it as it is, so that a payment
 * with a semicolon in its reference would end the command and begin another.
 */
export function shellCandidate(shell: Shell, { value, text }: { value: string; text: string }): Line {
  if (shell === 'bash') return value.replaceAll(/[^\p{L}\p{N}_@%+=:,./-]/gu, '\\$&');
  if (shell === 'fish') return text === '' ? value : [value, TAB, text];
  const name = value.replaceAll(/[\\:]/g, '\\$&');
  return text === '' ? name : `${name}:${text}`;
}

/** bash cuts words at \`=\` and \`:\`, and wants back only what follows the last cut. */
export function joinWords(shell: Shell, words: readonly string[]): { words: string[]; cut: string } {
  if (shell !== 'bash') return { words: [...words], cut: '' };
  const joined: string[] = [];
  for (const [index, word] of words.entries()) {
    const glues = /^[=:]$/.test(word) || /^[=:]$/.test(words[index - 1] ?? '');
    if (glues && joined.length > 0) joined[joined.length - 1] += word;
    else joined.push(word);
  }
  const last = joined.at(-1) ?? '';
  return { words: joined, cut: last.slice(0, Math.max(last.lastIndexOf('='), last.lastIndexOf(':')) + 1) };
}
