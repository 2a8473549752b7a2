-- The registry (FIL-1). A file knows its bytes by their hash; two files may have the same.
CREATE TABLE files (
    id TEXT NOT NULL PRIMARY KEY,
    workspace TEXT NOT NULL REFERENCES workspaces (scope),
    name TEXT NOT NULL,
    mime TEXT NOT NULL,
    kind TEXT NOT NULL,
    size BIGINT NOT NULL,
    hash TEXT NOT NULL,
    extension TEXT NOT NULL,
    source TEXT NOT NULL,
    upload_context TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    tokens BIGINT,
    width BIGINT,
    height BIGINT,
    is_text SMALLINT NOT NULL
);
CREATE INDEX files_in_order ON files (workspace, created_at, id);
CREATE INDEX files_by_hash ON files (workspace, hash);

-- Copies at providers, until they expire (FIL-4).
CREATE TABLE provider_files (
    file_id TEXT NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    provider TEXT NOT NULL,
    remote_id TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (file_id, provider)
);

-- What each token of a message stands for (TOK-5). A file that was deleted leaves its token
-- behind, broken.
CREATE TABLE pair_attachments (
    pair_id TEXT NOT NULL REFERENCES pairs (id) ON DELETE CASCADE,
    place BIGINT NOT NULL,
    file_id TEXT REFERENCES files (id) ON DELETE SET NULL,
    delivery TEXT,
    PRIMARY KEY (pair_id, place)
);
CREATE INDEX pair_attachments_by_file ON pair_attachments (file_id);

CREATE TABLE draft_attachments (
    workspace TEXT NOT NULL REFERENCES workspaces (scope),
    place BIGINT NOT NULL,
    file_id TEXT REFERENCES files (id) ON DELETE SET NULL,
    delivery TEXT,
    PRIMARY KEY (workspace, place)
);

-- What a model read by tools on the way to its answer (PRV-5). Side 0 belongs to the answer
-- that stands, side 1 to the one before the last regeneration.
CREATE TABLE tool_calls (
    pair_id TEXT NOT NULL REFERENCES pairs (id) ON DELETE CASCADE,
    side SMALLINT NOT NULL,
    place BIGINT NOT NULL,
    name TEXT NOT NULL,
    arguments TEXT NOT NULL,
    result TEXT NOT NULL,
    failed SMALLINT NOT NULL,
    tokens BIGINT NOT NULL,
    millis BIGINT NOT NULL,
    PRIMARY KEY (pair_id, side, place)
);
