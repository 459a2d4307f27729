// Package home is the screen that people come back to.
package home
