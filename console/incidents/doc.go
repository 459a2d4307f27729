// Package incidents is where administrators see which workflows failed, and deal with them.
package incidents
