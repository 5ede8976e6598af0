# SPDX-License-Identifier: LGPL-2.1-or-later
#
# mprof.bash -- completion for bash: commands, and the options of each, as the
# command itself lists them.

_mprof() {
  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}
  if [ "$COMP_CWORD" = 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "$(mprof help |
      sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')" -- "$word")
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(mprof help "$command" 2>/dev/null |
      sed -n 's/^  \(--*[a-z-]*=\{0,1\}\).*/\1/p')" -- "$word")
    [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace
  elif [ "$command" = help ]; then
    mapfile -t COMPREPLY < <(compgen -W "$(mprof help |
      sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p') tables" -- "$word")
  fi
}
complete -o default -F _mprof mprof
