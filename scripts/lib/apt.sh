# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Packages from Debian's archive without touching the machine's own apt.
#
# Sourced by scripts that want a file out of a Debian package of any suite.
# Every suite gets its own lists below the cache directory; the machine's
# sources, lists and dpkg database are read at most.  Nothing is installed.
# Everything that comes down is checked by apt against the archive's signed
# lists before a name is printed.
#
#   . scripts/lib/apt.sh              (bash; works with set -eu)
#
#   platter_cache                     print the cache directory, made if needed:
#                                     $PLATTER_CACHE, else
#                                     ${XDG_CACHE_HOME:-~/.cache}/platter
#   apt_deb PACKAGE SUITE [ARCH]      print the path of the package's .deb
#   apt_debs SUITE ARCH PACKAGE...    the same for many at once, a path a line
#   apt_source PACKAGE SUITE          print the path of the source's .dsc, its
#                                     tarballs lie beside it
#   apt_field PACKAGE SUITE ARCH FIELD
#                                     print a control field as the lists have
#                                     it, such as Depends or Version
#   apt_list SUITE ARCH [REGEX]       print the names of all packages (that
#                                     match the regular expression)
#   apt_unpack DEB DIR                unpack a .deb into DIR, creating it
#   apt_mirror                        print the archive's address, found from
#                                     the machine's own apt ($PLATTER_MIRROR
#                                     overrides)
#   say / die                         one line on standard error; die exits 1
#
# SUITE is a name such as bullseye, bookworm, bookworm-backports, trixie or
# forky; ARCH is amd64 (the default) or i386.  Files land in
# CACHE/downloads/SUITE.ARCH (sources in SUITE.source) and stay there.
#
# A package that came down once is given again without asking the network;
# PLATTER_REFRESH=1 looks for a newer one.  Lists are fetched when there are
# none, when they are older than a day, or when the archive answers that a
# file they name is gone; when that fails and old lists are there, the old
# lists are used and a line says so.  Several processes may call at once:
# each suite is guarded by a lock.  All functions return non-zero on failure
# after one line on standard error.

say()
{
    printf '%s\n' "$*" >&2
}

die()
{
    say "$*"
    exit 1
}

platter_cache()
{
    local dir=${PLATTER_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/platter}

    mkdir -p "$dir" || return 1
    (cd "$dir" && pwd -P)
}

# The archive of the machine's own sources: from apt's lists, else from the
# sources themselves.  Third-party and security archives do not count.
apt_mirror()
{
    local uri=${PLATTER_MIRROR:-} keep

    # shellcheck disable=SC2016
    keep='$2 !~ /security|updates/ && $1 !~ /security/'
    if [ -z "$uri" ]; then
        # shellcheck disable=SC2016
        uri=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' \
              'Created-By: Packages' 'Origin: Debian' 'Component: main' \
              2>/dev/null | awk "$keep { print \$1; exit }")
    fi
    if [ -z "$uri" ] && [ "$(id -u)" = 0 ]; then
        apt-get -qq update >/dev/null 2>&1
        # shellcheck disable=SC2016
        uri=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' \
              'Created-By: Packages' 'Origin: Debian' 'Component: main' \
              2>/dev/null | awk "$keep { print \$1; exit }")
    fi
    if [ -z "$uri" ]; then
        uri=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list \
                  2>/dev/null |
              sed -n 's/^deb \(\[[^]]*\] *\)\{0,1\}//p' |
              awk "$keep && \$0 ~ / main/ && \$1 ~ /debian\/?\$/ \
                   { print \$1; exit }")
    fi
    if [ -z "$uri" ]; then
        uri=$(cat /etc/apt/sources.list.d/*.sources 2>/dev/null |
              awk '/^URIs:/ && $2 !~ /security/ && $2 ~ /debian\/?$/ \
                   { print $2; exit }')
    fi
    if [ -z "$uri" ]; then
        say "no Debian archive among this machine's apt sources;" \
            "set PLATTER_MIRROR to the address of one"
        return 1
    fi
    printf '%s\n' "${uri%/}"
}

# _apt SUITE ARCH COMMAND...: apt-get or apt-cache over the suite's own lists.
_apt()
{
    local dir arch=$2 tool=$3
    dir=$(platter_cache)/apt/$1.$2 || return 1
    shift 3
    [ "$arch" = source ] && arch=amd64

    "$tool" -o Dir::Etc::sourcelist="$dir/sources.list" \
        -o Dir::Etc::sourceparts="$dir/parts" \
        -o Dir::Etc::preferences="$dir/none" \
        -o Dir::Etc::preferencesparts="$dir/parts" \
        -o Dir::State::lists="$dir/lists" \
        -o Dir::State::status="$dir/status" \
        -o Dir::Cache="$dir/cache" \
        -o APT::Architecture="$arch" -o APT::Architectures="$arch" \
        -o APT::Sandbox::User=root -o Acquire::Languages=none \
        -o APT::Update::Error-Mode=any -o Acquire::Retries=2 \
        -o Acquire::http::Timeout=60 -o Acquire::Check-Valid-Until=false \
        -o Dpkg::Use-Pty=0 "$@"
}

# Fetch the lists of SUITE for ARCH; "force" does so however young they are.
# The caller holds the suite's lock.
_apt_lists()
{
    local suite=$1 arch=$2 force=${3:-} dir uri
    local keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    dir=$(platter_cache)/apt/$suite.$arch || return 1

    if [ -z "$force" ] && [ -e "$dir/stamp" ] &&
       [ -z "$(find "$dir/stamp" -mmin +1440)" ]; then
        return 0
    fi
    uri=$(apt_mirror) || { [ -e "$dir/stamp" ]; return; }
    if [ ! -e "$keyring" ]; then
        say "the archive's key is missing: install debian-archive-keyring"
        return 1
    fi

    mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial" "$dir/parts"
    : > "$dir/status"
    if [ "$arch" = source ]; then
        echo "deb-src [signed-by=$keyring] $uri $suite main"
    else
        echo "deb [arch=$arch signed-by=$keyring] $uri $suite main"
    fi > "$dir/sources.list"

    say "  lists of $suite ($arch)"
    if _apt "$suite" "$arch" apt-get -qq update > "$dir/log" 2>&1; then
        touch "$dir/stamp"
        return 0
    fi
    if [ -e "$dir/stamp" ]; then
        say "  could not refresh the lists of $suite, using the old ones"
        return 0
    fi
    say "no lists of $suite for $arch: $(grep -m1 '^[EW]:' "$dir/log")"
    return 1
}

# _apt_locked SUITE ARCH FUNCTION ARGUMENTS...: run it holding the lock.
_apt_locked()
{
    local dir suite=$1 arch=$2
    dir=$(platter_cache)/apt || return 1
    shift 2
    mkdir -p "$dir" || return 1
    (
        flock 9 || exit 1
        "$@"
    ) 9> "$dir/$suite.$arch.lock"
}

# Bring one file set down into DIR: $1 suite, $2 arch, $3 package, $4 DIR.
# On a refusal the lists are fetched anew and it is tried once more.
_apt_bring()
{
    local suite=$1 arch=$2 package=$3 dir=$4 have=$4/.have/$3 try file tmp

    if [ -z "${PLATTER_REFRESH:-}" ] && [ -s "$have" ] &&
       [ -e "$dir/$(cat "$have")" ]; then
        printf '%s\n' "$dir/$(cat "$have")"
        return 0
    fi
    mkdir -p "$dir/.have"
    tmp=$dir/.part.$$
    for try in "" force; do
        _apt_lists "$suite" "$arch" $try || return 1
        rm -rf "$tmp"
        mkdir -p "$tmp"
        if [ "$arch" = source ]; then
            (cd "$tmp" && _apt "$suite" "$arch" apt-get -qq source \
                 --download-only "$package")
        else
            (cd "$tmp" && _apt "$suite" "$arch" apt-get -qq download \
                 "$package")
        fi > "$dir/.have/$package.log" 2>&1 < /dev/null || continue
        file=$(cd "$tmp" && ls -- *.deb *.dsc 2>/dev/null | head -n 1)
        [ -n "$file" ] || continue
        mv -f "$tmp"/* "$dir/"
        rm -rf "$tmp"
        printf '%s\n' "$file" > "$have"
        printf '%s\n' "$dir/$file"
        return 0
    done
    rm -rf "$tmp"
    say "$package of $suite ($arch) did not come down:" \
        "$(grep -m1 '^[EW]:' "$dir/.have/$package.log")"
    if [ -s "$have" ] && [ -e "$dir/$(cat "$have")" ]; then
        say "  using $(cat "$have") from the cache"
        printf '%s\n' "$dir/$(cat "$have")"
        return 0
    fi
    return 1
}

apt_deb()
{
    local arch=${3:-amd64} cache
    cache=$(platter_cache) || return 1
    _apt_locked "$2" "$arch" _apt_bring "$2" "$arch" "$1" \
        "$cache/downloads/$2.$arch"
}

# Bring many down in one call of apt, which spends most of its time reading
# the lists; what does not come so is asked for singly, and says why.
_apt_bring_many()
{
    local suite=$1 arch=$2 dir=$3 tmp=$3/.part.$$ package file missing=()

    shift 3
    mkdir -p "$dir/.have"
    for package; do
        if [ -n "${PLATTER_REFRESH:-}" ] || [ ! -s "$dir/.have/$package" ] ||
           [ ! -e "$dir/$(cat "$dir/.have/$package")" ]; then
            missing+=("$package")
        fi
    done
    if [ "${#missing[@]}" -gt 1 ] && _apt_lists "$suite" "$arch"; then
        rm -rf "$tmp"
        mkdir -p "$tmp"
        (cd "$tmp" && _apt "$suite" "$arch" apt-get -qq download \
             "${missing[@]}") > "$dir/.have/many.log" 2>&1 < /dev/null || true
        for file in "$tmp"/*.deb; do
            [ -e "$file" ] || continue
            mv -f "$file" "$dir/"
            file=${file##*/}
            printf '%s\n' "$file" > "$dir/.have/${file%%_*}"
        done
        rm -rf "$tmp"
    fi
    for package; do
        PLATTER_REFRESH='' _apt_bring "$suite" "$arch" "$package" "$dir" ||
            return 1
    done
}

apt_debs()
{
    local suite=$1 arch=$2 cache
    cache=$(platter_cache) || return 1
    shift 2
    _apt_locked "$suite" "$arch" _apt_bring_many "$suite" "$arch" \
        "$cache/downloads/$suite.$arch" "$@"
}

apt_source()
{
    local cache
    cache=$(platter_cache) || return 1
    _apt_locked "$2" source _apt_bring "$2" source "$1" \
        "$cache/downloads/$2.source"
}

apt_field()
{
    local value

    _apt_locked "$2" "$3" _apt_lists "$2" "$3" || return 1
    value=$(_apt "$2" "$3" apt-cache show --no-all-versions "$1" 2>/dev/null |
            sed -n "s/^$4: //p" | head -n 1)
    if [ -z "$value" ]; then
        say "$1 of $2 ($3) has no field $4"
        return 1
    fi
    printf '%s\n' "$value"
}

apt_list()
{
    _apt_locked "$1" "$2" _apt_lists "$1" "$2" || return 1
    _apt "$1" "$2" apt-cache pkgnames | grep -E -e "${3:-.}" | sort
}

apt_unpack()
{
    mkdir -p "$2" && dpkg-deb -x "$1" "$2"
}
