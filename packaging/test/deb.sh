#!/bin/sh
# Tests the Debian package in a fresh Debian 12: it installs, is listed beside PoCL, runs a program, is
# upgraded, and leaves nothing when purged.
#
#     packaging/test/deb.sh PACKAGE.deb NEWER.deb
#
# NEWER.deb: `./x dist --package-version 0.1.1 --output target/dist/newer`.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=chroot.sh
. "$here/chroot.sh"
[ $# = 2 ] || fail "usage: deb.sh PACKAGE.deb NEWER.deb"

root=$(mktemp -d)
trap 'remove_debian "$root"; rm -f "$root".before "$root".after "$root".list' EXIT
say "a fresh Debian 12"
fresh_debian "$root"
inside "$root" apt-get update -qq
inside_install "$root" clinfo pocl-opencl-icd ocl-icd-libopencl1 python3-pyopencl python3-mako
mkdir "$root/test"
cp "$here/program.py" "$root/test/"
cp "$1" "$root/test/old.deb"
cp "$2" "$root/test/new.deb"
# Everything that is there before, but for the package manager's own notes and caches.
listing() {
    inside "$root" find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /var/lib/dpkg -o -path /var/lib/apt \
        -o -path /var/cache -o -path /var/log -o -path /root/.cache \) -prune -o -print | LC_ALL=C sort
}
listing >"$root.before"

say "install"
inside_install "$root" /test/old.deb
inside "$root" dpkg -s pyroclast-opencl-icd | grep -E '^(Status|Version|Depends|Recommends|Suggests)'
inside "$root" clinfo -l
inside "$root" clinfo -l >"$root.list"
grep -q Pyroclast "$root.list" || fail "Pyroclast is not listed"
grep -q 'Portable Computing Language' "$root.list" || fail "PoCL is not listed any more"
inside "$root" python3 /test/program.py
inside "$root" pyroclast info | sed -n '1,9p;/To do/,$p'
inside "$root" pyroclast install 2>&1 | grep 'is of a package' || fail "the package's file is not respected"

say "upgrade"
inside_install "$root" /test/new.deb
inside "$root" dpkg -s pyroclast-opencl-icd | grep -E '^(Status|Version)'
inside "$root" python3 /test/program.py

say "purge"
inside "$root" dpkg --purge pyroclast-opencl-icd
inside "$root" clinfo -l
listing >"$root.after"
diff "$root.before" "$root.after" || fail "files are left, or gone"
[ ! -e "$root/var/lib/dpkg/info/pyroclast-opencl-icd.list" ] || fail "dpkg still knows the package"
say "the Debian package: all tests passed"
