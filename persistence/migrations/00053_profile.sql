-- +goose Up

-- The language of dates and numbers and the time zone of a user. NULL follows the browser.
ALTER TABLE principals
    ADD locale text CHECK (length(locale) BETWEEN 1 AND 35),
    ADD time_zone text CHECK (length(time_zone) BETWEEN 1 AND 64);
