-- TEA-6: what changed in a workspace, in order, for the other processes that serve it. Rows are
-- written with the change itself; `noted_at` is when the upkeep saw them first, and counts for
-- how long they are kept.
CREATE TABLE change_counters (
    workspace TEXT NOT NULL PRIMARY KEY,
    newest BIGINT NOT NULL
);
CREATE TABLE changes (
    workspace TEXT NOT NULL,
    number BIGINT NOT NULL,
    kind TEXT NOT NULL,
    about TEXT NOT NULL,
    made_by TEXT NOT NULL,
    noted_at BIGINT,
    PRIMARY KEY (workspace, number)
);
CREATE INDEX changes_by_age ON changes (noted_at);
