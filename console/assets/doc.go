// Package assets serves what the pages of the console load: one style sheet, one
// script and the icons. They are made from npm packages and the files in src by
// the program in pack, which "make assets" runs, and are embedded. A binary that
// was built without them works, and its pages say what is missing.
package assets
