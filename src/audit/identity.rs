//! Identity of a finding, recipe 1: content, never position, time, order or count.

use sha2::{Digest, Sha256};

/// The recipe of this program. Another way to hash, or to mask a name, is another recipe.
pub const RECIPE: i64 = 1;

/// How many digits of a fingerprint are shown.
pub const SHOWN: usize = 12;

/// How many digits of a fingerprint name it at least.
pub const LEAST: usize = 8;

/// The most bytes of a template.
const TEMPLATE: usize = 512;

fn digest(parts: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u32).to_be_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize()[..16]
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect()
}

/// The identity of a finding with its verdict: 32 hexadecimal digits.
pub fn fingerprint(rule: &str, lane: &str, recorded: &str, cause: &str, decides: &str) -> String {
    digest(&["misnomer-fp/1", rule, lane, recorded, cause, decides])
}

/// The identity without the verdict: the same name in the same place, whatever it was.
pub fn anchor(rule: &str, lane: &str, recorded: &str) -> String {
    digest(&["misnomer-anchor/1", rule, lane, recorded])
}

/// A fingerprint as it is shown: its first digits.
pub fn short(fingerprint: &str) -> &str {
    fingerprint.get(..SHOWN).unwrap_or(fingerprint)
}

/// Whether a text can be a fingerprint or the beginning of one.
pub fn looks_like(text: &str) -> bool {
    (LEAST..=32).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b.to_ascii_lowercase()))
}

/// The one fingerprint that begins so.
///
/// # Errors
/// When the beginning is too short or no hexadecimal text, and when none or several begin so; the error says which.
pub fn resolve<'a>(
    beginning: &str,
    known: impl Iterator<Item = &'a str>,
) -> Result<&'a str, String> {
    if !looks_like(beginning) {
        return Err(format!(
            "`{}` is no fingerprint: write at least {LEAST} of its 32 hexadecimal digits",
            beginning.escape_debug()
        ));
    }
    let wanted = beginning.to_ascii_lowercase();
    let mut found: Vec<&str> = known.filter(|k| k.starts_with(&wanted)).collect();
    found.sort_unstable();
    found.dedup();
    match found.as_slice() {
        [one] => Ok(one),
        [] => Err(format!("no finding has the fingerprint `{wanted}`")),
        several => Err(format!(
            "`{wanted}` begins {} fingerprints: {}",
            several.len(),
            several.join(", ")
        )),
    }
}

/// The text of a line without what changes from one time to the next, for `diff`: never part of the identity.
///
/// Control characters go, blanks are one, and each run of digits is `<n>`; at most 512 bytes.
pub fn template(text: &str) -> String {
    let mut out = String::new();
    let mut digits = false;
    for c in text.chars() {
        if out.len() + 4 > TEMPLATE {
            break;
        }
        let blank = c.is_whitespace();
        if c.is_control() && !blank {
            continue;
        }
        if c.is_ascii_digit() {
            if !digits {
                out.push_str("<n>");
            }
            digits = true;
            continue;
        }
        digits = false;
        match blank {
            true if out.is_empty() || out.ends_with(' ') => {}
            true => out.push(' '),
            false => out.push(c),
        }
    }
    out.truncate(out.trim_end().len());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_run_together() {
        assert_ne!(anchor("a", "bc", "d"), anchor("ab", "c", "d"));
    }

    #[test]
    fn a_beginning_names_one() {
        let known = ["aabbccdd00", "aabbccdd11", "ffffffffff"];
        let of = |text| resolve(text, known.iter().copied());
        assert_eq!(of("FFFFFFFF"), Ok("ffffffffff"));
        assert!(of("aabbccdd").is_err_and(|e| e.contains("begins 2")));
        assert!(of("ffff").is_err_and(|e| e.contains("at least 8")));
        assert!(of("0000000000").is_err_and(|e| e.starts_with("no finding")));
    }

    #[test]
    fn a_template_holds_no_figures() {
        assert_eq!(template("\u{1b}GET  /a/17 ->\t429 \n"), "GET /a/<n> -> <n>");
        assert!(template(&"語".repeat(400)).len() <= TEMPLATE);
    }
}
