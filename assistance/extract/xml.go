package extract

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/transform"
)

// A signature is the beginning of a text in an encoding of several bytes.
type signature struct {
	prefix   string
	encoding encoding.Encoding
}

// byteOrderMarks returns the signatures of texts. The longer ones come first.
func byteOrderMarks() []signature {
	return []signature{
		{"\xff\xfe\x00\x00", utf32.UTF32(utf32.LittleEndian, utf32.UseBOM)},
		{"\x00\x00\xfe\xff", utf32.UTF32(utf32.BigEndian, utf32.UseBOM)},
		{"\xff\xfe", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)},
		{"\xfe\xff", unicode.UTF16(unicode.BigEndian, unicode.UseBOM)},
		{"\xef\xbb\xbf", unicode.UTF8BOM},
	}
}

// xmlSignatures returns the beginnings of XML without a byte order mark (XML 1.0, appendix F.1).
func xmlSignatures() []signature {
	return []signature{
		{"<\x00\x00\x00", utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)},
		{"\x00\x00\x00<", utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)},
		{"<\x00", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)},
		{"\x00<", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)},
	}
}

// findSignature returns the encoding of a text by its beginning, nil if there is no signature.
func findSignature(begin []byte, signatures []signature) encoding.Encoding {
	for _, s := range signatures {
		if bytes.HasPrefix(begin, []byte(s.prefix)) {
			return s.encoding
		}
	}
	return nil
}

// newDecoder returns a decoder of XML, which detects the encoding. It does not know entities defined by the document, so
// none expands.
func newDecoder(source io.Reader) (*xml.Decoder, error) {
	buffered := bufio.NewReader(source)
	begin, err := buffered.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	found := findSignature(begin, byteOrderMarks())
	if found == nil {
		found = findSignature(begin, xmlSignatures())
	}
	if found == nil {
		decoder := xml.NewDecoder(buffered)
		decoder.CharsetReader = func(label string, input io.Reader) (io.Reader, error) {
			decoded, err := charset.NewReaderLabel(label, input)
			if err != nil {
				return nil, fmt.Errorf("decoding XML: %w", err)
			}
			return decoded, nil
		}
		return decoder, nil
	}
	decoder := xml.NewDecoder(transform.NewReader(buffered, found.NewDecoder()))
	// The declaration names the encoding that is decoded already.
	decoder.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	return decoder, nil
}
