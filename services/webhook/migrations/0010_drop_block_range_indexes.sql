-- Old rows are found by their keys, which begin with a time. These indexes led through the whole table once rows had been deleted.
DROP INDEX deliveries_finished_at;
DROP INDEX unmatched_events_age;
DROP INDEX calls_updated_at;
DROP INDEX replayed_deliveries_created_at;
