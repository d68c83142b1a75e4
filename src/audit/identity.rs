//! Identity of a finding, recipe 1: content, never position, time, order or count.

use sha2::{Digest, Sha256};

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

#[cfg(test)]
mod tests {
    use super::*;

    /// Frozen: a change of any of these is another recipe.
    #[test]
    fn golden() {
        assert_eq!(
            fingerprint(
                "misnamed",
                "watch-arb",
                "extract_failed",
                "rate_limited",
                ""
            ),
            "e57fcc7a084c6ddfe0f8cf56a919af77"
        );
        assert_eq!(
            anchor("misnamed", "watch-arb", "extract_failed"),
            "d71bb7a9538e6ebc6fb443e475c1f14f"
        );
    }

    #[test]
    fn parts_do_not_run_together() {
        assert_ne!(anchor("a", "bc", "d"), anchor("ab", "c", "d"));
    }
}
