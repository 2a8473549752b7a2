-- The memory of coding agents. Ids are small integers that people read aloud; they come
-- from `memory_ids`, so that one that was deleted never comes back as another. A namespace
-- that is none is empty, because a key cannot hold what is unknown. Texts stand last, so
-- that a row can be judged without reading them.

CREATE TABLE memory_ids (
    name TEXT NOT NULL PRIMARY KEY,
    last_id BIGINT NOT NULL
);

CREATE TABLE memory_sessions (
    workspace TEXT NOT NULL REFERENCES workspaces (scope),
    id TEXT NOT NULL,
    project TEXT NOT NULL,
    directory TEXT,
    started_at BIGINT NOT NULL,
    ended_at BIGINT,
    summary TEXT,
    PRIMARY KEY (workspace, id)
);
CREATE INDEX memory_sessions_in_order ON memory_sessions (workspace, started_at);

-- `title_grams` and `content_grams` hold pairs of characters of texts that put no space
-- between words; `tags` holds what search is narrowed by. All are made from the rest.
CREATE TABLE memory_observations (
    id INTEGER NOT NULL PRIMARY KEY,
    workspace TEXT NOT NULL,
    session_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    project TEXT NOT NULL,
    scope TEXT NOT NULL CHECK (scope IN ('project', 'personal')),
    namespace TEXT NOT NULL,
    topic_key TEXT,
    tool_name TEXT,
    revision_count BIGINT NOT NULL,
    duplicate_count BIGINT NOT NULL,
    last_seen_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    deleted_at BIGINT,
    fingerprint TEXT NOT NULL,
    tags TEXT NOT NULL,
    title TEXT NOT NULL,
    title_grams TEXT,
    content TEXT NOT NULL,
    content_grams TEXT,
    FOREIGN KEY (workspace, session_id) REFERENCES memory_sessions (workspace, id)
);
CREATE INDEX memory_observations_in_order
    ON memory_observations (workspace, deleted_at, updated_at);
CREATE INDEX memory_observations_by_project
    ON memory_observations (workspace, project, deleted_at, updated_at);
CREATE INDEX memory_observations_by_session
    ON memory_observations (workspace, session_id, deleted_at, id);
CREATE INDEX memory_observations_by_text ON memory_observations (fingerprint);
CREATE INDEX memory_observations_by_key ON memory_observations (workspace, topic_key);

CREATE TABLE memory_revisions (
    observation_id INTEGER NOT NULL REFERENCES memory_observations (id) ON DELETE CASCADE,
    revision BIGINT NOT NULL,
    kind TEXT NOT NULL,
    title TEXT NOT NULL,
    replaced_at BIGINT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (observation_id, revision)
);

CREATE TABLE memory_prompts (
    id INTEGER NOT NULL PRIMARY KEY,
    workspace TEXT NOT NULL,
    session_id TEXT NOT NULL,
    project TEXT NOT NULL,
    namespace TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    tags TEXT NOT NULL,
    content TEXT NOT NULL,
    content_grams TEXT,
    FOREIGN KEY (workspace, session_id) REFERENCES memory_sessions (workspace, id)
);
CREATE INDEX memory_prompts_in_order ON memory_prompts (workspace, created_at);

CREATE TABLE memory_relations (
    id INTEGER NOT NULL PRIMARY KEY,
    workspace TEXT NOT NULL,
    from_id INTEGER NOT NULL REFERENCES memory_observations (id) ON DELETE CASCADE,
    to_id INTEGER NOT NULL REFERENCES memory_observations (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    note TEXT,
    created_at BIGINT NOT NULL,
    UNIQUE (from_id, to_id, kind)
);
CREATE INDEX memory_relations_by_end ON memory_relations (to_id);

CREATE TABLE memory_progress (
    workspace TEXT NOT NULL REFERENCES workspaces (scope),
    project TEXT NOT NULL,
    namespace TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (workspace, project, namespace)
);
