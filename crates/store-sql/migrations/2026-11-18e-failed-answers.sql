-- What came back from the call that failed, as it came, beside what was sent.
ALTER TABLE snapshots ADD COLUMN answer_status BIGINT;
ALTER TABLE snapshots ADD COLUMN answer_body TEXT;
ALTER TABLE snapshots ADD COLUMN answer_transport TEXT;
