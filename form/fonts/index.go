package fonts

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/font/opentype/tables"
)

// Face is a font of a file.
type Face struct {
	Path string `json:"path"`
	// Index is the position in a collection, 0 in other files.
	Index int `json:"index"`
}

// face is an indexed font.
type face struct {
	Face
	family string
	// ranges are the first and last characters of sorted ranges.
	ranges [][2]rune
}

// Index contains the fonts of folders, best first. It is safe for concurrent use.
type Index struct{ faces []face }

// ErrNone is returned if no font has the Latin letters.
var ErrNone = errors.New("no font has the Latin letters")

// SystemFolders returns the folders of fonts of the system that exist.
func SystemFolders() []string {
	var found []string
	for _, folder := range []string{
		"/usr/share/fonts", "/usr/local/share/fonts", "/System/Library/Fonts", "/Library/Fonts", `C:\Windows\Fonts`,
	} {
		if info, err := os.Stat(folder); err == nil && info.IsDir() {
			found = append(found, folder)
		}
	}
	return found
}

// Scan reads the fonts of folders and their subfolders. Files that are not fonts are skipped. It returns ErrNone
// without a font of Latin letters.
func Scan(folders []string) (*Index, error) {
	x := &Index{}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			switch strings.ToLower(filepath.Ext(path)) {
			case ".ttf", ".otf", ".ttc", ".otc":
				x.addFile(path)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("reading the fonts: %w", err)
		}
	}
	slices.SortStableFunc(x.faces, func(a, b face) int {
		return cmp.Or(cmp.Compare(rankFamily(a.family), rankFamily(b.family)), strings.Compare(a.family, b.family),
			strings.Compare(a.Path, b.Path), cmp.Compare(a.Index, b.Index))
	})
	if _, ok := x.find("Az09"); !ok {
		return nil, ErrNone
	}
	return x, nil
}

// rankFamily orders families: Noto Sans, its scripts, other families of Noto, sans-serif fonts, the rest.
func rankFamily(family string) int {
	switch name := strings.ToLower(family); {
	case name == "noto sans":
		return 0
	case strings.HasPrefix(name, "noto sans"):
		return 1
	case strings.HasPrefix(name, "noto serif"):
		return 3
	case strings.HasPrefix(name, "noto "):
		return 2
	case strings.Contains(name, "mono"):
		return 6
	case strings.Contains(name, "sans"):
		return 4
	}
	return 5
}

// addFile adds the upright fonts of normal weight of a file.
func (x *Index) addFile(path string) {
	file, err := os.Open(path) //nolint:gosec // The operator names the folders.
	if err != nil {
		return
	}
	defer func() { _ = file.Close() }()
	loaders, err := opentype.NewLoaders(file)
	if err != nil {
		return
	}
	for i, loader := range loaders {
		about, _ := font.Describe(loader, nil)
		if about.Aspect.Style == font.StyleItalic || about.Aspect.Weight != font.WeightNormal || about.Aspect.Stretch != font.StretchNormal {
			continue
		}
		if ranges := readRanges(loader); len(ranges) > 0 {
			x.faces = append(x.faces, face{Face: Face{Path: path, Index: i}, family: about.Family, ranges: ranges})
		}
	}
}

// readRanges returns the characters of a font, nil if it has no valid table of them.
func readRanges(loader *opentype.Loader) [][2]rune {
	raw, err := loader.RawTable(opentype.MustNewTag("cmap"))
	if err != nil {
		return nil
	}
	table, _, err := tables.ParseCmap(raw)
	if err != nil {
		return nil
	}
	characters, _, err := font.ProcessCmap(table, tables.FPNone)
	if err != nil {
		return nil
	}
	var ranges [][2]rune
	if r, ok := characters.(font.CmapRuneRanger); ok {
		ranges = slices.Clone(r.RuneRanges(nil))
	}
	slices.SortFunc(ranges, func(a, b [2]rune) int { return cmp.Compare(a[0], b[0]) })
	return ranges
}

func (f *face) hasRune(r rune) bool {
	i := sort.Search(len(f.ranges), func(i int) bool { return f.ranges[i][1] >= r })
	return i < len(f.ranges) && f.ranges[i][0] <= r
}
