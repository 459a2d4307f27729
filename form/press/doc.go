// Package press puts forms on paper in child processes with limits of memory and
// time: one at a time for each principal, and some at once for all. The parent
// gives a child the form and opens the images it asks for; package form works in
// the child alone.
package press
