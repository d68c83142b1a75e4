//! Lists the packs under `patterns/`, so that a new pack is a new file and nothing else.

use std::{env, fs, io::Write, path::Path};

fn main() {
    println!("cargo::rerun-if-changed=patterns");
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let mut names: Vec<String> = fs::read_dir(Path::new(&root).join("patterns"))
        .expect("patterns/ stands beside Cargo.toml")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".toml"))
        .collect();
    names.sort();
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let mut file = fs::File::create(Path::new(&out).join("packs.rs")).expect("OUT_DIR is writable");
    writeln!(file, "&[").expect("OUT_DIR is writable");
    for name in names {
        let path = Path::new(&root).join("patterns").join(&name);
        println!("cargo::rerun-if-changed={}", path.display());
        writeln!(
            file,
            "    ({name:?}, include_str!({path:?})),",
            path = path.display().to_string()
        )
        .expect("OUT_DIR is writable");
    }
    writeln!(file, "]").expect("OUT_DIR is writable");
}
