//! A number that tells builds apart: files with tables are only read by the build that wrote them.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=src");
    let mut files = Vec::new();
    list(Path::new("src"), &mut files);
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files {
        fs::read(file).expect("sources can be read").hash(&mut hasher);
    }
    // Tables may depend on what the target has.
    env::var("TARGET").expect("cargo says it").hash(&mut hasher);
    println!("cargo::rustc-env=TOKSTREAM_BUILD={:016x}", hasher.finish());
}

fn list(folder: &Path, files: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).expect("sources can be listed") {
        let path = entry.expect("sources can be listed").path();
        if path.is_dir() { list(&path, files) } else { files.push(path) }
    }
}
