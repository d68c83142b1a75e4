//! MN402: many targets are taken out at once for one cause of one's own.

use super::{Detector, Extent, Subject, View};
use crate::audit::failures::place;
use crate::audit::finding::{Confidence, Finding, Severity, Tally};
use crate::audit::observe::{Hold, SECOND, between, span};
use crate::cause::Cause;
use std::collections::BTreeSet;

pub(super) const RULE: Detector = Detector {
    id: "mass-quarantine",
    code: "MN402",
    title: "all taken out at once",
    help: "Many different targets go into quarantine within minutes, on signs of one and the same cause that is one's own (a session, a credential, the network): not they are broken. \
It keeps silent where the causes differ, and where the refusals are about the targets. Check your own session first, and let all of them out again.",
    severity: Severity::Error,
    extent: Extent::Lane,
    knobs: &[
        ("targets", "5", "how many different targets"),
        ("window", "10m", "within how long"),
    ],
    detect,
};

/// Causes that lie on one's own side.
const OWN: &[Cause] = &[
    Cause::AuthRejected,
    Cause::AuthTransient,
    Cause::RateLimited,
    Cause::QuotaExhausted,
    Cause::BotChallenge,
    Cause::ClockSkew,
    Cause::DnsFailure,
    Cause::ProxyFailure,
    Cause::ConnectTimeout,
];

fn detect(view: &View<'_>, rule: &Detector, out: &mut Vec<Finding>) {
    for (lane, _, observed) in view.lanes() {
        let targets = rule.knob(view, lane.lane, "targets").max(2) as usize;
        let window = rule.knob(view, lane.lane, "window") * SECOND;
        let mut entries: Vec<(i64, &str, &Hold)> = observed
            .holds
            .iter()
            .filter(|(key, _)| !key.starts_with('<'))
            .flat_map(|(key, holds)| holds.iter().map(move |h| (key, h)))
            .filter(|(_, h)| h.enters)
            .filter_map(|(key, h)| Some((h.time?, key.as_str(), h)))
            .collect();
        entries.sort_by_key(|(time, key, _)| (*time, *key));
        let most = (0..entries.len()).map(|from| {
            let to = entries.partition_point(|e| e.0 <= entries[from].0 + window);
            &entries[from..to]
        });
        let keys =
            |some: &[(i64, &str, &Hold)]| some.iter().map(|e| e.1).collect::<BTreeSet<_>>().len();
        let Some(rush) = most
            .max_by_key(|some| keys(some))
            .filter(|some| keys(some) >= targets)
        else {
            continue;
        };
        let (from, to) = (rush[0].0, rush[rush.len() - 1].0);
        let causes: BTreeSet<Cause> = observed
            .signs
            .iter()
            .filter(|s| s.sure && s.time.is_some_and(|t| t + window / 2 >= from && t <= to))
            .map(|s| s.cause)
            .collect();
        let Some(cause) = causes
            .first()
            .filter(|c| causes.len() == 1 && OWN.contains(c))
        else {
            continue;
        };
        let mut tally = Tally::default();
        for (_, _, hold) in rush {
            tally.item(lane.row(hold.row), 1);
        }
        let subject = Subject {
            lane: lane.lane,
            recorded: "",
            cause: cause.slug(),
            decides: "",
        };
        out.push(
            rule.finding(
                &subject,
                Confidence::Likely,
                format!(
                    "{} targets went into quarantine within {}, all on {cause}: not they are broken. Check your own session first, and let them out again.",
                    keys(rush),
                    span(between(Some(from), Some(to)))
                ),
            )
            .fact("targets", keys(rush))
            .fact("cause", cause)
            .tallied(tally)
            .at(rush.iter().map(|(_, _, h)| place(lane.row(h.row)))),
        );
    }
}
