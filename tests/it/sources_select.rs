//! Tests of `sources`: select.
