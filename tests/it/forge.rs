//! Tests of `forge`.
