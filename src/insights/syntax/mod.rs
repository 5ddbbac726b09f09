//! From text to a script: lexer, parser, syntax tree.

mod command;
mod expression;
mod lexer;
mod parser;
mod tree;

pub(crate) use parser::parse;
pub(crate) use tree::*;
