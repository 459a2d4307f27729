// Package form renders the values of forms: a value, its JSON Schema and its
// JSON Forms UI schema become a model of labelled fields, and that becomes the
// pages of a PDF or, for several values, a ZIP of PDFs (A27, B33).
//
// The package has no access to storage. Documents that a value refers to are
// opened by a function of the caller, and the same input gives the same bytes.
//
// Text is set in DejaVu Sans Condensed, which is embedded. It has the Latin,
// Greek, Cyrillic, Armenian and Georgian letters and many symbols. All other
// characters, and right-to-left text, are shown as empty boxes.
package form
