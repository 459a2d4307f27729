package ui_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/domain/translation"
)

func TestSortedByName(t *testing.T) {
	t.Parallel()
	catalogue, err := translation.Parse([]byte(`{"de":{"LOAN.name":"Änderung","VISIT.name":"Zimmer"},"sv":{"LOAN.name":"Ändring","VISIT.name":"Zon"}}`))
	require.NoError(t, err)
	names := []translation.Name{
		catalogue.Name("Loan", "LOAN"), catalogue.Name("Visit", "VISIT"), {Source: "Step 10"}, {Source: "Step 9"}, {Source: "apple"}, {Source: "Beach"},
	}
	for tag, want := range map[string][]string{
		"en": {"apple", "Beach", "Loan", "Step 9", "Step 10", "Visit"},
		"de": {"Änderung", "apple", "Beach", "Step 9", "Step 10", "Zimmer"},
		"sv": {"apple", "Beach", "Step 9", "Step 10", "Zon", "Ändring"},
	} {
		ctx := ui.WithViewer(t.Context(), &ui.Viewer{Language: language.English, Reader: translation.NewReader(language.English, language.Make(tag))})
		var shown []string
		for _, name := range ui.SortedByName(ctx, names, func(n translation.Name) translation.Name { return n }) {
			shown = append(shown, ui.NameOf(ctx, name))
		}
		require.Equal(t, want, shown, tag)
	}
}
