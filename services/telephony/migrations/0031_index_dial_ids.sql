-- calls become partitions by id (0032 to 0034), and a unique index of a partitioned table must hold the column that it is partitioned by.
-- Dial ids are made by telephony, and all but their time is random: nothing needs to guard them. This index takes the place of the unique one.
CREATE INDEX CONCURRENTLY calls_dial_id ON calls (dial_id) WHERE dial_id IS NOT NULL;
