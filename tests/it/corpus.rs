//! Tests of `corpus`.
