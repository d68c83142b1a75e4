//! Outputs that appear whole or not at all: written beside their place, then renamed.

use anyhow::{Context, Result, bail};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes a file beside `path` and renames it when it is complete. What stood there before stays until then.
///
/// # Errors
/// When the place cannot be written, or when `fill` fails; it names the path.
pub fn file(path: &Path, fill: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let write = || -> Result<()> {
        let path = target(path)?;
        if path.is_dir() {
            bail!("it is a directory");
        }
        // A pipe or a device cannot be replaced, only written to.
        if fs::metadata(&path).is_ok_and(|m| !m.is_file()) {
            let mut to = fs::OpenOptions::new().write(true).open(&path)?;
            fill(&mut to)?;
            return Ok(to.flush()?);
        }
        let mut temporary = builder(0o666).tempfile_in(parent(&path))?;
        let mut to = BufWriter::new(temporary.as_file_mut());
        fill(&mut to)?;
        to.flush()?;
        drop(to);
        temporary.persist(&path)?;
        Ok(())
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

/// Writes a directory of the files `names` beside `path` and renames it when it is complete.
///
/// A directory that stands there already is replaced if it holds nothing but files of these names.
///
/// # Errors
/// When a foreign file stands in the directory, when the place cannot be written, or when `fill` fails; it names the path.
pub fn directory(
    path: &Path,
    names: &[&str],
    mut fill: impl FnMut(&str, &mut File) -> Result<()>,
) -> Result<()> {
    let mut write = || -> Result<()> {
        let path = target(path)?;
        refuse_foreign(&path, names)?;
        let beside = parent(&path);
        let new = builder(0o777).tempdir_in(&beside)?;
        for name in names {
            let mut to = File::create(new.path().join(name))?;
            fill(name, &mut to).with_context(|| (*name).to_owned())?;
            to.flush()?;
        }
        if path.exists() {
            let old = builder(0o777).tempdir_in(&beside)?;
            let kept = old.path().join("old");
            fs::rename(&path, &kept)?;
            if let Err(error) = fs::rename(new.path(), &path) {
                fs::rename(&kept, &path)?;
                return Err(error.into());
            }
        } else {
            fs::rename(new.path(), &path)?;
        }
        // It stands under its own name now: there is nothing left to remove.
        let _ = new.keep();
        Ok(())
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

fn refuse_foreign(path: &Path, names: &[&str]) -> Result<()> {
    if !path.exists() {
        return Ok(());
    }
    if !path.is_dir() {
        bail!("it is a file, and a directory is to stand there");
    }
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let name = entry.file_name();
        let ours = name.to_str().is_some_and(|n| names.contains(&n)) && entry.path().is_file();
        if !ours {
            bail!(
                "the directory holds `{}`, which is not of this report; name a new directory, or empty this one",
                name.to_string_lossy()
            );
        }
    }
    Ok(())
}

/// Where to write: behind symbolic links, so that a link stays a link.
fn target(path: &Path) -> Result<PathBuf> {
    if path.exists() {
        return Ok(fs::canonicalize(path)?);
    }
    Ok(path.to_path_buf())
}

fn parent(path: &Path) -> PathBuf {
    match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// Temporary files with the permissions of ordinary ones: the mask of the process applies to `mode`.
fn builder(mode: u32) -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".misnomer-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(mode));
    }
    #[cfg(not(unix))]
    let _ = mode;
    builder
}
