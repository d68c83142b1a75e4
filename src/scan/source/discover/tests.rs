use super::*;
use crate::scan::source::Coding;
use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;

fn put(root: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let path = root.join(name);
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir)?;
    }
    fs::write(path, bytes)
}

fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut out = flate2::read::GzEncoder::new(bytes, flate2::Compression::fast());
    let mut packed = Vec::new();
    out.read_to_end(&mut packed)?;
    Ok(packed)
}

fn find(paths: &[&Path], settings: &Settings) -> anyhow::Result<Found> {
    discover_with(paths, settings, || Box::new(io::empty()))
}

/// `name lane coding` of every source.
fn lines(found: &Found) -> Vec<String> {
    let line = |s: &Source| format!("{} {} {:?}", s.name, s.lane, s.coding);
    found.sources.iter().map(line).collect()
}

fn pairs(list: &[(String, String)]) -> Vec<(&str, &str)> {
    list.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect()
}

#[test]
fn a_tree_with_everything() -> anyhow::Result<()> {
    let root = tempfile::tempdir()?;
    let root = root.path();
    let text = b"09:00 ERROR x\n";
    put(root, "shop/run-1.log", text)?;
    put(root, "shop/run-2.log.gz", &gzip(text)?)?;
    // The name says nothing, the bytes do.
    put(root, "shop/packed.log", &zstd::encode_all(&text[..], 1)?)?;
    put(root, "shop/not-packed.gz", text)?;
    put(root, "shop/empty.log", b"")?;
    put(root, "shop/wide.log", b"\xff\xfea\0\n\0")?;
    put(root, "shop/data.json", b"{\n  \"a\": 1\n}\n")?;
    put(root, "shop/lines.json", b"{\"a\": 1}\n")?;
    put(
        root,
        "shop/hole.log",
        b"\0\0\0\0\0\0\0\0 and then the log goes on\n",
    )?;
    put(root, "shop/pages.db", b"SQLite format 3\0\x10\0")?;
    put(root, "shop/core", b"ab\0\x01\x02")?;
    put(
        root,
        "shop/dump.tgz",
        &gzip(&[&[b'a'; 257][..], b"ustar\0"].concat())?,
    )?;
    put(root, ".git/HEAD", text)?;
    put(root, "shop/.hidden.log", text)?;
    put(root, "top-2026-11-30.log", text)?;
    put(root, "README.md", text)?;
    put(root, "misnomer.toml", b"")?;
    symlink("run-1.log", root.join("shop/latest.log"))?;
    symlink("shop", root.join("current"))?;
    symlink("..", root.join("shop/up"))?;
    symlink("nowhere", root.join("shop/dangling"))?;
    let _socket = UnixListener::bind(root.join("shop/socket"))?;

    let found = find(&[root], &Settings::default())?;
    assert_eq!(
        lines(&found),
        [
            "shop/data.json shop Plain",
            "shop/empty.log shop Plain",
            "shop/hole.log shop Plain",
            "shop/lines.json shop Plain",
            "shop/not-packed.gz shop Plain",
            "shop/packed.log shop Zstd",
            "shop/run-1.log shop Plain",
            "shop/run-2.log.gz shop Gzip",
            "shop/wide.log shop Utf16",
            "top-2026-11-30.log top Plain",
        ]
    );
    assert_eq!(found.unreadable, []);
    let passed = pairs(&found.passed_over);
    for expected in [
        (".git", "hidden"),
        ("README.md", "documentation"),
        ("misnomer.toml", "configuration"),
        ("shop/.hidden.log", "hidden"),
        ("shop/core", "binary"),
        ("shop/dangling", "a symbolic link to nothing"),
        ("shop/dump.tgz", "binary (tar archive: unpack it first)"),
        ("shop/latest.log", "the same file as shop/run-1.log"),
        ("current/run-1.log", "the same file as shop/run-1.log"),
        ("shop/pages.db", "binary (SQLite)"),
        ("shop/socket", "not a regular file"),
        ("shop/up", "a symbolic link back to its own directory"),
    ] {
        assert!(passed.contains(&expected), "{expected:?} in {passed:#?}");
    }
    Ok(())
}

#[test]
fn several_paths_lie_under_their_last_component() -> anyhow::Result<()> {
    let root = tempfile::tempdir()?;
    let root = root.path();
    for name in [
        "a/logs/x.log",
        "b/logs/shop/y.log",
        "b/logs/z.log",
        "c/only.log",
    ] {
        put(root, name, name.as_bytes())?;
    }
    let [a, b, c] = ["a/logs", "b/logs", "c/only.log"].map(|p| root.join(p));
    let none = Settings::default();
    for (paths, expected) in [
        (vec![a.as_path()], vec!["x.log x Plain"]),
        (vec![c.as_path()], vec!["only.log only Plain"]),
        (
            vec![b.as_path(), c.as_path()],
            vec![
                "logs/shop/y.log shop Plain",
                "logs/z.log logs Plain",
                "only.log only Plain",
            ],
        ),
        // One last component for two: one more of each.
        (
            vec![b.as_path(), a.as_path()],
            vec![
                "a/logs/x.log a/logs Plain",
                "b/logs/shop/y.log shop Plain",
                "b/logs/z.log b/logs Plain",
            ],
        ),
        // Given twice, read once.
        (
            vec![a.as_path(), a.as_path()],
            vec!["logs/x.log logs Plain"],
        ),
    ] {
        assert_eq!(lines(&find(&paths, &none)?), expected);
    }
    Ok(())
}

#[test]
fn settings_name_lanes_and_zones() -> anyhow::Result<()> {
    let root = tempfile::tempdir()?;
    put(root.path(), "deep/er/x.log", b"x\n")?;
    put(root.path(), "y.log", b"y\n")?;
    let text =
        "timezone = \"+01:00\"\n[lanes.taught]\npaths = [\"deep/**\"]\ntimezone = \"+09:00\"\n";
    let found = find(&[root.path()], &Settings::parse("f", text)?)?;
    assert_eq!(
        lines(&found),
        ["deep/er/x.log taught Plain", "y.log y Plain"]
    );
    let offsets: Vec<i32> = found
        .sources
        .iter()
        .map(|s| s.timezone.to_offset(jiff::Timestamp::UNIX_EPOCH).seconds())
        .collect();
    assert_eq!(offsets, [32_400, 3_600]);
    Ok(())
}

#[test]
fn missing_and_unreadable_paths() -> anyhow::Result<()> {
    let root = tempfile::tempdir()?;
    let root = root.path();
    let missing = root.join("missing");
    let said = find(&[&missing], &Settings::default()).map(|_| ());
    let said = said.map_or_else(|e| e.to_string(), |()| String::new());
    assert!(
        said.contains("missing` does not exist: name a file"),
        "{said}"
    );

    put(root, "locked.log", b"x\n")?;
    put(root, "locked/x.log", b"x\n")?;
    let [file, dir] = ["locked.log", "locked"].map(|n| root.join(n));
    fs::set_permissions(&file, Permissions::from_mode(0o000))?;
    fs::set_permissions(&dir, Permissions::from_mode(0o000))?;
    // The superuser reads everything.
    if File::open(&file).is_err() {
        let found = find(&[root], &Settings::default())?;
        let why = "permission denied";
        assert_eq!(
            pairs(&found.unreadable),
            [("locked", why), ("locked.log", why)]
        );
    }
    fs::set_permissions(&dir, Permissions::from_mode(0o700))?;
    Ok(())
}

#[test]
fn standard_input() -> anyhow::Result<()> {
    let packed = gzip(b"{\"a\": 1}\n")?;
    for (bytes, expected) in [
        (&b"line\n"[..], Some(Coding::Plain)),
        (b"", Some(Coding::Plain)),
        (&packed, Some(Coding::Gzip)),
        (b"{\n\"a\":\n1}\n", Some(Coding::Plain)),
        (b"\x7fELF\x02", None),
    ] {
        let bytes = bytes.to_vec();
        let paths = [Path::new("-")];
        let live = || -> Box<dyn Read + Send> { Box::new(io::Cursor::new(bytes)) };
        let found = discover_with(&paths, &Settings::default(), live)?;
        let is = found.sources.first().map(|s| s.coding);
        assert_eq!(is, expected);
        assert!(
            found
                .sources
                .iter()
                .all(|s| &*s.name == "stdin" && &*s.lane == "stdin")
        );
        assert_eq!(found.passed_over.len(), usize::from(expected.is_none()));
    }
    Ok(())
}
