// Package pdf renders models of forms as PDFs, or as a ZIP of PDFs (A27, B33).
//
// A function of the caller opens referenced documents. The same input gives the same bytes.
//
// Text is set in the embedded font DejaVu Sans Condensed, which has the Latin, Greek, Cyrillic, Armenian and Georgian
// letters and many symbols. Other characters, and right-to-left text, are shown as empty boxes.
package pdf
