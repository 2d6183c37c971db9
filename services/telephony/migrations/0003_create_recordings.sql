-- Written when a call that is to be recorded is answered; the audio follows after its end, however often fetching it fails.
CREATE TABLE recordings (
  call_id uuid PRIMARY KEY REFERENCES calls (id),
  account_id bigint NOT NULL,
  switch text COLLATE "C" NOT NULL,
  -- When to look for the audio next; null: it is here, was given up or is gone.
  fetch_at timestamptz,
  tries smallint NOT NULL DEFAULT 0,
  -- Null until the audio is in the store.
  recorded_at timestamptz,
  content_type text,
  size bigint,
  -- Set first, then the file goes: what is marked is gone for everybody.
  deleted_at timestamptz,
  removed_at timestamptz
);

CREATE INDEX recordings_to_fetch ON recordings (switch, fetch_at) WHERE fetch_at IS NOT NULL;
CREATE INDEX recordings_kept ON recordings (recorded_at) WHERE recorded_at IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX recordings_to_remove ON recordings (deleted_at) WHERE deleted_at IS NOT NULL AND removed_at IS NULL;
