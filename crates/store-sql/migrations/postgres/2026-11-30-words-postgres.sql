-- The index of PostgreSQL over our words (MEM-10, HIS-7): it only has to say which texts hold a word.
-- A `tsvector` ends at a megabyte, so that long words stand in it by their digest.

ALTER TABLE memory_observations DROP COLUMN title_grams;
ALTER TABLE memory_observations DROP COLUMN content_grams;
ALTER TABLE memory_prompts DROP COLUMN content_grams;

CREATE TABLE search_docs (
    doc INTEGER NOT NULL PRIMARY KEY,
    pair_id TEXT NOT NULL UNIQUE
);

CREATE FUNCTION search_words(line TEXT) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT COALESCE(array_to_tsvector(array_agg(
        CASE WHEN octet_length(word) <= 16 THEN word ELSE left(md5(word), 16) END
    )), ''::tsvector)
    FROM unnest(string_to_array(line, ' ')) AS words (word) WHERE word <> ''
$$;

ALTER TABLE memory_search_texts ADD COLUMN words tsvector NOT NULL
    GENERATED ALWAYS AS (search_words(tags || ' ' || title || ' ' || body)) STORED;
ALTER TABLE history_search_texts ADD COLUMN words tsvector NOT NULL
    GENERATED ALWAYS AS (search_words(tags || ' ' || title || ' ' || body)) STORED;
CREATE INDEX memory_search_words ON memory_search_texts USING gin (words);
CREATE INDEX history_search_words ON history_search_texts USING gin (words);

-- Which texts changed.
CREATE FUNCTION note_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO search_changes VALUES ('note', COALESCE(new.id, old.id)) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER note_changed AFTER INSERT OR DELETE
    OR UPDATE OF workspace, title, content, tags, updated_at, deleted_at ON memory_observations
    FOR EACH ROW EXECUTE FUNCTION note_changed();

CREATE FUNCTION prompt_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO search_changes VALUES ('prompt', COALESCE(new.id, old.id)) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER prompt_changed AFTER INSERT OR DELETE OR UPDATE ON memory_prompts
    FOR EACH ROW EXECUTE FUNCTION prompt_changed();

CREATE FUNCTION pair_text_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND old.user_text = new.user_text
        AND old.assistant_text IS NOT DISTINCT FROM new.assistant_text THEN
        RETURN NULL;
    END IF;
    INSERT INTO search_changes VALUES ('pair', COALESCE(new.pair_id, old.pair_id))
        ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER pair_text_changed AFTER INSERT OR DELETE OR UPDATE ON pair_texts
    FOR EACH ROW EXECUTE FUNCTION pair_text_changed();

-- Numbers that are given once, whoever asks (SQLite counts in its tables).
CREATE SEQUENCE number_of_observations;
CREATE SEQUENCE number_of_prompts;
CREATE SEQUENCE number_of_relations;
CREATE SEQUENCE number_of_vectors;
CREATE SEQUENCE number_of_searched_pairs;
CREATE SEQUENCE number_of_search_places;
CREATE SEQUENCE number_of_receipt_parts;
CREATE SEQUENCE number_of_request_parts;
CREATE SEQUENCE number_of_quoted_pairs;
