//! How the side-by-side table fits a terminal: runs that do not fit beside each other continue in
//! a further table below, and the columns of a table share the width.

/// A run's column may be wrapped down to this width: that of the longest verdict.
const VALUE_MIN: usize = 12;

/// A run's column is wrapped beyond this width even where there is room.
const VALUE_MAX: usize = 32;

/// The column of the labels is wrapped down to this width when not even one run fits beside it.
const LABEL_MIN: usize = 12;

/// One space on either side of a cell, and the line to its right.
const CELL_FRAME: usize = 3;

/// The line at the left of a table.
const LEFT_LINE: usize = 1;

/// A table: some consecutive runs, with the widths of its columns without their frames.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Band {
    /// Width of the column of labels.
    pub(super) label: usize,
    /// Widths of the runs' columns.
    pub(super) values: Vec<usize>,
}

/// Spreads runs, whose columns would like to have the widths `wanted`, over tables that are at most
/// `width` columns wide.
pub(super) fn bands(label: usize, wanted: &[usize], width: Option<usize>) -> Vec<Band> {
    let wanted: Vec<usize> = wanted.iter().map(|want| (*want).min(VALUE_MAX)).collect();
    let Some(width) = width else {
        return vec![Band {
            label,
            values: wanted,
        }];
    };
    let mut bands = Vec::new();
    let mut rest = wanted.as_slice();
    while !rest.is_empty() {
        let (now, later) = rest.split_at(how_many_fit(label, rest, width));
        bands.push(fit(label, now, width));
        rest = later;
    }
    bands
}

fn framed(columns: impl IntoIterator<Item = usize>) -> usize {
    columns
        .into_iter()
        .fold(LEFT_LINE, |sum, column| sum + column + CELL_FRAME)
}

fn least(want: usize) -> usize {
    want.min(VALUE_MIN)
}

/// Runs that fit beside the labels when they are wrapped as far as they may be; at least one.
fn how_many_fit(label: usize, wanted: &[usize], width: usize) -> usize {
    let mut used = framed([label]);
    let fitting = wanted.iter().take_while(|want| {
        used += least(**want) + CELL_FRAME;
        used <= width
    });
    fitting.count().max(1)
}

/// Shares the width: first what each column needs, then the rest to the narrowest that wants more.
fn fit(label: usize, wanted: &[usize], width: usize) -> Band {
    let mut values: Vec<usize> = wanted.iter().copied().map(least).collect();
    let excess = framed(values.iter().copied().chain([label])).saturating_sub(width);
    let label = label.saturating_sub(excess).max(LABEL_MIN.min(label));
    let used = framed(values.iter().copied().chain([label]));
    for _ in used..width {
        let hungry = (0..values.len()).filter(|index| values[*index] < wanted[*index]);
        let Some(index) = hungry.min_by_key(|index| values[*index]) else {
            break;
        };
        values[index] += 1;
    }
    Band { label, values }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn band(label: usize, values: &[usize]) -> Band {
        Band {
            label,
            values: values.to_vec(),
        }
    }

    #[test]
    fn three_runs_fit_into_80_columns() {
        assert_eq!(
            bands(27, &[12, 20, 13], Some(80)),
            [band(27, &[12, 15, 13])]
        );
        assert_eq!(bands(27, &[9, 11, 9], Some(80)), [band(27, &[9, 11, 9])]);
    }

    #[test]
    fn runs_that_do_not_fit_continue_below() {
        assert_eq!(
            bands(27, &[12, 12, 12, 12, 12], Some(80)),
            [band(27, &[12, 12, 12]), band(27, &[12, 12])]
        );
    }

    #[test]
    fn at_40_columns_the_labels_give_way() {
        assert_eq!(
            bands(27, &[30, 9], Some(40)),
            [band(21, &[12]), band(24, &[9])]
        );
    }

    #[test]
    fn without_a_terminal_only_long_cells_are_wrapped() {
        assert_eq!(bands(27, &[9, 45], None), [band(27, &[9, 32])]);
    }

    proptest! {
        #[test]
        fn no_table_is_wider_than_the_terminal_and_no_run_is_lost(
            wanted in prop::collection::vec(1_usize..60, 1..12),
            width in 32_usize..200,
        ) {
            let bands = bands(27, &wanted, Some(width));
            for band in &bands {
                let columns = band.values.iter().copied().chain([band.label]);
                prop_assert!(framed(columns) <= width, "{band:?}");
            }
            let runs: usize = bands.iter().map(|band| band.values.len()).sum();
            prop_assert_eq!(runs, wanted.len());
        }
    }
}
