package resource

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/procession-dev/procession/domain/jsontext"
)

// maxViolations limits how many violations of one request are reported.
const maxViolations = 100

// Violation is one reason why manifests are refused.
type Violation struct {
	// Document is the index of the document in the request.
	Document int
	// Pointer is the JSON Pointer of the place within the document.
	Pointer string
	// Message describes the problem without naming the place: "is required".
	Message string
}

// A report collects the violations of one document.
type report struct {
	document int
	found    []Violation
}

func (r *report) add(pointer, format string, args ...any) {
	r.found = append(r.found, Violation{Document: r.document, Pointer: pointer, Message: fmt.Sprintf(format, args...)})
}

// addRules adds the violations of rules, except at places that already have a violation, and inside those.
func (r *report) addRules(rules *report) {
	known := map[string]bool{}
	for _, v := range r.found {
		known[v.Pointer] = true
	}
	for _, v := range rules.found {
		if !knownWithin(known, v.Pointer) {
			r.found = append(r.found, v)
		}
	}
}

func knownWithin(known map[string]bool, pointer string) bool {
	for {
		if known[pointer] {
			return true
		}
		end := strings.LastIndexByte(pointer, '/')
		if end < 0 {
			return false
		}
		pointer = pointer[:end]
	}
}

// sorted lists the violations in the order of their places.
func (r *report) sorted() []Violation {
	slices.SortStableFunc(r.found, func(a, b Violation) int { return comparePointers(a.Pointer, b.Pointer) })
	return slices.Compact(r.found)
}

// comparePointers orders indices as numbers and everything else as text.
func comparePointers(a, b string) int {
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	for i := range min(len(as), len(bs)) {
		n, notA := strconv.Atoi(as[i])
		m, notB := strconv.Atoi(bs[i])
		if notA == nil && notB == nil && n != m {
			return cmp.Compare(n, m)
		}
		if order := strings.Compare(as[i], bs[i]); order != 0 {
			return order
		}
	}
	return cmp.Compare(len(as), len(bs))
}

// at returns the pointer extended by tokens.
func at(pointer string, tokens ...any) string {
	for _, t := range tokens {
		if name, ok := t.(string); ok {
			t = jsontext.EscapeToken(name)
		}
		pointer = fmt.Sprintf("%s/%v", pointer, t)
	}
	return pointer
}
