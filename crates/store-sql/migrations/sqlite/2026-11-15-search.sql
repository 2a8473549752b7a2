-- Full-text search over the texts of pairs (HIS-7), for SQLite alone.
--
-- The index keeps no copy of the texts: it reads them through a view. Documents have
-- numbers of their own, because a vacuum may renumber the hidden rows of other tables.
-- Triggers keep the index true, so that no statement outside this file speaks of it.

CREATE TABLE search_docs (
    doc INTEGER PRIMARY KEY,
    pair_id TEXT NOT NULL UNIQUE,
    workspace TEXT NOT NULL
);

CREATE VIEW search_texts AS
SELECT d.doc AS doc, t.user_text AS user_text, t.assistant_text AS assistant_text
FROM search_docs d JOIN pair_texts t ON t.pair_id = d.pair_id;

CREATE VIRTUAL TABLE search_index USING fts5 (
    user_text, assistant_text,
    content = 'search_texts', content_rowid = 'doc',
    tokenize = 'unicode61 remove_diacritics 2'
);

-- Deleted words leave the file at once, not at some later merge (REC-5).
INSERT INTO search_index (search_index, rank) VALUES ('secure-delete', 1);

CREATE TRIGGER search_after_insert AFTER INSERT ON pair_texts BEGIN
    INSERT INTO search_docs (pair_id, workspace)
        SELECT id, workspace FROM pairs WHERE id = new.pair_id;
    INSERT INTO search_index (rowid, user_text, assistant_text)
        SELECT doc, new.user_text, new.assistant_text
        FROM search_docs WHERE pair_id = new.pair_id;
END;

CREATE TRIGGER search_after_update AFTER UPDATE OF user_text, assistant_text ON pair_texts
WHEN old.user_text IS NOT new.user_text OR old.assistant_text IS NOT new.assistant_text BEGIN
    INSERT INTO search_index (search_index, rowid, user_text, assistant_text)
        SELECT 'delete', doc, old.user_text, old.assistant_text
        FROM search_docs WHERE pair_id = old.pair_id;
    INSERT INTO search_index (rowid, user_text, assistant_text)
        SELECT doc, new.user_text, new.assistant_text
        FROM search_docs WHERE pair_id = new.pair_id;
END;

CREATE TRIGGER search_after_delete AFTER DELETE ON pair_texts BEGIN
    INSERT INTO search_index (search_index, rowid, user_text, assistant_text)
        SELECT 'delete', doc, old.user_text, old.assistant_text
        FROM search_docs WHERE pair_id = old.pair_id;
    DELETE FROM search_docs WHERE pair_id = old.pair_id;
END;
