// Package extract makes plain text of untrusted documents: text, Markdown,
// HTML, CSV, JSON, Word (docx), Excel (xlsx) and, where pdftotext of poppler is
// installed, PDF. A Reader reads each document in a child process with limits
// of memory and time, and within these every format has limits on what it
// unpacks, holds in memory and writes. For a document that cannot be read it
// returns an *Error with the document and the reason.
package extract
