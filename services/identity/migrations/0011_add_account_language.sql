-- Of e-mails to the account's users.
ALTER TABLE accounts ADD COLUMN language text NOT NULL DEFAULT 'pt-BR' CHECK (language IN ('pt-BR', 'en'));
