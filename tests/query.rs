//! `lab query` as its users meet it: output, messages and exit codes of the binary.

#[path = "query/article.rs"]
mod article;
#[path = "query/choosing.rs"]
mod choosing;
#[path = "query/documentation.rs"]
mod documentation;
#[path = "query/hostile.rs"]
mod hostile;
#[path = "query/inputs.rs"]
mod inputs;
#[path = "query/large.rs"]
mod large;
#[path = "query/outputs.rs"]
mod outputs;
#[path = "query/ranges.rs"]
mod ranges;
#[path = "query/reports.rs"]
mod reports;
#[path = "query/support.rs"]
mod support;
