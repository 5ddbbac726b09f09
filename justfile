# Show the recipes.
_default:
    @just --list --unsorted

# Run the experiments of the article and show the verdicts.
demo:
    cargo run --locked --release -- run article

# Run all tests.
test:
    cargo test --locked

# Check format, lints and documentation.
check:
    cargo fmt --all -- --check && cargo clippy --locked --all-targets -- -D warnings && RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps

# Everything that must hold before a change is merged.
ci:
    bash .ci/run

# Measure speed and memory, and print the figures.
bench:
    cargo bench --locked
