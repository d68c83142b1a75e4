//! MN306: calls before an announced reset, across runs and across lanes of one bucket.

use super::hammering::{announced, refusals};
use super::{Detector, Extent, Subject, View};
use crate::audit::case::LaneView;
use crate::audit::failures::place;
use crate::audit::finding::{Confidence, Finding, Place, Severity, Tally};
use crate::audit::observe::{Observed, SECOND, Sign, span};
use crate::time::rfc3339;
use std::collections::BTreeMap;

pub(super) const RULE: Detector = Detector {
    id: "before-reset",
    code: "MN306",
    title: "called before the announced reset",
    help: "A refusal said when the limit ends (`Retry-After`, `resets_at`, `resets_in_seconds`, a clock with its zone), and a later call came before it: in the same run, in a later run, or in another lane of the same `bucket`. A later answer never shortens a cool-down. \
It keeps silent for calls that were under way already, for resets nearer than `least`, and for resets so far away that a person must look. \
Keep the reset where every run and every lane of the bucket reads it, and let one probe go first when it has come.",
    severity: Severity::Warning,
    extent: Extent::AllLanes,
    knobs: &[
        (
            "least",
            "2m",
            "resets nearer than this are the business of the retry layer",
        ),
        (
            "flight",
            "10s",
            "calls that end so soon after the announcement were under way",
        ),
    ],
    detect,
};

fn detect(view: &View<'_>, rule: &Detector, out: &mut Vec<Finding>) {
    let mut buckets: BTreeMap<String, Vec<(&LaneView<'_>, &Observed<'_>)>> = BTreeMap::new();
    for (lane, _, observed) in view.lanes() {
        let bucket = view
            .settings
            .lane(lane.lane)
            .and_then(|l| l.bucket.clone())
            .map_or_else(|| format!("lane {}", lane.lane), |b| format!("bucket {b}"));
        buckets.entry(bucket).or_default().push((lane, observed));
    }
    for (bucket, lanes) in buckets {
        bucketful(view, rule, &bucket, &lanes, out);
    }
}

fn bucketful(
    view: &View<'_>,
    rule: &Detector,
    bucket: &str,
    lanes: &[(&LaneView<'_>, &Observed<'_>)],
    out: &mut Vec<Finding>,
) {
    let (first_lane, _) = lanes[0];
    let least = rule.knob(view, first_lane.lane, "least") * SECOND;
    let flight = rule.knob(view, first_lane.lane, "flight") * SECOND;
    let mut calls: Vec<(&LaneView<'_>, &Sign<'_>)> = lanes
        .iter()
        .flat_map(|(lane, observed)| refusals(observed).map(move |s| (*lane, s)))
        .collect();
    calls.sort_by_key(|(lane, s)| (s.time, lane.lane, s.row));
    let mut open: Option<(i64, i64, &LaneView<'_>, &Sign<'_>)> = None;
    let mut tally = Tally::default();
    let mut places: Vec<Place> = Vec::new();
    let mut seen: Option<(i64, i64)> = None;
    let mut count = 0;
    let mut others: Vec<&str> = Vec::new();
    for (lane, sign) in calls {
        let Some(time) = sign.time else { continue };
        if let Some((said, until, by, announcing)) = open
            && time > said + flight
            && time + SECOND < until
        {
            count += sign.count;
            tally.request(lane.row(sign.row), sign.count);
            if places.is_empty() {
                places.push(place(by.row(announcing.row)));
                seen = Some((said, until));
            }
            places.push(place(lane.row(sign.row)));
            if lane.lane != by.lane && !others.contains(&lane.lane) {
                others.push(lane.lane);
            }
        }
        if let Some(at) = announced(lane, sign)
            && at - time >= least
        {
            // A later answer never shortens a cool-down.
            let until = open.map_or(
                at,
                |(_, held, _, _)| if time < held { held.max(at) } else { at },
            );
            let since = open.filter(|(_, held, _, _)| time < *held);
            open = Some(match since {
                Some((said, _, by, first)) => (said, until, by, first),
                None => (time, until, lane, sign),
            });
        }
    }
    let Some((said, until)) = seen else { return };
    let whole = lanes.len() == 1;
    let subject = Subject {
        lane: if whole { first_lane.lane } else { "*" },
        recorded: bucket,
        cause: "",
        decides: "",
    };
    let mut finding = rule.finding(
        &subject,
        Confidence::Likely,
        format!(
            "{count} {} before the reset at {} that was announced {} earlier. Keep the reset where every run reads it; one probe goes first when it has come.",
            if count == 1 { "call" } else { "calls" },
            rfc3339(until),
            span((until - said) / SECOND)
        ),
    )
    .fact("calls", count)
    .fact("reset_at", rfc3339(until))
    .fact("announced_at", rfc3339(said))
    .tallied(tally)
    .at(places);
    if !whole {
        let names: Vec<&str> = lanes.iter().map(|(l, _)| l.lane).collect();
        finding = finding.fact("lanes", names.join(", "));
    }
    out.push(finding);
}
