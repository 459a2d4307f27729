// Package web contains the common parts of screens: sessions, languages and time zones of visitors, routes, and
// the delivery of pages, redirects and failures. A screen is a Handler: it reads the Visit, calls an operation,
// and returns an Answer or an error.
package web
