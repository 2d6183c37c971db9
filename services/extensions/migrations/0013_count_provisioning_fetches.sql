-- How often a softphone was given what is behind the link.
ALTER TABLE provisioning_links ADD COLUMN fetches integer NOT NULL DEFAULT 0;
