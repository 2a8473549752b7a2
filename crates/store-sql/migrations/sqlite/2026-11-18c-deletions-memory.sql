-- A note that comes back after its deletion (REC-5) is found again.
CREATE TRIGGER memory_observation_restore AFTER UPDATE OF deleted_at ON memory_observations
WHEN old.deleted_at IS NOT NULL AND new.deleted_at IS NULL BEGIN
    INSERT INTO memory_observation_index
        (rowid, title, content, title_grams, content_grams, tags)
        VALUES (new.id, new.title, new.content, new.title_grams, new.content_grams, new.tags);
END;
