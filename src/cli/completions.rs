//! `lab completions`.

use super::output::print;
use crate::failure::{Failure, exit};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The shell
    #[arg(value_enum)]
    shell: clap_complete::Shell,
}

pub(super) fn main(arguments: &Arguments, mut command: clap::Command) -> Result<u8, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "lab", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(exit::EXPECTED)
}
