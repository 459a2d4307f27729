// Package extract extracts plain text from untrusted documents: text, Markdown, HTML, CSV, JSON, Word (docx), Excel
// (xlsx) and, if pdftotext of poppler is installed, PDF. A Reader reads each document in a child process with limits
// of memory and time; every format limits unpacked bytes, memory and output. For an unreadable document it returns an
// *Error with the reason.
package extract
