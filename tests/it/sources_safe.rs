//! Tests of `sources`: safe.
