// Package pdftext reads the text of PDF files (ISO 32000) that nobody vouches
// for. Time and memory are bounded by the size of the file, by what its streams
// unpack to and by how many tokens it is made of, whatever it says: it runs in
// the caller's goroutine, counts each step and looks at the context on the way.
//
// It finds objects by looking for them rather than by the table at the end, so
// that damaged files are read as far as they go. Text comes in the order it is
// drawn. Encrypted files are refused, and text that is a picture is not seen.
package pdftext
