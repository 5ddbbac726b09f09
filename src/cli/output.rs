//! Standard output and standard error: data goes to the one, everything said to a person about it
//! to the other.

use std::fmt;
use std::io::{ErrorKind, IsTerminal, Write};

use anstyle::{AnsiColor, Style};

use crate::failure::Failure;

/// When to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Colour {
    /// On a terminal, unless `NO_COLOR` is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl fmt::Display for Colour {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Never => "never",
        })
    }
}

impl Colour {
    fn on(self, terminal: bool) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            // An empty NO_COLOR counts as not set (no-color.org).
            Self::Auto => terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()),
        }
    }

    /// Whether standard output is to be coloured.
    pub(super) fn on_stdout(self) -> bool {
        self.on(std::io::stdout().is_terminal())
    }
}

/// Width of the terminal that standard output is, if it is one.
pub(super) fn stdout_width() -> Option<u16> {
    terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| width.0)
}

/// Writes to standard output. A reader that has gone away is no failure.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::environment(format!(
            "standard output cannot be written: {error}"
        ))),
        _ => Ok(()),
    }
}

/// Writes a note to standard error.
pub(super) fn note(text: impl fmt::Display) {
    // If standard error is closed there is nobody to tell.
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Writes a failure to standard error.
pub(super) fn print_failure(failure: &Failure, colour: Colour) {
    let style = if colour.on(std::io::stderr().is_terminal()) {
        AnsiColor::Red.on_default().bold()
    } else {
        Style::new()
    };
    note(format_args!("{style}error:{style:#} {}", failure.message));
    if let Some(hint) = &failure.hint {
        note(format_args!("       (hint: {hint})"));
    }
}
