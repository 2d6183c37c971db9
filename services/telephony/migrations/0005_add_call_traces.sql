-- W3C trace context of the request that placed the call, where somebody keeps that trace: what happens later belongs to it.
ALTER TABLE calls ADD COLUMN traceparent text COLLATE "C";
