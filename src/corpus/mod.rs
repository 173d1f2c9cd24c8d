//! Facts → state, pure: folding looks into what is known, how completely, as of which forge time.
