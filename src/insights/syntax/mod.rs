//! From text to a script: lexer, parser, syntax tree.

mod command;
mod expression;
mod lexer;
mod parser;
mod several;
mod tree;

pub(crate) use parser::parse;
pub(crate) use tree::*;
