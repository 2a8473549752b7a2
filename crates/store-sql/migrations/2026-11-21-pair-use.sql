-- Whether a pair goes along with later messages (HIS-10): where there is room, never, or first.
ALTER TABLE pairs ADD COLUMN pair_use TEXT NOT NULL DEFAULT 'auto'
    CHECK (pair_use IN ('auto', 'out', 'pinned'));

-- It holds all that the filter and the line look at, so that listing a workspace reads this index
-- from end to end and nothing else.
DROP INDEX pairs_in_order;
CREATE INDEX pairs_in_order ON pairs (
    workspace, created_at, id, topic_id, model, star, flag, pair_use, lifecycle, has_image,
    has_attachment
);
