#!/bin/sh
# Measures misnomer, and ripgrep where it is installed, on logs that are made for it.
# usage: benches/run.sh [-k] [-r RUNS] [-s "MEGABYTES ..."] [-f "SHARE ..."] [-o "text jsonl"]
#   -k  keep the logs; -r  runs of each, of which the least counts (3); -s  sizes in MB (1000);
#   -f  shares of failing lines (0.0001 0.01 0.1 1); -o  forms. At a share of 1 every failure has a name of its own.
set -eu
cd "$(dirname "$0")/.."

runs=3 sizes=1000 shares="0.0001 0.01 0.1 1" forms="text jsonl" keep=
while getopts kr:s:f:o: option; do
    case $option in
    k) keep=yes ;;
    r) runs=$OPTARG ;;
    s) sizes=$OPTARG ;;
    f) shares=$OPTARG ;;
    o) forms=$OPTARG ;;
    *) sed -n '3,5s/^# *//p' "$0" >&2; exit 2 ;;
    esac
done

timer=/usr/bin/time
[ -x "$timer" ] || { echo "$0: needs GNU time as $timer" >&2; exit 2; }
cargo build --release --quiet --bin misnomer --example bench_logs
bin=${CARGO_TARGET_DIR:-target}/release
work=$(mktemp -d "${TMPDIR:-/tmp}/misnomer-bench.XXXXXX")
[ "$keep" ] && echo "logs are kept in $work" || trap 'rm -rf "$work"' EXIT INT TERM
rg=$(command -v rg || true)
[ "$rg" ] || echo "ripgrep is not installed: misnomer alone is measured"

# measure NAME COMMAND...: adds "seconds user system kilobytes" to the file of NAME.
measure() {
    name=$1; shift
    # Exit codes say what was found, not that it went wrong.
    "$timer" -q -a -o "$work/$name.times" -f '%e %U %S %M' "$@" >"$work/out" 2>"$work/err" || true
}

# Of all runs of NAME: the least seconds, the least seconds of the processors, the most megabytes.
least() { awk 'NR == 1 || $1 < m { m = $1 } END { print m }' "$work/$1.times"; }
busy() { awk 'NR == 1 || $2 + $3 < m { m = $2 + $3 } END { print m }' "$work/$1.times"; }
peak() { awk '$4 > m { m = $4 } END { print m / 1024 }' "$work/$1.times"; }

printf '%-6s %6s %7s  %7s %7s  %7s %7s %6s  %7s %8s %8s  %7s\n' \
    form MB share 'rg s' 'rg cpu' 'two s' 'two cpu' ratio 'one s' 'one/two' 'MB/s' 'peak MB'
for form in $forms; do for size in $sizes; do for share in $shares; do
    log=$work/bench.$form
    unique=; case $share in 1 | 1.0) unique=--unique ;; esac
    "$bin/examples/bench_logs" "$form" "$size" "$log" --failures "$share" $unique >/dev/null
    cat "$log" >/dev/null
    rm -f "$work"/*.times
    run=0
    while [ $run -lt "$runs" ]; do
        run=$((run + 1))
        [ -z "$rg" ] || measure rg "$rg" -c -i -F -f benches/needles.txt "$log"
        measure two "$bin/misnomer" audit "$log" --threads 2 --format json
        measure one "$bin/misnomer" audit "$log" --threads 1 --format json
    done
    rg_s=- rg_busy=-
    if [ "$rg" ]; then rg_s=$(least rg) rg_busy=$(busy rg); fi
    awk -v form="$form" -v size="$size" -v share="$share" -v rg="$rg_s" -v rg_busy="$rg_busy" \
        -v two="$(least two)" -v busy="$(busy two)" -v one="$(least one)" -v peak="$(peak two)" 'BEGIN {
        ratio = rg == "-" ? "-" : sprintf("%.2f", two / rg)
        printf "%-6s %6d %7s  %7s %7s  %7.2f %7.2f %6s  %7.2f %8.2f %8.0f  %7.0f\n",
            form, size, share, rg, rg_busy, two, busy, ratio, one, one / two, size / two, peak
    }'
    rm -f "$log"
done; done; done
