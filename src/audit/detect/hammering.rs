//! MN305: calls go on at the same pace after a limit was announced.

use super::{Detector, Extent, Subject, View};
use crate::audit::case::LaneView;
use crate::audit::failures::place;
use crate::audit::finding::{Confidence, Finding, Severity, Tally};
use crate::audit::observe::{Observed, SECOND, Sign, between, span};
use crate::audit::verdict::reset;
use crate::cause::Cause;
use crate::evidence::Kind;

pub(super) const RULE: Detector = Detector {
    id: "hammering",
    code: "MN305",
    title: "calls go on after a limit",
    help: "After a refusal for too many requests (429, a throttle, a session limit) the lane calls again and again at the same or a higher pace and is refused each time. Refusals of calls that were already under way count once. \
It keeps silent where each pause is as long as was asked for, where the pauses grow, and where calls succeed in between. \
Stop all callers of the same key at the first refusal, wait as long as is asked, then let one go first.",
    severity: Severity::Warning,
    extent: Extent::Lane,
    knobs: &[
        (
            "refusals",
            "3",
            "how many refusals in a row, after the first, make a finding",
        ),
        (
            "window",
            "60s",
            "a shorter pause than this counts as none where no wait is asked for",
        ),
        (
            "flight",
            "2s",
            "refusals within this time belong to calls that were under way together",
        ),
    ],
    detect,
};

const LIMITS: &[Cause] = &[
    Cause::RateLimited,
    Cause::QuotaExhausted,
    Cause::BotChallenge,
];

/// Seconds: where no wait is asked for, a steady pause below this is no patience either, if there are many.
const PATIENT: i64 = 900;

/// Whether most pauses are longer by half than the one before: a back-off, whatever its length.
fn backs_off(pauses: &[(usize, i64, bool)]) -> bool {
    let grown = pauses
        .windows(2)
        .filter(|p| p[0].1 > 0 && p[1].1 * 2 >= p[0].1 * 3)
        .count();
    pauses.len() > 1 && grown * 5 >= (pauses.len() - 1) * 3
}

/// Refusals that were under way together.
struct Volley<'s, 't> {
    first: &'s Sign<'t>,
    last: &'s Sign<'t>,
    signs: Vec<&'s Sign<'t>>,
}

fn detect(view: &View<'_>, rule: &Detector, out: &mut Vec<Finding>) {
    for (lane, _, observed) in view.lanes() {
        let (least, window, flight) = (
            rule.knob(view, lane.lane, "refusals").max(2),
            rule.knob(view, lane.lane, "window"),
            rule.knob(view, lane.lane, "flight") * SECOND,
        );
        let signs: Vec<&Sign<'_>> = observed
            .signs
            .iter()
            .filter(|s| s.sure && LIMITS.contains(&s.cause) && s.time.is_some())
            .filter(|s| lane.row(s.row).kind == Kind::Cause)
            .collect();
        let volleys = volleys(&signs, flight);
        let mut streak: Vec<(usize, i64, bool)> = Vec::new();
        let mut best: Vec<(usize, i64, bool)> = Vec::new();
        for next in 1..volleys.len() {
            let (a, b) = (&volleys[next - 1], &volleys[next]);
            let pause = (b.first.time.unwrap_or(0) - a.last.time.unwrap_or(0)).max(0) / SECOND;
            let asked = asked(lane, a);
            let (too_soon, plain) = match asked {
                Some(wait) => (pause + 1 < wait.min(window), true),
                None => (pause < PATIENT, pause < window),
            };
            if too_soon && !recovers(lane, a, b) {
                streak.push((next - 1, pause, plain));
            } else {
                streak.clear();
            }
            if streak.len() > best.len() {
                best = streak.clone();
            }
        }
        let all_plain = best.iter().all(|(_, _, plain)| *plain);
        if (best.len() as i64) < least + i64::from(!all_plain) || backs_off(&best) {
            unstamped(lane, rule, observed, least, out);
            continue;
        }
        let run: Vec<&Volley<'_, '_>> = best.iter().map(|(i, _, _)| &volleys[i + 1]).collect();
        let begin = &volleys[best[0].0];
        push(lane, rule, begin, &run, out);
    }
}

/// Refusals in a file without stamps: many in a row about different things, and nothing but refusals between.
fn unstamped(
    lane: &LaneView<'_>,
    rule: &Detector,
    observed: &Observed<'_>,
    least: i64,
    out: &mut Vec<Finding>,
) {
    let signs: Vec<&Sign<'_>> = observed
        .signs
        .iter()
        .filter(|s| s.sure && LIMITS.contains(&s.cause) && s.time.is_none())
        .collect();
    let different: std::collections::BTreeSet<&str> =
        signs.iter().map(|s| s.text.as_str()).collect();
    if (different.len() as i64) <= least + 1 {
        return;
    }
    let volleys: Vec<Volley<'_, '_>> = signs
        .iter()
        .map(|s| Volley {
            first: s,
            last: s,
            signs: vec![*s],
        })
        .collect();
    let (Some(begin), rest) = (volleys.first(), &volleys[1..]) else {
        return;
    };
    if volleys.windows(2).any(|p| recovers(lane, &p[0], &p[1])) {
        return;
    }
    push(lane, rule, begin, &rest.iter().collect::<Vec<_>>(), out);
}

fn push(
    lane: &LaneView<'_>,
    rule: &Detector,
    begin: &Volley<'_, '_>,
    run: &[&Volley<'_, '_>],
    out: &mut Vec<Finding>,
) {
    let mut tally = Tally::default();
    let mut count = 0;
    for sign in run.iter().flat_map(|v| &v.signs) {
        tally.request(lane.row(sign.row), sign.count);
        count += sign.count;
    }
    let last = run.last().map_or(begin.last, |v| v.last);
    tally.span(lane.lane, begin.last.time, last.time);
    let seconds = between(begin.last.time, last.time);
    let subject = Subject {
        lane: lane.lane,
        recorded: &lane.row(begin.first.row).name,
        cause: begin.first.cause.slug(),
        decides: "",
    };
    out.push(
        rule.finding(
            &subject,
            Confidence::Likely,
            format!(
                "{count} more calls within {} after the first refusal ({}), all refused. Stop every caller of this key at the first refusal; one probe goes first.",
                span(seconds),
                begin.first.cause
            ),
        )
        .fact("cause", begin.first.cause)
        .fact("refusals", count)
        .fact("seconds", seconds)
        .tallied(tally)
        .at(std::iter::once(begin).chain(run.iter().copied()).map(|v| place(lane.row(v.first.row)))),
    );
}

fn volleys<'s, 't>(signs: &[&'s Sign<'t>], flight: i64) -> Vec<Volley<'s, 't>> {
    let mut out: Vec<Volley<'s, 't>> = Vec::new();
    for sign in signs {
        match out.last_mut() {
            Some(v) if sign.time.unwrap_or(0) - v.first.time.unwrap_or(0) <= flight => {
                v.last = sign;
                v.signs.push(sign);
            }
            _ => out.push(Volley {
                first: sign,
                last: sign,
                signs: vec![sign],
            }),
        }
    }
    out
}

/// The seconds that were asked for beside a refusal.
pub(super) fn announced(lane: &LaneView<'_>, sign: &Sign<'_>) -> Option<i64> {
    let here = &lane.rows[sign.row];
    let file = lane.of_file(&here.evidence.file);
    let from = here.rank.saturating_sub(6);
    file.get(from..(here.rank + 7).min(file.len()))?
        .iter()
        .map(|i| lane.row(*i))
        .filter(|e| e.kind == Kind::Reset && (e.record_line - here.evidence.record_line).abs() <= 3)
        .filter(|e| match (e.time, here.evidence.time) {
            (Some(a), Some(b)) => a.abs_diff(b) <= 5 * SECOND as u64,
            _ => true,
        })
        .filter_map(reset::instant)
        .filter(|at| {
            sign.time
                .is_some_and(|t| *at > t && at - t <= reset::FARTHEST)
        })
        .max()
}

fn asked(lane: &LaneView<'_>, volley: &Volley<'_, '_>) -> Option<i64> {
    let at = volley
        .signs
        .iter()
        .filter_map(|s| announced(lane, s))
        .max()?;
    Some((at - volley.last.time?) / SECOND)
}

/// Whether a call succeeded between two volleys: one to the same target, or any where none is named.
fn recovers(lane: &LaneView<'_>, a: &Volley<'_, '_>, b: &Volley<'_, '_>) -> bool {
    let target = lane.row(a.last.row).keys.get("target");
    lane.rows[a.last.row + 1..b.first.row].iter().any(|r| {
        let e = r.evidence;
        let call = matches!(&*e.pattern, "outcome.ok.status" | "outcome.ok.arrow");
        super::succeeded(e)
            && match target {
                Some(target) => e.keys.get("target") == Some(target),
                None => call,
            }
    })
}

/// Refusals of a lane, for rules beside this one.
pub(super) fn refusals<'s, 't>(observed: &'s Observed<'t>) -> impl Iterator<Item = &'s Sign<'t>> {
    observed
        .signs
        .iter()
        .filter(|s| s.sure && LIMITS.contains(&s.cause) && s.time.is_some())
}
