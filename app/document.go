package app

import (
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/kuflowref"
)

// fileOf returns the reference to a document that values hold.
func fileOf(d *domain.Document) kuflowref.File {
	return kuflowref.File{URI: uriOf(d), Type: d.ContentType, Size: d.Size, Name: d.Name}
}

func uriOf(d *domain.Document) string {
	return kuflowref.URI{Owner: uriOwner(d.OwnerKind), OwnerID: d.OwnerID, DocumentID: d.ID}.String()
}

// DocumentURI returns the text by which values and clients refer to a document.
func DocumentURI(d *domain.Document) string { return fileOf(d).String() }

// uriOwner returns the word for a kind of owner in the address of a document.
func uriOwner(kind domain.DocumentOwnerKind) kuflowref.Owner {
	switch kind {
	case domain.DocumentOfProcess:
		return kuflowref.OwnerProcess
	case domain.DocumentOfArtifact:
		return kuflowref.OwnerBusinessArtifact
	case domain.DocumentOfProcessAction:
		return kuflowref.OwnerProcessActionValue
	case domain.DocumentOfArtifactAction:
		return kuflowref.OwnerBusinessArtifactActionValue
	case domain.DocumentOfRobot:
		// No value refers to one.
	}
	return ""
}
