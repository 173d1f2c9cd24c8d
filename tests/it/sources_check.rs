//! Tests of `sources`: check.
