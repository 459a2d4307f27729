// Package form puts the values of forms on paper: a value, its JSON Schema and
// its JSON Forms UI schema become a model of labelled fields, and that becomes
// the pages of a PDF or, for several values, a ZIP of PDFs (A27, B33).
//
// The package knows no storage. Documents that a value refers to are opened by a
// function of the caller, and the same input gives the same bytes.
//
// Text is set in DejaVu Sans Condensed, which is embedded. It has the Latin,
// Greek, Cyrillic, Armenian and Georgian letters and many symbols. Everything
// else, and what is written from right to left, is shown as an empty box.
package form
