// Package extract makes plain text of untrusted documents: text,
// Markdown, HTML, CSV, JSON, Word (docx), Excel (xlsx) and, where there is
// pdftotext of poppler, PDF. A Reader has each document read by a child process
// with limits of memory and time, and within these every format has bounds of its
// own for what it unpacks to, what it holds at once and what it writes. What
// cannot be read is an *Error that names the document and the reason.
package extract
