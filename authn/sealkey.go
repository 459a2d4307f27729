package authn

import (
	"context"
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

const (
	// sealKeySize is the key size of AES-256 in bytes.
	sealKeySize = 32
	// keptPrefix is the prefix of a file with an encrypted key.
	keptPrefix = "encrypted:"
)

// SealKey is the key that secrets are sealed with. It is kept in a file, away
// from the database, as 32 bytes in base64. With a KeyWrapper the file contains only
// the encrypted key.
type SealKey struct {
	encoded domain.Secret
}

// SealKeyFiles contains the paths of keys. The active key seals; secrets that
// were sealed with it or an earlier one can be opened.
type SealKeyFiles struct {
	Active  string
	Earlier []string
	// Keeper is the keeper that encrypted the active key, nil if the key is not
	// encrypted. Earlier keys may be either.
	Keeper *KeyWrapper
}

// Exposed lists the files that every user of the machine can read, and that no keeper has encrypted. Files that cannot be
// read are left out.
func (f SealKeyFiles) Exposed() []string {
	var exposed []string
	for _, path := range append([]string{f.Active}, f.Earlier...) {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm()&0o004 == 0 {
			continue
		}
		content, err := os.ReadFile(path) //nolint:gosec // the operator says where the key is
		if err == nil && !strings.HasPrefix(strings.TrimSpace(string(content)), keptPrefix) {
			exposed = append(exposed, path)
		}
	}
	return exposed
}

// NewSealerFromFiles returns a Sealer with the keys of the files.
func NewSealerFromFiles(ctx context.Context, files SealKeyFiles) (*Sealer, error) {
	active, encrypted, err := loadSealKey(ctx, files.Active, files.Keeper)
	if err != nil {
		return nil, err
	}
	if files.Keeper != nil && !encrypted {
		return nil, fmt.Errorf("reading the seal key from %s: it is not encrypted by the keeper", files.Active)
	}
	var earlier []SealKey
	for _, path := range files.Earlier {
		key, _, err := loadSealKey(ctx, path, files.Keeper)
		if err != nil {
			return nil, err
		}
		earlier = append(earlier, key)
	}
	return NewSealer(active, earlier...)
}

// LoadSealKey reads a key that is not encrypted from the file at path.
func LoadSealKey(path string) (SealKey, error) {
	key, _, err := loadSealKey(context.Background(), path, nil)
	return key, err
}

// loadSealKey reads the key from the file at path, and reports whether it is
// encrypted there.
func loadSealKey(ctx context.Context, path string, keeper *KeyWrapper) (key SealKey, encrypted bool, err error) {
	content, err := os.ReadFile(path) //nolint:gosec // the operator says where the key is
	if err != nil {
		return SealKey{}, false, fmt.Errorf("reading the seal key: %w", err)
	}
	text, encrypted := strings.CutPrefix(strings.TrimSpace(string(content)), keptPrefix)
	if encrypted {
		if text, err = keeper.decrypt(ctx, text); err != nil {
			return SealKey{}, true, fmt.Errorf("reading the seal key from %s: %w", path, err)
		}
	}
	key = SealKey{encoded: domain.NewSecret(text)}
	if _, err := key.readKey(); err != nil {
		return SealKey{}, encrypted, fmt.Errorf("reading the seal key from %s: %w", path, err)
	}
	return key, encrypted, nil
}

// LoadOrCreateSealKey reads a key from the file at path, which it first creates,
// readable by its owner only, when it does not exist. Concurrent processes get
// the same key. It is for the local stack: anywhere else the loss of the file
// should be an error.
func LoadOrCreateSealKey(path string) (SealKey, error) {
	key, err := LoadSealKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := CreateSealKey(context.Background(), path, nil); err != nil && !errors.Is(err, fs.ErrExist) {
		return SealKey{}, err
	}
	return LoadSealKey(path)
}

// CreateSealKey creates a key and writes it to a new file, readable by its owner
// only; encrypted, if there is a keeper. The file is written atomically. It
// returns fs.ErrExist when the file exists.
func CreateSealKey(ctx context.Context, path string, keeper *KeyWrapper) error {
	var key [sealKeySize]byte
	// rand.Read never fails: the program ends when there is no randomness.
	_, _ = rand.Read(key[:])
	content := base64.StdEncoding.EncodeToString(key[:])
	if keeper != nil {
		encrypted, err := keeper.encrypt(ctx, content)
		if err != nil {
			return fmt.Errorf("making a seal key: %w", err)
		}
		content = keptPrefix + encrypted
	}
	if err := writeNew(path, content+"\n"); err != nil {
		return fmt.Errorf("making a seal key: %w", err)
	}
	return nil
}

// writeNew writes a file that must not exist.
func writeNew(path, content string) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".seal-key-*") // with mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	_, err = file.WriteString(content)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Link(file.Name(), path)
}

// readKey returns the key itself. Its error does not quote the key.
func (k SealKey) readKey() ([]byte, error) {
	decoded, err := base64.StdEncoding.DecodeString(k.encoded.Reveal())
	if err != nil || len(decoded) != sealKeySize {
		return nil, errors.New("a seal key must be 32 bytes in base64")
	}
	return decoded, nil
}
