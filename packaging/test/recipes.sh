#!/bin/sh
# Checks recipes and scripts with the linters that are installed: lintian, rpmlint, rpmspec, makepkg, namcap
# and shellcheck.
#
#     packaging/test/recipes.sh FOLDER_OF_PACKAGES
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# = 1 ] || { echo "usage: recipes.sh FOLDER_OF_PACKAGES" >&2; exit 1; }
packages=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
has() { command -v "$1" >/dev/null 2>&1 || { echo "== $1 is not installed: skipped"; return 1; }; }
if has lintian; then
    echo "== lintian"
    lintian --fail-on error,warning "$packages"/pyroclast-opencl-icd_*.deb
fi
if has rpmlint; then
    echo "== rpmlint"
    rpmlint "$packages/pyroclast.spec"
fi
if has rpmspec; then
    echo "== rpmspec"
    rpmspec --query "$packages/pyroclast.spec"
fi
if has makepkg && has pacman-conf; then
    echo "== makepkg --printsrcinfo"
    cp "$packages/PKGBUILD" "$work"
    chmod 777 "$work"
    # makepkg refuses to run as root.
    (cd "$work" && if [ "$(id -u)" = 0 ]; then runuser -u nobody -- makepkg --printsrcinfo; else
        makepkg --printsrcinfo; fi)
fi
if has namcap; then
    echo "== namcap"
    namcap "$packages/PKGBUILD"
fi
if has shellcheck; then
    echo "== shellcheck"
    shellcheck -x -P "$here" "$here"/*.sh "$here/../../x"
    shellcheck -s bash -e SC2034,SC2154,SC2164 "$packages/PKGBUILD"
fi
echo "== recipes: all checks passed"
