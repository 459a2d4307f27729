// Package definitions is where administrators see and change what is set up: the
// manifests of every kind, their versions, and the expressions in them.
package definitions
