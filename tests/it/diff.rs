//! Tests of `diff`.
