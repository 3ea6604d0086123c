# SPDX-License-Identifier: BSD-3-Clause-Open-MPI
# Copyright (c) The coll/nbrhood authors.

# shellcheck shell=bash
# The mirrors from which this machine gets its Debian packages. Sourced by contrib/debian.

# apt_uris: the addresses in apt's sources, each once, in either of the two forms that apt reads. (apt-get indextargets
# lists only sources whose lists were fetched, and a fresh image has none.)
apt_uris()
{
    local etc=/etc/apt file
    for file in "$etc"/sources.list "$etc"/sources.list.d/*.list; do
        [ ! -r "$file" ] || sed -n 's/^[[:space:]]*deb[[:space:]]\+\(\[[^]]*\][[:space:]]*\)\{0,1\}\([^[:space:]]\+\)[[:space:]].*/\2/p' "$file"
    done | awk '!seen[$0]++'
    for file in "$etc"/sources.list.d/*.sources; do
        [ -r "$file" ] || continue
        # Stanzas; a field may go on in lines that begin with a blank.
        awk '
            function tell(   i, n, word) {
                if (fields["enabled"] !~ /no|false|off/ && fields["types"] ~ /(^|[ \t])deb([ \t]|$)/) {
                    n = split(fields["uris"], word)
                    for (i = 1; i <= n; i++) print word[i]
                }
                delete fields
            }
            /^#/ { next }
            /^[ \t]*$/ { tell(); next }
            /^[ \t]/ { fields[name] = fields[name] " " $0; next }
            { name = tolower($1); sub(/:.*/, "", name); sub(/^[^:]*:/, ""); fields[name] = $0 }
            END { tell() }' "$file"
    done | awk '!seen[$0]++'
}

# mirror_with SUITE DIRECTORY: prints the first of apt's addresses that has the suite; apt itself looks, so its proxies
# and certificates are used. It fetches into DIRECTORY.
mirror_with()
{
    local wanted=$1 directory=$2 uri
    while read -r uri; do
        uri=${uri%/}
        case $uri in
            http:*|https:*|file:*) ;;
            *) continue ;;
        esac
        if /usr/lib/apt/apt-helper download-file "$uri/dists/$wanted/InRelease" "$directory/InRelease" \
                >"$directory/mirror.log" 2>&1; then
            echo "$uri"
            return 0
        fi
    done < <(apt_uris)
    return 1
}
