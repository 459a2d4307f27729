// Package extract makes plain text of documents that nobody vouches for: text,
// Markdown, HTML, CSV, JSON, Word (docx), Excel (xlsx) and PDF. What a document
// takes is bounded in bytes, in what it unpacks to and in time. What cannot be
// read is an *Error that names the document and the reason.
package extract
