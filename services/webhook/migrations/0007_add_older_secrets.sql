-- Secrets that were rotated away before the previous one and still sign, newest first: [{"keyId", "bytes" (base64), "until"}].
ALTER TABLE integrations ADD COLUMN older_secrets jsonb NOT NULL DEFAULT '[]';
