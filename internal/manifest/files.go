package manifest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// standardInput is the path of standard input.
const standardInput = "-"

// Read reads the documents of files and folders; the path "-" is standard input. It
// reads the files *.yaml, *.yml and *.json of a folder and its subfolders in the order
// of their paths, except hidden ones. Read continues after an error and returns all
// errors joined, an *Error for each faulty file. A path without a document is an error.
func Read(paths []string, stdin io.Reader) ([]Source, error) {
	var sources []Source
	var failures []error
	for _, name := range paths {
		found, err := readPath(name, stdin)
		if err == nil && len(found) == 0 {
			err = &Error{File: name, Message: "contains no document"}
		}
		if err != nil {
			failures = append(failures, err)
		}
		sources = append(sources, found...)
	}
	if len(failures) > 0 {
		return nil, errors.Join(failures...)
	}
	return sources, nil
}

// ReadFS reads the documents of a file system as Read reads a folder.
func ReadFS(files fs.FS) ([]Source, error) {
	return readFolder(files, "")
}

func readPath(name string, stdin io.Reader) ([]Source, error) {
	if name == standardInput {
		return readFrom(stdin, name)
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, readError(name, err)
	}
	if info.IsDir() {
		return readFolder(os.DirFS(name), name)
	}
	folder, file := filepath.Split(name)
	if folder == "" {
		folder = "."
	}
	return readFile(os.DirFS(folder), file, name)
}

// readFolder reads the files of a folder. Errors name it by folder.
func readFolder(files fs.FS, folder string) ([]Source, error) {
	var sources []Source
	var failures []error
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		shown := filepath.Join(folder, filepath.FromSlash(name))
		switch {
		case err != nil:
			failures = append(failures, readError(shown, err))
		case isHidden(entry.Name()) && entry.IsDir():
			return fs.SkipDir
		case entry.IsDir() || isHidden(entry.Name()) || !slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(name)):
		default:
			found, err := readFile(files, name, shown)
			if err != nil {
				failures = append(failures, err)
			}
			sources = append(sources, found...)
		}
		return nil
	})
	if err = errors.Join(append(failures, err)...); err != nil {
		return nil, err
	}
	return sources, nil
}

func isHidden(name string) bool { return strings.HasPrefix(name, ".") && name != "." }

func readFile(files fs.FS, name, shown string) ([]Source, error) {
	file, err := files.Open(name)
	if err != nil {
		return nil, readError(shown, err)
	}
	sources, err := readFrom(file, shown)
	return sources, errors.Join(err, file.Close())
}

func readFrom(file io.Reader, shown string) ([]Source, error) {
	content, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, readError(shown, err)
	}
	return Parse(shown, content)
}

// readError names the file once: it removes the path from the error of the operating
// system.
func readError(name string, err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}
