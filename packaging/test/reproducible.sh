#!/bin/sh
# Makes all packages twice and compares them byte by byte.
#
#     packaging/test/reproducible.sh [arguments of ./x dist]
set -eu
cd "$(dirname "$0")/../.."
./x dist --output target/dist/first "$@" >/dev/null
# Another time, another order of the folder.
sleep 2
./x dist --output target/dist/second "$@" >/dev/null
diff -r target/dist/first target/dist/second
cat target/dist/second/SHA256SUMS
rm -r target/dist/first target/dist/second
echo "== two runs of ./x dist: identical files"
