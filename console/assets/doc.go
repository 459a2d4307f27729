// Package assets embeds and serves the style sheet, the scripts and the icons of the console. The program in pack
// builds them from npm packages and the files in src ("make assets"). Without assets the pages work, and show a
// warning.
package assets
