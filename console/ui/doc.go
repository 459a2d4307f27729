// Package ui is how pages of the console look: the frame, and the components that
// screens share. Components are templ files; what they show is escaped. Texts are
// English and translated by T into the language of the viewer.
package ui
