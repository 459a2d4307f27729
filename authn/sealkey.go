package authn

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/procession-dev/procession/domain"
)

// sealKeySize is that of AES-256.
const sealKeySize = 32

// SealKey is the key that secrets are sealed with. It is kept in a file, away
// from the database, as 32 bytes in base64.
type SealKey struct {
	encoded domain.Secret
}

// LoadSealKey reads a key from the file at path.
func LoadSealKey(path string) (SealKey, error) {
	content, err := os.ReadFile(path) //nolint:gosec // the operator says where the key is
	if err != nil {
		return SealKey{}, fmt.Errorf("reading the seal key: %w", err)
	}
	key := SealKey{encoded: domain.NewSecret(strings.TrimSpace(string(content)))}
	if _, err := key.bytes(); err != nil {
		return SealKey{}, fmt.Errorf("reading the seal key from %s: %w", path, err)
	}
	return key, nil
}

// LoadOrCreateSealKey reads a key from the file at path, which it first makes,
// readable by its owner only, when it is not there. Processes that do so at once
// get the same key. It is for the local stack: anywhere else the loss of the
// file should be an error.
func LoadOrCreateSealKey(path string) (SealKey, error) {
	key, err := LoadSealKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := createSealKey(path); err != nil {
		return SealKey{}, fmt.Errorf("making a seal key: %w", err)
	}
	return LoadSealKey(path)
}

// createSealKey makes the file whole or not at all, and never replaces one.
func createSealKey(path string) error {
	var key [sealKeySize]byte
	// It never fails: the program ends when there is no randomness.
	_, _ = rand.Read(key[:])
	file, err := os.CreateTemp(filepath.Dir(path), ".seal-key-*") // with mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	_, err = file.WriteString(base64.StdEncoding.EncodeToString(key[:]) + "\n")
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Link(file.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// bytes returns the key proper. Its error shows nothing of the key.
func (k SealKey) bytes() ([]byte, error) {
	decoded, err := base64.StdEncoding.DecodeString(k.encoded.Reveal())
	if err != nil || len(decoded) != sealKeySize {
		return nil, errors.New("a seal key is 32 bytes in base64")
	}
	return decoded, nil
}
