// Package start is the screens on which processes are started.
package start
