package extract

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

const (
	// maxParts is the maximum number of files in a document.
	maxParts = 20_000
	// maxElements is the maximum nesting of elements.
	maxElements = 256
	// maxToken is the maximum size of a tag or text of XML in bytes.
	maxToken = 4 << 20
	// maxEmbedded is the maximum nesting of documents in documents.
	maxEmbedded = 3
)

// oleSignature begins documents of Office that are encrypted, and those older
// than the formats that are read.
const oleSignature = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

// directorySignature begins each entry of the directory of a ZIP.
const directorySignature = "PK\x01\x02"

var errNoDocument = errors.New("there is no text part in the document")

// An office document is a ZIP of XML files.
type office struct {
	r     *reader
	parts map[string]*zip.File
	// depth is the number of documents around this one.
	depth int
}

func (r *reader) openOffice(data []byte) (*office, error) {
	if bytes.HasPrefix(data, []byte(oleSignature)) {
		return nil, errEncrypted
	}
	if bytes.Count(data, []byte(directorySignature)) > maxParts {
		return nil, errTooLarge // Reading the directory alone would take too much memory.
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("reading a document of Office: %w", err)
	}
	o := &office{r: r, parts: make(map[string]*zip.File, len(archive.File))}
	for _, file := range archive.File {
		o.parts[partName(file.Name)] = file
	}
	return o, nil
}

// partName returns the name of a part as a key. Names are equal in any case (ISO 29500-2, section 6.2.2.3).
func partName(name string) string {
	return strings.ToLower(path.Clean("/" + strings.ReplaceAll(name, `\`, "/")))
}

// openPart opens a part, nil if there is none.
func (o *office) openPart(name string) (io.ReadCloser, error) {
	file, ok := o.parts[partName(name)]
	if !ok {
		return nil, nil
	}
	body, err := file.Open()
	if err != nil {
		return nil, fmt.Errorf("reading a document of Office: %w", err)
	}
	return body, nil
}

// walkPart visits the tokens of a part in any encoding of XML. A missing part has none.
func (o *office) walkPart(name string, visit func(xml.Token) error) (err error) {
	body, err := o.openPart(name)
	if body == nil || err != nil {
		return err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	metered := &metered{r: o.r, source: body}
	decoder, err := newDecoder(metered)
	if err != nil {
		return err
	}
	for depth := 0; ; {
		metered.since = 0
		token, err := decoder.RawToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading a document of Office: %w", err)
		}
		switch token.(type) {
		case xml.StartElement:
			if depth++; depth > maxElements {
				return errTooLarge
			}
		case xml.EndElement:
			depth--
		}
		if err := visit(token); err != nil {
			return err
		}
	}
}

// readPart returns the bytes of a part.
func (o *office) readPart(name string) (data []byte, err error) {
	body, err := o.openPart(name)
	if body == nil || err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	return io.ReadAll(&metered{r: o.r, source: body, whole: true})
}

// metered counts unpacked bytes, per document and per token.
type metered struct {
	r      *reader
	source io.Reader
	since  int
	// whole is set if there are no tokens.
	whole bool
}

// Read reads as an io.Reader does, until the context ends or the limit is met.
func (m *metered) Read(p []byte) (int, error) {
	if err := m.r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := m.source.Read(p)
	m.r.unpacked -= int64(n)
	m.since += n
	if m.r.unpacked < 0 || m.since > maxToken && !m.whole {
		return 0, errTooLarge
	}
	return n, err
}

// attributeValue returns the value of an attribute by its local name.
func attributeValue(element xml.StartElement, name string) string {
	for _, a := range element.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
