package form

import (
	"encoding/base64"
	"fmt"
	"mime"
	"net/url"
	"strings"

	"github.com/procession-dev/procession/domain/kuflowref"
)

// File is a document that a value refers to, or holds as a data URL.
type File struct {
	Name string
	// Type is the media type.
	Type string
	// Size is in bytes.
	Size int64
	// Reference is how the value refers to the document. It is the zero File when
	// the value holds the document itself.
	Reference kuflowref.File
	// Data is the document itself, nil where there is a reference to it.
	Data []byte
}

// IsImage reports whether the file may be placed.
func (f *File) IsImage() bool {
	mediaType, _, err := mime.ParseMediaType(f.Type)
	return err == nil && (mediaType == "image/png" || mediaType == "image/jpeg" || mediaType == "image/jpg")
}

// Describe returns the file as a line of text.
func (f *File) Describe() string {
	name := f.Name
	if name == "" {
		name = "Unnamed file"
	}
	about := sizeText(f.Size)
	if f.Type != "" {
		about = f.Type + ", " + about
	}
	return name + " (" + about + ")"
}

func sizeText(size int64) string {
	if size < 1000 {
		return fmt.Sprintf("%d bytes", size)
	}
	amount, unit := float64(size)/1000, "kB"
	for _, larger := range []string{"MB", "GB", "TB"} {
		if amount < 999.95 {
			break
		}
		amount, unit = amount/1000, larger
	}
	return fmt.Sprintf("%.1f %s", amount, unit)
}

// readFile parses the reference to a document in a string, if there is one.
func readFile(text string) (File, bool) {
	if f, ok := kuflowref.ParseFile(text); ok {
		return File{Name: f.Name, Type: f.Type, Size: f.Size, Reference: f}, true
	}
	return readDataURL(text)
}

// readDataURL reads a data URL (RFC 2397).
func readDataURL(text string) (File, bool) {
	rest, ok := strings.CutPrefix(text, "data:")
	if !ok {
		return File{}, false
	}
	header, body, ok := strings.Cut(rest, ",")
	if !ok {
		return File{}, false
	}
	var data []byte
	mediaType, isBase64 := strings.CutSuffix(header, ";base64")
	if isBase64 {
		decoded, err := base64.StdEncoding.DecodeString(body)
		if err != nil {
			return File{}, false
		}
		data = decoded
	} else {
		decoded, err := url.PathUnescape(body)
		if err != nil {
			return File{}, false
		}
		data = []byte(decoded)
	}
	parsed, parameters, err := mime.ParseMediaType(mediaType)
	if err != nil {
		return File{}, false
	}
	return File{Name: parameters["name"], Type: parsed, Size: int64(len(data)), Data: data}, true
}
