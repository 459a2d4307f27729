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

// MergeViolations adds the violations of another check, except at and below places that already have one. It sorts
// them by place and drops violations beyond the limit of a request.
func MergeViolations(existing, more []Violation) []Violation {
	type place struct {
		document int
		pointer  string
	}
	places := map[place]bool{}
	for _, v := range existing {
		places[place{v.Document, v.Pointer}] = true
	}
	within := func(v Violation) bool {
		for pointer := v.Pointer; ; {
			if places[place{v.Document, pointer}] {
				return true
			}
			end := strings.LastIndexByte(pointer, '/')
			if end < 0 {
				return false
			}
			pointer = pointer[:end]
		}
	}
	merged := slices.Clone(existing)
	for _, v := range more {
		if !within(v) {
			merged = append(merged, v)
		}
	}
	slices.SortStableFunc(merged, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(a.Document, b.Document), comparePointers(a.Pointer, b.Pointer))
	})
	return merged[:min(len(merged), maxViolations)]
}

// sortedViolations lists the violations in the order of their places.
func (r *report) sortedViolations() []Violation {
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

// extendPointer returns the pointer extended by tokens.
func extendPointer(pointer string, tokens ...any) string {
	for _, t := range tokens {
		if name, ok := t.(string); ok {
			t = jsontext.EscapeToken(name)
		}
		pointer = fmt.Sprintf("%s/%v", pointer, t)
	}
	return pointer
}
