//! Tests of `sources`: hostile.
