package server

import (
	"cmp"
	"fmt"
	"runtime/debug"
)

// BuildVersion returns the version of the module. A build from a checkout adds the commit, its time, and whether
// files were changed.
func BuildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return versionOf(info)
}

func versionOf(info *debug.BuildInfo) string {
	built := map[string]string{}
	for _, setting := range info.Settings {
		built[setting.Key] = setting.Value
	}
	text := cmp.Or(info.Main.Version, "unknown")
	if built["vcs.revision"] == "" {
		return text
	}
	text += fmt.Sprintf(" (%s of %s", built["vcs.revision"], built["vcs.time"])
	if built["vcs.modified"] == "true" {
		text += ", with changes"
	}
	return text + ")"
}
