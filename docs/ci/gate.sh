#!/usr/bin/env bash
# Runs the gate in a job of GitHub Actions: annotations on standard output, SARIF in a file, Markdown in the step summary.
# Reads MISNOMER (the program), MISNOMER_PATHS and MISNOMER_ARGS (one a line), MISNOMER_BASELINE, MISNOMER_SARIF.
set -uo pipefail

program=${MISNOMER:-${RUNNER_TEMP:-$HOME}/misnomer/bin/misnomer}
flags=()
while IFS= read -r line; do
    [ -n "$line" ] && flags+=("$line")
done <<<"${MISNOMER_PATHS:-logs}
${MISNOMER_ARGS:-}"
[ -n "${MISNOMER_BASELINE:-}" ] && flags+=(--baseline "$MISNOMER_BASELINE")
summary=$(mktemp)

"$program" gate "${flags[@]}" --format github --progress never \
    --output "sarif=${MISNOMER_SARIF:-misnomer.sarif}" --output "markdown=$summary"
code=$?

[ -s "$summary" ] && [ -n "${GITHUB_STEP_SUMMARY:-}" ] && cat "$summary" >>"$GITHUB_STEP_SUMMARY"
rm -f "$summary"
[ -n "${GITHUB_OUTPUT:-}" ] && echo "code=$code" >>"$GITHUB_OUTPUT"
exit "$code"
