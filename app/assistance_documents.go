package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/assistance"
	"github.com/procession-dev/procession/assistance/extract"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/persistence"
)

// problemTooMany is the problem of a document beyond the limit of a run.
const problemTooMany = "TOO_MANY_DOCUMENTS"

// ReadAssistanceDocuments executes the first step of a run: the documents of the item become passages. A document with
// passages, from any run, is not read again. A document that cannot be read is noted in the run.
func (s *Service) ReadAssistanceDocuments(ctx context.Context, key domain.AssistanceKey) error {
	found, err := s.assistedItem(ctx, key)
	if err != nil {
		return err
	}
	if found.Run.Documents != nil {
		return nil
	}
	named, err := found.documentsOfFields()
	if err != nil {
		return err
	}
	space := s.embeddingSpace(found.Run)
	var contents [][]byte
	for _, file := range named {
		if file.stored != nil {
			contents = append(contents, file.stored.SHA256[:])
		}
	}
	indexed, err := s.store.Reader.ListKnownContents(ctx, space, contents)
	if err != nil {
		return err
	}
	documents, usable := make([]domain.AssistedDocument, 0, len(named)), 0
	for _, file := range named {
		assisted := domain.AssistedDocument{Name: storableText(file.name)}
		switch {
		case file.stored == nil:
			assisted.Problem = string(extract.ReasonUnreadable)
		case usable == maxAssistedDocuments:
			assisted.Problem = problemTooMany
		default:
			assisted.SHA256 = file.stored.SHA256[:]
			if err := s.readPassages(ctx, space, file.stored, indexed, &assisted); err != nil {
				return err
			}
			if assisted.Problem == "" {
				usable++
			}
		}
		documents = append(documents, assisted)
	}
	found.Run.Documents = documents
	_, missing, err := s.store.Reader.ListMissingEmbeddings(ctx, space, contentsOf(found.Run), 0)
	if err != nil {
		return err
	}
	return s.writeInternal(ctx, func(tx *persistence.Tx) error {
		return tx.SetAssistedDocuments(key, documents, missing)
	})
}

// readPassages makes passages of a document, unless they are known.
func (s *Service) readPassages(
	ctx context.Context, space persistence.EmbeddingSpace, d *domain.Document, indexed []persistence.KnownContent,
	assisted *domain.AssistedDocument,
) error {
	for _, k := range indexed {
		if bytes.Equal(k.SHA256, assisted.SHA256) {
			assisted.Passages, assisted.Truncated = k.Passages, k.Truncated
			return nil
		}
	}
	text, err := s.textOf(ctx, d)
	var broken *extract.Error
	switch {
	case errors.As(err, &broken):
		assisted.Problem = string(broken.Reason)
		return nil
	case err != nil:
		return err
	}
	passages := assistance.Passages(storableText(text.Body), assistance.DefaultSplitting())
	assisted.Truncated = text.Truncated || len(passages) > maxPassages
	passages = passages[:min(len(passages), maxPassages)]
	if assisted.Passages = len(passages); assisted.Passages == 0 {
		assisted.Problem = string(extract.ReasonEmpty)
		return nil
	}
	return s.writeInternal(ctx, func(tx *persistence.Tx) error {
		tx.InsertPassages(space, assisted.SHA256, passages, assisted.Truncated)
		return nil
	})
}

// textOf reads the text of a document. Errors other than *extract.Error are not
// the document's.
func (s *Service) textOf(ctx context.Context, d *domain.Document) (extract.Text, error) {
	about := extract.Document{Name: d.Name, MediaType: d.ContentType, Size: d.Size}
	text, err := s.assistant.texts.Read(ctx, about, func() (io.ReadCloser, error) {
		// The bytes are not delivered to a caller, so no download is recorded.
		opened, err := s.openDownload(ctx, domain.Call{Caller: domain.Caller{}}, d)
		if err != nil {
			return nil, err
		}
		return opened.Content, nil
	})
	if err != nil {
		return extract.Text{}, fmt.Errorf("reading the text of document %s: %w", d.ID, err)
	}
	return text, nil
}

// namedFile is a document that an item refers to. stored is nil for one that is
// not there.
type namedFile struct {
	name   string
	stored *domain.Document
}

// documentsOfFields returns the documents that the configuration has a model read, each content
// once: those at its pointers into the data or, without pointers, all of the data
// and of the elements.
func (a *assisted) documentsOfFields() ([]namedFile, error) {
	stored := make(map[uuid.UUID]*domain.Document, len(a.Documents))
	for i := range a.Documents {
		stored[a.Documents[i].ID] = &a.Documents[i]
	}
	var files []namedFile
	seen := map[[32]byte]bool{}
	add := func(name string, id uuid.UUID) {
		file := namedFile{name: name, stored: stored[id]}
		if file.stored != nil {
			if seen[file.stored.SHA256] {
				return
			}
			seen[file.stored.SHA256], file.name = true, file.stored.Name
		}
		files = append(files, file)
	}
	occurrences, err := dataReferences(a.Item)
	if err != nil {
		return nil, err
	}
	for _, occurrence := range occurrences {
		file, ok := occurrence.Reference.(kuflowref.File)
		if !ok || !a.readsField(occurrence.Pointer) {
			continue
		}
		at, _ := file.Document()
		add(file.Name, at.DocumentID)
	}
	if len(a.spec.Documents) > 0 || a.Item.Task == nil {
		return files, nil
	}
	for _, code := range slices.Sorted(maps.Keys(a.Item.Task.Elements)) {
		for _, value := range a.Item.Task.Elements[code] {
			if err := filesOfElement(value, add); err != nil {
				return nil, err
			}
		}
	}
	return files, nil
}

// filesOfElement adds the documents that a value of an element refers to.
func filesOfElement(value domain.ElementValue, add func(name string, id uuid.UUID)) error {
	switch {
	case value.Value == nil:
	case value.Type == domain.ValueDocument:
		d, err := value.Document()
		if err != nil {
			return err
		}
		add(d.Name, d.DocumentID)
	case value.Type == domain.ValueObject:
		found, err := jsondoc.FindReferences(value.Value)
		if err != nil {
			return err
		}
		for _, o := range found {
			if file, ok := o.Reference.(kuflowref.File); ok {
				at, _ := file.Document()
				add(file.Name, at.DocumentID)
			}
		}
	}
	return nil
}

func dataReferences(item *domain.ProcessItem) ([]jsondoc.Occurrence, error) {
	data := item.Data()
	if data == nil {
		return nil, nil
	}
	return jsondoc.FindReferences(data.Value)
}

// readsField reports whether the configuration has documents at the pointer read.
func (a *assisted) readsField(pointer string) bool {
	if len(a.spec.Documents) == 0 {
		return true
	}
	return slices.ContainsFunc(a.spec.Documents, func(configured string) bool {
		return pointer == configured || strings.HasPrefix(pointer, configured+"/")
	})
}
