//! The example report in `reports/` is what the samples give, byte for byte;
//! `MISNOMER_BLESS=1 cargo test --test example` writes it anew.

mod common;

use anyhow::{Result, ensure};
use common::misnomer;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn files(dir: &Path, below: &Path) -> Result<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        match path.is_dir() {
            true => found.extend(files(&path, below)?),
            false => drop(found.insert(path.strip_prefix(below)?.to_path_buf())),
        }
    }
    Ok(found)
}

#[test]
fn the_example_is_what_the_samples_give() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let kept = root.join("reports");
    let temp = tempfile::tempdir()?;
    let made = match std::env::var_os("MISNOMER_BLESS") {
        Some(_) => kept.clone(),
        None => temp.path().to_path_buf(),
    };
    let outputs: Vec<String> = [
        "html=samples.html",
        "json=samples.json",
        "sarif=samples.sarif",
        "csv=csv",
    ]
    .iter()
    .filter_map(|o| o.split_once('='))
    .map(|(format, file)| format!("{format}={}", made.join(file).display()))
    .collect();
    let mut args = vec!["audit", "samples", "--quiet"];
    for output in &outputs {
        args.extend(["--output", output]);
    }
    let ran = misnomer(&args, root)?;
    ensure!(ran.code == Some(0), "{}", ran.err);
    let mut expected = files(&kept, &kept)?;
    // The picture of it is taken by hand.
    expected.remove(Path::new("samples.png"));
    let mut got = files(&made, &made)?;
    got.remove(Path::new("samples.png"));
    assert_eq!(expected, got);
    for file in &got {
        ensure!(
            fs::read(kept.join(file))? == fs::read(made.join(file))?,
            "reports/{} is not what the samples give now; MISNOMER_BLESS=1 cargo test --test example writes it anew",
            file.display()
        );
    }
    Ok(())
}
