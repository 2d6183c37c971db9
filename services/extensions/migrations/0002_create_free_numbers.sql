-- The numbers of an account that no extension has, as ranges, so that the lowest free one is found without looking at the
-- taken ones, be they ten or a hundred thousand. Triggers keep the ranges true, whoever writes. An account without a row has
-- never used a number.
CREATE TABLE free_numbers (
  account_id bigint NOT NULL,
  first bigint NOT NULL,
  last bigint NOT NULL,
  -- By the last number, not the first: taking the lowest number of a range, over and over, then touches no index.
  PRIMARY KEY (account_id, last),
  CONSTRAINT free_numbers_not_empty CHECK (first <= last)
) WITH (fillfactor = 20);

-- '0100' and '100' are fine numbers for an extension, but not among those that are given out.
CREATE FUNCTION is_given_out(ramal text) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$ SELECT ramal ~ '^[1-9][0-9]{3,9}$' $$;

-- One at a time per account, until the end of the transaction.
CREATE FUNCTION lock_numbers(account bigint) RETURNS void
LANGUAGE sql AS $$
  SELECT pg_advisory_xact_lock(hashtextextended('extension numbers of account ' || account, 0))
$$;

CREATE FUNCTION open_numbers(account bigint) RETURNS void
LANGUAGE sql SET search_path FROM CURRENT AS $$
  INSERT INTO free_numbers (account_id, first, last)
  SELECT account, 1000, 9999999999
  WHERE NOT EXISTS (SELECT FROM free_numbers WHERE account_id = account)
$$;

-- The lowest ones, in order. Locks, so that the answer holds until extensions with them are inserted.
CREATE FUNCTION lowest_free_numbers(account bigint, wanted bigint) RETURNS SETOF text
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  range free_numbers%ROWTYPE;
BEGIN
  PERFORM lock_numbers(account);
  PERFORM open_numbers(account);
  FOR range IN SELECT * FROM free_numbers WHERE account_id = account ORDER BY last LIMIT wanted LOOP
    RETURN QUERY SELECT number::text FROM generate_series(range.first, least(range.last, range.first + wanted - 1)) AS number;
    wanted := wanted - (range.last - range.first + 1);
    EXIT WHEN wanted <= 0;
  END LOOP;
END
$$;

-- Numbers that follow each other and were all free: they lie in one range, which shrinks, splits or goes.
CREATE FUNCTION take_numbers(account bigint, low bigint, high bigint) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  range free_numbers%ROWTYPE;
BEGIN
  PERFORM open_numbers(account);
  SELECT * INTO range FROM free_numbers WHERE account_id = account AND last >= high ORDER BY last LIMIT 1;
  IF range.first < low THEN
    INSERT INTO free_numbers (account_id, first, last) VALUES (account, range.first, low - 1);
  END IF;
  IF range.last > high THEN
    UPDATE free_numbers SET first = high + 1 WHERE account_id = account AND last = range.last;
  ELSE
    DELETE FROM free_numbers WHERE account_id = account AND last = range.last;
  END IF;
END
$$;

-- Numbers that follow each other and were all taken: they join the free ones below and above.
CREATE FUNCTION release_numbers(account bigint, low bigint, high bigint) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  start bigint;
  above bigint;
BEGIN
  DELETE FROM free_numbers WHERE account_id = account AND last = low - 1 RETURNING first INTO start;
  SELECT next.last INTO above FROM (
    SELECT first, last FROM free_numbers WHERE account_id = account AND last > high ORDER BY last LIMIT 1
  ) AS next WHERE next.first = high + 1;
  IF above IS NULL THEN
    INSERT INTO free_numbers (account_id, first, last) VALUES (account, coalesce(start, low), high);
  ELSE
    UPDATE free_numbers SET first = coalesce(start, low) WHERE account_id = account AND last = above;
  END IF;
END
$$;

-- Everybody takes the lock first and the unique index second: the other way round two could wait for each other.
CREATE FUNCTION lock_numbers_of_row() RETURNS trigger
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF is_given_out(OLD.ramal) THEN
      PERFORM lock_numbers(OLD.account_id);
    END IF;
    RETURN OLD;
  END IF;
  IF is_given_out(NEW.ramal) THEN
    PERFORM lock_numbers(NEW.account_id);
  END IF;
  RETURN NEW;
END
$$;

CREATE TRIGGER extensions_lock_numbers BEFORE INSERT OR DELETE ON extensions
FOR EACH ROW EXECUTE FUNCTION lock_numbers_of_row();

-- Run by run of numbers that follow each other, highest first, so that no range is written more than once or twice: many
-- extensions in one statement cost no more than as many statements.
CREATE FUNCTION follow_numbers() RETURNS trigger
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  run record;
BEGIN
  FOR run IN
    SELECT account_id, min(number) AS low, max(number) AS high
    FROM (
      SELECT account_id, number, number - row_number() OVER (PARTITION BY account_id ORDER BY number) AS island
      FROM (SELECT account_id, ramal::bigint AS number FROM changed WHERE is_given_out(ramal)) AS numbers
    ) AS islands
    GROUP BY account_id, island
    ORDER BY account_id, low DESC
  LOOP
    IF TG_OP = 'INSERT' THEN
      PERFORM take_numbers(run.account_id, run.low, run.high);
    ELSE
      PERFORM release_numbers(run.account_id, run.low, run.high);
    END IF;
  END LOOP;
  RETURN NULL;
END
$$;

CREATE TRIGGER extensions_take_numbers AFTER INSERT ON extensions
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION follow_numbers();

CREATE TRIGGER extensions_release_numbers AFTER DELETE ON extensions
REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION follow_numbers();

-- Before, for the same reason as above. A number that turns out to be taken makes the statement fail, and all this with it.
CREATE FUNCTION follow_renumbering() RETURNS trigger
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM lock_numbers(NEW.account_id);
  IF is_given_out(OLD.ramal) THEN
    PERFORM release_numbers(OLD.account_id, OLD.ramal::bigint, OLD.ramal::bigint);
  END IF;
  IF is_given_out(NEW.ramal) AND NOT EXISTS (
    SELECT FROM extensions WHERE account_id = NEW.account_id AND ramal = NEW.ramal
  ) THEN
    PERFORM take_numbers(NEW.account_id, NEW.ramal::bigint, NEW.ramal::bigint);
  END IF;
  RETURN NEW;
END
$$;

CREATE TRIGGER extensions_follow_renumbering BEFORE UPDATE OF ramal ON extensions
FOR EACH ROW WHEN (OLD.ramal <> NEW.ramal) EXECUTE FUNCTION follow_renumbering();
