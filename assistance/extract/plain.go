package extract

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// readPlain writes the beginning of a text: a character takes at most four bytes.
func (r *reader) readPlain(data []byte, declared string) error {
	if end := (r.out.most + 1) * utf8.UTFMax; end < len(data) {
		for end > 0 && !utf8.RuneStart(data[end]) {
			end--
		}
		data = data[:end]
	}
	text, err := decodeText(data, declared)
	if err != nil {
		return err
	}
	return r.out.write(strings.ReplaceAll(string(text[:min(len(text), r.out.most+1)]), "\r\n", "\n"))
}

// maxRecord is the maximum size of a record of CSV in bytes.
const maxRecord = 1 << 20

// readCSV writes a line for each record.
func (r *reader) readCSV(data []byte, declared string) error {
	text, err := decodeText(data, declared)
	if err != nil {
		return err
	}
	source := r.checkedSource(text)
	source.most = maxRecord
	records := csv.NewReader(source)
	records.Comma = detectSeparator(text)
	records.FieldsPerRecord = -1
	records.LazyQuotes = true
	records.ReuseRecord = true
	for {
		source.resetCount()
		record, err := records.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading CSV: %w", err)
		}
		if err := r.out.write(strings.Join(record, " | "), "\n"); err != nil {
			return err
		}
	}
}

// detectSeparator returns the most frequent separator of the first line.
func detectSeparator(text []byte) rune {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	best, most := ',', bytes.Count(line, []byte(","))
	for _, other := range ";\t" {
		if count := bytes.Count(line, []byte(string(other))); count > most {
			best, most = other, count
		}
	}
	return best
}

// maxNesting is the maximum nesting of values.
const maxNesting = 64

// readJSON writes a line for each scalar, with the path to it.
func (r *reader) readJSON(data []byte, declared string) error {
	text, err := decodeText(data, declared)
	if err != nil {
		return err
	}
	if !json.Valid(text) {
		return errors.New("the document is not JSON")
	}
	decoder := json.NewDecoder(r.checkedSource(text))
	decoder.UseNumber()
	return r.jsonValue(decoder, "", maxNesting)
}

func (r *reader) jsonValue(decoder *json.Decoder, path string, depth int) error {
	if depth == 0 || len(path) > 4<<10 {
		return errTooLarge
	}
	token, err := decoder.Token()
	if err != nil {
		return fmt.Errorf("reading JSON: %w", err)
	}
	switch token {
	case json.Delim('{'):
		for decoder.More() {
			member, err := decoder.Token()
			if err != nil {
				return fmt.Errorf("reading JSON: %w", err)
			}
			name := fmt.Sprint(member)
			if path != "" {
				name = path + "." + name
			}
			if err := r.jsonValue(decoder, name, depth-1); err != nil {
				return err
			}
		}
		_, err := decoder.Token()
		return err
	case json.Delim('['):
		for i := 1; decoder.More(); i++ {
			if err := r.jsonValue(decoder, path+"["+strconv.Itoa(i)+"]", depth-1); err != nil {
				return err
			}
		}
		_, err := decoder.Token()
		return err
	case nil:
		return nil
	}
	if path != "" {
		path += ": "
	}
	return r.out.write(path, fmt.Sprint(token), "\n")
}
