package ui

import (
	"context"
	"slices"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"github.com/procession-dev/procession/domain/translation"
)

// SortedByText returns a list in the order of its texts, as dictionaries of the reader's language have it. Numbers in texts
// are ordered by their values.
func SortedByText[T any](ctx context.Context, list []T, text func(T) string) []T {
	if len(list) < 2 {
		return list
	}
	type entry struct {
		key   []byte
		value T
	}
	order, buffer := collate.New(language.Make(ReaderOf(ctx).Language()), collate.Numeric), collate.Buffer{}
	entries := make([]entry, len(list))
	for i, value := range list {
		entries[i] = entry{order.KeyFromString(&buffer, text(value)), value}
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return slices.Compare(a.key, b.key) })
	sorted := make([]T, len(list))
	for i := range entries {
		sorted[i] = entries[i].value
	}
	return sorted
}

// SortedByName returns a list in the order of the names that the reader is shown.
func SortedByName[T any](ctx context.Context, list []T, name func(T) translation.Name) []T {
	return SortedByText(ctx, list, func(value T) string { return NameOf(ctx, name(value)) })
}
