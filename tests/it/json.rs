//! Tests of `json`.

mod conformance;
mod damage;
mod guards;
mod laws;
mod numbers;
mod properties;
mod readers;
mod vectors;
mod verbs;
