// Package pdfworker renders forms as PDF in child processes with limits of memory and time: one at a time for each
// principal, and several in total. The parent sends the form to the child and opens the images that it requests;
// package form runs in the child only.
package pdfworker
