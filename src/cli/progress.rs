//! Progress of a run, on a terminal only.

use std::io::IsTerminal;
use std::sync::Mutex;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::experiment::{PlannedArm, Progress};

/// Runs below this size are over before a bar could be read.
const COPIES_WORTH_A_BAR: u64 = 20_000;

/// Draws a bar on standard error.
pub(super) struct Bar {
    current: Mutex<Option<ProgressBar>>,
}

impl Bar {
    pub(super) fn new() -> Self {
        Self {
            current: Mutex::new(None),
        }
    }

    fn with(&self, act: impl FnOnce(&ProgressBar)) {
        let current = self.current.lock().expect("nothing panics under this lock");
        if let Some(bar) = &*current {
            act(bar);
        }
    }
}

impl Progress for Bar {
    fn begin(&self, arm: &PlannedArm) {
        if arm.copies() < COPIES_WORTH_A_BAR || !std::io::stderr().is_terminal() {
            return;
        }
        let style = ProgressStyle::with_template(
            "{prefix} {bar:30} {pos}/{len} deliveries {per_sec} {msg}",
        )
        .expect("the template is valid");
        let bar = ProgressBar::with_draw_target(Some(arm.copies()), ProgressDrawTarget::stderr())
            .with_style(style)
            .with_prefix(arm.name.clone());
        *self.current.lock().expect("nothing panics under this lock") = Some(bar);
    }

    fn delivered(&self, invocations: u64) {
        self.with(|bar| bar.set_position(invocations));
    }

    fn collecting(&self) {
        self.with(|bar| bar.set_message("reading the evidence"));
    }

    fn end(&self) {
        self.with(ProgressBar::finish_and_clear);
    }
}
