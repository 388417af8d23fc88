#!/bin/sh
# Tests the relocatable archive in a fresh Debian 12: it runs programs where it lies, installs for everyone
# and for a user beside PoCL, repairs broken installations, and removes everything.
#
#     packaging/test/archive.sh ARCHIVE.tar.xz
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=chroot.sh
. "$here/chroot.sh"
[ $# = 1 ] || fail "usage: archive.sh ARCHIVE.tar.xz"

root=$(mktemp -d)
trap 'remove_debian "$root"; rm -f "$root".before "$root".after "$root".list' EXIT
say "a fresh Debian 12"
fresh_debian "$root"
inside "$root" apt-get update -qq
inside_install "$root" clinfo pocl-opencl-icd ocl-icd-libopencl1 python3-pyopencl python3-mako
cp "$here/program.py" "$root/root/"
mkdir "$root/opt/here"
tar -xJf "$1" -C "$root/opt/here" --strip-components 1
listing() {
    inside "$root" find /etc /usr /opt /root /home -xdev -path /root/.cache -prune -o -print | LC_ALL=C sort
}
listing >"$root.before"
tool=/opt/here/bin/pyroclast
listed() { inside "$root" clinfo -l; }
is_whole() {
    listed | grep -q Pyroclast || fail "$1: Pyroclast is not listed"
    listed | grep -q 'Portable Computing Language' || fail "$1: PoCL is not listed"
    inside "$root" python3 /root/program.py
}

say "without installing"
inside "$root" $tool run -- python3 /root/program.py
if listed | grep -q Pyroclast; then fail "it is installed already"; fi

say "install for everyone"
inside "$root" $tool install
is_whole install
inside "$root" pyroclast install | grep -v keep || true
inside "$root" pyroclast info | sed -n '1,9p;/To do/,$p'

library=/usr/local/lib/pyroclast/libpyroclast.so.1
icd=/etc/OpenCL/vendors/pyroclast.icd
for broken in "rm $library" "rm $icd" "truncate -s 100 $library" "truncate -s 0 $icd" \
    "rm /usr/local/lib/pyroclast/installed.json" "rm /usr/local/bin/pyroclast"; do
    say "broken: $broken"
    # shellcheck disable=SC2086 # a command and its arguments
    inside "$root" $broken
    inside "$root" $tool info | sed -n '/To do/,$p'
    inside "$root" $tool install | grep -v keep
    is_whole "$broken"
done

say "uninstall"
inside "$root" pyroclast uninstall
listing >"$root.after"
diff "$root.before" "$root.after" || fail "files are left, or gone"

say "another vendor's file is not overwritten"
echo libvendor.so >"$root$icd"
inside "$root" $tool install 2>&1 | grep 'is not ours' || fail "it was overwritten"
[ "$(cat "$root$icd")" = libvendor.so ] || fail "it was overwritten"
rm "$root$icd"

say "install for a user"
inside "$root" useradd -m user
run_user="runuser -u user -- env HOME=/home/user"
# shellcheck disable=SC2086 # a command and its arguments
inside "$root" $run_user $tool install
# shellcheck disable=SC2086
inside "$root" $run_user OCL_ICD_VENDORS=/home/user/.config/OpenCL/vendors clinfo -l
# shellcheck disable=SC2086
inside "$root" $run_user $tool uninstall
[ -z "$(find "$root/home/user" -name '*pyroclast*' ! -path '*/.cache/*')" ] || fail "files of the user are left"
# shellcheck disable=SC2086
inside "$root" $run_user $tool install --system 2>&1 | grep 'use sudo' || fail "no advice about rights"
say "the archive: all tests passed"
