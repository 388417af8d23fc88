#!/bin/sh
# Builds the RPM package from the spec and the commit's sources with rpmbuild, and uses what it contains.
#
#     packaging/test/rpm.sh FOLDER_OF_PACKAGES
#
# Dependencies are those of another distribution: they are not checked, and the package is unpacked, not
# installed. PREBUILT=FOLDER takes the driver and the tool from there instead of compiling them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# = 1 ] || { echo "usage: rpm.sh FOLDER_OF_PACKAGES" >&2; exit 1; }
spec=$(realpath "$1")/pyroclast.spec
version=$(sed -n 's/^Version: *//p' "$spec")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/SOURCES"
git -C "$here/../.." archive --format=tar.gz --prefix="pyroclast-$version/" \
    -o "$work/SOURCES/pyroclast-$version.tar.gz" HEAD
build() { rpmbuild --nodeps --define "_topdir $work" "$@" "$spec" >"$work/log" 2>&1 || { tail -n 40 "$work/log" >&2; exit 1; }; }
if [ -z "${PREBUILT:-}" ]; then
    build -bb
else
    build -bp
    mkdir -p "$work/BUILD/pyroclast-$version/target/release"
    cp "$PREBUILT/libpyroclast.so" "$PREBUILT/pyroclast" "$work/BUILD/pyroclast-$version/target/release/"
    build -bi --short-circuit
    build -bb --short-circuit
fi
for package in "$work"/RPMS/*/pyroclast-opencl-"$version"-*.rpm; do :; done
rpm --query --package --list "$package"
mkdir "$work/root"
(cd "$work/root" && rpm2cpio "$package" | cpio --quiet -idm)
library=$(find "$work/root" -name libpyroclast.so.1)
[ "$(cat "$work/root/etc/OpenCL/vendors/pyroclast.icd")" = libpyroclast.so.1 ]
"$work/root/usr/bin/pyroclast" --version
"$work/root/usr/bin/pyroclast" run --driver "$library" -- clinfo -l
echo "== the RPM package builds, and its driver works"
