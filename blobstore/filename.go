package blobstore

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxFileName is the maximum length of a file name, in bytes of UTF-8: the limit of file systems.
	maxFileName = 255
	// maxExtension is the longest ending, in bytes with its dot, that survives
	// the shortening of a name.
	maxExtension = 32
	// defaultFileName replaces empty names.
	defaultFileName = "document"
)

// FileName returns the file name that a client sent, made safe to keep, to show and to save under: the last segment of
// a path with either separator, in valid UTF-8, at most 255 bytes long, without control characters, invisible
// formatting and overrides of the writing direction. Characters that Windows forbids become underscores; names of its
// devices get one in front. An empty name becomes "document". A clean name stays unchanged.
func FileName(raw string) string {
	name := strings.TrimRight(raw, `/\`)
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(cleanRune, strings.ToValidUTF8(name, "_"))
	name = shortenName(trimName(name))
	if isDevice(name) {
		name = shortenName("_" + name)
	}
	if name == "" {
		return defaultFileName
	}
	return name
}

func cleanRune(r rune) rune {
	switch {
	case strings.ContainsRune(`<>:"|?*`, r):
		return '_'
	case r == '\u200c', r == '\u200d':
		return r // joiners, which Persian, Indic scripts and emoji are written with
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return r // visible, though they count as formatting
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Noncharacter_Code_Point):
		return -1
	default:
		return r
	}
}

// trimName removes the characters that Windows drops from the end of a name, and so the names "." and "..".
func trimName(name string) string {
	name = strings.TrimLeftFunc(name, unicode.IsSpace)
	return strings.TrimRightFunc(name, func(r rune) bool { return r == '.' || unicode.IsSpace(r) })
}

// shortenName cuts a name to maxFileName in front of its extension.
func shortenName(name string) string {
	if len(name) <= maxFileName {
		return name
	}
	extension := path.Ext(name)
	if len(extension) > maxExtension {
		extension = ""
	}
	end := maxFileName - len(extension)
	for !utf8.RuneStart(name[end]) {
		end--
	}
	return trimName(name[:end]) + extension
}

// isDevice reports whether Windows takes a name for one of a device, with any
// extension.
func isDevice(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	stem = strings.ToUpper(strings.TrimRightFunc(stem, unicode.IsSpace))
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	port, isCOM := strings.CutPrefix(stem, "COM")
	if !isCOM {
		port, isCOM = strings.CutPrefix(stem, "LPT")
	}
	return isCOM && utf8.RuneCountInString(port) == 1 && strings.Contains("123456789¹²³", port)
}
