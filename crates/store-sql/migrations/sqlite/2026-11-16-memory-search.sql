-- Full-text search of the memory (MEM-6): one index of notes and one of prompts, kept by
-- triggers. Deleted notes are not in the view, and so not in the index. Words are found by
-- their stem; short beginnings of words have an index of their own, since otherwise each
-- one would be put together from all the words that begin so.

CREATE VIEW memory_observation_texts AS
SELECT id, title, content, title_grams, content_grams, tags
FROM memory_observations WHERE deleted_at IS NULL;

CREATE VIRTUAL TABLE memory_observation_index USING fts5 (
    title, content, title_grams, content_grams, tags,
    content = 'memory_observation_texts', content_rowid = 'id',
    tokenize = 'porter unicode61 remove_diacritics 2', prefix = '2 3 4 5 6'
);
INSERT INTO memory_observation_index (memory_observation_index, rank)
    VALUES ('secure-delete', 1);

CREATE TRIGGER memory_observation_insert AFTER INSERT ON memory_observations
WHEN new.deleted_at IS NULL BEGIN
    INSERT INTO memory_observation_index
        (rowid, title, content, title_grams, content_grams, tags)
        VALUES (new.id, new.title, new.content, new.title_grams, new.content_grams, new.tags);
END;

CREATE TRIGGER memory_observation_forget
AFTER UPDATE OF title, content, tags, deleted_at ON memory_observations
WHEN old.deleted_at IS NULL AND (new.deleted_at IS NOT NULL OR old.title <> new.title
    OR old.content <> new.content OR old.tags <> new.tags) BEGIN
    INSERT INTO memory_observation_index
        (memory_observation_index, rowid, title, content, title_grams, content_grams, tags)
        VALUES ('delete', old.id, old.title, old.content, old.title_grams, old.content_grams,
            old.tags);
    INSERT INTO memory_observation_index
        (rowid, title, content, title_grams, content_grams, tags)
        SELECT id, title, content, title_grams, content_grams, tags
        FROM memory_observation_texts WHERE id = new.id;
END;

CREATE TRIGGER memory_observation_delete AFTER DELETE ON memory_observations
WHEN old.deleted_at IS NULL BEGIN
    INSERT INTO memory_observation_index
        (memory_observation_index, rowid, title, content, title_grams, content_grams, tags)
        VALUES ('delete', old.id, old.title, old.content, old.title_grams, old.content_grams,
            old.tags);
END;

CREATE VIRTUAL TABLE memory_prompt_index USING fts5 (
    content, content_grams, tags,
    content = 'memory_prompts', content_rowid = 'id',
    tokenize = 'porter unicode61 remove_diacritics 2', prefix = '2 3 4 5 6'
);
INSERT INTO memory_prompt_index (memory_prompt_index, rank) VALUES ('secure-delete', 1);

CREATE TRIGGER memory_prompt_insert AFTER INSERT ON memory_prompts BEGIN
    INSERT INTO memory_prompt_index (rowid, content, content_grams, tags)
        VALUES (new.id, new.content, new.content_grams, new.tags);
END;

CREATE TRIGGER memory_prompt_delete AFTER DELETE ON memory_prompts BEGIN
    INSERT INTO memory_prompt_index (memory_prompt_index, rowid, content, content_grams, tags)
        VALUES ('delete', old.id, old.content, old.content_grams, old.tags);
END;
