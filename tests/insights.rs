//! Logs Insights QL as its users meet it: queries over small logs, results as text.

#[path = "insights/article.rs"]
mod article;
#[path = "insights/commands.rs"]
mod commands;
#[path = "insights/documentation.rs"]
mod documentation;
#[path = "insights/errors.rs"]
mod errors;
#[path = "insights/expressions.rs"]
mod expressions;
#[path = "insights/groups.rs"]
mod groups;
#[path = "insights/properties.rs"]
mod properties;
#[path = "insights/support.rs"]
mod support;
#[path = "insights/warnings.rs"]
mod warnings;
