-- The indexes of SQLite over our words, in place of those that cut texts by themselves. They only
-- have to say which texts hold a word, so that neither places nor columns are kept.

DROP TRIGGER search_after_insert;
DROP TRIGGER search_after_update;
DROP TRIGGER search_after_delete;
DROP TABLE search_index;
DROP VIEW search_texts;
DROP TABLE search_docs;
DROP TRIGGER memory_observation_insert;
DROP TRIGGER memory_observation_forget;
DROP TRIGGER memory_observation_delete;
DROP TRIGGER memory_observation_restore;
DROP TRIGGER memory_prompt_insert;
DROP TRIGGER memory_prompt_delete;
DROP TABLE memory_observation_index;
DROP TABLE memory_prompt_index;
DROP VIEW memory_observation_texts;
ALTER TABLE memory_observations DROP COLUMN title_grams;
ALTER TABLE memory_observations DROP COLUMN content_grams;
ALTER TABLE memory_prompts DROP COLUMN content_grams;

CREATE TABLE search_docs (
    doc INTEGER NOT NULL PRIMARY KEY,
    pair_id TEXT NOT NULL UNIQUE
);

CREATE VIRTUAL TABLE memory_search_index USING fts5 (
    tags, title, body, content = 'memory_search_texts', content_rowid = 'doc',
    tokenize = 'ascii', detail = 'none', columnsize = 0
);
CREATE VIRTUAL TABLE history_search_index USING fts5 (
    tags, title, body, content = 'history_search_texts', content_rowid = 'doc',
    tokenize = 'ascii', detail = 'none', columnsize = 0
);
-- Deleted words leave the file at once, not at some later merge (REC-5).
INSERT INTO memory_search_index (memory_search_index, rank) VALUES ('secure-delete', 1);
INSERT INTO history_search_index (history_search_index, rank) VALUES ('secure-delete', 1);

CREATE TRIGGER memory_search_insert AFTER INSERT ON memory_search_texts BEGIN
    INSERT INTO memory_search_index (rowid, tags, title, body)
        VALUES (new.doc, new.tags, new.title, new.body);
END;
CREATE TRIGGER memory_search_update AFTER UPDATE ON memory_search_texts BEGIN
    INSERT INTO memory_search_index (memory_search_index, rowid, tags, title, body)
        VALUES ('delete', old.doc, old.tags, old.title, old.body);
    INSERT INTO memory_search_index (rowid, tags, title, body)
        VALUES (new.doc, new.tags, new.title, new.body);
END;
CREATE TRIGGER memory_search_delete AFTER DELETE ON memory_search_texts BEGIN
    INSERT INTO memory_search_index (memory_search_index, rowid, tags, title, body)
        VALUES ('delete', old.doc, old.tags, old.title, old.body);
END;
CREATE TRIGGER history_search_insert AFTER INSERT ON history_search_texts BEGIN
    INSERT INTO history_search_index (rowid, tags, title, body)
        VALUES (new.doc, new.tags, new.title, new.body);
END;
CREATE TRIGGER history_search_update AFTER UPDATE ON history_search_texts BEGIN
    INSERT INTO history_search_index (history_search_index, rowid, tags, title, body)
        VALUES ('delete', old.doc, old.tags, old.title, old.body);
    INSERT INTO history_search_index (rowid, tags, title, body)
        VALUES (new.doc, new.tags, new.title, new.body);
END;
CREATE TRIGGER history_search_delete AFTER DELETE ON history_search_texts BEGIN
    INSERT INTO history_search_index (history_search_index, rowid, tags, title, body)
        VALUES ('delete', old.doc, old.tags, old.title, old.body);
END;

-- Which texts changed.
CREATE TRIGGER note_inserted AFTER INSERT ON memory_observations BEGIN
    INSERT INTO search_changes VALUES ('note', CAST(new.id AS TEXT)) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER note_updated
AFTER UPDATE OF workspace, title, content, tags, updated_at, deleted_at ON memory_observations
BEGIN
    INSERT INTO search_changes VALUES ('note', CAST(new.id AS TEXT)) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER note_deleted AFTER DELETE ON memory_observations BEGIN
    INSERT INTO search_changes VALUES ('note', CAST(old.id AS TEXT)) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER prompt_inserted AFTER INSERT ON memory_prompts BEGIN
    INSERT INTO search_changes VALUES ('prompt', CAST(new.id AS TEXT)) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER prompt_updated AFTER UPDATE ON memory_prompts BEGIN
    INSERT INTO search_changes VALUES ('prompt', CAST(new.id AS TEXT)) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER prompt_deleted AFTER DELETE ON memory_prompts BEGIN
    INSERT INTO search_changes VALUES ('prompt', CAST(old.id AS TEXT)) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER pair_text_inserted AFTER INSERT ON pair_texts BEGIN
    INSERT INTO search_changes VALUES ('pair', new.pair_id) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER pair_text_updated AFTER UPDATE OF user_text, assistant_text ON pair_texts
WHEN old.user_text IS NOT new.user_text OR old.assistant_text IS NOT new.assistant_text BEGIN
    INSERT INTO search_changes VALUES ('pair', new.pair_id) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER pair_text_deleted AFTER DELETE ON pair_texts BEGIN
    INSERT INTO search_changes VALUES ('pair', old.pair_id) ON CONFLICT DO NOTHING;
END;

-- What is there already is cut when this step ends.
INSERT INTO search_changes SELECT 'note', CAST(id AS TEXT) FROM memory_observations
    WHERE deleted_at IS NULL;
INSERT INTO search_changes SELECT 'prompt', CAST(id AS TEXT) FROM memory_prompts;
INSERT INTO search_changes SELECT 'pair', pair_id FROM pair_texts;
