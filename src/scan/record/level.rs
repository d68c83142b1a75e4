//! How severe a record is, as its logger spells it: words in several scripts, letters, and numbers by emitter.

use super::lookup::Lookup;
use crate::evidence::Level;

/// The level that a word stands for, whatever its case, padding and brackets; none for other words.
pub fn word(text: &str) -> Option<Level> {
    let bare = text.trim_matches(|c: char| c.is_whitespace() || "[](){}<>|:;,*!\"'".contains(c));
    if bare.is_empty() || bare.len() > 24 {
        return None;
    }
    // slog prints `INFO+2` for levels between its own.
    let bare = bare
        .split_once(['+', '-'])
        .filter(|(_, n)| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
        .map_or(bare, |(name, _)| name);
    let level = match bare.to_lowercase().as_str() {
        "trace" | "verbose" | "silly" | "finest" | "finer" | "trce" | "trc" | "vrb" | "spam" => {
            Level::Trace
        }
        "debug" | "fine" | "dbug" | "dbg" | "config" | "debug1" | "debug2" | "debug3"
        | "отладка" | "デバッグ" | "调试" => Level::Debug,
        "info"
        | "information"
        | "informational"
        | "notice"
        | "log"
        | "default"
        | "success"
        | "inf"
        | "ok"
        | "инфо"
        | "информация"
        | "情報"
        | "信息"
        | "정보"
        | "hinweis" => Level::Info,
        "warn"
        | "warning"
        | "wrn"
        | "advisory"
        | "warnung"
        | "avertissement"
        | "advertencia"
        | "aviso"
        | "предупреждение"
        | "警告"
        | "경고"
        | "avviso"
        | "waarschuwing"
        | "uyarı" => Level::Warn,
        "error" | "err" | "err!" | "severe" | "fail" | "failure" | "eror" | "ошибка" | "erreur"
        | "fehler" | "エラー" | "错误" | "錯誤" | "오류" | "erro" | "errore" | "fout" | "hata"
        | "błąd" | "ошибки" => Level::Error,
        "fatal"
        | "critical"
        | "crit"
        | "alert"
        | "emerg"
        | "emergency"
        | "panic"
        | "dpanic"
        | "ftl"
        | "pnc"
        | "kritisch"
        | "critique"
        | "критическая"
        | "致命"
        | "致命的"
        | "치명적"
        | "crítico" => Level::Fatal,
        _ => return None,
    };
    Some(level)
}

/// The level that a single letter stands for where a format has a column for it.
pub fn letter(byte: u8) -> Option<Level> {
    Some(match byte {
        b'V' | b'T' => Level::Trace,
        b'D' => Level::Debug,
        b'I' | b'N' => Level::Info,
        b'W' => Level::Warn,
        b'E' => Level::Error,
        b'F' | b'C' | b'A' => Level::Fatal,
        _ => return None,
    })
}

/// A syslog priority or severity: 0 emerg to 7 debug, in the lowest three bits (RFC 5424, 6.2.1).
pub fn syslog(priority: i64) -> Level {
    match priority & 7 {
        0..=2 => Level::Fatal,
        3 => Level::Error,
        4 => Level::Warn,
        5 | 6 => Level::Info,
        _ => Level::Debug,
    }
}

/// Thresholds that rise: the level of the greatest bound that the number reaches.
fn step(value: i64, bounds: [i64; 6]) -> Level {
    let [trace, debug, info, warn, error, fatal] = bounds;
    match value {
        v if v >= fatal => Level::Fatal,
        v if v >= error => Level::Error,
        v if v >= warn => Level::Warn,
        v if v >= info => Level::Info,
        v if v >= debug => Level::Debug,
        v if v >= trace => Level::Trace,
        _ => Level::None,
    }
}

/// The level of a JSON record. A bare number means nothing without the emitter's signature, because the scales
/// collide: 40 is a warning of pino and an error of Python.
pub(super) fn of_json(fields: &Lookup<'_>) -> Level {
    const WORDS: &[&str] = &[
        "level",
        "lvl",
        "severity",
        "levelname",
        "level_name",
        "log.level",
        "@l",
        "loglevel",
        "log_level",
        "record.level.name",
        "severityText",
        "priority",
        "level.name",
        "sev",
    ];
    for key in WORDS {
        if let Some(field) = fields.shallow(key)
            && let Some(level) = word(&field.value)
        {
            return level;
        }
    }
    for key in ["lvl", "level", "severity"] {
        if let Some(field) = fields.shallow(key)
            && let [byte] = field.value.as_bytes()
            && let Some(level) = letter(byte.to_ascii_uppercase())
        {
            return level;
        }
    }
    let number = |key: &str| {
        fields
            .shallow(key)
            .and_then(|f| f.value.trim().parse::<i64>().ok())
    };
    if let Some(n) = number("severityNumber").filter(|n| (1..=24).contains(n)) {
        return step(n, [1, 5, 9, 13, 17, 21]);
    }
    if let Some(n) = number("level_value") {
        return step(n, [5000, 10_000, 20_000, 30_000, 40_000, 50_000]);
    }
    if let Some(n) = number("levelno").or_else(|| number("record.level.no")) {
        return step(n, [1, 10, 20, 30, 40, 50]);
    }
    if let Some(n) = number("PRIORITY").filter(|n| (0..=7).contains(n)) {
        return syslog(n);
    }
    if let Some(n) = number("severity") {
        // Google Cloud: 0, 100 ... 800.
        if n >= 100 {
            return step(n, [1, 100, 200, 400, 500, 600]);
        }
        if (0..=7).contains(&n) && fields.shallow("short_message").is_some() {
            return syslog(n);
        }
    }
    let has = |key: &str| fields.shallow(key).is_some();
    if let Some(n) = number("level") {
        if has("short_message") || has("full_message") {
            return syslog(n);
        }
        if has("channel") && n >= 100 {
            return step(n, [1, 100, 200, 300, 400, 500]);
        }
        // pino and bunyan: an integer beside `pid`, `hostname`, `v`, or an epoch in `time`.
        let node = has("pid") || has("hostname") || has("v") || number("time").is_some();
        if node && n >= 10 {
            return step(n, [10, 20, 30, 40, 50, 60]);
        }
        if (10..=60).contains(&n) && n % 10 == 0 && (has("msg") || has("reqId")) {
            return step(n, [10, 20, 30, 40, 50, 60]);
        }
        if n >= 1000 {
            return step(n, [5000, 10_000, 20_000, 30_000, 40_000, 50_000]);
        }
    }
    // Serilog leaves the level out where it is Information.
    if has("@t") && (has("@mt") || has("@m")) {
        return Level::Info;
    }
    Level::None
}
