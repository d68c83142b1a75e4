use super::super::progress::Mode;
use super::super::sample::sample;
use super::super::{Coding, Origin, Pipe};
use super::*;
use jiff::tz::TimeZone;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a worker saw of the blocks of a source.
#[derive(Debug, Default, PartialEq, Eq)]
struct Seen {
    /// Where own bytes start, and these.
    own: Vec<(u64, Vec<u8>)>,
    firsts: usize,
    lasts: usize,
    blocks: usize,
    /// Blocks that showed too little around their lines.
    blind: usize,
}

impl Merge for Seen {
    fn merge(&mut self, later: Seen) {
        self.own.extend(later.own);
        self.firsts += later.firsts;
        self.lasts += later.lasts;
        self.blocks += later.blocks;
        self.blind += later.blind;
    }
}

impl Seen {
    fn text(&self) -> Vec<u8> {
        self.own.iter().flat_map(|(_, b)| b.clone()).collect()
    }

    /// Offsets of the lines that are owned.
    fn starts(&self) -> Vec<u64> {
        let mut out = Vec::new();
        for (at, bytes) in &self.own {
            out.extend(starts(bytes).map(|s| at + s));
        }
        out
    }
}

fn starts(bytes: &[u8]) -> impl Iterator<Item = u64> {
    let after = memchr::memchr_iter(b'\n', bytes)
        .map(|p| p + 1)
        .filter(move |p| *p < bytes.len());
    (!bytes.is_empty())
        .then_some(0)
        .into_iter()
        .chain(after)
        .map(|p| p as u64)
}

fn source(name: &str, origin: Origin, coding: Coding, size: u64) -> Source {
    Source {
        name: name.into(),
        lane: "lane".into(),
        origin,
        coding,
        size,
        timezone: TimeZone::UTC,
    }
}

fn file(dir: &Path, name: &str, bytes: &[u8], coding: Coding) -> io::Result<Source> {
    let path = dir.join(name);
    fs::write(&path, bytes)?;
    Ok(source(name, Origin::File(path), coding, bytes.len() as u64))
}

fn piped(bytes: &[u8]) -> io::Result<Source> {
    let pipe = Pipe::new(Box::new(io::Cursor::new(bytes.to_vec())))?;
    Ok(source(
        "stdin",
        Origin::Stdin(Arc::new(pipe)),
        Coding::Plain,
        0,
    ))
}

fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes)?;
    out.finish()
}

fn utf16(text: &str) -> Vec<u8> {
    std::iter::once(0xFEFF)
        .chain(text.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect()
}

/// All that is seen of each source (of `size` decoded bytes each, where that matters), and the ends.
fn read_with(
    sources: &[Source],
    plan: Plan,
    size: u64,
    wanted: impl Fn(usize, Range<u64>) -> bool + Sync,
) -> (Vec<Seen>, Vec<SourceEnd>) {
    let mut seen: Vec<Seen> = sources.iter().map(|_| Seen::default()).collect();
    let mut order = Vec::new();
    let ends = run(
        sources,
        &plan,
        wanted,
        || (),
        |(), block| look(block, &plan, size),
        &Progress::new(Mode::Never, 0),
        |index, result| {
            order.push(index);
            seen[index].merge(result);
        },
    );
    assert!(order.is_sorted(), "sources in order");
    (seen, ends)
}

fn read(sources: &[Source], plan: Plan) -> (Vec<Seen>, Vec<SourceEnd>) {
    read_with(sources, plan, 0, |_, _| true)
}

fn look(block: &Block, plan: &Plan, size: u64) -> Seen {
    let own = &block.buf[block.own.clone()];
    let before = block.own.start as u64;
    let enough_before = before >= (plan.lead as u64).min(block.offset + before);
    // From the start of the last own line.
    let last = starts(own).last().unwrap_or(0) + block.offset + before;
    let shown = block.offset + block.buf.len() as u64;
    let enough_after = shown >= size.min(last + plan.tail as u64);
    Seen {
        own: (!own.is_empty())
            .then(|| (block.offset + before, own.to_vec()))
            .into_iter()
            .collect(),
        firsts: block.first.into(),
        lasts: block.last.into(),
        blocks: 1,
        blind: (!(own.is_empty() || enough_before && enough_after)).into(),
    }
}

fn plan(threads: usize, block_size: usize, lead: usize, tail: usize) -> Plan {
    Plan {
        threads,
        block_size,
        lead,
        tail,
    }
}

/// Lines of pseudo-random lengths below `longest`; one in ten is empty, the last has no newline for odd seeds.
fn lines(seed: u64, total: usize, longest: u64) -> String {
    let mut state = seed.wrapping_mul(2) + 1;
    let mut random = move |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut out = String::new();
    while out.len() < total {
        let length = if random(10) == 0 { 0 } else { random(longest) };
        for _ in 0..length {
            out.push(char::from(b'a' + random(26) as u8));
        }
        out.push('\n');
    }
    if seed % 2 == 1 {
        out.push_str("the end");
    }
    out
}

#[test]
fn every_line_has_one_owner() -> anyhow::Result<()> {
    let dir = tempfile::tempdir()?;
    let dir = dir.path();
    for (seed, total) in [(1, 40_000), (2, 40_000), (3, 8_192), (4, 1), (5, 0)] {
        let text = lines(seed, total, 200);
        let bytes = text.as_bytes();
        let two_members = bytes.split_at(bytes.len() / 2);
        let members = [gzip(two_members.0)?, gzip(two_members.1)?].concat();
        let sources = [
            file(dir, "plain", bytes, Coding::Plain)?,
            file(dir, "gz", &gzip(bytes)?, Coding::Gzip)?,
            file(dir, "members", &members, Coding::Gzip)?,
            file(dir, "zst", &zstd::encode_all(bytes, 1)?, Coding::Zstd)?,
            file(dir, "utf16", &utf16(&text), Coding::Utf16)?,
            piped(bytes)?,
        ];
        let size = bytes.len() as u64;
        for block_size in [1 << 10, 1_000, 4_097, 8_192, 1 << 20] {
            for threads in [1, 2, 3] {
                let plan = plan(threads, block_size, 300, 500);
                let (seen, ends) = read_with(&sources, plan, size, |_, _| true);
                for ((seen, end), source) in seen.iter().zip(&ends).zip(&sources) {
                    let what = format!("{} {seed} {block_size} {threads}", source.name);
                    assert_eq!(seen.text(), bytes, "{what}");
                    assert!(seen.starts().into_iter().eq(starts(bytes)), "{what}");
                    assert_eq!((seen.firsts, seen.lasts, seen.blind), (1, 1, 0), "{what}");
                    let blocks = bytes.len().div_ceil(block_size).max(1);
                    assert_eq!(seen.blocks, blocks, "{what}");
                    assert_eq!(end.bytes, size, "{what}");
                    assert_eq!(end.error, None, "{what}");
                }
            }
        }
    }
    Ok(())
}

#[test]
fn overlong_lines_are_cut_but_still_owned_once() -> anyhow::Result<()> {
    let dir = tempfile::tempdir()?;
    let text = lines(7, 60_000, 9_000);
    let bytes = text.as_bytes();
    let sources = [
        file(dir.path(), "plain", bytes, Coding::Plain)?,
        file(dir.path(), "gz", &gzip(bytes)?, Coding::Gzip)?,
    ];
    for block_size in [500, 1 << 10, 4 << 10, 1 << 20] {
        let plan = plan(2, block_size, 100, 700);
        let size = bytes.len() as u64;
        let (seen, ends) = read_with(&sources, plan, size, |_, _| true);
        assert_eq!(seen[0], seen[1], "{block_size}");
        assert!(ends.iter().all(|e| e.bytes == bytes.len() as u64));
        let seen = &seen[0];
        assert!(seen.starts().into_iter().eq(starts(bytes)), "{block_size}");
        assert_eq!(seen.blind, 0);
        for (at, own) in &seen.own {
            let at = usize::try_from(*at)?;
            assert!(bytes[at..].starts_with(own));
            // What is owned ends with its line, or shows at least a tail of it.
            let last = usize::try_from(starts(own).last().unwrap_or(0))?;
            let whole = own.ends_with(b"\n") || at + own.len() == bytes.len();
            assert!(whole || own.len() - last >= plan.tail, "{block_size}");
        }
    }
    Ok(())
}

#[test]
fn many_small_files_and_skipped_blocks() -> anyhow::Result<()> {
    let dir = tempfile::tempdir()?;
    let mut sources = Vec::new();
    for i in 0..300 {
        let text = format!("file {i}\nsecond line\n");
        let name = format!("{i}.log");
        sources.push(if i % 3 == 0 {
            file(dir.path(), &name, &gzip(text.as_bytes())?, Coding::Gzip)?
        } else {
            file(dir.path(), &name, text.as_bytes(), Coding::Plain)?
        });
    }
    let (seen, _) = read(&sources, plan(2, 16, 8, 8));
    for (i, seen) in seen.iter().enumerate() {
        let text = format!("file {i}\nsecond line\n");
        assert_eq!(seen.text(), text.as_bytes());
    }
    // Only what lies in the first 16 bytes, and nothing of odd files.
    let wanted = |i: usize, range: Range<u64>| i.is_multiple_of(2) && range.start == 0;
    let (seen, ends) = read_with(&sources, plan(2, 16, 8, 8), 0, wanted);
    for (i, seen) in seen.iter().enumerate() {
        assert_eq!(seen.blocks, usize::from(i.is_multiple_of(2)), "{i}");
        assert_eq!(seen.firsts, seen.blocks);
    }
    assert_eq!(ends[1], SourceEnd::default());
    Ok(())
}

#[test]
fn broken_sources_end_with_an_error() -> anyhow::Result<()> {
    let dir = tempfile::tempdir()?;
    let dir = dir.path();
    let text = lines(2, 200_000, 100);
    let packed = gzip(text.as_bytes())?;
    let cut = &packed[..packed.len() * 2 / 3];
    let frame = zstd::encode_all(text.as_bytes(), 1)?;
    let mut damaged = packed.clone();
    let middle = damaged.len() / 2;
    for byte in &mut damaged[middle..middle + 64] {
        *byte = 0xFF;
    }
    let mut shrunk = file(dir, "shrunk", b"ab\ncd\n", Coding::Plain)?;
    shrunk.size = 10;
    let gone = |name: &str, coding| source(name, Origin::File(dir.join(name)), coding, 5);
    let sources = [
        file(dir, "cut.gz", cut, Coding::Gzip)?,
        file(dir, "cut.zst", &frame[..frame.len() / 2], Coding::Zstd)?,
        file(dir, "damaged.gz", &damaged, Coding::Gzip)?,
        file(
            dir,
            "trailing.gz",
            &[&packed[..], b"xyz"].concat(),
            Coding::Gzip,
        )?,
        file(dir, "no.gz", b"\x1f\x8b", Coding::Gzip)?,
        shrunk,
        gone("gone", Coding::Plain),
        gone("gone.gz", Coding::Gzip),
        file(dir, "good", b"ab\n", Coding::Plain)?,
    ];
    let mut earlier: Option<(Vec<Seen>, Vec<SourceEnd>)> = None;
    for block_size in [1 << 10, 1 << 20] {
        let (seen, ends) = read(&sources, plan(2, block_size, 100, 200));
        let said = |i: usize| ends[i].error.clone().unwrap_or_default();
        let early = format!("data ends early, at byte {}", cut.len());
        assert!(said(0).contains(&early), "{}", said(0));
        assert!(said(1).contains("zstd data ends early"), "{}", said(1));
        assert!(
            said(2).contains("gzip data is damaged at byte"),
            "{}",
            said(2)
        );
        for i in [0, 1, 2] {
            // What follows damage is no longer the text, until the decoder notices.
            let good = if i == 2 { 50_000 } else { seen[i].text().len() };
            assert_eq!(text.as_bytes()[..good], seen[i].text()[..good], "{i}");
            assert_eq!(ends[i].bytes, seen[i].text().len() as u64, "{i}");
        }
        assert!(ends[0].bytes > 50_000 && ends[2].bytes > 50_000);
        assert_eq!(seen[3].text(), text.as_bytes());
        assert!(!said(3).is_empty() && !said(4).is_empty());
        assert_eq!(said(5), "shrank from 10 to 6 bytes while read");
        assert_eq!(seen[5].text(), b"ab\ncd\n");
        assert_eq!((said(6), said(7)), ("vanished".into(), "vanished".into()));
        assert_eq!(ends[8].error, None);
        // The ends and the texts do not depend on the size of a block.
        if let Some((seen_before, ends_before)) = &earlier {
            assert_eq!(ends_before, &ends);
            let texts = |s: &[Seen]| s.iter().map(Seen::text).collect::<Vec<_>>();
            assert!(texts(seen_before) == texts(&seen));
        }
        earlier = Some((seen, ends));
    }
    Ok(())
}

#[test]
fn standard_input_is_sampled_and_read_twice() -> anyhow::Result<()> {
    let dir = tempfile::tempdir()?;
    let text = lines(11, (4 << 20) + 200_000, 150);
    let bytes = text.as_bytes();
    let stdin = piped(bytes)?;
    let sources = [
        file(dir.path(), "plain", bytes, Coding::Plain)?,
        file(dir.path(), "gz", &gzip(bytes)?, Coding::Gzip)?,
        file(
            dir.path(),
            "zst",
            &zstd::encode_all(bytes, 1)?,
            Coding::Zstd,
        )?,
        file(dir.path(), "utf16", &utf16(&text), Coding::Utf16)?,
        stdin,
    ];
    let windows = sample(&sources[0]);
    let shape: Vec<(u64, usize)> = windows.iter().map(|(o, b)| (*o, b.len())).collect();
    assert_eq!(shape, super::super::sample::WINDOWS);
    for (offset, window) in &windows {
        assert!(bytes[usize::try_from(*offset)?..].starts_with(window));
    }
    for source in &sources {
        assert!(sample(source) == windows, "{}", source.name);
    }
    for _ in 0..2 {
        let (seen, ends) = read(&sources, plan(2, 1 << 20, 1 << 10, 1 << 10));
        for (i, source) in sources.iter().enumerate() {
            assert!(seen[i].text() == bytes, "{}", source.name);
            assert_eq!(ends[i].error, None);
        }
    }
    Ok(())
}

#[test]
fn short_and_missing_samples() -> anyhow::Result<()> {
    let dir = tempfile::tempdir()?;
    let text = lines(2, 300_000, 100);
    let whole = file(dir.path(), "a", text.as_bytes(), Coding::Plain)?;
    let packed = file(dir.path(), "b", &gzip(text.as_bytes())?, Coding::Gzip)?;
    let windows = sample(&whole);
    assert_eq!(
        windows.iter().map(|(o, _)| *o).collect::<Vec<_>>(),
        [0, 256 << 10]
    );
    assert!(windows == sample(&packed));
    let path = PathBuf::from("does/not/exist");
    for coding in [Coding::Plain, Coding::Gzip] {
        let none = source("c", Origin::File(path.clone()), coding, 0);
        assert!(sample(&none).is_empty());
    }
    Ok(())
}

#[test]
fn a_panic_is_passed_on_and_hangs_nobody() -> anyhow::Result<()> {
    let dir = tempfile::tempdir()?;
    let text = lines(2, 100_000, 100);
    let sources = [file(dir.path(), "a", text.as_bytes(), Coding::Plain)?];
    for in_sink in [false, true] {
        let caught = std::panic::catch_unwind(|| {
            run(
                &sources,
                &plan(2, 100, 10, 10),
                |_, _| true,
                || (),
                |(), block| {
                    assert!(in_sink || block.offset < 5_000, "on purpose");
                    Seen::default()
                },
                &Progress::new(Mode::Never, 0),
                |_, _| assert!(!in_sink, "on purpose"),
            )
        });
        assert!(caught.is_err());
    }
    Ok(())
}
