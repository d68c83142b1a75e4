//! The recorded name held against the evidence.
//!
//! Candidates are weighed by a sum of grade, depth and scope, not taken by the nearest first; what relations between
//! records say has rewritten the evidence before ([`relation`]). A guess is `unknown`.

pub mod relation;
pub mod reset;
pub mod weigh;

use super::case::{Case, LaneView};
use super::finding::{Confidence, Standing};
use crate::cause::{Cause, Waiting, guide};
use crate::evidence::Grade;
use relation::Relations;
use weigh::{Scope, Weighed};

/// What one operation's failure was.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The cause.
    pub cause: Cause,
    /// The name held against it.
    pub standing: Standing,
    /// How sure.
    pub confidence: Confidence,
    /// Will waiting fix it?
    pub waiting: Waiting,
    /// When it ends, in nanoseconds, where known.
    pub reset_at: Option<i64>,
    /// The rows that prove it, the deciding one first.
    pub proofs: Vec<usize>,
    /// The rows that were refused, and why.
    pub set_aside: Vec<(usize, &'static str)>,
    /// What the deciding pattern or relation advises.
    pub advice: String,
}

/// Below this sum (in tenths) there is no verdict.
const THRESHOLD: i64 = 60;
/// The same for a cause that the name claims: a weak sign that agrees is enough.
const AGREED: i64 = 46;
/// How much more another cause must weigh than the one that is claimed, if that has evidence of its own.
const AGREEMENT: i64 = 6;

/// The verdict on one case.
pub fn judge(view: &LaneView<'_>, case: &Case, relations: &Relations) -> Verdict {
    let name = view.row(case.best);
    let told: Vec<Cause> = name
        .values
        .get("told")
        .map(|t| t.split(',').filter_map(|c| c.parse().ok()).collect())
        .unwrap_or_default();
    let claims = &name.claims;
    let candidates = weigh::candidates(view, case, relations);
    let mut sums = weigh::by_cause(&candidates);
    for sum in &mut sums {
        if claims.contains(&sum.cause) {
            sum.score += AGREEMENT;
        }
    }
    sums.sort_by_key(|s| (std::cmp::Reverse(s.score), s.first));
    let Some(best) = sums.first().filter(|s| {
        s.cause != Cause::Unknown
            && s.score
                >= if claims.contains(&s.cause) {
                    AGREED
                } else {
                    THRESHOLD
                }
    }) else {
        return unsupported(&candidates, sums.first().map(|s| s.cause));
    };
    let decider = &candidates[best.best];
    let witness = relations.witness(decider.row);
    let proofs: Vec<usize> = witness
        .into_iter()
        .chain(weigh::proofs(&candidates, best))
        .collect();
    let own = told.contains(&best.cause);
    let standing = if claims.contains(&best.cause) || (own && claims.is_empty()) {
        Standing::Accurate
    } else if claims.is_empty() || own {
        // A name that claims one thing and whose own text holds another is in two minds: it accuses nobody.
        Standing::Opaque
    } else {
        Standing::Misnamed
    };
    let rival = sums
        .get(1)
        .filter(|r| best.score - r.score < 6 && r.cause.class() != best.cause.class());
    let confidence = confidence(
        decider,
        best,
        standing,
        *name.pattern == *"name.claim",
        rival.is_some(),
        relations.against(decider.row),
    );
    let deciding = view.row(decider.row);
    let (waiting, reset_at) = reset::answer(view, case, decider, best.cause, relations);
    let set_aside = candidates
        .iter()
        .filter(|c| c.cause != best.cause)
        .take(5)
        .map(|c| {
            (
                c.row,
                if c.scope == Scope::Far {
                    "outside the operation"
                } else if c.after_effect {
                    "a consequence, not a cause"
                } else {
                    "weighs less than what decided"
                },
            )
        })
        .collect();
    Verdict {
        cause: best.cause,
        standing,
        confidence,
        waiting,
        reset_at,
        proofs,
        set_aside,
        advice: relations
            .advice(decider.row)
            .unwrap_or(&deciding.advice)
            .to_string(),
    }
}

fn unsupported(candidates: &[Weighed], nearest: Option<Cause>) -> Verdict {
    let why = if nearest.is_some() {
        "too weak to decide"
    } else {
        "outside the operation"
    };
    Verdict {
        cause: Cause::Unknown,
        standing: Standing::Unsupported,
        confidence: Confidence::Likely,
        waiting: guide(Cause::Unknown).waiting,
        reset_at: None,
        proofs: Vec::new(),
        set_aside: candidates.iter().take(5).map(|c| (c.row, why)).collect(),
        advice: String::new(),
    }
}

fn confidence(
    decider: &Weighed,
    sum: &weigh::Sum,
    standing: Standing,
    ordinary: bool,
    rivalled: bool,
    against: bool,
) -> Confidence {
    let close = matches!(decider.scope, Scope::Own | Scope::Key);
    // Words alone, and those of the name itself, prove nothing.
    let words = decider.claimed && decider.grade >= Grade::Wording && sum.signs < 2;
    // An accusation wants more than a sign within a minute in a file that shows no runs, and so does a name that
    // stands on an ordinary line.
    let apart = decider.scope == Scope::Window
        && decider.loose
        && (ordinary || standing == Standing::Misnamed && decider.grade >= Grade::Status);
    let foreign = decider.foreign && standing == Standing::Misnamed;
    if against
        || words
        || apart
        || foreign
        || (decider.after_effect && standing != Standing::Accurate)
    {
        return Confidence::Possible;
    }
    let strong = matches!(
        decider.grade,
        Grade::Relation | Grade::Code | Grade::Transport
    );
    let base = match decider.grade {
        _ if close && strong => Confidence::Certain,
        _ if sum.signs >= 2 && decider.grade <= Grade::Phrase && decider.scope != Scope::Window => {
            Confidence::Certain
        }
        Grade::Relation | Grade::Code | Grade::Transport | Grade::Phrase | Grade::Status => {
            Confidence::Likely
        }
        Grade::Wording if decider.scope != Scope::Window || standing == Standing::Accurate => {
            Confidence::Likely
        }
        Grade::Exception | Grade::Parse | Grade::Symptom if standing == Standing::Accurate => {
            Confidence::Likely
        }
        Grade::Exception if close && sum.signs >= 2 => Confidence::Likely,
        _ => Confidence::Possible,
    };
    if rivalled && standing != Standing::Accurate {
        Confidence::Possible.max(lower(base))
    } else {
        base
    }
}

fn lower(confidence: Confidence) -> Confidence {
    match confidence {
        Confidence::Certain => Confidence::Likely,
        _ => Confidence::Possible,
    }
}
