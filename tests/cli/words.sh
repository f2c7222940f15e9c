# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What the scripts of raidsim's command line share: an empty folder to stand
# in, and three ways to judge a command.  To be sourced; uses $0.
set -u
raidsim=${RAIDSIM:-$root/build/bin/raidsim}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0
failed=0

good()
{
    passed=$((passed + 1))
}

bad()
{
    echo "${0##*/}: $*"
    failed=$((failed + 1))
}

# wrong WORDS OPTION...
wrong()
{
    local words=$1 status

    shift
    "$raidsim" "$@" > out 2> err < /dev/null
    status=$?
    if [ $status != 2 ]; then
        bad "$*: exit status $status, not 2"
    elif [ "$(wc -l < err)" != 1 ] || [ -s out ]; then
        bad "$*: more or less than one line: $(cat err out)"
    elif ! grep -qe "$words" err; then
        bad "$*: no '$words' in: $(cat err)"
    elif [ -n "$(find . -name 'never*')" ]; then
        bad "$*: a file was written"
        rm -f never*
    else
        good
    fi
}

# right NAME COMMAND...: it must succeed; stdout is kept in ./out.
right()
{
    local name=$1

    shift
    if "$@" > out 2> err < /dev/null && [ ! -s err ]; then
        good
    else
        bad "$name: exit status $?, $(head -n 3 err)"
    fi
}

# holds NAME PYTHON: an expression over r, the JSON in ./out.
holds()
{
    if python3 -c "import json, sys
r = json.load(open('out'))
job = r.get('jobs', [{}])[0]
sys.exit(not ($2))"; then
        good
    else
        bad "$1: not so: $2"
    fi
}

