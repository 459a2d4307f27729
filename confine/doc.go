// Package confine does work on files that strangers made in child processes: of
// the same program, or of another one such as pdftotext. A child has limits of
// memory, processor time and wall-clock time, an empty environment and no open
// files but its standard streams, and is killed with all that it started. What a
// file does to its reader costs that file, and not the service.
//
// The limits of memory and processor time are those of the kernel and hold on
// Linux. Elsewhere a child has a process of its own and the limits of time and
// output; Weakness says so.
//
// A child has the user, the network and the file system of the service: this
// package bounds what a file costs, it is not a boundary for a program that a file
// has taken over.
package confine
