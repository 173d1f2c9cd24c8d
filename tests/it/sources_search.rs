//! Tests of `sources`: search.
