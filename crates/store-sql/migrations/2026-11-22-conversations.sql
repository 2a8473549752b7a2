-- HIS-9: a topic is a conversation. Nobody named those whose title was made of their first
-- message; the names of older topics were given.
ALTER TABLE topics ADD COLUMN named SMALLINT NOT NULL DEFAULT 1;

-- SND-2: one send in flight for each conversation, no longer one for each workspace.
CREATE TABLE sends_by_pair (
    pair_id TEXT NOT NULL PRIMARY KEY REFERENCES pairs (id),
    workspace TEXT NOT NULL REFERENCES workspaces (scope),
    owner TEXT NOT NULL,
    since BIGINT NOT NULL,
    partial_text TEXT
);
INSERT INTO sends_by_pair (pair_id, workspace, owner, since, partial_text)
    SELECT pair_id, workspace, owner, since, partial_text FROM sends;
DROP TABLE sends;
ALTER TABLE sends_by_pair RENAME TO sends;
CREATE INDEX sends_by_workspace ON sends (workspace);

-- HIS-9b: each conversation has a draft of its own. The empty name is the draft of a page that
-- shows everything. A conversation whose draft this is need not exist yet.
CREATE TABLE drafts_by_conversation (
    workspace TEXT NOT NULL REFERENCES workspaces (scope),
    conversation TEXT NOT NULL,
    text TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (workspace, conversation)
);
INSERT INTO drafts_by_conversation (workspace, conversation, text, at)
    SELECT workspace, '', text, at FROM drafts;
DROP TABLE drafts;
ALTER TABLE drafts_by_conversation RENAME TO drafts;

CREATE TABLE draft_files (
    workspace TEXT NOT NULL REFERENCES workspaces (scope),
    conversation TEXT NOT NULL,
    place BIGINT NOT NULL,
    file_id TEXT REFERENCES files (id) ON DELETE SET NULL,
    delivery TEXT,
    PRIMARY KEY (workspace, conversation, place)
);
INSERT INTO draft_files (workspace, conversation, place, file_id, delivery)
    SELECT workspace, '', place, file_id, delivery FROM draft_attachments;
DROP TABLE draft_attachments;
ALTER TABLE draft_files RENAME TO draft_attachments;

-- A store that holds pairs by now is older than conversations: a page opens it with everything in
-- sight until somebody wants conversations (REL-3).
INSERT INTO single_values (name, text) SELECT 'beforeConversations', 'yes' FROM pairs LIMIT 1;

-- How long the texts of a pair are, so that a list of conversations reads no texts.
ALTER TABLE pairs ADD COLUMN text_bytes BIGINT NOT NULL DEFAULT 0;
UPDATE pairs SET text_bytes = COALESCE((SELECT OCTET_LENGTH(t.user_text)
    + COALESCE(OCTET_LENGTH(t.assistant_text), 0) FROM pair_texts t WHERE t.pair_id = pairs.id), 0);

-- The pairs of one conversation are read in order without looking at those of others, and what the
-- list of conversations says of them stands here.
DROP INDEX pairs_by_topic;
CREATE INDEX pairs_by_topic ON pairs (topic_id, created_at, id, model, text_bytes);
