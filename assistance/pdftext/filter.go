package pdftext

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"encoding/ascii85"
	"errors"
	"io"
)

// decode unpacks a stream. What is damaged is unpacked as far as it goes; what is
// packed in a way that text never is, such as images, is nothing.
func (d *document) decode(s *stream) []byte {
	filters := d.listOf(s.dict, "Filter", "F")
	parameters := d.listOf(s.dict, "DecodeParms", "DP")
	data := s.raw
	for i, filter := range filters {
		var options dict
		if i < len(parameters) {
			options = d.dict(parameters[i])
		}
		kind, _ := d.resolve(filter).(name)
		switch kind {
		case "FlateDecode", "Fl":
			data = d.predict(d.inflate(data), options)
		case "LZWDecode", "LZW":
			data = d.predict(d.lzw(data, d.number(options["EarlyChange"], 1) != 0), options)
		case "ASCIIHexDecode", "AHx":
			data = []byte((&lexer{data: append([]byte("<"), data...)}).hexadecimal())
		case "ASCII85Decode", "A85":
			data = d.decode85(data)
		case "RunLengthDecode", "RL":
			data = d.runs(data)
		case "Crypt":
		default:
			return nil
		}
		if d.meter.err != nil {
			return nil
		}
	}
	return data
}

// listOf is a member that may be one value or several.
func (d *document) listOf(members dict, key, short name) []any {
	value := d.resolve(members[key])
	if value == nil {
		value = d.resolve(members[short])
	}
	switch v := value.(type) {
	case nil:
		return nil
	case []any:
		return v
	}
	return []any{value}
}

// spend counts unpacked bytes. It reports whether there may be as many.
func (m *meter) spend(n int) bool {
	m.unpacked -= int64(n)
	if m.unpacked < 0 && m.err == nil {
		m.err = ErrTooMuch
	}
	if m.err == nil {
		m.err = m.ctx.Err()
	}
	return m.err == nil
}

func (d *document) inflate(data []byte) []byte {
	var source io.Reader
	if unpacked, err := zlib.NewReader(bytes.NewReader(data)); err == nil {
		source = unpacked
	} else {
		source = flate.NewReader(bytes.NewReader(data[min(2, len(data)):]))
	}
	var out bytes.Buffer
	chunk := make([]byte, 32<<10)
	for {
		n, err := source.Read(chunk)
		if !d.meter.spend(n) {
			return nil
		}
		out.Write(chunk[:n])
		if err != nil || n == 0 {
			return out.Bytes()
		}
	}
}

// lzw unpacks as PDF and TIFF have it: codes of 9 to 12 bits, the highest bit
// first, and, when early, longer by a bit one code sooner.
func (d *document) lzw(data []byte, early bool) []byte {
	const clearCode, endCode, firstCode, maxCodes = 256, 257, 258, 4096
	type entry struct {
		prefix int
		last   byte
		length int
	}
	table := make([]entry, firstCode, maxCodes)
	for i := range 256 {
		table[i] = entry{prefix: -1, last: byte(i), length: 1}
	}
	ahead := 0
	if early {
		ahead = 1
	}
	var out []byte
	previous, width, bits, buffered := -1, 9, 0, 0
	for _, b := range data {
		buffered, bits = buffered<<8|int(b), bits+8
		if bits < width {
			continue
		}
		bits -= width
		code := buffered >> bits & (1<<width - 1)
		buffered &= 1<<bits - 1
		if code == endCode {
			break
		}
		if code == clearCode {
			table, width, previous = table[:firstCode], 9, -1
			continue
		}
		if code > len(table) || code == len(table) && previous < 0 {
			break
		}
		source, repeat := code, false
		if code == len(table) {
			source, repeat = previous, true
		}
		length := table[source].length
		start := len(out)
		if !d.meter.spend(length + 1) {
			return nil
		}
		out = append(out, make([]byte, length)...)
		for at, i := source, length-1; i >= 0 && at >= 0; i-- {
			out[start+i] = table[at].last
			at = table[at].prefix
		}
		first := out[start]
		if repeat {
			out = append(out, first)
		}
		if previous >= 0 && len(table) < maxCodes {
			table = append(table, entry{prefix: previous, last: first, length: table[previous].length + 1})
		}
		previous = code
		for width < 12 && len(table)+ahead >= 1<<width {
			width++
		}
	}
	return out
}

func (d *document) decode85(data []byte) []byte {
	data = bytes.TrimPrefix(bytes.TrimSpace(data), []byte("<~"))
	if end := bytes.IndexByte(data, '~'); end >= 0 {
		data = data[:end]
	}
	size := 4*len(data) + 4 // A z stands for four bytes.
	if !d.meter.spend(size) {
		return nil
	}
	out := make([]byte, size)
	n, _, err := ascii85.Decode(out, data, true)
	var damaged ascii85.CorruptInputError
	if err != nil && !errors.As(err, &damaged) {
		return nil
	}
	return out[:n]
}

func (d *document) runs(data []byte) []byte {
	var out []byte
	for at := 0; at < len(data); {
		length := int(data[at])
		at++
		switch {
		case length == 128:
			return out
		case length < 128:
			end := min(at+length+1, len(data))
			if !d.meter.spend(end - at) {
				return nil
			}
			out = append(out, data[at:end]...)
			at = end
		case at < len(data):
			if !d.meter.spend(257 - length) {
				return nil
			}
			out = append(out, bytes.Repeat(data[at:at+1], 257-length)...)
			at++
		}
	}
	return out
}

// predict undoes what was done to rows of data to pack them better.
func (d *document) predict(data []byte, options dict) []byte {
	predictor := d.integer(options["Predictor"])
	if predictor < 2 {
		return data
	}
	colours, depth := int(d.number(options["Colors"], 1)), int(d.number(options["BitsPerComponent"], 8))
	columns := int(d.number(options["Columns"], 1))
	if colours < 1 || colours > 32 || depth < 1 || depth > 32 || columns < 1 || columns > 1<<24 {
		return nil
	}
	pixel, row := max(1, colours*depth/8), (colours*depth*columns+7)/8
	if predictor == 2 {
		if depth == 8 {
			for start := 0; start+row <= len(data); start += row {
				for i := start + pixel; i < start+row; i++ {
					data[i] += data[i-pixel]
				}
			}
		}
		return data
	}
	out := make([]byte, 0, len(data))
	above := make([]byte, min(row, len(data)))
	for len(data) > 1 {
		filter, line := data[0], data[1:min(len(data), row+1)]
		data = data[1+len(line):]
		unfilter(filter, line, above, pixel)
		out = append(out, line...)
		copy(above, line)
	}
	return out
}

// unfilter undoes a filter of PNG on a row.
func unfilter(filter byte, line, above []byte, pixel int) {
	for i := range line {
		var left, corner byte
		if i >= pixel {
			left, corner = line[i-pixel], above[i-pixel]
		}
		up := above[i]
		switch filter {
		case 1:
			line[i] += left
		case 2:
			line[i] += up
		case 3:
			line[i] += byte((int(left) + int(up)) / 2) //nolint:gosec // The mean of two bytes is one.
		case 4:
			line[i] += paeth(left, up, corner)
		}
	}
}

func paeth(left, up, corner byte) byte {
	p := int(left) + int(up) - int(corner)
	a, b, c := abs(p-int(left)), abs(p-int(up)), abs(p-int(corner))
	switch {
	case a <= b && a <= c:
		return left
	case b <= c:
		return up
	}
	return corner
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
