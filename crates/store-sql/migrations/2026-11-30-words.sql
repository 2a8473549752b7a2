-- Search by our own words (MEM-10, HIS-7): texts are kept a second time as the words that they
-- are cut into, with counts of each word, so that every database finds and ranks the same.
-- `search_changes` says which texts must be cut anew; it is empty between transactions.

CREATE TABLE search_changes (
    kind TEXT NOT NULL CHECK (kind IN ('note', 'prompt', 'pair')),
    text_key TEXT NOT NULL,
    PRIMARY KEY (kind, text_key)
);

-- One row for each workspace and area, with sums over its texts.
CREATE TABLE search_places (
    place INTEGER NOT NULL PRIMARY KEY,
    area TEXT NOT NULL CHECK (area IN ('memory', 'history')),
    workspace TEXT NOT NULL,
    texts BIGINT NOT NULL,
    title_words BIGINT NOT NULL,
    body_words BIGINT NOT NULL,
    UNIQUE (area, workspace)
);

-- In how many texts a word is; backwards for its ending, and without endings.
CREATE TABLE search_vocabulary (
    place INTEGER NOT NULL REFERENCES search_places (place) ON DELETE CASCADE,
    word TEXT NOT NULL,
    backwards TEXT NOT NULL,
    english TEXT NOT NULL,
    german TEXT NOT NULL,
    texts BIGINT NOT NULL,
    PRIMARY KEY (place, word)
);
CREATE INDEX search_vocabulary_backwards ON search_vocabulary (place, backwards);
CREATE INDEX search_vocabulary_english ON search_vocabulary (place, english);
CREATE INDEX search_vocabulary_german ON search_vocabulary (place, german);

-- The number of a note is twice its id, that of a prompt one more.
CREATE TABLE memory_search_texts (
    doc INTEGER NOT NULL PRIMARY KEY,
    place INTEGER NOT NULL,
    at BIGINT NOT NULL,
    tags TEXT NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL
);

CREATE TABLE history_search_texts (
    doc INTEGER NOT NULL PRIMARY KEY,
    place INTEGER NOT NULL,
    at BIGINT NOT NULL,
    tags TEXT NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL
);
