//! Logs Insights QL as its users meet it: queries over small logs, results as text.

#[path = "insights/article.rs"]
mod article;
#[path = "insights/commands.rs"]
mod commands;
#[path = "insights/expressions.rs"]
mod expressions;
#[path = "insights/support.rs"]
mod support;
