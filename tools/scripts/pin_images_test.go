package scripts_test

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// digestOf returns the digest that the stand-in for a registry has for an image.
func digestOf(name string) string { return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(name))) }

// registry answers for the images that have the paths, and returns its address.
func registry(t *testing.T, images ...string) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/v2/{$}", func(http.ResponseWriter, *http.Request) {})
	for _, image := range images {
		name, tag, _ := strings.Cut(image, ":")
		mux.HandleFunc("/v2/"+name+"/manifests/"+tag, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/vnd.oci.image.index.v1+json")
			w.Header().Set("Docker-Content-Digest", digestOf(image))
			w.Header().Set("Content-Length", "2")
		})
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// imageFiles copies all files that name images, and returns the copies.
func imageFiles(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	var copies []string
	for _, name := range []string{"Dockerfile", "temporal-server/Dockerfile", "docker-compose.yml"} {
		content, err := os.ReadFile(filepath.Join("../..", name))
		require.NoError(t, err)
		// They may be pinned by now.
		var lines []string
		for line := range strings.SplitSeq(string(content), "\n") {
			if before, after, pinned := strings.Cut(line, "@sha256:"); pinned {
				line = before + after[64:]
			}
			lines = append(lines, line)
		}
		write(t, dir, name, strings.Join(lines, "\n"))
		copies = append(copies, filepath.Join(dir, name))
	}
	return copies
}

func TestImagesArePinnedByTheDigestsOfTheRegistry(t *testing.T) {
	t.Parallel()
	files := imageFiles(t)
	check := append([]string{"--check"}, files...)
	code, out := script(t, []string{"IMAGES_REQUIRED="}, "pin-images", check...)
	require.Zero(t, code, out)
	images := strings.Count(out, "is not pinned")
	require.NotZero(t, images, out)
	require.NotContains(t, out, "procession-temporal is", "our own images are built")
	code, out = script(t, []string{"IMAGES_REQUIRED=1"}, "pin-images", check...)
	require.NotZero(t, code, out)

	var want []string
	for line := range strings.Lines(out) {
		_, image, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		image, _, _ = strings.Cut(image, " ")
		path := strings.TrimPrefix(image, "gcr.io/")
		if !strings.Contains(path, "/") {
			path = "library/" + path
		}
		want = append(want, path)
	}
	slices.Sort(want)
	want = slices.Compact(want)
	mirror := "IMAGE_MIRROR=" + registry(t, want...)
	// The second run renews existing digests.
	for range 2 {
		code, out = script(t, []string{mirror}, "pin-images", files...)
		require.Zero(t, code, out)
		all := ""
		for _, file := range files {
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			all += string(content)
		}
		require.Equal(t, images, strings.Count(all, "@sha256:"), all)
		for _, path := range want {
			require.Contains(t, all, path[strings.LastIndex(path, "/")+1:]+"@"+digestOf(path))
		}
		require.Contains(t, all, "AS build\n")
	}
	code, out = script(t, []string{"IMAGES_REQUIRED=1"}, "pin-images", check...)
	require.Zero(t, code, out)
	require.Empty(t, out)
}

func TestNothingIsPinnedWhenARegistryDoesNotAnswer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const source = "FROM known:1 AS build\nFROM missing:1\nCOPY --from=build / /\n"
	write(t, dir, "Dockerfile", source)
	file := filepath.Join(dir, "Dockerfile")
	code, out := script(t, []string{"IMAGE_MIRROR=" + registry(t, "library/known:1")}, "pin-images", file)
	require.NotZero(t, code, out)
	require.Contains(t, out, "missing:1")
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, source, string(content))
}

func TestOneTagHasOneDigest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "Dockerfile", "FROM known:1@"+digestOf("a")+" AS build\nFROM build AS more\nFROM known:1@"+digestOf("b")+"\n")
	code, out := script(t, nil, "pin-images", "--check", filepath.Join(dir, "Dockerfile"))
	require.NotZero(t, code, out)
	require.Contains(t, out, "Dockerfile:3: known:1 has another digest elsewhere")
}
