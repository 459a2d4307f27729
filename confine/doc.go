// Package confine processes untrusted files in child processes, which run this program
// or another one such as pdftotext. A child has limits of memory, processor time,
// wall-clock time and output, an empty environment and no open files but its standard
// streams. It is killed together with the processes that it started. A hostile file
// therefore fails alone and does not affect the service.
//
// The kernel enforces the limits of memory and processor time on Linux only. Elsewhere
// only the limits of wall-clock time and output apply, and Weakness returns a warning.
//
// A child has the user, the network and the file system of the service. The package
// bounds resources; it does not contain a child whose control a file has taken over.
package confine
