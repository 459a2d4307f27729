// Package pdfworker renders forms as PDF in child processes with limits of memory and time: one at a time for each
// principal, and several in total. A first child makes the layouts of the forms, as data; the parent opens the images
// that it requests, and chooses fonts. A second child, Typst in an interpreter of Python, typesets the layouts by a
// template. It reads its libraries and the folders of fonts, and its input.
package pdfworker
