//! Where the bytes lie: the only room that writes files.
