//! The matrix in GitHub's flavour of Markdown.

use super::Matrix;

/// The matrix as Markdown.
pub(super) fn render(matrix: &Matrix) -> String {
    let mut text = format!("## Guards against causes (seed {})\n\n| |", matrix.seed);
    for guard in &matrix.guards {
        text.push_str(&format!(" `{guard}` |"));
    }
    text.push_str(&format!(
        "\n|:---|{}\n",
        ":---|".repeat(matrix.guards.len())
    ));
    for (index, (cause, _)) in matrix.causes.iter().enumerate() {
        text.push_str(&format!("| `{cause}` |"));
        for cell in matrix.row(index) {
            text.push_str(&format!(" {} |", cell.short()));
        }
        text.push('\n');
    }
    text.push_str("\nThe number is how often the customer was charged.\n\n");
    for (cause, title) in &matrix.causes {
        text.push_str(&format!("- `{cause}`: {title}\n"));
    }
    text.push_str("\nOne cell in full:\n\n```sh\n");
    if let Some(cell) = matrix.cells.first() {
        text.push_str(&format!("{}\n", cell.replay));
    }
    text + "```\n"
}
