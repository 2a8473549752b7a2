-- Which pairs a failed send quoted (REC-5), as runs of numbers (REL-9): while a provider is down,
-- every send would list the whole window again. A pair has a number from when it is first quoted,
-- and two windows of one history differ at their ends. A pair that is deleted leaves its number
-- without a pair, so that no request quotes it any more and no other pair gets the number.
CREATE TABLE quoted_pairs (
    number INTEGER NOT NULL PRIMARY KEY,
    pair_id TEXT
);
CREATE INDEX quoted_pairs_by_pair ON quoted_pairs (pair_id);

CREATE TABLE snapshot_runs (
    pair_id TEXT NOT NULL REFERENCES snapshots (pair_id) ON DELETE CASCADE,
    place BIGINT NOT NULL,
    first_number BIGINT NOT NULL,
    last_number BIGINT NOT NULL,
    PRIMARY KEY (pair_id, place)
);
CREATE INDEX snapshot_runs_by_last ON snapshot_runs (last_number, first_number);

-- Ids begin with the time, so their order is that of the history.
INSERT INTO quoted_pairs (number, pair_id)
    SELECT ROW_NUMBER() OVER (ORDER BY included_id), included_id
    FROM (SELECT DISTINCT included_id FROM snapshot_pairs) AS quoted;

-- A run goes on while place and number both go on by one.
INSERT INTO snapshot_runs (pair_id, place, first_number, last_number)
    SELECT pair_id, MIN(place), MIN(number), MAX(number)
    FROM (SELECT s.pair_id, s.place, q.number, q.number - s.place AS shift,
            s.place - ROW_NUMBER() OVER
                (PARTITION BY s.pair_id, q.number - s.place ORDER BY s.place) AS island
        FROM snapshot_pairs s JOIN quoted_pairs q ON q.pair_id = s.included_id) AS numbered
    GROUP BY pair_id, shift, island;

DROP TABLE snapshot_pairs;

-- The same as it was listed before, for whoever asks.
CREATE VIEW snapshot_pairs AS
    SELECT r.pair_id AS pair_id, r.place + (q.number - r.first_number) AS place,
        q.pair_id AS included_id
    FROM snapshot_runs r JOIN quoted_pairs q ON q.number BETWEEN r.first_number AND r.last_number
    WHERE q.pair_id IS NOT NULL;
