// Package signin is where users sign in to the console and out of it, and see on
// which browsers they are signed in.
package signin
