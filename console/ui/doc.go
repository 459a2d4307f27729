// Package ui contains the frame of pages and the components that screens share. Components are templ files, which
// escape their values. Texts are English; T translates them into the language of the viewer.
package ui
