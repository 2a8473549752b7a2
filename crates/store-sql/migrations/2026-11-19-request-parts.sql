-- The messages of requests that failed, each once (REC-5, REL-9): while a provider is down, every
-- send would keep the whole window again.
CREATE TABLE request_parts (
    id INTEGER NOT NULL PRIMARY KEY,
    digest TEXT NOT NULL,
    body TEXT NOT NULL
);
CREATE UNIQUE INDEX request_parts_by_digest ON request_parts (digest);
