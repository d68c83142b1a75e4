//! What stands around a line that one program wrote and another collected.

use super::fields::Scalar;
use super::{json, text};
use std::borrow::Cow;

/// A line without its wrapper.
pub(super) struct Inner<'a> {
    /// What the program itself wrote.
    pub text: Cow<'a, str>,
    /// What was cut off in front, stamp included.
    pub head: Cow<'a, str>,
    /// The wrapper says that the next line goes on with this one.
    pub partial: bool,
    /// The wrapper says that this line goes on with the one before.
    pub continues: bool,
    /// There was a wrapper at all.
    pub wrapped: bool,
}

/// Takes the wrapper off a line: CRI, GitLab, `gh run view`, kubectl's and compose's prefixes, Docker's JSON.
pub(super) fn unwrap(raw: &[u8], piped: bool) -> Inner<'_> {
    if raw.starts_with(b"{\"log\":\"")
        && let Some(inner) = docker(raw)
    {
        return inner;
    }
    let line = text::clean(raw);
    let Some((cut, partial, continues)) = prefix(&line, piped) else {
        return Inner {
            text: line,
            head: Cow::Borrowed(""),
            partial: false,
            continues: false,
            wrapped: false,
        };
    };
    let (head, rest) = match line {
        Cow::Borrowed(line) => (
            Cow::Borrowed(line.get(..cut).unwrap_or_default()),
            Cow::Borrowed(line.get(cut..).unwrap_or_default()),
        ),
        Cow::Owned(line) => (
            Cow::Owned(line.get(..cut).unwrap_or_default().to_owned()),
            Cow::Owned(line.get(cut..).unwrap_or_default().to_owned()),
        ),
    };
    Inner {
        text: rest,
        head,
        partial,
        continues,
        wrapped: true,
    }
}

/// Docker's json-file: a piece without a newline at its end is the first part of a longer line.
fn docker(raw: &[u8]) -> Option<Inner<'static>> {
    let leaves = json::leaves(raw)?;
    let find = |path: &str| leaves.iter().find(|l| l.path == path);
    let log = find("log").filter(|l| l.kind == Scalar::Text)?;
    find("stream")?;
    let time = find("time").map(|l| l.value.clone()).unwrap_or_default();
    Some(Inner {
        text: Cow::Owned(text::clean(log.value.as_bytes()).into_owned()),
        head: Cow::Owned(time),
        partial: !log.value.ends_with('\n'),
        continues: false,
        wrapped: true,
    })
}

/// The length of a stamp in ISO form with a zone at the start of a text, and of the space after it.
fn iso_head(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    if bytes.len() < 20 || bytes.get(4) != Some(&b'-') || bytes.get(10) != Some(&b'T') {
        return None;
    }
    let end = line.find([' ', '\t'])?;
    (end <= 40 && line.get(..4)?.bytes().all(|b| b.is_ascii_digit())).then_some(end + 1)
}

fn prefix(line: &str, piped: bool) -> Option<(usize, bool, bool)> {
    if let Some(stamp) = iso_head(line) {
        let rest = line.get(stamp..)?;
        // `STAMP stdout F text`
        for stream in ["stdout ", "stderr "] {
            if let Some(tail) = rest.strip_prefix(stream) {
                let flag = tail.get(..2)?;
                if flag == "F " || flag == "P " {
                    return Some((stamp + stream.len() + 2, flag == "P ", false));
                }
                if tail == "F" {
                    return Some((line.len(), false, false));
                }
            }
        }
        // `STAMP 01O text`, `STAMP 01O+text`
        let b = rest.as_bytes();
        if b.len() >= 4
            && b.iter().take(2).all(u8::is_ascii_hexdigit)
            && matches!(b.get(2), Some(b'O' | b'E'))
            && matches!(b.get(3), Some(b' ' | b'+'))
        {
            return Some((stamp + 4, false, b.get(3) == Some(&b'+')));
        }
        return None;
    }
    // `[pod/web-7d/app] text`
    if line.starts_with("[pod/")
        && let Some(end) = line.find("] ")
    {
        return Some((end + 2, false, false));
    }
    // `job<TAB>step<TAB>STAMP text`: the stamp belongs to the collector.
    if let Some((first, rest)) = line.split_once('\t')
        && let Some((step, rest)) = rest.split_once('\t')
    {
        let rest_clean = rest.trim_start_matches('\u{feff}');
        if let Some(stamp) = iso_head(rest_clean)
            && rest_clean
                .get(..stamp)
                .is_some_and(|s| s.trim_end().ends_with('Z'))
        {
            let skipped = rest.len() - rest_clean.len();
            return Some((first.len() + step.len() + 2 + skipped + stamp, false, false));
        }
    }
    if piped && let Some(cut) = pipe_prefix(line) {
        return Some((cut, false, false));
    }
    None
}

/// `service-1  | text` of docker compose: where the text begins.
pub(super) fn pipe_prefix(line: &str) -> Option<usize> {
    let end = line.find([' ', '\t'])?;
    let name = line.get(..end)?;
    let rest = line.get(end..)?;
    let bar = rest.trim_start();
    let shaped = name.bytes().any(|b| b.is_ascii_alphabetic())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
        && super::level::word(name).is_none();
    let tail = bar.strip_prefix('|')?;
    if !shaped || !(tail.is_empty() || tail.starts_with(' ')) {
        return None;
    }
    let cut = line.len() - tail.len() + usize::from(tail.starts_with(' '));
    Some(cut)
}

/// A stamp of GitHub Actions or Azure Pipelines: ISO with seven digits and `Z`, at the head of every line. What
/// follows is a line of its own.
pub(super) fn runner_stamp(line: &str) -> Option<usize> {
    let end = iso_head(line)?;
    let stamp = line.get(..end)?.trim_end();
    (stamp.len() == 28 && stamp.ends_with('Z')).then_some(end)
}
