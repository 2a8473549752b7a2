-- What models reported about their prompts (EST-6), by server and model. The factors of
-- earlier versions took the constant part of a chat template for a factor, so they go.
DROP TABLE calibrations;

CREATE TABLE usage_reports (
    base_url TEXT NOT NULL,
    model TEXT NOT NULL,
    place BIGINT NOT NULL,
    text_tokens BIGINT NOT NULL,
    overhead_tokens BIGINT NOT NULL,
    reported_tokens BIGINT NOT NULL,
    PRIMARY KEY (base_url, model, place)
);

-- The largest prompt that a server took: no smaller limit is learned (CAT-3).
CREATE TABLE largest_prompts (
    base_url TEXT NOT NULL,
    model TEXT NOT NULL,
    tokens BIGINT NOT NULL,
    PRIMARY KEY (base_url, model)
);
