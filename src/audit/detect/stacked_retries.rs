//! MN301: one retry layer inside another: the attempts multiply.

use super::{Detector, Extent, Subject, View};
use crate::audit::case::LaneView;
use crate::audit::failures::place;
use crate::audit::finding::{Confidence, Finding, Severity, Tally};
use crate::audit::observe::{Attempt, Observed, SECOND, between, concrete};
use crate::evidence::Kind;
use std::collections::BTreeMap;

pub(super) const RULE: Detector = Detector {
    id: "stacked-retries",
    code: "MN301",
    title: "retry layers inside one another",
    help: "One call is tried by two layers, so that their attempts multiply: the counter of the inner layer starts again while the outer one goes on, the same \"attempt 3/3\" stands twice for one call, or one request id comes back after a layer below gave up on it. \
It keeps silent where the tries belong to another run, another target, or where a success lies between. \
Keep one layer: the inner one, which knows the error.",
    severity: Severity::Warning,
    extent: Extent::Lane,
    knobs: &[(
        "within",
        "15m",
        "the rounds of the inner layer follow one another within this time",
    )],
    detect,
};

/// The rounds of an inner layer for one call.
struct Stack {
    /// The rows of each round.
    rounds: Vec<Vec<usize>>,
    /// Tries in a round.
    inner: i64,
    /// Rounds, as seen or as the outer layer counts them.
    outer: i64,
    /// Whether the outer layer wrote lines of its own.
    told: bool,
}

fn detect(view: &View<'_>, rule: &Detector, out: &mut Vec<Finding>) {
    for (lane, _, observed) in view.lanes() {
        let within = rule.knob(view, lane.lane, "within") * SECOND;
        let mut stacks: Vec<Stack> = rounds(lane, observed, within);
        stacks.extend(nested(lane, observed, within));
        stacks.extend(upstreams(lane, observed));
        let Some(worst) = stacks.iter().max_by_key(|s| {
            (
                s.told,
                s.inner * s.outer,
                std::cmp::Reverse(s.rounds[0].first().copied()),
            )
        }) else {
            continue;
        };
        let mut tally = Tally::default();
        for stack in &stacks {
            for round in stack.rounds.iter().skip(1) {
                for row in round {
                    tally.attempt(lane.row(*row));
                }
            }
            let ends = |r: &Vec<usize>, last: bool| {
                if last { r.last() } else { r.first() }.and_then(|i| lane.rows[*i].time)
            };
            if let (Some(second), Some(last)) = (stack.rounds.get(1), stack.rounds.last()) {
                tally.span(lane.lane, ends(second, false), ends(last, true));
            }
        }
        let (inner, outer) = (worst.inner, worst.outer);
        let first = lane.row(worst.rounds[0][0]);
        let subject = Subject {
            lane: lane.lane,
            recorded: &first.pattern,
            cause: "",
            decides: "",
        };
        out.push(
            rule.finding(
                &subject,
                if worst.told {
                    Confidence::Certain
                } else {
                    Confidence::Likely
                },
                format!(
                    "{outer} × {inner} = {} requests for one call. Keep the inner layer alone.",
                    outer * inner
                ),
            )
            .fact("inner", inner)
            .fact("outer", outer)
            .fact("requests", outer * inner)
            .fact("stacks", stacks.len())
            .tallied(tally)
            .at(worst.rounds.iter().flatten().map(|i| place(lane.row(*i)))),
        );
    }
}

/// What an attempt is about: its key, else its text without counters.
fn about(lane: &LaneView<'_>, attempt: &Attempt) -> String {
    let e = lane.row(attempt.row);
    let key = ["request", "job", "target"]
        .iter()
        .find_map(|k| e.keys.get(*k));
    match key {
        Some(key) => key.clone(),
        None => concrete(&e.text),
    }
}

/// A layer whose counter reaches its end twice for one call within a short time and in one run.
fn rounds(lane: &LaneView<'_>, observed: &Observed<'_>, within: i64) -> Vec<Stack> {
    let mut by_call: BTreeMap<(&str, String, &str), Vec<&Attempt>> = BTreeMap::new();
    for attempt in observed
        .attempts
        .iter()
        .filter(|a| a.failed.is_some() && a.bound.is_some() && !a.injected)
    {
        let file = lane.row(attempt.row).file.as_ref();
        by_call
            .entry((&attempt.layer, about(lane, attempt), file))
            .or_default()
            .push(attempt);
    }
    let mut out = Vec::new();
    for attempts in by_call.into_values() {
        let mut rounds: Vec<Vec<&Attempt>> = Vec::new();
        for attempt in attempts {
            let goes_on = rounds
                .last()
                .and_then(|r: &Vec<&Attempt>| r.last())
                .is_some_and(|last| last.failed < attempt.failed);
            match rounds.last_mut() {
                Some(round) if goes_on => round.push(attempt),
                _ => rounds.push(vec![attempt]),
            }
        }
        // Rounds that reached their end and follow one another at once.
        let mut chain: Vec<Vec<&Attempt>> = Vec::new();
        let mut done: Vec<Vec<Vec<&Attempt>>> = Vec::new();
        for round in rounds {
            let follows = chain.last().and_then(|r| r.last()).is_some_and(|last| {
                let next = round[0];
                let bound = last.bound.unwrap_or(i64::MAX);
                last.failed.is_some_and(|f| f + 1 >= bound)
                    && matches!((last.time, next.time), (Some(a), Some(b)) if b - a <= within)
                    && same_run(lane, last.row, next.row)
                    && !success_between(lane, last.row, next.row)
            });
            if !follows && !chain.is_empty() {
                done.push(std::mem::take(&mut chain));
            }
            chain.push(round);
        }
        done.push(chain);
        for chain in done.into_iter().filter(|c| c.len() > 1 && c[0].len() > 1) {
            let inner = chain[0][0].bound.unwrap_or(chain[0].len() as i64);
            out.push(Stack {
                outer: chain.len() as i64,
                inner,
                told: false,
                rounds: chain
                    .iter()
                    .map(|r| r.iter().map(|a| a.row).collect())
                    .collect(),
            });
        }
    }
    out
}

/// Lines of one layer between the lines of another that counts on.
fn nested(lane: &LaneView<'_>, observed: &Observed<'_>, within: i64) -> Vec<Stack> {
    let mut by_layer: BTreeMap<&str, Vec<&Attempt>> = BTreeMap::new();
    for attempt in observed
        .attempts
        .iter()
        .filter(|a| !a.injected && a.time.is_some())
    {
        by_layer
            .entry(pattern(lane, attempt))
            .or_default()
            .push(attempt);
    }
    let mut out = Vec::new();
    for (name, outer) in &by_layer {
        let counts = |a: &&&Attempt| a.failed.is_some();
        if outer.iter().filter(counts).count() < 2 {
            continue;
        }
        for (other, inner) in by_layer.iter().filter(|(o, _)| *o != name) {
            let mut rounds: Vec<Vec<usize>> = Vec::new();
            let mut tries = 0;
            let mut before: Option<&Attempt> = None;
            for attempt in outer.iter().filter(counts) {
                let from = before.and_then(|b| b.time).unwrap_or(i64::MIN);
                let to = attempt.time.unwrap_or(i64::MIN);
                let rises = before.is_none_or(|b| b.failed < attempt.failed);
                let near = before.is_none() || to - from <= within;
                if !rises || !near {
                    break;
                }
                let round: Vec<&&Attempt> = inner
                    .iter()
                    .filter(|i| {
                        i.time.is_some_and(|t| {
                            t > from && t <= to && (before.is_some() || to - t <= within)
                        }) && same_thing(lane, i.row, attempt.row)
                    })
                    .collect();
                let counted = round.iter().filter_map(|a| a.failed).max().unwrap_or(0);
                if !round.is_empty() {
                    tries = tries.max(counted.max(round.len() as i64 + 1));
                    rounds.push(round.iter().map(|a| a.row).collect());
                }
                before = Some(attempt);
            }
            let rest: Vec<usize> = inner
                .iter()
                .filter(|i| {
                    before.is_some_and(|b| {
                        matches!((b.time, i.time), (Some(x), Some(t)) if t > x && t - x <= within)
                            && same_thing(lane, i.row, b.row)
                    })
                })
                .map(|i| i.row)
                .collect();
            if !rest.is_empty() && !rounds.is_empty() {
                rounds.push(rest);
            }
            // A round of one line tells its tries itself, the same number each time; a number that rises is the outer count.
            let of_one: Vec<Option<i64>> = rounds
                .iter()
                .filter(|r| r.len() == 1)
                .map(|r| inner.iter().find(|a| a.row == r[0]).and_then(|a| a.failed))
                .collect();
            let steady = of_one
                .iter()
                .all(|n| n.is_some_and(|n| n > 1) && *n == of_one[0]);
            let whole = rounds.iter().filter(|r| r.len() > 1 || steady).count();
            if whole > 1 && tries > 1 && *other != "retry.injected" {
                out.push(Stack {
                    outer: (rounds.len() as i64).max(
                        outer
                            .iter()
                            .filter_map(|a| a.bound)
                            .max()
                            .unwrap_or(0)
                            .min(rounds.len() as i64),
                    ),
                    inner: tries,
                    told: true,
                    rounds,
                });
            }
        }
    }
    out
}

/// One request id that comes back, and each time a proxy below tried several servers for it.
fn upstreams(lane: &LaneView<'_>, observed: &Observed<'_>) -> Vec<Stack> {
    let mut by_request: BTreeMap<&str, Vec<&Attempt>> = BTreeMap::new();
    for attempt in &observed.attempts {
        let e = lane.row(attempt.row);
        if e.pattern.starts_with("retry.upstreams")
            && let Some(request) = e.keys.get("request")
        {
            by_request.entry(request).or_default().push(attempt);
        }
    }
    by_request
        .into_values()
        .filter(|tries| tries.len() > 1)
        .map(|tries| Stack {
            outer: tries.len() as i64,
            inner: tries
                .iter()
                .map(|a| {
                    let servers = lane.row(a.row).values.get("servers");
                    servers.map_or(1, |s| s.split(',').count() as i64)
                })
                .max()
                .unwrap_or(1),
            told: true,
            rounds: tries.iter().map(|a| vec![a.row]).collect(),
        })
        .collect()
}

fn pattern<'v>(lane: &'v LaneView<'_>, attempt: &Attempt) -> &'v str {
    &lane.row(attempt.row).pattern
}

/// Whether two rows may be about one call: no key says otherwise.
fn same_thing(lane: &LaneView<'_>, a: usize, b: usize) -> bool {
    let (a, b) = (lane.row(a), lane.row(b));
    !["request", "job", "run"]
        .iter()
        .any(|k| matches!((a.keys.get(*k), b.keys.get(*k)), (Some(x), Some(y)) if x != y))
}

fn same_run(lane: &LaneView<'_>, a: usize, b: usize) -> bool {
    let (a, b) = (&lane.rows[a], &lane.rows[b]);
    if a.evidence.file != b.evidence.file {
        return false;
    }
    a.run == b.run
        && !lane
            .of_file(&a.evidence.file)
            .get(a.rank + 1..b.rank)
            .unwrap_or(&[])
            .iter()
            .any(|i| lane.row(*i).kind == Kind::Scope)
}

fn success_between(lane: &LaneView<'_>, a: usize, b: usize) -> bool {
    let key = lane.row(a).keys.get("target");
    lane.rows[a.min(b) + 1..b.max(a)].iter().any(|r| {
        super::succeeded(r.evidence)
            && (key.is_none() || r.evidence.keys.get("target") == key)
            && between(lane.rows[a].time, r.time) >= 0
    })
}
