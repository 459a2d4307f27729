package httpio

import (
	"bytes"
	"errors"
	"net/http"

	"github.com/procession-dev/procession/domain"
)

// WriteListing answers with a page. answer makes the answer of the metadata and
// of the content, which is its first member; convert makes elements of the content
// of items. A page that is not in memory as a whole is written as it is read, in
// the same form. Where that fails halfway the connection is closed, so that the
// client cannot take the part for the whole.
func WriteListing[From, To any](
	w http.ResponseWriter, found *domain.Listing[From],
	answer func(PageMetadata, []To) any, convert func([]From) ([]To, error),
) error {
	metadata := MetadataOf(found.Page)
	if found.Batches != nil {
		return streamListing(w, found, answer(metadata, []To{}), convert)
	}
	content, err := convert(found.Items)
	if err != nil {
		return err
	}
	return WriteJSON(w, http.StatusOK, answer(metadata, content))
}

// ConvertAll converts every item. The result is an empty list rather than null
// for no items.
func ConvertAll[From, To any](items []From, convert func(*From) (To, error)) ([]To, error) {
	content := make([]To, len(items))
	for i := range items {
		var err error
		if content[i], err = convert(&items[i]); err != nil {
			return nil, err
		}
	}
	return content, nil
}

// cutOffError is the reason why an answer that has begun does not come to its end.
type cutOffError struct{ error }

// Unwrap returns the cause.
func (e cutOffError) Unwrap() error { return e.error }

// errNoContent is returned for an answer that is not of a list.
var errNoContent = errors.New("the answer has no empty content")

// streamListing writes empty, which has no content, with the content of found.
func streamListing[From, To any](
	w http.ResponseWriter, found *domain.Listing[From], empty any, convert func([]From) ([]To, error),
) error {
	var envelope bytes.Buffer
	if err := EncodeJSON(&envelope, empty); err != nil {
		return err
	}
	begin, end, ok := bytes.Cut(envelope.Bytes(), []byte(`"content":[]`))
	if !ok {
		return errNoContent
	}
	begun := false
	var text bytes.Buffer
	err := found.Batches(func(items []From) error {
		content, err := convert(items)
		if err != nil {
			return err
		}
		for i := range content {
			text.Reset()
			if begun {
				text.WriteByte(',')
			} else {
				text.Write(begin)
				text.WriteString(`"content":[`)
			}
			if err := EncodeJSON(&text, content[i]); err != nil {
				return err
			}
			text.Truncate(text.Len() - 1) // the end of the line
			if !begun {
				begun = true
				writeHeader(w)
			}
			if _, err := w.Write(text.Bytes()); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		_, err = w.Write(append([]byte{']'}, end...))
	}
	if err != nil && begun {
		return cutOffError{err}
	}
	return err
}

func writeHeader(w http.ResponseWriter) {
	w.Header().Set("Content-Type", mediaJSON)
	w.WriteHeader(http.StatusOK)
}
