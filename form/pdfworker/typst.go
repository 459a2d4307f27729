package pdfworker

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/procession-dev/procession/form"
	"github.com/procession-dev/procession/form/fonts"
	"github.com/procession-dev/procession/form/pdf"
	"github.com/procession-dev/procession/form/textlayer"
	"github.com/procession-dev/procession/internal/sandbox"
)

// TypstVersion is the version of the package typst that is tested.
const TypstVersion = "0.15.2"

// InstallCommand installs the typesetter for --typst.
const InstallCommand = "python3 -m venv /opt/typst && /opt/typst/bin/pip install typst==" + TypstVersion

// InstallFonts installs fonts for most scripts.
const InstallFonts = "apt-get install fonts-noto-core fonts-noto-cjk"

var (
	//go:embed template.typ
	template string
	//go:embed typeset.py
	script string
	//go:embed probe.py
	probe string
)

// tooManyPages is the message of the template.
const tooManyPages = "too many pages"

// Typesetter is an interpreter of Python with the package typst, and the fonts.
type Typesetter struct {
	program program
	folders []string
	index   *fonts.Index
}

// program contains the paths of an interpreter, of the folder of the package, and of the files that it reads.
type program struct {
	Python    string
	Package   string
	Libraries []string
}

// FindTypesetter examines an interpreter, a path or a name on PATH, and reads the fonts of folders. If python is empty,
// FindTypesetter looks in the cache of make bootstrap, and for python3 on PATH. Without folders it reads the fonts of
// the system.
func FindTypesetter(ctx context.Context, python string, folders []string) (*Typesetter, error) {
	candidates := []string{python}
	if python == "" {
		candidates = []string{"python3"}
		if cache, err := os.UserCacheDir(); err == nil {
			candidates = []string{filepath.Join(cache, "procession", "typst-"+TypstVersion, "bin", "python3"), "python3"}
		}
	}
	if len(folders) == 0 {
		folders = fonts.SystemFolders()
	}
	t := &Typesetter{folders: folders}
	var err error
	for _, candidate := range candidates {
		if t.program, err = probeProgram(ctx, candidate); err == nil {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	t.index, err = fonts.Scan(folders)
	return t, err
}

func probeProgram(ctx context.Context, python string) (p program, err error) {
	path, err := exec.LookPath(python)
	if err != nil {
		return p, fmt.Errorf("finding Python: %w", err)
	}
	limited, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(limited, path, "-I", "-B", "-c", probe).Output() //nolint:gosec // The operator names the program.
	if err != nil {
		return p, fmt.Errorf("%s does not have the package typst: %w", path, err)
	}
	if err := json.Unmarshal(out, &p); err != nil {
		return p, fmt.Errorf("examining %s: %w", path, err)
	}
	return p, nil
}

// layout is a form that is ready for the typesetter.
type layout struct {
	data   []byte
	images [][]byte
	faces  []fonts.Face
	// complex is set if the text layer may need a repair.
	complex bool
}

// typeset runs the typesetter on layouts and returns their PDFs.
func (p *Pool) typeset(ctx context.Context, layouts []layout, created time.Time) ([][]byte, error) {
	var documents [][]byte
	t, memory := p.typesetter, p.memory
	for i := range layouts {
		if len(layouts[i].data) > largeLayout {
			memory = p.largeMemory
		}
	}
	err := p.pool.Run(ctx, sandbox.Job{
		Program:  []string{t.program.Python, "-I", "-S", "-B", "-c", script, t.program.Package, template},
		Readable: slices.Concat(t.program.Libraries, []string{t.program.Package}, t.folders),
		Limits:   sandbox.Limits{Memory: memory, CPU: childCPU, Time: DefaultTime, Output: MaxSize + maxFrame},
		Talk: func(in io.WriteCloser, out io.Reader) error {
			for i := range layouts {
				if err := layouts[i].writeTo(in, created); err != nil {
					return err
				}
				document, err := readRecord(out)
				if err != nil {
					return err
				}
				if layouts[i].complex {
					if document, err = textlayer.Repair(ctx, document); err != nil {
						return err
					}
				}
				documents = append(documents, document)
			}
			return nil
		},
	})
	var failed *sandbox.ExitError
	switch {
	case errors.As(err, &failed) && strings.Contains(failed.Complaint, tooManyPages):
		return nil, &form.LimitError{What: "pages", Max: pdf.DefaultLimits().Pages}
	case errors.Is(err, sandbox.ErrMemory), errors.As(err, &failed) && failed.Code == -1:
		return nil, &form.LimitError{What: "bytes of memory", Max: int(memory)}
	}
	return documents, limitError(err)
}

// writeTo sends a layout to the typesetter.
func (s *layout) writeTo(w io.Writer, created time.Time) error {
	var folders []string
	for _, face := range s.faces {
		if folder := filepath.Dir(face.Path); !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	head, err := json.Marshal(map[string]any{
		"folders": folders, "faces": s.faces, "images": len(s.images), "created": created.Unix(),
	})
	if err != nil {
		return fmt.Errorf("writing a layout: %w", err)
	}
	for _, record := range append([][]byte{head, s.data}, s.images...) {
		if err := writeRecord(w, record); err != nil {
			return err
		}
	}
	return nil
}

func writeRecord(w io.Writer, record []byte) error {
	head := binary.BigEndian.AppendUint32(nil, uint32(len(record))) //nolint:gosec // Records are far smaller.
	if _, err := w.Write(head); err != nil {
		return err
	}
	_, err := w.Write(record)
	return err
}

// readRecord reads a PDF. Its memory grows with the bytes that arrive.
func readRecord(r io.Reader) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	length := int64(binary.BigEndian.Uint32(head[:]))
	if length > MaxSize {
		return nil, sandbox.ErrOutput
	}
	var record bytes.Buffer
	if n, err := io.CopyN(&record, r, length); err != nil || n < length {
		return nil, errors.Join(io.ErrUnexpectedEOF, err)
	}
	return record.Bytes(), nil
}
