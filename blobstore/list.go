package blobstore

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/google/uuid"
)

// incomingDir is where files are received. No tenant has this name.
const incomingDir = "incoming"

// object is anything found in a storage.
type object struct {
	name     string
	size     int64
	modified time.Time
	regular  bool
}

// Blob is a stored document as List finds it.
type Blob struct {
	Key      Key
	Size     int64     // in bytes
	Modified time.Time // by the clock of the storage
}

// Leftover is a file in which a document was being received when the process
// ended, or in which one is being received now.
type Leftover struct {
	Name     string
	Size     int64     // in bytes
	Modified time.Time // of the last write, by the clock of the storage
}

// Page is a part of the content of a store.
type Page struct {
	Blobs     []Blob
	Leftovers []Leftover
	// Foreign lists the names in the storage that no Key has. They are never touched.
	Foreign []string
	// Next is the cursor of the following page, empty on the last one.
	Next string
}

// List returns up to limit objects of the store from the cursor of the previous page; the empty cursor starts. Blobs
// and leftovers last written at or after before are left out, so a page may be empty and not the last. Choose before
// far enough in the past for every upload and its record to be finished; the result may then be compared with the
// records.
//
// Each page takes a bounded amount of memory, and a cursor stays valid in another process. Objects stored or removed
// during the scan may or may not appear; all others appear once.
func (s *Store) List(ctx context.Context, cursor string, limit int, before time.Time) (Page, error) {
	token, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || limit < 1 {
		return Page{}, errors.New("listing documents: the cursor or the limit is not valid")
	}
	objects, next, err := s.backend.listBlobs(ctx, token, limit)
	if err != nil {
		return Page{}, fmt.Errorf("listing documents: %w", err)
	}
	page := Page{Next: base64.RawURLEncoding.EncodeToString(next)}
	for _, o := range objects {
		page.addObject(o, before)
	}
	return page, nil
}

func (p *Page) addObject(o object, before time.Time) {
	key, isBlob := parseKey(o.name)
	switch {
	case !o.regular || !isBlob && !isLeftover(o.name):
		p.Foreign = append(p.Foreign, o.name)
	case !o.modified.Before(before):
	case isBlob:
		p.Blobs = append(p.Blobs, Blob{Key: key, Size: o.size, Modified: o.modified})
	default:
		p.Leftovers = append(p.Leftovers, Leftover{Name: o.name, Size: o.size, Modified: o.modified})
	}
}

// RemoveLeftover removes a leftover that List returned. One that is gone is a
// success; a name that is not a leftover's is refused. If a document is still
// being received there, its Put fails.
func (s *Store) RemoveLeftover(ctx context.Context, name string) error {
	if !isLeftover(name) {
		return errors.New("removing a leftover: the name is not one of a leftover")
	}
	if err := s.backend.removeBlob(ctx, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing a leftover: %w", err)
	}
	return nil
}

// leftoverName returns a new name for receiving a document.
func leftoverName(document string) string {
	return incomingDir + "/" + document + "." + rand.Text()
}

func isLeftover(name string) bool {
	document, random, _ := strings.Cut(strings.TrimPrefix(name, incomingDir+"/"), ".")
	id, err := uuid.Parse(document)
	return err == nil && name == incomingDir+"/"+id.String()+"."+random &&
		len(random) == len(rand.Text()) && strings.Trim(random, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}
