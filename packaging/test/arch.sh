#!/bin/bash
# Runs the functions of the PKGBUILD on the commit's sources, as makepkg does, and uses what they install.
#
#     packaging/test/arch.sh FOLDER_OF_PACKAGES
#
# makepkg itself needs a user who is not root, with cargo: this needs neither Arch Linux nor such a user.
# PREBUILT=FOLDER takes the driver and the tool from there instead of compiling them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# = 1 ] || { echo "usage: arch.sh FOLDER_OF_PACKAGES" >&2; exit 1; }
recipe=$(realpath "$1")/PKGBUILD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=/dev/null
. "$recipe"
: "${pkgver:?}"
if [ -n "${PREBUILT:-}" ]; then
    prebuilt=$(realpath "$PREBUILT")
    prepare() { :; }
    build() {
        mkdir -p "pyroclast-$pkgver/target/release"
        cp "$prebuilt/libpyroclast.so" "$prebuilt/pyroclast" "pyroclast-$pkgver/target/release"
    }
fi
git -C "$here/../.." archive --format=tar --prefix="pyroclast-$pkgver/" HEAD | tar -x -C "$work"
export pkgdir=$work/package
for step in prepare build package; do
    echo "== $step"
    (cd "$work" && $step) >"$work/log" 2>&1 || { tail -n 40 "$work/log" >&2; exit 1; }
done
(cd "$pkgdir" && find . -type f | LC_ALL=C sort)
[ "$(cat "$pkgdir/etc/OpenCL/vendors/pyroclast.icd")" = libpyroclast.so.1 ]
"$pkgdir/usr/bin/pyroclast" --version
"$pkgdir/usr/bin/pyroclast" run --driver "$pkgdir/usr/lib/libpyroclast.so.1" -- clinfo -l
echo "== the package for Arch Linux builds, and its driver works"
