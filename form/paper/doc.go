// Package paper renders the models of forms as pages of a PDF or, for several of
// them, as a ZIP of PDFs (A27, B33).
//
// Documents that a value refers to are opened by a function of the caller, and the
// same input gives the same bytes.
//
// Text is set in DejaVu Sans Condensed, which is embedded. It has the Latin,
// Greek, Cyrillic, Armenian and Georgian letters and many symbols. All other
// characters, and right-to-left text, are shown as empty boxes.
package paper
