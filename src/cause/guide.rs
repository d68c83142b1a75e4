//! What each cause means and what follows from it: the text behind the three answers.
//!
//! The cut-offs are sensible defaults for an unattended lane: a number of attempts, and a time after which to stop
//! however many attempts were made. Facts of HTTP are from RFC 9110 (15.5, 15.6) and RFC 6585 (4).

use super::{Cause, Waiting};

/// What to know of a cause.
#[derive(Clone, Copy, Debug)]
pub struct Guide {
    /// A few words, such that "reads as: ..." makes sense before them.
    pub title: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// Will waiting fix it?
    pub waiting: Waiting,
    /// When to stop trying: attempts, and time since the first of them.
    pub cut_off: &'static str,
    /// What to change before the next attempt.
    pub change: &'static str,
}

/// The guide to a cause.
pub const fn guide(cause: Cause) -> Guide {
    let (title, meaning, waiting, cut_off, change) = match cause {
        Cause::RateLimited => (
            "too many requests",
            "The other side refuses because requests came too fast; the same request is welcome a little later. \
             The sign is a 429, a provider's throttling code, or a 403 or 400 whose body speaks of a rate.",
            Waiting::AfterReset,
            "3 attempts, each after the stated reset or at least twice the wait before; 15 minutes in all, then leave the target for the next run.",
            "The rate: one request at a time for the host that refused, no retry before the stated instant, and one layer that retries instead of several.",
        ),
        Cause::QuotaExhausted => (
            "allowance used up",
            "A daily, monthly or paid allowance is spent. It comes back at a fixed instant or when somebody raises it, not after a back-off of seconds.",
            Waiting::AfterReset,
            "1 attempt; stop the lane until the stated reset, and hand it to a person if none is stated within 24 hours.",
            "The allowance or the demand: wait for the reset, raise the cap, pay, or move the work to another quota. Stop every lane that draws on the same one.",
        ),
        Cause::AuthRejected => (
            "credential refused",
            "The credential is wrong, expired or revoked, and every further attempt with it is refused as well.",
            Waiting::No,
            "2 attempts, the second with a fresh token; 1 minute in all, then a person.",
            "The credential: renew it, or log in anew. Repeated attempts with the old one can lock the account.",
        ),
        Cause::AuthTransient => (
            "credential refused for a moment",
            "A valid credential was refused once: it had just been issued, was being renewed elsewhere, or one server of many had not heard of it. \
             The same credential is accepted shortly after.",
            Waiting::Yes,
            "3 attempts some seconds apart; 2 minutes in all, then treat it as a rejected credential.",
            "Nothing but a short pause. Try the same credential once more before it is thrown away or a person is called.",
        ),
        Cause::PermissionDenied => (
            "not allowed",
            "The caller is known, or the process runs as somebody, and that somebody may not do this.",
            Waiting::No,
            "1 attempt; at once, 0 minutes of waiting.",
            "The grant: a scope, a role, a file mode, an allow-list. Otherwise another account or another target.",
        ),
        Cause::BotChallenge => (
            "robot check in the way",
            "A captcha, a challenge page or a login checkpoint stands between the lane and the content, whatever the status says.",
            Waiting::Depends,
            "1 attempt per address and session; pause the target for 24 hours, and hand it to a person after the second challenge.",
            "How the lane appears: slower and softer access, the official interface, or a person who passes the check. Do not hammer the page.",
        ),
        Cause::ClockSkew => (
            "own clock is wrong",
            "The clock of one's own machine differs from the world's, so signatures, tokens and certificates seem too old or not yet valid.",
            Waiting::No,
            "1 attempt; stop within 1 minute.",
            "The clock: synchronise it, and measure the difference against the Date header of an answer before signing again.",
        ),
        Cause::ConnectTimeout => (
            "no connection in time",
            "Nobody answered the call for a connection within the time allowed: the host is down, a firewall drops packets, or the queue of the listener is full.",
            Waiting::Yes,
            "4 attempts with growing pauses; 10 minutes in all.",
            "Nothing for the first attempts; after them the address, port and firewall rule, or another endpoint.",
        ),
        Cause::ReadTimeout => (
            "no answer in time",
            "The connection stood, and the answer did not come within the time allowed. The work may have been done on the other side all the same.",
            Waiting::Yes,
            "3 attempts; 10 minutes in all, and only 1 attempt for what is not safe to repeat.",
            "The size of the request or the time allowed: ask for less at once, raise the limit knowingly, and send an idempotency key before a repeat.",
        ),
        Cause::DnsFailure => (
            "name did not resolve",
            "The host's name could not be turned into an address. A resolver that is away for a moment and a misspelt name look alike; other names at the same time tell them apart.",
            Waiting::Depends,
            "3 attempts; 5 minutes in all.",
            "If other names resolve, the name; if none does, the resolver or the network of the machine.",
        ),
        Cause::ConnectionReset => (
            "connection dropped",
            "The connection was closed or reset while it was in use: a restart, an idle pooled connection, a gateway that cuts.",
            Waiting::Yes,
            "4 attempts with growing pauses; 5 minutes in all.",
            "A fresh connection instead of a pooled one, and an idempotency key where a repeat could do the work twice.",
        ),
        Cause::TlsFailure => (
            "no trusted TLS connection",
            "The handshake or the check of the certificate failed: expired, wrong name, unknown issuer, or no common protocol.",
            Waiting::No,
            "1 attempt; stop within 1 minute.",
            "The certificate, the trust store, the host's name or the protocol version. Never by switching the check off.",
        ),
        Cause::ProxyFailure => (
            "proxy failed",
            "The proxy, tunnel or gateway on one's own side refused or could not reach the target; the target itself said nothing.",
            Waiting::Depends,
            "2 attempts through the same proxy; 2 minutes in all, then another way out.",
            "The proxy: its login, its allow-list, or another one. The target's credential is not the problem.",
        ),
        Cause::Upstream5xx => (
            "server's own fault",
            "The other side failed while working on a request that may well be right (a 5xx other than 503).",
            Waiting::Yes,
            "4 attempts with growing pauses and jitter; 15 minutes in all.",
            "Nothing at first. If one request fails always and others pass, that request: make it smaller or leave it out.",
        ),
        Cause::Overloaded => (
            "server overloaded",
            "The other side is at its capacity or in maintenance (503, or a provider's code for overload), no matter who asks.",
            Waiting::Yes,
            "5 attempts, pauses doubling from 5 seconds with jitter; 30 minutes in all.",
            "The pressure: fewer requests at once, spread over time, or another region, model or mirror.",
        ),
        Cause::ResourceExhaustedLocal => (
            "own machine is out of something",
            "Disk, memory, descriptors, processes or ports of one's own machine are used up.",
            Waiting::No,
            "1 attempt, and 1 more after space was made; 5 minutes in all.",
            "The resource: free it, raise its limit, or do less at once. Find what holds it before the next run.",
        ),
        Cause::LockOrSlotContention => (
            "lock or slot taken",
            "Another process holds the lock, profile, port or slot that this one needs.",
            Waiting::Yes,
            "10 attempts some seconds apart; 10 minutes in all, then see whether the holder still lives.",
            "The schedule: one holder at a time. Remove a lock whose holder is dead, and let a lock carry its owner and a time of expiry.",
        ),
        Cause::TruncatedByLimit => (
            "text cut by a limit",
            "The data was right and was cut short: a token limit, a buffer, a slice of one's own, or a body that ended early. What parses it complains of the end.",
            Waiting::No,
            "1 repeat for a body cut on its way; none for a limit of one's own. 1 minute in all.",
            "The limit or the amount: raise it, ask for less, or read in pieces. Compare the kept with the full size before parsing.",
        ),
        Cause::InvalidInput => (
            "request malformed",
            "The request or the value handed over is wrong, and says so to whoever reads the answer.",
            Waiting::No,
            "1 attempt, and 1 more with a changed input; 1 minute in all.",
            "The input: put the error and its numbers into the next attempt, so that it differs from the last.",
        ),
        Cause::ContentModerated => (
            "content refused by a filter",
            "A policy filter refused the content of the request or of the answer.",
            Waiting::No,
            "1 attempt, and 1 more in softer words; 5 minutes in all.",
            "The content or the conditions: reword, leave the passage out, or give the item to a person.",
        ),
        Cause::NotFound => (
            "not found",
            "There is nothing under this address, name or path, and there may never have been.",
            Waiting::No,
            "1 attempt; where the thing was created a moment ago, 3 attempts within 1 minute.",
            "The address, name or version; or make the thing first.",
        ),
        Cause::TargetGone => (
            "target gone for good",
            "The account, item or page existed and was removed, closed or made private.",
            Waiting::No,
            "1 attempt, and 1 more a day later; then drop the target for good, after 48 hours at most.",
            "The target: take it off the list and go on with another.",
        ),
        Cause::UnsupportedOrConfig => (
            "unsupported or misconfigured",
            "What was asked for does not exist in this version, plan or set-up, or a setting is missing or wrong.",
            Waiting::No,
            "1 attempt; stop within 1 minute.",
            "The setting, version, model name or feature that the message names. Then check it once at the start of the run.",
        ),
        Cause::CancelledOrTimeBudget => (
            "stopped by its time budget",
            "The work was stopped from outside or by its own time budget: a normal end before completion, not a fault of what it was doing.",
            Waiting::No,
            "No attempt in the same run; count 3 runs in a row or 24 hours without completion as a real problem.",
            "The amount per run or the budget: resume where it stopped, do less, or allow more time.",
        ),
        Cause::DeadlockOrSerialization => (
            "transactions collided",
            "The database or the version control undid one of two changes that met. The same change passes when it is tried again.",
            Waiting::Yes,
            "5 attempts, milliseconds to seconds apart with jitter; 1 minute in all.",
            "Repeat the whole transaction, not the last statement; take locks in one order and keep transactions short.",
        ),
        Cause::ConflictOrIdempotency => (
            "already done or changed meanwhile",
            "The state is no longer what the request assumed: it exists already, was changed by another, or the same work was done by an earlier attempt.",
            Waiting::No,
            "2 attempts, the second after the state was read anew; 1 minute in all.",
            "Read the present state first. If it is already what was wanted, record success.",
        ),
        Cause::ParseOrExtract => (
            "data or page changed",
            "The data arrived whole and is really malformed, or the page really has another shape than the reader expects.",
            Waiting::No,
            "1 attempt, and 1 more with the page fetched anew; 5 minutes in all.",
            "The reader: keep the document that failed, and adapt the selector, schema or prompt to it.",
        ),
        Cause::CodeFault => (
            "own code broken",
            "The lane's own program failed: a programming exception, a missing module, a crash.",
            Waiting::No,
            "1 attempt; stop within 1 minute, and stop the lane after 2 runs with the same trace.",
            "The code or its installation. Keep the trace, and say in the record that it was the program and not the target.",
        ),
        Cause::Unknown => (
            "cause unknown",
            "The log holds no evidence that decides. That is an answer: what is missing is the evidence, not a guess.",
            Waiting::Depends,
            "2 attempts; 10 minutes in all, then a person.",
            "The logging: write the status, code or exception beside the name, so that the next failure can be judged.",
        ),
    };
    Guide {
        title,
        meaning,
        waiting,
        cut_off,
        change,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_answers_the_three_questions() {
        let mut titles = std::collections::BTreeSet::new();
        for cause in Cause::ALL {
            let g = guide(*cause);
            assert!(titles.insert(g.title), "{cause}: title used twice");
            assert!(g.title.chars().count() <= 36, "{cause}: long title");
            for (what, text) in [
                ("meaning", g.meaning),
                ("cut_off", g.cut_off),
                ("change", g.change),
            ] {
                assert!(
                    text.ends_with('.') && text.len() > 20,
                    "{cause}: {what}: {text}"
                );
                assert!(!text.contains("  "), "{cause}: {what}: double space");
            }
            let counted = ["attempt", "repeat"].iter().any(|w| g.cut_off.contains(w));
            let timed = ["minute", "hour"].iter().any(|w| g.cut_off.contains(w));
            assert!(
                counted && timed,
                "{cause}: cut-off needs attempts and a time: {}",
                g.cut_off
            );
        }
    }
}
