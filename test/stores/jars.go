package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed cassandra opensearch
var recipes embed.FS

// fetchJars returns the folder with the jars of a store. Maven fetches them once into the user's cache, and each run compares them with the
// sums in SHA256SUMS.
func fetchJars(ctx context.Context, store string) (string, error) {
	pom, err := recipes.ReadFile(store + "/pom.xml")
	if err != nil {
		return "", err
	}
	sums, err := recipes.ReadFile(store + "/SHA256SUMS")
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	key := sha256.Sum256(append(pom, sums...))
	dir := filepath.Join(cache, "procession", "stores", store+"-"+hex.EncodeToString(key[:6]))
	if _, err := os.Stat(dir); err == nil {
		return dir, checkSums(dir, sums)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return "", err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), "fetching-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(fresh) }()
	if err := runMaven(ctx, fresh, pom); err != nil {
		return "", fmt.Errorf("fetching the jars of %s: %w", store, err)
	}
	jars := filepath.Join(fresh, "lib")
	if err := checkSums(jars, sums); err != nil {
		return "", err
	}
	return dir, os.Rename(jars, dir)
}

// runMaven copies the dependencies of a project to the folder lib in dir.
func runMaven(ctx context.Context, dir string, pom []byte) error {
	file := filepath.Join(dir, "pom.xml")
	if err := os.WriteFile(file, pom, 0o600); err != nil {
		return err
	}
	//nolint:gosec // the arguments are constants and folders made here
	maven := exec.CommandContext(ctx, "mvn", "--batch-mode", "--quiet", "--file", file, "dependency:copy-dependencies",
		"-DoutputDirectory="+filepath.Join(dir, "lib"), "-DincludeScope=runtime")
	maven.Stdout, maven.Stderr = os.Stderr, os.Stderr
	if err := maven.Run(); errors.Is(err, exec.ErrNotFound) {
		return errors.New("these tests need Maven and a JDK of version 17 (Debian: apt-get install maven)")
	} else if err != nil {
		return err
	}
	return nil
}

// checkSums returns an error unless a folder has exactly the files in a list of sums, as sha256sum writes them.
func checkSums(dir string, sums []byte) error {
	expected := map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(sums)); lines.Scan(); {
		sum, name, _ := strings.Cut(lines.Text(), "  ")
		expected[name] = sum
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(dir, entry.Name())) //nolint:gosec // a folder of the cache
		if err != nil {
			return err
		}
		if sum := sha256.Sum256(content); expected[entry.Name()] != hex.EncodeToString(sum[:]) {
			return fmt.Errorf("%s has another SHA-256 than the pinned one", filepath.Join(dir, entry.Name()))
		}
		delete(expected, entry.Name())
	}
	for name := range expected {
		return fmt.Errorf("%s lacks %s", dir, name)
	}
	return nil
}
