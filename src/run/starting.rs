//! `misnomer init`: a first misnomer.toml from what a directory of logs shows.

use super::inputs::Inputs;
use crate::audit::detect;
use crate::cli::Global;
use crate::evidence::{FileSummary, Table};
use crate::report::words;
use crate::scan::source::Origin;
use crate::settings::FILE_NAME;
use crate::table::whole;
use anyhow::{Result, bail};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// So many successes show a rhythm.
const RHYTHM: usize = 5;
/// A clock that is off by whole hours is so within this many seconds.
const NEAR: i64 = 300;
const HOUR: i64 = 3_600;

/// Writes misnomer.toml into the working directory, or prints it.
///
/// # Errors
/// When there is one already, when the directory cannot be read, or the file not be written.
pub fn init(global: &Global, dir: &str, print: bool) -> Result<u8> {
    let target = Path::new(FILE_NAME);
    if !print && target.exists() {
        bail!("{FILE_NAME} exists; `misnomer init {dir} --print` shows what would be written");
    }
    let inputs = Inputs::new(global, &[dir.to_string()], false)?;
    let table = inputs.scan(global)?;
    let text = text(dir, &inputs, &table);
    // What is written must be what is read.
    crate::settings::Settings::parse(FILE_NAME, &text)?;
    if print {
        use std::io::Write;
        std::io::stdout().lock().write_all(text.as_bytes())?;
    } else {
        whole::file(target, |to| Ok(to.write_all(text.as_bytes())?))?;
        anstream::println!("{FILE_NAME}: written; look at its comments, then run misnomer audit");
    }
    Ok(super::completeness(&table))
}

fn text(dir: &str, inputs: &Inputs, table: &Table) -> String {
    let mut lanes: BTreeMap<&str, Vec<&FileSummary>> = BTreeMap::new();
    for file in table.files.iter().filter(|f| !f.lane.is_empty()) {
        lanes.entry(&file.lane).or_default().push(file);
    }
    let mut out = format!(
        "# Written by `misnomer init`. Everything here may be changed; what is commented out is a guess or a default.\n\n# What is read when no PATH is given.\npaths = [{}]\n\n# The zone of stamps that carry none, and of what is shown.\n# timezone = \"UTC\"\n",
        quoted(dir)
    );
    let offsets = offsets(inputs, table);
    let mut zones: BTreeMap<i64, Vec<&str>> = BTreeMap::new();
    for (lane, hours) in &offsets {
        zones.entry(*hours).or_default().push(lane);
    }
    if zones.len() > 1 {
        out.push_str("\n# The clocks of these lanes differ by whole hours; check their zones:\n");
        for (hours, lanes) in &zones {
            let lanes = words::visible(&lanes.join(", "));
            out.push_str(&format!("#   {hours:+} h: {lanes}\n"));
        }
    }
    for (lane, files) in &lanes {
        let lines: i64 = files.iter().map(|f| f.lines).sum();
        out.push_str(&format!(
            "\n# {}, {}.\n[lanes.{}]\npaths = [{}]\n",
            words::count(files.len() as i64, "file", "files"),
            words::count(lines, "line", "lines"),
            quoted(lane),
            paths(files)
        ));
        match offsets.get(*lane).copied().unwrap_or(0) {
            0 => {}
            // The names of the zones of fixed offset have the sign of POSIX: Etc/GMT-9 is nine hours ahead.
            hours => out.push_str(&format!("# Its last stamp lies {hours:+} h beside the time of its file: stamps without a zone may be of another one.\n# timezone = \"Etc/GMT{:+}\"\n", -hours)),
        }
        match rhythm(table, lane) {
            Some(seconds) => out.push_str(&format!(
                "# Its successes come about every {}.\n# every = \"{}s\"\n# grace = \"{}s\"\n",
                words::duration(seconds),
                seconds,
                seconds / 4
            )),
            None => out.push_str("# every = \"1h\"\n"),
        }
    }
    out.push_str("\n# Teach a name of your own:\n# [[name]]\n# text = \"obs_fail\"\n# claims = \"parse_or_extract\"\n\n# Knobs of rules, with their defaults:\n");
    for rule in detect::ALL.iter().filter(|r| !r.knobs.is_empty()) {
        out.push_str(&format!("# [rules.{}]\n", rule.id));
        for (knob, default, meaning) in rule.knobs {
            out.push_str(&format!("# {knob} = {default}    # {meaning}\n"));
        }
    }
    out
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// Globs for a lane: its directory where all of its files are in one, else the files.
fn paths(files: &[&FileSummary]) -> String {
    let top = |f: &&FileSummary| f.file.split_once('/').map(|(dir, _)| dir.to_owned());
    let first = files.first().and_then(top);
    match first {
        Some(dir) if files.iter().all(|f| top(f).as_ref() == Some(&dir)) => {
            quoted(&format!("{}/**", globset::escape(&dir)))
        }
        _ => {
            let list: Vec<String> = files
                .iter()
                .map(|f| quoted(&globset::escape(&f.file)))
                .collect();
            list.join(", ")
        }
    }
}

/// By how many whole hours the last stamp of a lane lies beside the time at which its newest file was written.
fn offsets(inputs: &Inputs, table: &Table) -> BTreeMap<String, i64> {
    let mut newest: BTreeMap<&str, (i64, i64)> = BTreeMap::new();
    for source in &inputs.found.sources {
        let Origin::File(path) = &source.origin else {
            continue;
        };
        let written = std::fs::metadata(path)
            .and_then(|m| m.modified())
            .ok()
            .and_then(|t| t.duration_since(UNIX_EPOCH).ok())
            .and_then(|d| i64::try_from(d.as_secs()).ok());
        let last = table
            .files
            .iter()
            .find(|f| f.file == *source.name)
            .and_then(|f| f.last);
        if let (Some(written), Some(last)) = (written, last) {
            let slot = newest
                .entry(source.lane.as_ref())
                .or_insert((written, last / 1_000_000_000));
            *slot = (*slot).max((written, last / 1_000_000_000));
        }
    }
    let whole = |(written, last): (i64, i64)| {
        let off = last - written;
        let hours = (off + HOUR / 2).div_euclid(HOUR);
        ((off - hours * HOUR).abs() < NEAR && (-12..=14).contains(&hours)).then_some(hours)
    };
    newest
        .into_iter()
        .filter_map(|(lane, times)| Some((lane.to_owned(), whole(times)?)))
        .collect()
}

/// The usual time from one success of a lane to the next, in seconds.
fn rhythm(table: &Table, lane: &str) -> Option<i64> {
    let mut times: Vec<i64> = table
        .rows
        .iter()
        .filter(|r| r.lane.as_ref() == lane && detect::succeeded(r))
        .filter_map(|r| r.time)
        .collect();
    times.sort_unstable();
    let mut gaps: Vec<i64> = times
        .windows(2)
        .filter_map(|w| Some((w.get(1)? - w.first()?) / 1_000_000_000))
        .filter(|g| *g >= 60)
        .collect();
    if gaps.len() < RHYTHM {
        return None;
    }
    gaps.sort_unstable();
    gaps.get(gaps.len() / 2).map(|g| (g + 30) / 60 * 60)
}
