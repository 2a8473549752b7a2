-- What the provider read in the first call of a send: the one that was estimated. A send
-- that read by tools made several, and their sum says nothing about the estimate.
ALTER TABLE receipts ADD COLUMN first_prompt BIGINT;
UPDATE receipts SET first_prompt = prompt_tokens;
