-- TEA-7: who carries a send out holds it until a time, under a number that no other send of its
-- workspace ever had. Sends of an earlier version have none, and end as all of theirs do.
ALTER TABLE sends ADD COLUMN epoch BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sends ADD COLUMN expires_at BIGINT NOT NULL DEFAULT 0;
