-- The summary of a session is a note of that session since then, so that it is found and keeps
-- its earlier texts; those that stood here were made notes before this ran. Projects are
-- looked up by name with each call, which needs an index.

ALTER TABLE memory_sessions DROP COLUMN summary;
CREATE INDEX memory_sessions_by_project ON memory_sessions (workspace, project, started_at);
CREATE INDEX memory_prompts_by_project ON memory_prompts (workspace, project, created_at);
