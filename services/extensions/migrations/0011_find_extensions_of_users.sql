-- The web phone of a user is the extension with the user's e-mail address, in any spelling.
CREATE INDEX extensions_lower_email_address ON extensions (account_id, lower(email_address), id);
