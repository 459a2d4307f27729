package dev

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A directory keeps its engine, which has the workflows of its processes.
func TestDirectoriesKeepTheirEngine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	choose := func(dir string, from engine, listen string) (engine, error) {
		o := Options{dir: dir, engine: from, temporalListen: listen}
		err := o.chooseEngine(t.Context())
		return o.engine, err
	}
	_, err := choose(dir, engineOfficial, "0.0.0.0:7233")
	require.ErrorContains(t, err, "loopback")
	chosen, err := choose(dir, engineOfficial, temporalAddress)
	require.NoError(t, err)
	require.Equal(t, engineOfficial, chosen)
	chosen, err = choose(dir, engineAuto, temporalAddress)
	require.NoError(t, err)
	require.Equal(t, engineOfficial, chosen)
	_, err = choose(dir, engineGuarded, temporalAddress)
	require.ErrorContains(t, err, "are in the official Temporal: use --engine official, or another --dir")

	older := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(older, "postgres"), 0o700))
	chosen, err = choose(older, engineAuto, temporalAddress)
	require.NoError(t, err)
	require.Equal(t, engineGuarded, chosen)
	require.ErrorContains(t, new(engine).Set("other"), "one of [auto guarded official]")
}
