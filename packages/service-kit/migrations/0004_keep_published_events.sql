-- Published events stay for four to eight hours: what to publish again if NATS loses what it had. Which of them are published
-- stands in outbox_mark. Nothing is deleted row by row, so that a snapshot that is held open, such as that of pg_dump, leaves no
-- dead rows in the relay's way.
ALTER TABLE outbox RENAME TO outbox_before;
ALTER INDEX outbox_pkey RENAME TO outbox_before_pkey;

CREATE SEQUENCE outbox_positions;
SELECT setval('outbox_positions', last_value, is_called) FROM outbox_position_seq;

CREATE TABLE outbox (
  position bigint NOT NULL DEFAULT nextval('outbox_positions'),
  -- Four slots, each for two hours in turn: the next one is emptied as a whole before it is used again.
  slot smallint NOT NULL DEFAULT (floor(extract(epoch FROM now()) / 7200)::bigint % 4),
  id uuid NOT NULL,
  type text NOT NULL,
  version integer NOT NULL,
  account_id bigint NOT NULL,
  occurred_at timestamptz NOT NULL,
  traceparent text NOT NULL,
  tracestate text NOT NULL,
  payload bytea NOT NULL,
  -- True for events that are told again because a service lacks their effect: the account was told when they happened.
  services_only boolean NOT NULL DEFAULT false,
  -- Further events that the account is told of in the same message: the field of this name of an Envelope, encoded.
  also bytea NOT NULL DEFAULT '',
  PRIMARY KEY (position, slot)
) PARTITION BY LIST (slot);
CREATE TABLE outbox_0 PARTITION OF outbox FOR VALUES IN (0);
CREATE TABLE outbox_1 PARTITION OF outbox FOR VALUES IN (1);
CREATE TABLE outbox_2 PARTITION OF outbox FOR VALUES IN (2);
CREATE TABLE outbox_3 PARTITION OF outbox FOR VALUES IN (3);

-- The one row of the relay: everything up to position is published, except what lies in the open spans (bounds included). Those are
-- positions of transactions that had not ended when a later one was published, or events that were refused.
CREATE TABLE outbox_mark (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  position bigint NOT NULL,
  open_from bigint[] NOT NULL DEFAULT '{}',
  open_to bigint[] NOT NULL DEFAULT '{}',
  -- When the stream that they were published to was created: another time is another stream, which has none of them.
  stream_created text
) WITH (fillfactor = 10);

INSERT INTO outbox_mark (position)
SELECT coalesce((SELECT min(position) - 1 FROM outbox_before), (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM outbox_position_seq));

INSERT INTO outbox (position, id, type, version, account_id, occurred_at, traceparent, tracestate, payload, services_only, also)
SELECT position, id, type, version, account_id, occurred_at, traceparent, tracestate, payload, services_only, also
FROM outbox_before ORDER BY position;

DROP TABLE outbox_before;

-- What is not published yet.
CREATE VIEW outbox_waiting AS
SELECT o.* FROM outbox_mark m JOIN outbox o ON o.position > m.position
UNION ALL
SELECT o.* FROM outbox_mark m, unnest(m.open_from, m.open_to) AS open (from_position, to_position)
JOIN outbox o ON o.position BETWEEN from_position AND to_position;
