-- Each note that is brought in is looked up by its text and time (MEM-17). Without the time it
-- would take as long as the same text is there often.

DROP INDEX memory_observations_by_text;
CREATE INDEX memory_observations_by_text ON memory_observations (fingerprint, created_at);
