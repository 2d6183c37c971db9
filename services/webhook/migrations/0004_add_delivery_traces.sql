-- W3C trace context of the event, where somebody keeps that trace: every attempt belongs to it.
ALTER TABLE deliveries ADD COLUMN traceparent text COLLATE "C";
