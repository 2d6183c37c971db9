-- True for events that are told again because a service lacks their effect: the account was told when they happened.
ALTER TABLE outbox ADD COLUMN services_only boolean NOT NULL DEFAULT false;
