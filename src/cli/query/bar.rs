//! Progress over long files, on a terminal only.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::logfile::Progress;

/// Below this size reading is over before a bar could be read.
const BYTES_WORTH_A_BAR: u64 = 64 << 20;

/// Draws a bar on standard error.
pub(super) struct Bar(Option<ProgressBar>);

impl Bar {
    pub(super) fn new(bytes: u64) -> Self {
        if bytes < BYTES_WORTH_A_BAR || !std::io::stderr().is_terminal() {
            return Self(None);
        }
        let style = ProgressStyle::with_template("{bar:30} {bytes}/{total_bytes} {bytes_per_sec}")
            .expect("the template is valid");
        let target = ProgressDrawTarget::stderr();
        let bar = ProgressBar::with_draw_target(Some(bytes), target).with_style(style);
        Self(Some(bar))
    }

    pub(super) fn end(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

impl Progress for Bar {
    fn read(&self, bytes: u64) {
        if let Some(bar) = &self.0 {
            bar.inc(bytes);
        }
    }
}
