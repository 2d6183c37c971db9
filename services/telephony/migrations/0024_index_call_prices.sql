-- One index for both prices. An account has few prices a minute: a filter by the price of calls looks at each of them in turn.
CREATE INDEX CONCURRENTLY calls_prices ON calls (account_id, minute_price, call_price, id) WHERE minute_price IS NOT NULL;
