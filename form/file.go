package form

import (
	"encoding/base64"
	"fmt"
	"mime"
	"net/url"
	"strings"

	"github.com/procession-dev/procession/domain/kuflowref"
)

// File is a document referenced by a value, or contained in it as a data URL.
type File struct {
	Name string
	// Type is the media type.
	Type string
	// Size is in bytes.
	Size int64
	// Reference is the reference in the value, the zero File for a data URL.
	Reference kuflowref.File
	// Data is the content of a data URL, nil for a reference.
	Data []byte
}

// IsImage reports whether the media type is PNG or JPEG.
func (f *File) IsImage() bool {
	mediaType, _, err := mime.ParseMediaType(f.Type)
	return err == nil && (mediaType == "image/png" || mediaType == "image/jpeg" || mediaType == "image/jpg")
}

// Describe returns name, type and size as a line of text.
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

// readFile parses a string that is a reference to a document or a data URL.
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
