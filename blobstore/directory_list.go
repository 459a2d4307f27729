package blobstore

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// listBlobs walks the directory in the order of names, part by part. Memory is that
// of the largest single directory; see Key.name. A directory that is not one of
// ours is listed as one object and not entered: it may not even be readable.
func (d *directory) listBlobs(ctx context.Context, token []byte, limit int) (objects []object, next []byte, err error) {
	behind := string(token)
	err = fs.WalkDir(d.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // removed since its directory was read
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case name == ".", name == MarkerName, strings.HasPrefix(behind, name+"/"):
			return nil
		case compareNames(name, behind) <= 0:
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir() && isOurs(name):
			return nil
		case len(objects) == limit:
			next = []byte(objects[limit-1].name)
			return fs.SkipAll
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		found := object{name: name, size: info.Size(), modified: info.ModTime(), regular: info.Mode().IsRegular()}
		objects = append(objects, found)
		if entry.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return objects, next, nil
}

// compareNames orders names as a walk meets them: part by part.
func compareNames(a, b string) int {
	return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/"))
}

// isOurs reports whether a directory is one that this package creates.
func isOurs(dir string) bool {
	tenant, shard, nested := strings.Cut(dir, "/")
	if !nested {
		id, err := uuid.Parse(dir)
		return dir == incomingDir || err == nil && id.String() == dir
	}
	return tenant != incomingDir && len(shard) == 2 && strings.Trim(shard, "0123456789abcdef") == ""
}
