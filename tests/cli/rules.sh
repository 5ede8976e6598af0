#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Rules of advice from a file: tried first, in all outputs that have advice; and
# what is said of files that are none.
. "$(dirname "$0")/check.bash"

# APP::WORK has a float boxed, which a rule of mprof claims; APP::RUN has EVAL.
profile=$golden/phases.data
words='fault: does it
remedy: Do it not.'

# advises NAME TEXT: with the rules on standard input, the advice has TEXT.
advises() {
  cat >rules
  run advise --rules=rules --verbose "$profile"
  says "$1" "$2"
}

advises 'a rule' 'APP::WORK does it' <<END
# A comment,

rule: own
# and one within
called: APP::NONE,
  ecl_double_float_for_value
$words
END
says 'by its name and grade' '   own, check; '
says 'what it counts' '100 objects, 1600 bytes'
says 'and those of mprof' 'APP::RUN calls EVAL'
says_not 'the first rule has the allocation' 'boxes floats of known type'
run report --rules=rules "$profile"
says 'in a report' 'APP::WORK does it'
for format in json lisp; do
  run export --rules=rules --format=$format "$profile"
  says "in $format" 'Do it not.'
done
run export --rules=rules --format=csv --tables=advice "$profile"
says 'in csv' 'Do it not.'
sed 's/$/\r/' rules >windows
advises 'as an editor of Windows ends lines' 'APP::WORK does it' <windows

advises 'a further condition' 'APP::RUN does it' <<END
rule: own
called: APP::NONE
$words

called: EVAL
END

{ for i in {1..200}; do
    printf 'rule: r%d\ncalled: F%d\n%s\n\n' "$i" "$i" "$words"
  done
  printf 'rule: last\ngrade: certain\ntypes: DOUBLE-FLOAT\n%s\n' "$words"
} >many
advises 'the last of many rules' '1. saves 1600 bytes, 2 %: APP::WORK does it' <many

: >empty
expect 'no rules' 0 '' advise --rules=empty "$profile"

# wrong NAME MESSAGE: the rules on standard input are refused with MESSAGE.
wrong() {
  cat >rules
  expect "$1" 1 "mprof: rules:$2" report --rules=rules "$profile"
}

wrong 'no key' "1: 'rule own' is not 'KEY: VALUE'" <<<'rule own'
wrong 'a line that continues nothing' "1: ' rule: own' is not 'KEY: VALUE'" \
  <<<' rule: own'
wrong 'an unknown key' "2: unknown key 'caled'; did you mean called?" <<END
rule: own
caled: EVAL
END
wrong 'a key twice' "3: 'called' is given twice" <<END
rule: own
called: EVAL
called: LOAD
END
wrong 'no value' "2: 'called' has no value" <<END
rule: own
called:
$words
END
wrong 'an empty name' "3: 'called' has an empty name" <<END
# A comment
rule: own
called: EVAL,
$words
END
wrong 'another grade' "2: 'grade' cannot be 'sure'" <<END
rule: own
grade: sure
$words
END
wrong 'no remedy' "2: the rule has no 'remedy'" <<END

rule: own
called: EVAL
fault: does it
END
wrong 'no name' "1: the first rule has no 'rule: NAME'" <<<'called: EVAL'
wrong 'words of no rule' "6: 'remedy' is of no rule; give 'rule: NAME'" <<END
rule: own
$words

called: EVAL
remedy: None.
END
wrong 'no UTF-8' '2: the line is not UTF-8 text' <<<$'rule: own\nfault: \xff'
wrong 'a control character' '1: the line is not UTF-8 text' <<<$'rule: \e[1m'

expect 'a profile' 1 "mprof: cannot read '$profile': is not text" \
  advise --rules="$profile" "$profile"
expect 'a folder' 1 "mprof: cannot read '/': Is a directory" \
  advise --rules=/ "$profile"
expect 'no file' 1 "mprof: cannot open 'none': No such file or directory" \
  advise --rules=none "$profile"

finish
