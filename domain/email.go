package domain

import (
	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
)

// EmailKey returns an e-mail address for comparisons: its canonical composition (NFC) in lower case. Different letters stay
// different, so that no address stands for another one. The function email_key of the database has the same result.
func EmailKey(email string) string { return norm.NFC.String(cases.Lower(language.Und).String(email)) }

// EqualEmails reports whether two e-mail addresses have the same key.
func EqualEmails(a, b string) bool { return EmailKey(a) == EmailKey(b) }
