// Package fonts indexes the characters of installed font files, and chooses the fonts of a text.
package fonts
