-- The SIP messages of a call's legs, as the switch sent and received them: some at a time, so that a call is written twice or so.
-- Removed after a while; ids are in the order of time, so the primary key also finds what is old.
CREATE TABLE call_signalling (
  call_id uuid NOT NULL,
  entry bigint GENERATED ALWAYS AS IDENTITY,
  -- a: the caller's; b0, b1, …: the callee's, by attempt; a with a number: of an extension that took over from the caller.
  leg text COLLATE "C" NOT NULL,
  -- [{at, method | status + reason, cseq, tag}]
  messages jsonb NOT NULL,
  PRIMARY KEY (call_id, entry)
);
