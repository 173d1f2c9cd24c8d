//! State → files, pure: the index tree of an entity, for a snapshot or a stage.
