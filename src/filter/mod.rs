//! Text safety, pure: what is removed from a view, and what is said about it.
