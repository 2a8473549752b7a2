-- GWY-9, GWY-15: calls of other people's programs, their keys, and what each key used by day.
CREATE TABLE gateway_calls (
    id TEXT NOT NULL PRIMARY KEY,
    at BIGINT NOT NULL,
    client TEXT,
    protocol TEXT NOT NULL,
    model TEXT NOT NULL,
    stage TEXT NOT NULL,
    estimate BIGINT NOT NULL,
    prompt_tokens BIGINT,
    cached_tokens BIGINT,
    completion_tokens BIGINT,
    reasoning_tokens BIGINT,
    cost DOUBLE PRECISION,
    left_out BIGINT NOT NULL,
    body TEXT NOT NULL
);
CREATE INDEX gateway_calls_by_time ON gateway_calls (at);

CREATE TABLE gateway_keys (
    name TEXT NOT NULL PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    models TEXT NOT NULL,
    tokens_per_day BIGINT,
    cost_per_month DOUBLE PRECISION,
    requests_per_minute BIGINT,
    concurrent BIGINT,
    over_budget TEXT
);

-- Days are counted from 1970-01-01, in UTC.
CREATE TABLE gateway_use (
    client TEXT NOT NULL,
    day BIGINT NOT NULL,
    calls BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    cost DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (client, day)
);
