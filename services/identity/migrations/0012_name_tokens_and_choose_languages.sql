-- Given by its owner, for the list of tokens.
ALTER TABLE access_tokens ADD COLUMN name text;
-- Null: not chosen.
ALTER TABLE users ADD COLUMN language text CHECK (language IN ('pt-BR', 'en'));
