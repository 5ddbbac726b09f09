//! till
