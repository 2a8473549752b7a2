-- HIS-11: a pair is a message with its answer, or a summary that stands for earlier pairs.
ALTER TABLE pairs ADD COLUMN kind TEXT NOT NULL DEFAULT 'chat' CHECK (kind IN ('chat', 'summary'));

-- HIS-12: the answers of several models to one message are pairs of one group, which is named by
-- the first of them. That one may have been deleted since.
ALTER TABLE pairs ADD COLUMN compared_with TEXT;

-- The pairs that a summary stands for. One that was deleted stays listed here: without it the
-- summary is out of date.
CREATE TABLE summary_pairs (
    summary_id TEXT NOT NULL REFERENCES pairs (id) ON DELETE CASCADE,
    place BIGINT NOT NULL,
    summarised_id TEXT NOT NULL,
    revision BIGINT NOT NULL,
    use_before TEXT NOT NULL CHECK (use_before IN ('auto', 'out', 'pinned')),
    PRIMARY KEY (summary_id, place)
);
CREATE INDEX summary_pairs_by_pair ON summary_pairs (summarised_id);

DROP INDEX pairs_in_order;
CREATE INDEX pairs_in_order ON pairs (
    workspace, created_at, id, topic_id, model, star, flag, pair_use, kind, lifecycle, has_image,
    has_attachment
);
