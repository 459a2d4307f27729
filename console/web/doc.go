// Package web is what all screens of the console share between a request and its
// page: who is signed in, what language and time zone they read in, and how pages,
// redirects and failures are answered. A screen is a Handler: it reads the Visit,
// calls an operation, and returns an Answer or an error.
package web
