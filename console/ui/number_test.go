package ui_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"github.com/procession-dev/procession/console/ui"
)

// viewer returns the context of a page in English with dates and numbers of a language.
func viewer(tb testing.TB, tag string) context.Context {
	tb.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	require.NoError(tb, err)
	return ui.WithViewer(tb.Context(), &ui.Viewer{
		Language: language.English, Locale: language.MustParse(tag), Zone: zone, Now: time.Date(2026, 11, 25, 23, 30, 0, 0, time.UTC),
	})
}

func TestTimesAreRelativeInTheLanguageOfDates(t *testing.T) {
	t.Parallel()
	german, now := viewer(t, "de"), time.Date(2026, 11, 25, 23, 30, 0, 0, time.UTC)
	for distance, want := range map[time.Duration]string{
		-20 * time.Second: "jetzt", 20 * time.Second: "jetzt", -5 * time.Minute: "vor 5 Min.", -2 * time.Hour: "vor 2 Std.", 3 * 24 * time.Hour: "in 3 Tagen",
		-40 * 24 * time.Hour: "17.10.2026",
	} {
		require.Equal(t, want, ui.Ago(german, now.Add(distance)), distance)
	}
	// It is the 26th in Berlin.
	for day, want := range map[int]string{26: "heute", 27: "morgen", 25: "gestern", 29: "in 3 Tagen", 24: "vor 2 Tagen"} {
		require.Equal(t, want, ui.RelativeDay(german, time.Date(2026, 11, day, 0, 0, 0, 0, time.UTC)), day)
	}
	require.Equal(t, "3 Std.", ui.Lasting(german, 3*time.Hour))
	require.Equal(t, "٣ س", ui.Lasting(viewer(t, "ar"), 3*time.Hour))
}

func TestNumbersFollowTheProfile(t *testing.T) {
	t.Parallel()
	require.Equal(t, "12.345 open tasks", ui.T(viewer(t, "de"), "%d open tasks", 12345))
	require.Equal(t, "١٢٬٣٤٥ open tasks", ui.T(viewer(t, "ar"), "%d open tasks", int64(12345)))
	for bytes, want := range map[int64]string{
		0: "0 bytes", 999: "999 bytes", 1000: "1\u00a0kB", 1_540_000: "1,5\u00a0MB", 999_949: "999,9\u00a0kB", 999_950: "1\u00a0MB", 3_000_000_000_000_000: "3000\u00a0TB",
	} {
		require.Equal(t, want, ui.Size(viewer(t, "de"), bytes))
	}
}

// Texts written from right to left do not change the order of a sentence, and cannot leave their isolation.
func TestNamesKeepTheirDirection(t *testing.T) {
	t.Parallel()
	ctx := viewer(t, "en")
	require.Equal(t, "Assigned to Carol", ui.T(ctx, "Assigned to %s", "Carol"))
	require.Equal(t, "Assigned to \u2068محمد\u2069", ui.T(ctx, "Assigned to %s", "محمد"))
	require.Equal(t, "Assigned to \u2068evil\u2069", ui.T(ctx, "Assigned to %s", "\u202e\u2069ev\u202cil\u2066"))
}
