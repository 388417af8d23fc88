#!/bin/sh
# Tests the wheel in a fresh virtual environment with PyOpenCL: found without any setting, results checked,
# nothing left after its removal.
#
#     packaging/test/wheel.sh WHEEL
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# = 1 ] || { echo "usage: wheel.sh WHEEL" >&2; exit 1; }
wheel=$(realpath "$1")
size=$(stat -c %s "$wheel")
echo "== $(basename "$wheel"): $size bytes"
[ "$size" -le 8000000 ]

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
python="env -i PATH=/usr/bin:/bin HOME=$folder $folder/venv/bin/python"
"$folder/venv/bin/pip" install -q --disable-pip-version-check pyopencl mako
(cd "$folder/venv" && find . -type f ! -name '*.pyc' | LC_ALL=C sort) >"$folder/before"
"$folder/venv/bin/pip" install -q --disable-pip-version-check "$wheel"
"$folder/venv/bin/pip" list --disable-pip-version-check 2>/dev/null | grep -i opencl
echo "== PyOpenCL's own loader"
$python "$here/program.py"
echo "== the system's loader"
vendors=$($python -c 'import pyroclast_opencl; print(pyroclast_opencl.vendors())')
if command -v clinfo >/dev/null; then OCL_ICD_VENDORS=$vendors clinfo -l; else cat "$vendors/pyroclast.icd"; fi
rm -r "$vendors"
echo "== removal"
"$folder/venv/bin/pip" uninstall -q -y pyroclast-opencl
(cd "$folder/venv" && find . -type f ! -name '*.pyc' | LC_ALL=C sort) >"$folder/after"
diff "$folder/before" "$folder/after"
echo "== the wheel: all tests passed"
