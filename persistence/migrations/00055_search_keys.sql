-- +goose Up

-- Texts are compared by keys that depend on no setting of the database. ASCII, the common case, needs no table of Unicode.

-- Returns a text for searches: its canonical composition (NFC) in upper case, so that ß is SS and all letters sigma are one.
-- The dotted and the dotless i are I.
CREATE FUNCTION search_key(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN octet_length($1) = char_length($1) THEN upper($1 COLLATE "C")
            ELSE replace(normalize(upper(lower($1 COLLATE "und-x-icu")), NFC), U&'\0130', 'I') COLLATE "C" END;

-- Returns an e-mail address for comparisons: its canonical composition in lower case. Different letters stay different.
CREATE FUNCTION email_key(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN octet_length($1) = char_length($1) THEN lower($1 COLLATE "C")
            ELSE normalize(lower($1 COLLATE "und-x-icu"), NFC) COLLATE "C" END;

-- principals_email stays unique: addresses that it distinguishes may have the same key.
CREATE INDEX principals_email_key ON principals (email_key(email));

-- The keys of indexed texts were in upper case already. Only the keys of texts with letters of several spellings change.
UPDATE business_artifact_index x
   SET text_folded = nullif(search_key(x.text_value || coalesce(x.text_rest, '')), x.text_value || coalesce(x.text_rest, ''))
 WHERE x.text_value IS NOT NULL
   AND x.text_folded IS DISTINCT FROM nullif(search_key(x.text_value || coalesce(x.text_rest, '')), x.text_value || coalesce(x.text_rest, ''));

UPDATE process_index x
   SET text_folded = nullif(search_key(x.text_value || coalesce(x.text_rest, '')), x.text_value || coalesce(x.text_rest, ''))
 WHERE x.text_value IS NOT NULL
   AND x.text_folded IS DISTINCT FROM nullif(search_key(x.text_value || coalesce(x.text_rest, '')), x.text_value || coalesce(x.text_rest, ''));
