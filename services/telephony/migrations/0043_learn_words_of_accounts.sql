-- Months in which nothing changes any more would never be looked at again: PostgreSQL is to know how common their metadata are. Those
-- that are being vacuumed are left to autovacuum.
ANALYZE (SKIP_LOCKED) calls;
