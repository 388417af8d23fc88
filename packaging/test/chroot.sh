# shellcheck shell=sh
# Functions for tests in a fresh Debian 12; to be sourced. Needs root and debootstrap.

# Makes a new system in $1. If $DEBIAN_BASE names a folder, a system without changes is kept there for the
# next test.
fresh_debian() {
    base=${DEBIAN_BASE:-}
    if [ -z "$base" ]; then
        debootstrap --variant=minbase bookworm "$1" http://deb.debian.org/debian >/dev/null
    else
        [ -d "$base/etc" ] ||
            debootstrap --variant=minbase bookworm "$base" http://deb.debian.org/debian >/dev/null
        rm -rf "$1"
        cp -a "$base" "$1"
    fi
    mount --bind /proc "$1/proc"
    mount --bind /sys "$1/sys"
    mount --bind /dev "$1/dev"
    # The network of this machine: names, certificates and the proxy that apt uses here.
    cp -L /etc/resolv.conf "$1/etc/resolv.conf"
    printf '#!/bin/sh\nexit 101\n' >"$1/usr/sbin/policy-rc.d"
    chmod +x "$1/usr/sbin/policy-rc.d"
}

# Ends the system in $1.
remove_debian() {
    umount "$1/proc" "$1/sys" "$1/dev" 2>/dev/null || true
    # Never below a mounted folder.
    if ! grep -q " $1/" /proc/mounts; then rm -rf "$1"; fi
}

# Runs a command in the system $1.
inside() {
    system=$1
    shift
    chroot "$system" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        HOME=/root DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"
}

# Installs packages without what they recommend.
inside_install() {
    system=$1
    shift
    inside "$system" apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>&1
}

say() { printf '== %s\n' "$*"; }
fail() {
    printf 'FAILED: %s\n' "$*" >&2
    exit 1
}
