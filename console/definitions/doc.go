// Package definitions shows manifests of all kinds, their versions and their rights, and edits them.
package definitions
