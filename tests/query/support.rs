//! Running the binary over small logs.

use std::io::Write;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use tempfile::TempDir;

/// The folder with the logs of these tests.
pub(crate) fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/query")
}

/// `lab query` with these arguments, in the folder of the logs.
pub(crate) fn query(arguments: &[&str]) -> Run {
    query_in(&data(), arguments)
}

/// `lab query` with these arguments, in a folder.
pub(crate) fn query_in(folder: &Path, arguments: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
    // What the caller's shell sets must not decide a test.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("LAB_") {
            command.env_remove(name);
        }
    }
    command.current_dir(folder).arg("query").args(arguments);
    Run(command)
}

/// A command that has not been run.
pub(crate) struct Run(Command);

impl Run {
    pub(crate) fn stdin(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.0.write_stdin(input.into());
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.0.env(name, value);
        self
    }

    /// Exit code, standard output and standard error.
    pub(crate) fn outcome(mut self) -> (i32, String, String) {
        let output = self.0.output().expect("the binary runs");
        let text = |bytes| String::from_utf8(bytes).expect("text");
        let code = output.status.code().expect("no signal");
        (code, text(output.stdout), text(output.stderr))
    }

    /// Checks everything that it prints, and that it succeeds.
    #[track_caller]
    pub(crate) fn prints(self, stdout: &str, stderr: &str) {
        let (code, out, err) = self.outcome();
        assert_eq!(out, stdout, "{err}");
        assert_eq!(err, stderr);
        assert_eq!(code, 0);
    }

    /// Checks that it prints a message and no result.
    #[track_caller]
    pub(crate) fn fails(self, exit_code: i32, stderr: &str) {
        let (code, out, err) = self.outcome();
        assert_eq!(err, stderr);
        assert_eq!(out, "");
        assert_eq!(code, exit_code);
    }

    /// The result of a query with `--format json`, and standard error.
    #[track_caller]
    pub(crate) fn json(self) -> (Value, String) {
        let (code, out, err) = self.outcome();
        assert_eq!(code, 0, "{err}");
        (serde_json::from_str(&out).expect("JSON"), err)
    }
}

/// A folder with one file.
pub(crate) fn folder(name: &str, content: impl AsRef<[u8]>) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    std::fs::write(folder.path().join(name), content).expect("a file");
    folder
}

pub(crate) fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).expect("memory can be written");
    encoder.finish().expect("memory can be written")
}
