-- UI-18: what a conversation cost is the sum of its own receipts, found without the others (REL-9).
CREATE INDEX receipts_by_topic ON receipts (topic_id, cost);
