-- The first schema. Names are the words of the spec, ids are hyphenated UUIDs, times are
-- milliseconds since 1970 in UTC, and truths are 0 or 1. Nothing here is peculiar to one
-- database.

CREATE TABLE workspaces (
    scope TEXT NOT NULL PRIMARY KEY,
    created_at BIGINT NOT NULL
);

CREATE TABLE topics (
    id TEXT NOT NULL PRIMARY KEY,
    workspace TEXT NOT NULL REFERENCES workspaces (scope),
    parent_id TEXT REFERENCES topics (id),
    name TEXT NOT NULL,
    system_message TEXT,
    default_model TEXT,
    temperature DOUBLE PRECISION,
    max_output BIGINT
);
CREATE INDEX topics_by_workspace ON topics (workspace);
CREATE INDEX topics_by_parent ON topics (parent_id);

-- Pairs stand apart from their texts, so that the filter reads a narrow table and a label
-- is changed without touching a text.
CREATE TABLE pairs (
    id TEXT NOT NULL PRIMARY KEY,
    workspace TEXT NOT NULL REFERENCES workspaces (scope),
    created_at BIGINT NOT NULL,
    topic_id TEXT NOT NULL REFERENCES topics (id),
    model TEXT NOT NULL,
    star SMALLINT NOT NULL CHECK (star BETWEEN 0 AND 3),
    flag TEXT NOT NULL CHECK (flag IN ('blue', 'grey')),
    lifecycle TEXT NOT NULL
        CHECK (lifecycle IN ('idle', 'sending', 'complete', 'error', 'cancelled')),
    has_image SMALLINT NOT NULL,
    has_attachment SMALLINT NOT NULL,
    cut SMALLINT NOT NULL,
    revision BIGINT NOT NULL,
    edited_at BIGINT,
    prompt_tokens BIGINT,
    cached_tokens BIGINT,
    completion_tokens BIGINT,
    reasoning_tokens BIGINT,
    receipt_id TEXT,
    error_code TEXT,
    error_message TEXT
);
-- It holds all that the filter looks at, so that listing a workspace reads this index from
-- end to end and nothing else.
CREATE INDEX pairs_in_order ON pairs (
    workspace, created_at, id, topic_id, model, star, flag, lifecycle, has_image, has_attachment
);
CREATE INDEX pairs_by_topic ON pairs (topic_id);

CREATE TABLE pair_texts (
    pair_id TEXT NOT NULL PRIMARY KEY REFERENCES pairs (id) ON DELETE CASCADE,
    user_text TEXT NOT NULL,
    assistant_text TEXT
);

-- The answer before the last regeneration, with all that belongs to it (SND-8).
CREATE TABLE previous_answers (
    pair_id TEXT NOT NULL PRIMARY KEY REFERENCES pairs (id) ON DELETE CASCADE,
    model TEXT NOT NULL,
    assistant_text TEXT,
    lifecycle TEXT NOT NULL,
    cut SMALLINT NOT NULL,
    prompt_tokens BIGINT,
    cached_tokens BIGINT,
    completion_tokens BIGINT,
    reasoning_tokens BIGINT,
    receipt_id TEXT,
    error_code TEXT,
    error_message TEXT
);

-- The texts before each edit (HIS-5); the lowest revision is the original.
CREATE TABLE revisions (
    pair_id TEXT NOT NULL REFERENCES pairs (id) ON DELETE CASCADE,
    revision BIGINT NOT NULL,
    user_text TEXT NOT NULL,
    assistant_text TEXT,
    edited_at BIGINT NOT NULL,
    PRIMARY KEY (pair_id, revision)
);

-- Sends in flight: one a workspace, by its primary key (SND-2). What has arrived of an
-- answer stands here until the send ends, so that saving it touches one small row.
CREATE TABLE sends (
    workspace TEXT NOT NULL PRIMARY KEY REFERENCES workspaces (scope),
    pair_id TEXT NOT NULL UNIQUE REFERENCES pairs (id),
    owner TEXT NOT NULL,
    since BIGINT NOT NULL,
    partial_text TEXT
);

-- Raw estimates under a version stamp (EST-7).
CREATE TABLE estimates (
    pair_id TEXT NOT NULL REFERENCES pairs (id) ON DELETE CASCADE,
    stamp TEXT NOT NULL,
    workspace TEXT NOT NULL,
    revision BIGINT NOT NULL,
    user_tokens BIGINT NOT NULL,
    assistant_tokens BIGINT NOT NULL,
    PRIMARY KEY (pair_id, stamp)
);
CREATE INDEX estimates_by_stamp ON estimates (workspace, stamp);

-- Receipts outlive their pair for the sake of the totals; their bodies do not (REC-5).
CREATE TABLE receipts (
    id TEXT NOT NULL PRIMARY KEY,
    workspace TEXT NOT NULL REFERENCES workspaces (scope),
    pair_id TEXT REFERENCES pairs (id) ON DELETE SET NULL,
    topic_id TEXT NOT NULL,
    model TEXT NOT NULL,
    at BIGINT NOT NULL,
    stage TEXT NOT NULL,
    estimate BIGINT NOT NULL,
    prompt_tokens BIGINT,
    cached_tokens BIGINT,
    completion_tokens BIGINT,
    reasoning_tokens BIGINT,
    cost DOUBLE PRECISION,
    trimmed BIGINT NOT NULL
);
CREATE INDEX receipts_in_order ON receipts (workspace, at);
CREATE INDEX receipts_by_pair ON receipts (pair_id);

CREATE TABLE receipt_bodies (
    receipt_id TEXT NOT NULL PRIMARY KEY REFERENCES receipts (id) ON DELETE CASCADE,
    body TEXT NOT NULL
);

-- What was sent when a send failed (REC-5), and which pairs it quoted.
CREATE TABLE snapshots (
    pair_id TEXT NOT NULL PRIMARY KEY REFERENCES pairs (id) ON DELETE CASCADE,
    at BIGINT NOT NULL,
    outgoing_user_text TEXT NOT NULL,
    json_doc TEXT
);
CREATE TABLE snapshot_pairs (
    pair_id TEXT NOT NULL REFERENCES snapshots (pair_id) ON DELETE CASCADE,
    place BIGINT NOT NULL,
    included_id TEXT NOT NULL,
    PRIMARY KEY (pair_id, place)
);
CREATE INDEX snapshot_pairs_by_included ON snapshot_pairs (included_id);

CREATE TABLE calibrations (
    model TEXT NOT NULL,
    place BIGINT NOT NULL,
    log_ratio DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (model, place)
);

CREATE TABLE learned_limits (
    base_url TEXT NOT NULL,
    model TEXT NOT NULL,
    tokens BIGINT NOT NULL,
    learned_at BIGINT NOT NULL,
    PRIMARY KEY (base_url, model)
);

CREATE TABLE usage_log (
    model TEXT NOT NULL,
    at BIGINT NOT NULL,
    tokens BIGINT NOT NULL
);
CREATE INDEX usage_log_by_model ON usage_log (model, at);

CREATE TABLE saved_filters (
    workspace TEXT NOT NULL REFERENCES workspaces (scope),
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (workspace, name)
);

CREATE TABLE queries (
    workspace TEXT NOT NULL REFERENCES workspaces (scope),
    place BIGINT NOT NULL,
    text TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (workspace, place)
);

CREATE TABLE drafts (
    workspace TEXT NOT NULL PRIMARY KEY REFERENCES workspaces (scope),
    text TEXT NOT NULL,
    at BIGINT NOT NULL
);

CREATE TABLE single_values (
    name TEXT NOT NULL PRIMARY KEY,
    text TEXT NOT NULL
);
