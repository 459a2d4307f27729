package ui

import (
	"context"
	"strings"
)

// Browser returns the name of a browser and its system in words, as far as its
// User-Agent header has them.
func Browser(ctx context.Context, userAgent string) string {
	// User agents also name compatible browsers, so the order matters.
	name := firstIn(userAgent, [][2]string{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"}, {"Chrome/", "Chrome"}, {"CriOS/", "Chrome"}, {"Safari/", "Safari"},
	})
	system := firstIn(userAgent, [][2]string{
		{"Windows", "Windows"}, {"Android", "Android"}, {"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Mac OS X", "macOS"}, {"Linux", "Linux"},
	})
	switch {
	case userAgent == "":
		return T(ctx, "Unknown browser")
	case name == "":
		return userAgent
	case system == "":
		return name
	}
	return T(ctx, "%s on %s", name, system)
}

// firstIn returns the name of the first mark that a text has.
func firstIn(text string, names [][2]string) string {
	for _, n := range names {
		if strings.Contains(text, n[0]) {
			return n[1]
		}
	}
	return ""
}
