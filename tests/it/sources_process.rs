//! Tests of `sources`: process.
