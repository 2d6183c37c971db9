-- 'api': a client sends the token in a header and its owner sees it in a list. 'session': a browser sends it in the cookie of the console.
ALTER TABLE access_tokens ADD COLUMN kind text NOT NULL DEFAULT 'api' CHECK (kind IN ('api', 'session'));
