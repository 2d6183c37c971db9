-- calls_account_words has taken its place.
DROP INDEX IF EXISTS calls_words;
