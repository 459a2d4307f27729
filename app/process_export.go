package app

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsontext"
)

const (
	// maxExportedItems and maxExportedDocuments bound the files of an exported process, maxExportedBytes its documents.
	maxExportedItems     = 1000
	maxExportedDocuments = 1000
	maxExportedBytes     = 4 << 30
	// maxExportedForms bounds the forms that are exported as PDF, too.
	maxExportedForms = 100
	// maxExportedEvents bounds the timeline of an exported process.
	maxExportedEvents = 20_000
	exportPage        = 200
	exportFormat      = "procession-process-export"
)

// ProcessExport is a process to be written as a ZIP (docs/process-export.md).
type ProcessExport struct {
	service   *Service
	call      domain.Call
	view      *ProcessView
	items     []domain.ProcessPart
	documents []domain.NamedDocument
	reader    PaperReader
}

// ExportProcess prepares the ZIP of a process: everything about it that is visible to the caller.
// Errors: NOT_FOUND, INVALID_STATE for a process with too many items or documents.
func (s *Service) ExportProcess(ctx context.Context, call domain.Call, id uuid.UUID, reader PaperReader) (*ProcessExport, error) {
	view, err := s.RetrieveProcessView(ctx, call, id)
	if err != nil {
		return nil, err
	}
	e := &ProcessExport{service: s, call: call, view: view, reader: reader}
	oldest := []domain.SortKey{{Property: "createdAt"}}
	e.items, err = collectPages(maxExportedItems, "items", func(page domain.PageRequest) (domain.Page[domain.ProcessPart], error) {
		return s.FindProcessParts(ctx, call, id, nil, page, oldest)
	})
	if err != nil {
		return nil, err
	}
	e.documents, err = collectPages(maxExportedDocuments, "documents", func(page domain.PageRequest) (domain.Page[domain.NamedDocument], error) {
		return s.FindProcessDocuments(ctx, call, id, page, oldest)
	})
	if err != nil {
		return nil, err
	}
	var size int64
	for i := range e.documents {
		size += e.documents[i].Size
	}
	if size > maxExportedBytes {
		return nil, tooLargeToExport("bytes of documents", maxExportedBytes)
	}
	return e, nil
}

// collectPages returns all rows of a list, or INVALID_STATE if it has more than limit.
func collectPages[T any](limit int, rows string, find func(domain.PageRequest) (domain.Page[T], error)) ([]T, error) {
	var all []T
	for number := 0; ; number++ {
		page, err := find(domain.PageRequest{Number: number, Size: exportPage})
		if err != nil {
			return nil, err
		}
		if page.Total > int64(limit) {
			return nil, tooLargeToExport(rows, int64(limit))
		}
		all = append(all, page.Items...)
		if len(page.Items) < exportPage {
			return all, nil
		}
	}
}

func tooLargeToExport(rows string, limit int64) error {
	return domain.Conflict(domain.CodeInvalidState, fmt.Sprintf("the process has more than %d %s: an export has at most as many", limit, rows))
}

// Disposition returns the Content-Disposition (RFC 6266) of the ZIP.
func (e *ProcessExport) Disposition() string { return blobstore.ContentDisposition(e.Name()) }

// Name returns the name of the ZIP.
func (e *ProcessExport) Name() string { return "process-" + e.view.Whole.ID.String() + ".zip" }

// Write records the export and writes the ZIP. It holds the list of the items, one task with its values, and the timeline in memory,
// but only parts of documents.
func (e *ProcessExport) Write(ctx context.Context, w io.Writer) error {
	exported := domain.ProcessEvent(domain.EventProcessExported, &e.view.Whole, e.call.PrincipalID, e.service.now())
	if err := e.service.recordEvent(ctx, e.call, exported); err != nil {
		return err
	}
	z := &exportZip{Writer: zip.NewWriter(w), modified: e.service.now()}
	index := exportIndex{Format: exportFormat, Version: 1, ProcessID: e.view.Whole.ID, ExportedAt: z.modified, ExportedBy: e.call.PrincipalID}
	if err := z.addJSON("process.json", e.process()); err != nil {
		return err
	}
	printed, err := e.writePDF(ctx, z, "process.pdf", func(ctx context.Context) (*Download, error) {
		return e.service.PrintProcess(ctx, e.call, e.view.Whole.ID, e.reader)
	})
	if err != nil {
		return err
	}
	if printed {
		index.PDF = "process.pdf"
	}
	if index.Items, err = e.writeItems(ctx, z); err != nil {
		return err
	}
	if index.Documents, err = e.writeDocuments(ctx, z); err != nil {
		return err
	}
	if index.Events, index.EventsComplete, err = e.writeTimeline(ctx, z); err != nil {
		return err
	}
	if err := z.addJSON("manifest.json", index); err != nil {
		return err
	}
	return z.Close()
}

// writePDF adds a PDF. It reports false if there is none: PDFs are switched off, or the values are too large for one.
func (e *ProcessExport) writePDF(
	ctx context.Context, z *exportZip, path string, render func(context.Context) (*Download, error),
) (bool, error) {
	found, err := render(ctx)
	for _, code := range []domain.Code{domain.CodeFeatureDisabled, domain.CodeInvalidState, domain.CodeNotFound} {
		if domain.HasCode(err, code) {
			return false, nil
		}
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = found.Content.Close() }()
	return true, z.addBytes(path, zip.Store, found.Content)
}

func (e *ProcessExport) writeItems(ctx context.Context, z *exportZip) ([]exportedFile, error) {
	files, forms := []exportedFile{}, 0
	for i := range e.items {
		part := &e.items[i]
		item := exportedItem{
			ID: part.ID, Type: part.Type, Name: part.Name.For(e.reader.Texts).Text, CreatedBy: part.AuthorID, CreatedByName: part.AuthorName,
			OwnerName: part.OwnerName, State: part.State, ThreadID: part.ThreadID, Text: part.Text, Data: rawValue(part.Data),
			CreatedAt: part.CreatedAt, LastModifiedAt: part.LastModifiedAt,
		}
		file := exportedFile{ID: part.ID, Path: fmt.Sprintf("items/%04d.json", i+1)}
		if part.Type == domain.ItemTask {
			task, err := e.service.OpenTask(ctx, e.call, part.ID)
			if domain.HasCode(err, domain.CodeNotFound) {
				continue // It was taken from the caller meanwhile.
			}
			if err != nil {
				return nil, err
			}
			item.addTask(task)
			if forms++; forms <= maxExportedForms {
				path := strings.TrimSuffix(file.Path, ".json") + ".pdf"
				printed, err := e.writePDF(ctx, z, path, func(ctx context.Context) (*Download, error) {
					return e.service.PrintTask(ctx, e.call, part.ID, e.reader)
				})
				if err != nil {
					return nil, err
				}
				if printed {
					file.PDF = path
				}
			}
		}
		if err := z.addJSON(file.Path, item); err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

func (e *ProcessExport) writeDocuments(ctx context.Context, z *exportZip) ([]exportedFile, error) {
	files := []exportedFile{}
	for i := range e.documents {
		d := &e.documents[i]
		opened, err := e.service.openDownload(ctx, e.call, &d.Document)
		if err != nil {
			return nil, err
		}
		// The number distinguishes equal names, on every system.
		path := fmt.Sprintf("documents/%04d-%s", i+1, blobstore.FileName(d.Name))
		err = z.addBytes(path, zip.Deflate, opened.Content)
		if err := errors.Join(err, opened.Content.Close()); err != nil {
			return nil, err
		}
		files = append(files, exportedFile{
			ID: d.ID, Path: path, Name: d.Name, URI: DocumentURI(&d.Document), ContentType: d.ContentType, Size: &d.Size,
			SHA256: fmt.Sprintf("%x", d.SHA256), CreatedBy: &d.CreatedBy, CreatedByName: d.AuthorName, CreatedAt: &d.CreatedAt,
		})
	}
	return files, nil
}

// exportZip writes files of one time.
type exportZip struct {
	*zip.Writer

	modified time.Time
}

func (z *exportZip) addBytes(path string, method uint16, content io.Reader) error {
	file, err := z.CreateHeader(&zip.FileHeader{Name: path, Method: method, Modified: z.modified.UTC()})
	if err != nil {
		return fmt.Errorf("exporting %s: %w", path, err)
	}
	if _, err := io.Copy(file, content); err != nil {
		return fmt.Errorf("exporting %s: %w", path, err)
	}
	return nil
}

func (z *exportZip) addJSON(path string, value any) error {
	text, err := jsontext.Marshal(value)
	if err != nil {
		return fmt.Errorf("exporting %s: %w", path, err)
	}
	return z.addBytes(path, zip.Deflate, strings.NewReader(string(text)))
}
