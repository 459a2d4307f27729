package pdftext

import (
	"bytes"
	"slices"
)

// A document is a file and where its objects are.
type document struct {
	meter *meter
	data  []byte
	found map[int]place
	cache map[int]any
	fonts map[int]*textFont
	// containers are streams that hold objects, in the order of the file.
	containers []int
	trailer    dict
	catalog    int
	// loose are the pages that were met on the way, for files whose tree of pages
	// is gone.
	loose []int
}

// A place is where an object is.
type place struct {
	// defined is where in the file: of several objects with one number, the last
	// one counts.
	defined int
	// at is where its value begins in data, or in packed when that is not nil.
	at     int
	packed []byte
}

// A stream is a dictionary with data, which may be packed.
type stream struct {
	dict dict
	raw  []byte
}

// maxObjects bounds the objects of a file.
const maxObjects = 1_000_000

// scan finds the objects of a file.
func (d *document) scan() {
	trailer := indexFrom(d.data, 0, "trailer")
	for at := 0; d.meter.step(); {
		if trailer < at {
			trailer = indexFrom(d.data, at, "trailer")
		}
		next := indexFrom(d.data, at, "obj")
		if trailer < next {
			l := &lexer{meter: d.meter, data: d.data, at: trailer + len("trailer"), file: true}
			if members, ok := l.next().(dict); ok {
				d.addTrailer(members)
			}
			at = max(trailer+len("trailer"), l.at)
			continue
		}
		if next == len(d.data) {
			return
		}
		number, ok := numberBefore(d.data, next)
		at = next + len("obj")
		if ok {
			at = d.define(number, at)
		}
		if len(d.found) > maxObjects {
			d.meter.err = ErrTooMuch
		}
	}
}

// indexFrom is where a word is next, the end of the data when it is nowhere.
func indexFrom(data []byte, at int, word string) int {
	if found := bytes.Index(data[min(at, len(data)):], []byte(word)); found >= 0 {
		return at + found
	}
	return len(data)
}

// numberBefore reads the number of an object back from its keyword.
func numberBefore(data []byte, at int) (int, bool) {
	back := func(accept func(byte) bool, most int) int {
		count := 0
		for at > 0 && count < most && accept(data[at-1]) {
			at--
			count++
		}
		return count
	}
	if back(isSpace, 8) == 0 || back(isDigit, 5) == 0 || back(isSpace, 8) == 0 {
		return 0, false
	}
	end := at
	if back(isDigit, 8) == 0 {
		return 0, false
	}
	number := 0
	for _, digit := range data[at:end] {
		number = number*10 + int(digit-'0')
	}
	return number, true
}

// define notes an object whose value begins at a place, and returns where to look
// for the next one.
func (d *document) define(number, at int) int {
	l := &lexer{meter: d.meter, data: d.data, at: at, file: true}
	nodes := d.meter.nodes
	value := d.object(l)
	d.meter.nodes = nodes // What was read here is not kept.
	if op, ok := value.(operator); ok && op == "obj" {
		return at
	}
	d.found[number] = place{defined: at, at: at}
	members, _ := value.(dict)
	if s, ok := value.(*stream); ok {
		members = s.dict
		switch members["Type"] {
		case name("ObjStm"):
			d.containers = append(d.containers, number)
		case name("XRef"):
			d.addTrailer(members)
		}
	}
	switch members["Type"] {
	case name("Catalog"):
		d.catalog = number
	case name("Page"):
		d.loose = append(d.loose, number)
	}
	return max(at, l.at)
}

// addTrailer takes the members of a trailer. That of a later one counts.
func (d *document) addTrailer(members dict) {
	if d.trailer == nil {
		d.trailer = dict{}
	}
	for _, key := range []name{"Root", "Encrypt"} {
		if value := members[key]; value != nil {
			d.trailer[key] = value
		}
	}
}

// object reads a value that may be a stream.
func (d *document) object(l *lexer) any {
	value := l.next()
	members, ok := value.(dict)
	if !ok {
		return value
	}
	l.skipSpace()
	rest, ok := bytes.CutPrefix(l.data[min(l.at, len(l.data)):], []byte("stream"))
	if !ok {
		return value
	}
	rest = bytes.TrimPrefix(rest, []byte("\r"))
	rest = bytes.TrimPrefix(rest, []byte("\n"))
	end := -1
	if length, ok := members["Length"].(float64); ok && length >= 0 && int(length) <= len(rest) {
		if tail := bytes.TrimLeft(rest[int(length):min(len(rest), int(length)+32)], "\r\n \t\x00"); bytes.HasPrefix(tail, []byte("endstream")) {
			end = int(length)
		}
	}
	if end < 0 {
		if end = bytes.Index(rest, []byte("endstream")); end < 0 {
			end = len(rest)
		}
	}
	l.at = len(l.data) - len(rest) + end
	return &stream{dict: members, raw: rest[:end]}
}

// unpack finds the objects within streams.
func (d *document) unpack() {
	for _, number := range d.containers {
		container, ok := d.get(number).(*stream)
		if !ok || container.dict["Type"] != name("ObjStm") {
			continue
		}
		defined := d.found[number].defined
		count, first := d.integer(container.dict["N"]), d.integer(container.dict["First"])
		packed := d.decode(container)
		l := &lexer{meter: d.meter, data: packed}
		for range min(count, maxElements) {
			inner, isNumber := l.next().(float64)
			offset, isOffset := l.next().(float64)
			if !isNumber || !isOffset || inner < 0 || offset < 0 {
				break
			}
			at := first + int(offset)
			if known, ok := d.found[int(inner)]; at >= len(packed) || at < 0 || ok && known.defined > defined {
				continue
			}
			d.found[int(inner)] = place{defined: defined, at: at, packed: packed}
			delete(d.cache, int(inner))
		}
	}
}

// get is the object with a number, nil when there is none.
func (d *document) get(number int) any {
	if value, ok := d.cache[number]; ok {
		return value
	}
	where, ok := d.found[number]
	if !ok || d.meter.err != nil {
		return nil
	}
	d.cache[number] = nil // For one that refers to itself.
	l := &lexer{meter: d.meter, data: d.data, at: where.at, file: true}
	if where.packed != nil {
		l.data = where.packed
	}
	value := d.object(l)
	if _, ok := value.(operator); ok {
		value = nil
	}
	d.cache[number] = value
	return value
}

// resolve follows references to a value.
func (d *document) resolve(value any) any {
	for range maxNesting {
		number, ok := value.(reference)
		if !ok {
			return value
		}
		value = d.get(int(number))
	}
	return nil
}

func (d *document) dict(value any) dict {
	switch v := d.resolve(value).(type) {
	case dict:
		return v
	case *stream:
		return v.dict
	}
	return nil
}

func (d *document) array(value any) []any {
	elements, _ := d.resolve(value).([]any)
	return elements
}

func (d *document) number(value any, otherwise float64) float64 {
	if n, ok := d.resolve(value).(float64); ok {
		return n
	}
	return otherwise
}

func (d *document) integer(value any) int { return int(d.number(value, 0)) }

// pages visits the pages in their order, with the resources they inherit.
func (d *document) pages(visit func(page, resources dict) bool) {
	root := d.dict(d.trailer["Root"])
	if root == nil {
		root = d.dict(reference(d.catalog))
	}
	seen := map[int]bool{}
	count, more := 0, true
	var walk func(value any, resources dict, depth int)
	walk = func(value any, resources dict, depth int) {
		if number, ok := value.(reference); ok {
			if seen[int(number)] {
				return
			}
			seen[int(number)] = true
		}
		node := d.dict(value)
		if node == nil || depth > maxNesting || !more || !d.meter.step() {
			return
		}
		if own := d.dict(node["Resources"]); own != nil {
			resources = own
		}
		kids := d.array(node["Kids"])
		if kids == nil && node["Type"] != name("Pages") {
			count++
			more = visit(node, resources)
			return
		}
		for _, kid := range kids {
			walk(kid, resources, depth+1)
		}
	}
	walk(root["Pages"], nil, 0)
	if count > 0 {
		return
	}
	for _, number := range slices.Compact(d.loose) {
		if page := d.dict(reference(number)); more && page != nil {
			more = visit(page, d.dict(page["Resources"]))
		}
	}
}
