package server

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVersionOf(t *testing.T) {
	t.Parallel()
	info := &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}
	require.Equal(t, "v1.2.3", versionOf(info))
	info.Settings = []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-03-02T10:30:00Z"}}
	require.Equal(t, "v1.2.3 (abc of 2026-03-02T10:30:00Z)", versionOf(info))
	info.Settings = append(info.Settings, debug.BuildSetting{Key: "vcs.modified", Value: "true"})
	require.Equal(t, "v1.2.3 (abc of 2026-03-02T10:30:00Z, with changes)", versionOf(info))
}
