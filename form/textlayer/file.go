package textlayer

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
)

const (
	// maxObjects is the maximum number of objects of a file, maxStream of bytes of a decompressed stream.
	maxObjects = 2_000_000
	maxStream  = 32 << 20
)

// file is a PDF with a plain table of objects, which follow one another.
type file struct {
	head, trailer []byte
	// objects are the texts of the objects by number, from the number to the next object; nil is a free one.
	objects [][]byte
	// order contains the numbers of the objects in the order of the file.
	order []int
}

var (
	fileEnd    = regexp.MustCompile(`startxref\n(\d{1,10})\n%%EOF\s*$`)
	tableHead  = regexp.MustCompile(`^xref\n0 (\d{1,7})\n`)
	streamHead = regexp.MustCompile(`^\d+ 0 obj\n<</Length (\d{1,9})(?:/[^\n]*)?/Filter/FlateDecode[^\n]*>>\nstream\n`)
)

// readFile reads the table of objects. It returns nil for a file of another structure.
func readFile(data []byte) *file {
	end := fileEnd.FindSubmatch(data[max(0, len(data)-64):])
	if end == nil {
		return nil
	}
	table, _ := strconv.Atoi(string(end[1]))
	if table >= len(data) {
		return nil
	}
	rest := data[table:]
	head := tableHead.FindSubmatch(rest[:min(len(rest), 32)])
	if head == nil {
		return nil
	}
	const row = 20
	count, _ := strconv.Atoi(string(head[1]))
	rest = rest[len(head[0]):]
	if count > maxObjects || count*row > len(rest) {
		return nil
	}
	f := &file{objects: make([][]byte, count), trailer: rest[count*row:]}
	starts := make([]int, count)
	for i := range count {
		entry := rest[i*row : (i+1)*row]
		if entry[17] != 'n' {
			continue
		}
		start, err := strconv.Atoi(string(entry[:10]))
		if err != nil || start < 0 || start >= table {
			return nil
		}
		starts[i] = start
		f.order = append(f.order, i)
	}
	if len(f.order) == 0 {
		return nil
	}
	slices.SortFunc(f.order, func(a, b int) int { return cmp.Compare(starts[a], starts[b]) })
	f.head = data[:starts[f.order[0]]]
	for i, number := range f.order {
		next := table
		if i+1 < len(f.order) {
			next = starts[f.order[i+1]]
		}
		f.objects[number] = data[starts[number]:next]
	}
	return f
}

// objectOf returns an object, nil if it does not exist.
func (f *file) objectOf(number int) []byte {
	if number <= 0 || number >= len(f.objects) {
		return nil
	}
	return f.objects[number]
}

// readReference returns the object that the first member of an object refers to, 0 if it has none.
func readReference(object []byte, member *regexp.Regexp) int {
	found := member.FindSubmatch(object)
	if found == nil {
		return 0
	}
	number, _ := strconv.Atoi(string(found[1]))
	return number
}

// readStream returns the content of a compressed stream, nil if it is none or too large.
func (f *file) readStream(number int) []byte {
	object := f.objectOf(number)
	head := streamHead.Find(object)
	if head == nil {
		return nil
	}
	reader, err := zlib.NewReader(bytes.NewReader(object[len(head):]))
	if err != nil {
		return nil
	}
	content, err := io.ReadAll(io.LimitReader(reader, maxStream+1))
	if err != nil || len(content) > maxStream {
		return nil
	}
	return content
}

// replaceStream sets the content of a stream that readStream has read.
func (f *file) replaceStream(number int, content []byte) {
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	_, _ = w.Write(content) // A buffer has no errors.
	_ = w.Close()
	head := streamHead.FindSubmatchIndex(f.objects[number])
	old := f.objects[number]
	f.objects[number] = fmt.Appendf(nil, "%s%d%s%s\nendstream\nendobj\n", old[:head[2]], packed.Len(), old[head[3]:head[1]], packed.Bytes())
}

// writeFile returns the file with its objects at their places.
func (f *file) writeFile() []byte {
	size := len(f.head)
	for _, object := range f.objects {
		size += len(object)
	}
	out := bytes.NewBuffer(make([]byte, 0, size+20*len(f.objects)+len(f.trailer)+64))
	out.Write(f.head)
	starts := make([]int, len(f.objects))
	for _, number := range f.order {
		starts[number] = out.Len()
		out.Write(f.objects[number])
	}
	table := out.Len()
	fmt.Fprintf(out, "xref\n0 %d\n", len(starts))
	for _, start := range starts {
		if start == 0 {
			out.WriteString("0000000000 65535 f\r\n")
			continue
		}
		fmt.Fprintf(out, "%010d 00000 n\r\n", start)
	}
	out.Write(f.trailer[:bytes.LastIndex(f.trailer, []byte("startxref"))])
	fmt.Fprintf(out, "startxref\n%d\n%%%%EOF", table)
	return out.Bytes()
}
