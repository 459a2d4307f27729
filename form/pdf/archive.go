package pdf

import (
	"archive/zip"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/procession-dev/procession/form"
)

// ContentType is the media type of a document, ArchiveType of an archive.
const (
	ContentType = "application/pdf"
	ArchiveType = "application/zip"
)

const (
	// extension is the extension of PDFs.
	extension = ".pdf"
	// maxName is the maximum length of a file name in an archive in bytes, without number and extension.
	maxName = 100
)

// Archive writes documents to a ZIP, under the names of their forms.
func Archive(w io.Writer, names []string, documents [][]byte, created time.Time) error {
	archive := zip.NewWriter(w)
	for i, name := range names {
		// A PDF is compressed already.
		file, err := archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store, Modified: created.UTC()})
		if err == nil {
			_, err = file.Write(documents[i])
		}
		if err != nil {
			return fmt.Errorf("writing a ZIP of forms: %w", err)
		}
	}
	if err := archive.Close(); err != nil {
		return fmt.Errorf("writing a ZIP of forms: %w", err)
	}
	return nil
}

// Filenames returns file names for the PDFs of inputs, unique regardless of case and safe on every system.
func Filenames(inputs []form.Input) []string {
	names := make([]string, len(inputs))
	width := len(fmt.Sprint(len(inputs)))
	for i := range inputs {
		names[i] = safeName(inputs[i].Title)
		if len(inputs) > 1 {
			names[i] = fmt.Sprintf("%s-%0*d", names[i], width, i+1)
		}
		names[i] += extension
	}
	return names
}

// safeName converts a title to a file name.
func safeName(title string) string {
	var name strings.Builder
	dash := false
	for _, r := range title {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && r != '_' || r == utf8.RuneError {
			dash = name.Len() > 0
			continue
		}
		if name.Len()+utf8.RuneLen(r)+1 > maxName {
			break
		}
		if dash {
			name.WriteByte('-')
			dash = false
		}
		name.WriteRune(r)
	}
	switch text := name.String(); {
	case text == "":
		return "form"
	case isDevice(text):
		return "form-" + text
	default:
		return text
	}
}

// isDevice reports whether Windows reserves the name, with any extension.
func isDevice(name string) bool {
	name = strings.ToUpper(name)
	if port, ok := strings.CutPrefix(name, "COM"); ok || strings.HasPrefix(name, "LPT") {
		if !ok {
			port = name[len("LPT"):]
		}
		return len(port) == 1 && '1' <= port[0] && port[0] <= '9'
	}
	return slices.Contains([]string{"CON", "PRN", "AUX", "NUL"}, name)
}
