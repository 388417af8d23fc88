#!/bin/sh
# Builds the RPM package from the spec and the commit's sources with rpmbuild, and uses what it contains.
#
#     packaging/test/rpm.sh FOLDER_OF_PACKAGES
#
# Dependencies are those of another distribution: they are not checked, and the package is unpacked, not
# installed. CARGO_TARGET_DIR keeps compiled crates for the next run.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# = 1 ] || { echo "usage: rpm.sh FOLDER_OF_PACKAGES" >&2; exit 1; }
spec=$(realpath "$1")/pyroclast.spec
version=$(sed -n 's/^Version: *//p' "$spec")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/SOURCES"
git -C "$here" archive --format=tar.gz --prefix="pyroclast-$version/" \
    -o "$work/SOURCES/pyroclast-$version.tar.gz" HEAD:"$(git -C "$here/../.." rev-parse --show-prefix)"
rpmbuild -bb --nodeps --define "_topdir $work" "$spec" >"$work/log" 2>&1 || { tail -n 40 "$work/log" >&2; exit 1; }
for package in "$work"/RPMS/*/pyroclast-opencl-"$version"-*.rpm; do :; done
rpm --query --package --list "$package"
mkdir "$work/root"
(cd "$work/root" && rpm2cpio "$package" | cpio --quiet -idm)
library=$(find "$work/root" -name libpyroclast.so.1)
[ "$(cat "$work/root/etc/OpenCL/vendors/pyroclast.icd")" = libpyroclast.so.1 ]
"$work/root/usr/bin/pyroclast" --version
"$work/root/usr/bin/pyroclast" run --driver "$library" -- clinfo -l
echo "== the RPM package builds, and its driver works"
