-- FIL-6: which files models may be told of. Those of messages are known by pair_attachments;
-- `listed` says that somebody added a file for models apart from any message, and `made_for`
-- names the pair for whose answer a tool made it. The name of a pair that was deleted stays,
-- so that a pair that is put back has its files again.
ALTER TABLE files ADD COLUMN listed SMALLINT NOT NULL DEFAULT 0;
ALTER TABLE files ADD COLUMN made_for TEXT;
CREATE INDEX files_by_pair ON files (made_for);

-- Of what older versions took in, nobody knows whether it was added for models or taken out
-- of a draft again, so only what a tool made is listed besides what messages hold.
UPDATE files SET listed = 1, source = 'assistant' WHERE source IN ('assistant', 'pending');

-- The files that a call of a tool made: their ids, with spaces between them.
ALTER TABLE tool_calls ADD COLUMN made TEXT NOT NULL DEFAULT '';
