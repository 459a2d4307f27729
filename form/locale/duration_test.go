package locale_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"github.com/procession-dev/procession/form/locale"
)

func TestParseSpan(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]locale.Span{
		"P3D": {Days: 3}, "PT36H": {Hours: 36}, "P1Y2M3DT4H5M6S": {Years: 1, Months: 2, Days: 3, Hours: 4, Minutes: 5, Seconds: 6},
		"P2W": {Weeks: 2}, "PT0S": {}, "P999999999D": {Days: 999999999},
	} {
		span, ok := locale.ParseSpan(text)
		require.True(t, ok, text)
		require.Equal(t, want, span, text)
	}
	for _, text := range []string{"", "P", "PT", "P1", "PD", "3D", "P1DT", "P1H", "PT1D", "P1D2Y", "P1D1D", "P-1D", "P1.5D", "P1234567890D", "p1d", "P1DT2H "} {
		_, ok := locale.ParseSpan(text)
		require.False(t, ok, text)
	}
	span, _ := locale.ParseSpan("P1DT2H")
	require.Equal(t, "1 Tag, 2 Stunden", locale.CalendarOf(language.German).Duration(span, locale.Words))
}
